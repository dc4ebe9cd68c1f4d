"""Generated cases keep the placement rules, run on the model without an error, and reach the corners they are meant
to reach.

Source: isa/01 section 9; isa/tables/rules.json through the field offsets below.
"""

import copy
import random
from collections import Counter
from functools import cache

import pytest

from tests.generate import OPCODES, legal_case, legal_generations, legal_record
from tests.generate.common import GENERAL_ARITH_MARIANA, GENERAL_BITVEC, INT_DVE
from tests.model import GEOMETRIES, Memory, run
from tests.model.memory import ADDRESS_MASK, channels_fit, same_quadrant, sources_fit
from tests.model.numbers import SIZES
from tests.model.operands import s16, u16, u32

GENERATIONS = ("SUNDA", "CAYMAN", "MARIANA", "MAVERICK")
PAIRS = [(opcode, generation) for opcode in OPCODES for generation in legal_generations(opcode)]
CASES = 50
MANY_CASES = (0x41, 0x51, 0x43, 0x53, 0x44, 0x54)  # whose operation codes are counted


READ, WRITE = False, True
DIRECT, EITHER = False, True


def low(byte):
    return lambda record: record[byte] & 0xF


def high(byte):
    return lambda record: record[byte] >> 4


def whole(byte):
    return lambda record: record[byte]


PACKED_TT, PACKED_TR = (0x8A, 0x8B, 0x8F), (0x8C, 0x8D)
REDUCING, POOLING = (0x42, 0x52, 0x83, 0x84), (0x45, 0x58)
FEWER = (*REDUCING, *PACKED_TR, *POOLING)  # one destination element per group
NO_START_RULE = (*PACKED_TT, *PACKED_TR)  # isa/01 section 9.4
TILED = (0x93, 0x83, 0x84, 0x6B)

# Struct -> offset of the channel count, and of every tensor: offset, dimensions, dtype, direction, may be indirect on
# MARIANA+.
STRUCTS = {
    "S3S3D3_TT": (
        15,
        [(16, 3, low(12), READ, EITHER), (32, 3, high(12), READ, DIRECT), (48, 3, whole(13), WRITE, EITHER)],
    ),
    "S3D3_TS": (34, [(16, 3, whole(32), READ, EITHER), (48, 3, whole(33), WRITE, EITHER)]),
    "S3D3_CP_PRED_SCALAR": (34, [(16, 3, whole(32), READ, EITHER), (48, 3, whole(42), WRITE, EITHER)]),
    "S2S2D2_STT": (
        42,
        [(12, 2, low(40), READ, DIRECT), (24, 2, high(40), READ, DIRECT), (48, 2, whole(41), WRITE, DIRECT)],
    ),
    "S4D4_TR": (34, [(12, 4, whole(32), READ, EITHER), (44, 4, whole(33), WRITE, EITHER)]),
    "S4D4_PL": (34, [(12, 4, whole(32), READ, DIRECT), (44, 4, whole(33), WRITE, DIRECT)]),
    "D4_MR": (34, [(44, 4, whole(32), WRITE, DIRECT)]),
    "CTRL_IM": (1, []),
    "D1_RD": (34, [(44, 1, whole(32), WRITE, DIRECT)]),
}
STRUCT_OF = {
    **dict.fromkeys((0x41, 0x51, 0x72, 0x99, *PACKED_TT), "S3S3D3_TT"),
    **dict.fromkeys((0x43, 0x53, 0x44, 0x54, 0x93, 0x9A, 0xE6, 0x30), "S3D3_TS"),
    0xE8: "S3D3_CP_PRED_SCALAR",
    **dict.fromkeys((0xEA, 0x9D, 0x9E, 0xE5), "S2S2D2_STT"),
    0x9B: "D1_RD",
    **dict.fromkeys((*REDUCING, *PACKED_TR, 0x4E, 0x5E, 0x46, 0x47, 0x48, 0x6A, 0x6B), "S4D4_TR"),
    **dict.fromkeys(POOLING, "S4D4_PL"),
    0x49: "D4_MR",
    0x69: "CTRL_IM",
}


def operands(record):
    """List (offset, dims, dtype, write, may be indirect) of a record's tensors, and its channel count (CTRL_IM has
    none).
    """
    channels, tensors = STRUCTS[STRUCT_OF[record[0]]]
    return [(offset, dims, dtype(record), *rest) for offset, dims, dtype, *rest in tensors], record[channels]


class Tensor:
    """One decoded operand with its static words and, for registers, the resolved ones."""

    def __init__(self, case, spec):
        self.opcode = case.record[0]
        self.offset, self.dims, self.dtype, self.write, may_be_indirect = spec
        self.word = u32(case.record, self.offset)
        self.indirect = may_be_indirect and (self.word >> 24) & 0x60 == 0x20
        self.register = bool(self.word >> 31)
        start = (case.registers[self.word & 0xFF] if self.register else self.word) & ADDRESS_MASK
        self.index = start if self.indirect else None
        data = u32(case.record, self.offset + 4)
        assert not (self.indirect and data >> 29)
        self.address = data if self.indirect else start
        counts = [u16(case.record, self.offset + 4 + 2 * (self.dims + d)) for d in range(self.dims)]
        self.count = u16(case.record, self.offset + 8) if self.indirect else 1
        for number in () if self.indirect else counts:
            self.count *= number
        self.steps = [] if self.indirect else [s16(case.record, self.offset + 4 + 2 * d) for d in range(self.dims)]

    def check(self, geometry, channels, generation):
        assert self.count >= 1
        assert not (self.word & 0x40000000) or (generation == "SUNDA" and not self.register)
        assert not self.indirect or generation in ("MARIANA", "MAVERICK")
        if self.register:
            assert self.word & 0xFFFF00 == 0 and self.word & 0xFF < 64
            assert generation != "SUNDA" or self.word >> 24 == 0x80
        assert self.address % SIZES[self.dtype] == 0
        if self.opcode in NO_START_RULE:
            assert geometry.split(self.address)[1] + channels <= 128
        else:
            assert channels_fit(geometry, self.address, channels)
        assert not self.write or self.space(geometry) == "SBUF" or SIZES[self.dtype] == 4
        if self.indirect:
            assert self.index % 4 == 0 and channels_fit(geometry, self.index, channels)
            assert geometry.split(self.index)[0] == "SBUF"

    def space(self, geometry):
        return geometry.split(self.address)[0]

    @property
    def indirect_static(self):
        return self.indirect and not self.register


