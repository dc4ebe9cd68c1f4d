"""Single steps of the model against the specification's component vectors, and values the pages print.

Source: isa/vectors/instructions.json, components; isa/05 section 13.
"""

import json
import random
import struct
from pathlib import Path

import pytest

from tests.model import Memory, NotModelled, run
from tests.model.assumptions import choices
from tests.model.cached import exponential
from tests.model.compress import block_scale, quantized, winners
from tests.model.numbers import Mode
from tests.model.operands import Machine
from tests.model.random_bits import lfsr_step, xorwow_step
from tests.model.wide import MULT_INT, wide

VECTORS = Path(__file__).parents[2] / "docs" / "isa" / "vectors" / "instructions.json"
COMPONENTS = {c["id"]: c for c in json.loads(VECTORS.read_text())["components"]}


def bits(value):
    return int.from_bytes(struct.pack("<f", value), "little")


def number(word):
    return struct.unpack("<f", word.to_bytes(4, "little"))[0]


def machine(**values):
    return Machine("MARIANA", Memory("MARIANA"), {}, [0] * 128, [False] * 128, choices(values, "notes"), Mode(), {})


def test_every_component_has_a_test():
    elsewhere = {"01-12.4", "01-12.4-u32"}  # gathers: test_model.py
    rejected = {"05-W8-tree"}
    here = {"06-W11-xorwow", "06-W11-lfsr", "06-W13-packed-tags", "06-W15-multint", *QUANTIZED, *ZERO_BLOCKS}
    assert COMPONENTS.keys() == elsewhere | rejected | here


def test_xorwow():
    c = COMPONENTS["06-W11-xorwow"]
    state = list(c["state_in"])
    for raw, value in zip(c["raw"], c["values"], strict=True):
        word = xorwow_step(state)
        assert word == int(raw, 16)
        assert struct.pack("<f", -1 + 2 * (number(word & 0x7FFFFF | 0x3F800000) - 1)) == struct.pack("<f", value)


def test_lfsr():
    sequence = [int(word, 16) for word in COMPONENTS["06-W11-lfsr"]["sequence"]]
    assert [lfsr_step(word) for word in sequence[:-1]] == sequence[1:]


def test_packed_tags():
    c = COMPONENTS["06-W13-packed-tags"]
    places = winners(0x09, [bits(value) for value in c["group"]])
    assert sum(k << 4 * slot for slot, k in enumerate(places)) == int(c["packed"], 16)


def test_wide_multiplication():
    c = COMPONENTS["06-W15-multint"]
    assert wide(MULT_INT, c["a"], c["b"]) % (1 << 64) == int(c["high"], 16) << 32 | int(c["low"], 16)


QUANTIZED = {"06-W14-e4m3": 0xE, "06-W14-e5m2": 0xF, "06-W14-e4m3-nki": 0xE, "06-W14-e5m2-nki": 0xF}
ZERO_BLOCKS = ("06-W14-zero", "06-W14-zero-nki")


@pytest.mark.parametrize("name", QUANTIZED)
def test_quantized_block(name):
    c, dtype = COMPONENTS[name], QUANTIZED[name]
    block = [bits(value) for value in c["row0"]] + [0] * 27 + [bits(c["element_7_3"])]
    scale = block_scale(machine(**{key: values[0] for key, values in c["assumptions"].items()}), block, dtype)
    assert scale == c["e8m0"]
    codes = [quantized(word, scale, dtype) for word in block]
    assert codes[:4] == [int(code, 16) for code in c["codes_row0"]] and codes[-1] == int(c["code_7_3"], 16)


@pytest.mark.parametrize("name", ZERO_BLOCKS)
def test_zero_block(name):
    c = COMPONENTS[name]
    assert (
        block_scale(machine(**{key: values[0] for key, values in c["assumptions"].items()}), [0] * 32, 0xE) == c["e8m0"]
    )


@pytest.mark.parametrize(
    ("x", "wanted"),
    [
        (0x00000000, 0x3F800000),
        (0x80000000, 0x3F800000),
        (0x7F800000, 0x7F800000),
        (0xFF800000, 0),
        (0x7F800001, 0x7FC00001),
        (0x42B00000, 0x7EF882B7),
        (0xC0000000, 0x3E0A9555),
        (0x00000001, 0x3F800000),
        (0x80000001, 0x3F800000),
        (0x33800000, 0x3F800001),
        (0x42B17218, 0x7F800000),
        (0xC2CFF1B5, 0x00000000),
        (0xC2CFF1B4, 0x00000001),
    ],
)
def test_exponential(x, wanted):
    assert exponential(x) == wanted


def test_exponential_is_monotonic():
    rng = random.Random(1)
    xs = sorted((rng.randrange(0xC2D80000, 0xC2F00000) for _ in range(50)), reverse=True)
    values = [exponential(x) for x in xs]
    assert values == sorted(values)


def test_shapes_and_codes_without_a_meaning_are_refused():
    crc = bytes.fromhex(
        "5e10000000000000000000000010000001000300060006000300020001000100090980001c02000000000000"
        "00300000010003000600060003000200" + "01000100"
    )
    for generation in ("SUNDA", "MAVERICK"):
        with pytest.raises(NotModelled):
            run(generation, crc, Memory(generation), {}, [0] * 128, [False] * 128)
