"""The dtype code space equals tables/dtypes.json: widths, alignment, sets, and each of the 256 codes through each
gate.
"""

import numpy as np
import pytest

from dve_engine import Choices
from dve_engine.isa import dtypes as dt
from dve_engine.isa.layout import S3D3_TS
from dve_engine.memory.address import addr_aligned_dtype, psum_write_width_ok
from dve_engine.rules.batch import Batch
from dve_engine.rules.dtypes import is_valid_dtype, is_valid_dtype_64

from .tables import BY_NAME, ORDER, table

TABLE = table("dtypes")
ROWS = {row["code"]: row for row in TABLE["dtypes"]}
GATES = {row["id"]: row["function"] for row in TABLE["gates"]}

each_generation = pytest.mark.parametrize("generation", ORDER)


def test_same_codes():
    assert {int(d): d.name for d in dt.Dtype} == {code: row["name"] for code, row in ROWS.items()}
    assert len(ROWS) == 30


@each_generation
def test_presence(generation):
    present = {code for code, row in ROWS.items() if row["presence"][generation]}
    assert dt.codes(BY_NAME[generation]) == present
    assert len(present) == TABLE["enumerator_counts"][generation]


def test_width_and_kind():
    for code in range(256):
        row = ROWS.get(code)
        assert dt.size_bytes(code) == ((row["bytes"] or 0) if row else 0)
        if row:
            assert dt.DTYPES[dt.Dtype(code)].kind == row["kind"]
        assert dt.dtype_name(code) == (row["name"] if row else f"0x{code:02X}")
    assert [dt.size_bytes(c) for c in range(16)] == TABLE["widths_by_code_0_15"]


@each_generation
def test_alignment_of_every_code(generation):
    g = BY_NAME[generation]
    addresses = np.arange(16, dtype=np.uint32)
    for code in range(256):
        divisor = ROWS[code]["addr_aligned"][generation] if code in ROWS else None
        got = addr_aligned_dtype(addresses, np.full(16, code), g)
        assert got.tolist() == [divisor is not None and a % divisor == 0 for a in range(16)], f"0x{code:02X}"


def test_sets():
    sets = TABLE["sets"]
    assert set(sets["INT6"]) == dt.INT6
    assert set(sets["FPDP"]) == dt.FP_DATAPATH
    assert set(sets["FPDP_FP32R"]) == dt.FP_DATAPATH_FP32R
    wide = [c for c in range(16) if psum_write_width_ok(np.asarray(c)) and dt.size_bytes(c)]
    assert wide == sets["PSUM_WRITE"]
    for generation in ("SUNDA", "CAYMAN", "MARIANA"):
        assert below_0x10(generation, fp32r=False) == sets["D12"]
        assert below_0x10(generation, fp32r=True) == sets["D13"]


def below_0x10(generation, *, fp32r):
    """The accepted codes that fit in half a byte; what MARIANA adds fails at the alignment of its address."""
    return [c for c in accepted(generation, is_valid_dtype("in_dtype", fp32r=fp32r)) if c < 0x10]


@pytest.mark.parametrize(
    ("column", "members"),
    [
        ("is_valid_int_dtype", dt.INT8SET),
        ("is_valid_int_dtype_datapath", dt.INT6),
        ("is_valid_32b_int_dtype", dt.INT_32B),
        ("is_valid_64b_int_dtype", dt.INT_64B),
        ("is_signed_int", dt.SIGNED_INT),
        ("is_unsigned_int", dt.UNSIGNED_INT),
        ("is_valid_fp_dtype_datapath_fp32r_false", dt.FP_DATAPATH),
        ("is_valid_fp_dtype_datapath_fp32r_true", dt.FP_DATAPATH_FP32R),
    ],
)
def test_membership(column, members):
    assert {int(d) for d in members} == {code for code, row in ROWS.items() if row["member"][column]}


def every_code(generation, choices=None):
    """A batch whose record k holds code k in in_dtype."""
    records = np.zeros((256, 64), np.uint8)
    records[:, S3D3_TS.by_name["in_dtype"].offset] = np.arange(256)
    return Batch(S3D3_TS, records, BY_NAME[generation], choices or Choices())


def first_leaves(rule, batch):
    """Per code the leaf of the elementary check that fails first, None where the rule holds."""
    return [rule.parts[k - 1].leaf if k else None for k in rule.first_failing(batch).tolist()]


def accepted(generation, rule, choices=None):
    return np.flatnonzero(rule.first_failing(every_code(generation, choices)) == 0).tolist()


@each_generation
@pytest.mark.parametrize("fp32r", [False, True])
def test_first_failing_gate_of_every_code(generation, fp32r):
    """Verdict and leaf of is_valid_dtype, 256 codes."""
    rule = is_valid_dtype("in_dtype", fp32r=fp32r)
    leaves = first_leaves(rule, every_code(generation))
    suffix = "fp32r_true" if fp32r else "fp32r_false"
    for code in range(256):
        row = ROWS.get(code)
        expected = row[f"is_valid_dtype_first_failure_{suffix}"][generation] if row else "is_valid_enum"
        assert leaves[code] == expected, f"0x{code:02X}"
        if row:
            assert (leaves[code] is None) == row["member"][f"is_valid_dtype_{suffix}"][generation]


@each_generation
def test_order_of_the_gates(generation):
    names = [gate.name for gate in dt.gates(BY_NAME[generation])]
    order = TABLE["gate_order"]["is_valid_dtype"][generation]
    for name, gate in zip(names, order, strict=True):
        assert name in GATES[gate]


@each_generation
def test_valid_dtype_64(generation):
    """All three permissions: the two 64-bit codes and FP32R pass too, except on SUNDA, which has no 64-bit leg."""
    rule = is_valid_dtype_64("in_dtype", fp32r=True)
    leaves = first_leaves(rule, every_code(generation))
    wide = BY_NAME[generation].features.dtype_64_in_tensor_tensor_validator
    narrow = [row["is_valid_dtype_first_failure_fp32r_true"][generation] for row in ROWS.values()]
    expected = dict(zip(ROWS, narrow, strict=True)) | (dict.fromkeys((0x01, 0x0C)) if wide else {})
    assert leaves == [expected.get(code, "is_valid_enum") for code in range(256)]
    assert rule.named_on(BY_NAME[generation]) == ("is_valid_dtype_64" if wide else "is_valid_dtype")


@each_generation
def test_chain_as_printed(generation):
    """`dtype-64-small-codes` = chain-as-printed: is_valid_dtype_64 has no 4-bit and scale checks."""
    choices = Choices(overrides={"dtype-64-small-codes": "chain-as-printed"})
    rule = is_valid_dtype_64("in_dtype")
    more = set(accepted(generation, rule, choices)) - set(accepted(generation, rule))
    small = {"SUNDA": set(), "CAYMAN": set(), "MARIANA": {0x10}, "MAVERICK": {0x10, 0x12, 0x13, 0x14, 0x15, 0x16}}
    assert more == small[generation]


@each_generation
def test_reject_all_extended_codes(generation):
    """`extended-dtype-codes` = reject-all: nothing from 0x10 on passes, and 0x11 on MAVERICK is what changes."""
    choices = Choices(overrides={"extended-dtype-codes": "reject-all"})
    before, after = (
        accepted(generation, is_valid_dtype("in_dtype")),
        accepted(generation, is_valid_dtype("in_dtype"), choices),
    )
    assert max(after) < 0x10
    usable = [c for c in before if c >= 0x10 and ROWS[c]["kind"] != "transport"]
    assert usable == ([0x11] if generation == "MAVERICK" else [])
    assert [c for c in before if c < 0x10] == after
