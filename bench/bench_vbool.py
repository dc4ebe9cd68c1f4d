"""The predicate unit: a million compares in one call of the array form, against the same count one at a time (scaled).

A compare is one lane. `one register` compares the sixteen lanes of one instruction per call, `one lane` a single lane.
"""

import numpy as np
import pytest

from dve_engine import vbool

COMPARES = 1_000_000
LANES = 16
SAMPLE = 1_000  # calls that stand for all of them

OPS = {  # register form, value routine, lane type
    "oltn_2xf32": ("ivp_oltn_2xf32", "olt_1_4_32f_32f", np.uint32),
    "ltn_2x32": ("ivp_ltn_2x32", "lt_4_32_32", np.uint32),
}


def operands(dtype):
    rng = np.random.default_rng(0)
    return [rng.integers(0, 1 << 32, COMPARES, dtype=np.uint64).astype(dtype) for _ in range(2)]


def masks(result):
    return result[0] if isinstance(result, tuple) else result


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("role", ["baseline", "one register", "one lane"])
def test_a_million_compares(measured, role, op):
    whole, routine, dtype = OPS[op]
    a, b = operands(dtype)
    registers = [x.reshape(-1, LANES).view(np.uint8) for x in (a, b)]
    group = f"{op}, {COMPARES:,} compares"
    if role == "baseline":
        result = measured(group, role, lambda: vbool.OPERATIONS[whole](*registers))
        assert len(masks(result)) == COMPARES // LANES
        return
    if role == "one register":
        call, rows, calls = vbool.OPERATIONS[whole], list(zip(*registers, strict=True))[:SAMPLE], COMPARES // LANES
    else:
        call, rows, calls = vbool.OPERATIONS[routine], list(zip(a, b, strict=True))[:SAMPLE], COMPARES
    found = measured(group, role, lambda: [masks(call(x, y)) for x, y in rows], scale=calls / SAMPLE)
    expected = masks(call(*(np.stack(column) for column in zip(*rows, strict=True))))
    assert np.array_equal(np.array(found), expected)
