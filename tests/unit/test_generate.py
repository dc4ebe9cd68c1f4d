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

from .operand_table import FEWER, NO_START_RULE, RESULTS, STRUCT_OF, STRUCTS, TILED, WRITE, operands

GENERATIONS = ("SUNDA", "CAYMAN", "MARIANA", "MAVERICK")
PAIRS = [(opcode, generation) for opcode in OPCODES for generation in legal_generations(opcode)]
CASES = 50
MANY_CASES = (0x41, 0x51, 0x43, 0x53, 0x44, 0x54)  # whose operation codes are counted


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
        assert len(case.record) == 64 and case.record[0] == opcode
        assert case.record[1] == 16 or (opcode, case.record[1]) == (0xE3, 17)
        specs, channels = operands(case.record)
        tensors = [Tensor(case, spec) for spec in specs]
        for tensor in tensors:
            tensor.check(geometry, channels, generation)
        counts = [tensor.count for tensor in tensors]
        if opcode in RESULTS:
            assert counts[-1] == RESULTS[opcode]
        elif opcode in FEWER:
            assert counts[0] % counts[1] == 0
        elif opcode in (0x6B, 0xE0, 0xE1):
            assert all(count <= counts[0] for count in counts[1:])
        else:
            assert len(set(counts)) <= 1
        if len(tensors) == 3 and not tensors[1].write and opcode not in NO_START_RULE:
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
        if (
            "MARIANA" not in legal_generations(opcode)
            or opcode == 0x65
            or not any(either for *_, either in STRUCTS[STRUCT_OF[opcode]][1])
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
