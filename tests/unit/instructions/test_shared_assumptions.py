"""Open questions that older families share with the two-op and folding instructions."""

import numpy as np

from tests.unit.instructions.scan_support import (
    ADD,
    BF16,
    BYPASS,
    DST,
    FP32,
    MAX,
    SRC,
    SRC1,
    UINT8,
    ZERO_ACCUMULATE,
    Bench,
    head,
    pattern3,
    rule_of,
    stt,
)

SELECT_REDUCE, TENSOR_TENSOR, TENSOR_TENSOR_BITVEC, CLAMP = 0xEA, 0x41, 0x51, 0x24


def select(values, predicate, **assumptions):
    bench = Bench(**assumptions).put(SRC, predicate, np.uint8).put(SRC1, values)
    n = len(values)
    return bench.run(stt(SELECT_REDUCE, BYPASS, MAX, n=n, dtypes=(UINT8, FP32), out=BF16, cmd=ZERO_ACCUMULATE))


def test_select_reduce_folds_before_the_conversion():
    """1 + 2**-8 is 1 in BF16."""
    values = np.float32([1 + 2.0**-8, 0.5])
    before = select(values, [1, 1])
    assert before.acc[0] == values[0]
    assert before.used["fold-cast-point"] == "before-conversion"
    assert select(values, [1, 1], fold_cast_point="after-conversion").acc[0] == 1
    assert "fold-cast-point" not in select(values, [0, 1]).used  # the one that rounds is not selected


def tensor_tensor(opcode, op, dtype=FP32):
    record = head(opcode) + bytes((dtype | dtype << 4, dtype, op, 1))
    return record + pattern3(SRC, (1,)) + pattern3(SRC1, (1,)) + pattern3(DST, (1,))


def test_symmetric_clamp_in_tensor_tensor():
    record = tensor_tensor(TENSOR_TENSOR, CLAMP)
    assert rule_of(record, "MAVERICK") == "TT-V8"
    assert rule_of(record, "MARIANA", symmetric_clamp="accept-clamp") == "TT-V7"
    assert rule_of(record, "MAVERICK", symmetric_clamp="accept-clamp") is None
    bitvec = tensor_tensor(TENSOR_TENSOR_BITVEC, CLAMP, UINT8)
    assert rule_of(bitvec, "MAVERICK", symmetric_clamp="accept-clamp") == "TT-V8"
    bench = Bench("MAVERICK", symmetric_clamp="accept-clamp").put(SRC, [-5]).put(SRC1, [2]).run(record)
    assert bench.get(1) == -2
    assert bench.used["symmetric-clamp"] == "accept-clamp"
    assert rule_of(tensor_tensor(TENSOR_TENSOR, ADD), "MAVERICK") is None
