"""The worked example of docs/vbool.md runs as printed, and agrees with the composite steps and the page's numbers."""

import re
from pathlib import Path

import numpy as np
import pytest

from dve_engine import vbool
from dve_engine.isa.assumptions import Choices

PAGE = (Path(__file__).parents[3] / "docs/vbool.md").read_text()
NAN, RATE = 0x7FC00000, 0x3E800000
UNIFORM = """00000000 3f7ffffe 3e800000 3e7ffff8 3f000000 3d91a2b0 3f5eadbe 3e7ffff8
             3e800000 3f400000 3efffffc 34000000 3d3adf00 3f7edcba 3e000000 3f25a5a4"""
DRAWS = np.array([int(word, 16) for word in UNIFORM.split()], np.uint32)
SOURCE = np.arange(1, 17).astype(np.float32).view(np.uint32)


def blocks():
    return re.findall(r"```python\n(.*?)```", PAGE, re.S)


def test_the_page_runs():
    found = blocks()
    assert len(found) == 2
    for code in found:
        exec(compile(code, "docs/vbool.md", "exec"), {})
    assert 'draws = """' in found[1]


def chain(compare, draws):
    """The chain as a program; compare leaves the mask of what is kept in vb1."""
    text = f"{compare}\nivp_mov2nx8t v3, v2, vb1\nivp_muln_2xf32t v3, v3, v4, vb1"
    registers = vbool.Registers()
    for name, values in {
        "v0": draws,
        "v1": np.full(16, RATE, np.uint32),
        "v2": SOURCE,
        "v4": np.full(16, 0x3FAAAAAB, np.uint32),
    }.items():
        registers[vbool.Name.of(name)] = values.view(np.uint8)
    result = vbool.VboolMachine().run(text, registers).registers
    return int(result[vbool.Name.of("vb1")]), result[vbool.Name.of("v3")].view(np.uint32), int(result.invalid)


DROP = "ivp_oltn_2xf32 vb0, v0, v1\nivp_notb vb1, vb0"
KEEP = "ivp_oltn_2xf32 vb1, v0, v1"


@pytest.mark.parametrize(
    ("compare", "step", "mask"),
    [(DROP, "dropout.drop_rate", 0xF0F00FFF0F0F0FF0), (KEEP, "dropout.keep_rate", 0x0F0FF000F0F0F00F)],
)
def test_program_and_step_agree(compare, step, mask):
    keep, scaled, invalid = chain(compare, DRAWS)
    vb, data = vbool.OPERATIONS[step](DRAWS.view(np.uint8), SOURCE.view(np.uint8), RATE)
    assert (keep, int(vb), invalid) == (mask, mask, 0)
    product, _ = vbool.ivp_muln_2xf32(data, np.full(16, 0x3FAAAAAB, np.uint32).view(np.uint8))
    assert product.view(np.uint32).tolist() == scaled.tolist()


@pytest.mark.parametrize(("compare", "step", "kept"), [(DROP, "dropout.drop_rate", 1), (KEEP, "dropout.keep_rate", 0)])
@pytest.mark.parametrize("nan", [NAN, 0xFFC00000, 0x7F800001])
def test_a_nan_draw(compare, step, kept, nan):
    draws = DRAWS.copy()
    draws[5] = nan
    keep, scaled, invalid = chain(compare, draws)
    assert (keep >> 20) & 0xF == 0xF * kept
    assert invalid == 1  # olt signals on quiet NaN too
    assert scaled[5] == (0x41000000 if kept else 0)  # 6.0 * 1.3333334
    vb, _ = vbool.OPERATIONS[step](draws.view(np.uint8), SOURCE.view(np.uint8), RATE)
    assert int(vb) == keep


def test_a_nan_threshold_keeps_all_or_nothing():
    rand, src = DRAWS.view(np.uint8), SOURCE.view(np.uint8)
    assert int(vbool.OPERATIONS["dropout.drop_rate"](rand, src, NAN)[0]) == (1 << 64) - 1
    assert int(vbool.OPERATIONS["dropout.keep_rate"](rand, src, NAN)[0]) == 0


def test_data_passes_bit_for_bit():
    source = np.array([NAN, 0x7FA00001, 1, 0x80000000] * 4, np.uint32)
    draws = np.full(16, 0x3F000000, np.uint32)
    _, data = vbool.OPERATIONS["dropout.drop_rate"](draws.view(np.uint8), source.view(np.uint8), RATE)
    assert data.view(np.uint32).tolist() == source.tolist()


def test_strict_prose_drops_the_ties():
    choices = Choices(overrides={"dropout-tie": "strict-both"})
    arguments = DRAWS.view(np.uint8), SOURCE.view(np.uint8), RATE
    assert int(vbool.OPERATIONS["dropout.drop_rate"](*arguments, choices=choices)[0]) == 0xF0F00FF00F0F00F0