def check_quadrants(geometry, source, target):
    """V23 on the first source, V24 on it and the destination."""
    if source.indirect_static and source.space(geometry) == "SBUF":
        assert same_quadrant(geometry, source.index, source.address)
    if not target.indirect_static:
        return
    if source.space(geometry) == "SBUF":
        assert (source.register and not source.indirect) or same_quadrant(geometry, target.index, source.address)
    elif source.indirect_static:
        assert same_quadrant(geometry, target.index, source.index)


@cache
def cases(opcode, generation):
    """Return the cases all tests share; a test that runs one copies what the run changes."""
    seeds = range(2 * CASES if opcode in MANY_CASES else 25 if opcode in TILED else CASES)
    return [legal_case(random.Random(f"{opcode} {generation} {seed}"), opcode, generation) for seed in seeds]


@pytest.mark.parametrize(("opcode", "generation"), PAIRS, ids=lambda x: hex(x) if isinstance(x, int) else x)
def test_cases_keep_the_placement_rules(opcode, generation):
    geometry = GEOMETRIES[generation]
    for case in cases(opcode, generation):
        assert len(case.record) == 64 and case.record[:2] == bytes((opcode, 16))
        specs, channels = operands(case.record)
        tensors = [Tensor(case, spec) for spec in specs]
        for tensor in tensors:
            tensor.check(geometry, channels, generation)
        counts = [tensor.count for tensor in tensors]
        if opcode in FEWER:
            assert counts[0] % counts[1] == 0
        elif opcode == 0x6B:
            assert counts[1] <= counts[0]
        else:
            assert len(set(counts)) <= 1
        if len(tensors) == 3 and opcode not in NO_START_RULE:
            assert sources_fit(geometry, tensors[0].address, tensors[1].address)
        if len(tensors) > 1:
            check_quadrants(geometry, tensors[0], tensors[-1])
        if opcode in TILED:
            assert channels % 32 == 0 and counts[0] % 32 == 0


@pytest.mark.parametrize(("opcode", "generation"), PAIRS, ids=lambda x: hex(x) if isinstance(x, int) else x)
@pytest.mark.parametrize("profile", ["notes", "nki"])
def test_cases_run(opcode, generation, profile):
    for case in cases(opcode, generation)[: 5 if opcode in TILED else 25]:
        memory = Memory(generation)
        memory.load(case.memory)
        run(
            generation,
            case.record,
            memory,
            case.registers,
            list(case.accumulators),
            list(case.tainted),
            None,
            profile,
            copy.deepcopy(case.banks),
        )


def test_a_seed_gives_one_record():
    assert legal_record(random.Random(7), 0x43, "CAYMAN") == legal_record(random.Random(7), 0x43, "CAYMAN")


def test_variety():
    seen = Counter()
    for opcode, generation in PAIRS:
        geometry = GEOMETRIES[generation]
        for case in cases(opcode, generation):
            specs, channels = operands(case.record)
            tensors = [Tensor(case, spec) for spec in specs]
            seen["channels", channels > 32, channels > 64, channels == 128] += 1
            seen["in place"] += len(tensors) > 1 and tensors[0].address == tensors[-1].address
            for tensor in tensors:
                seen["dtype", opcode, tensor.dtype, tensor.write] += 1
                seen[generation, tensor.space(geometry), tensor.write] += 1
                seen["register", tensor.write] += tensor.register and not tensor.indirect
                seen["index register"] += tensor.register and tensor.indirect
                seen["indirect", opcode, tensor.write] += tensor.indirect
                seen["negative step"] += any(step < 0 for step in tensor.steps)
                seen["zero step", tensor.write] += any(step == 0 for step in tensor.steps)
            if opcode in (0x43, 0x44, 0x53, 0x54):
                seen["op", case.record[36]] += 1
                seen["scalar", case.record[35]] += 1
    for code in GENERAL_ARITH_MARIANA + GENERAL_BITVEC + INT_DVE + (0x1D,):
        assert seen["op", code], hex(code)
    for generation in GENERATIONS[:3]:
        assert seen[generation, "PSUM", True] and seen[generation, "PSUM", False]
    for opcode in OPCODES:
        if "MARIANA" not in legal_generations(opcode) or not any(
            either for *_, either in STRUCTS[STRUCT_OF[opcode]][1]
        ):
            continue
        assert seen["indirect", opcode, False] and seen["indirect", opcode, True], hex(opcode)
    for opcode in (0x41, 0x43, 0x44, 0x93, 0xEA, 0x9B, 0x9D, 0xE5, 0x9A, 0xE6, 0x30, 0x42, 0x4E, 0x45, 0x47, 0x48):
        assert seen["dtype", opcode, 0x0B, WRITE], hex(opcode)
    for key in (
        "in place",
        "index register",
        "negative step",
        ("register", True),
        ("register", False),
        ("zero step", True),
        ("zero step", False),
        ("scalar", 0),
        ("scalar", 1),
        ("scalar", 2),
        ("channels", True, True, True),
    ):
        assert seen[key], key
