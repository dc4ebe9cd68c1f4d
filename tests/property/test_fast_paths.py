"""Every fast path gives the bits, and asks the open questions, of the slow one."""

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dve_engine import (
    Choices,
    InvalidInstructions,
    Machine,
    MachineState,
    NotModelled,
    Region,
    Space,
    generation_named,
)
from dve_engine.builder import ProgramBuilder, sbuf
from dve_engine.instructions import lane_blocks
from dve_engine.instructions.catalog import INSTRUCTIONS
from dve_engine.isa.aluops import AluOp
from dve_engine.isa.opcodes import Opcode
from dve_engine.numerics import alu_f32
from dve_engine.numerics.chain import Link, chain
from tests.generate import legal_case, legal_generations
from tests.property.support import state_of

CASES = 12  # per opcode and generation
WHOLE_MEMORY_EVERY = 6
FUSED_CASES = 150
LANEWISE = sorted(code for code, family in INSTRUCTIONS.items() if family.lanewise is not None)


def test_lanewise_opcodes():
    assert [f"{code:02X}" for code in LANEWISE] == (
        ["41", "43", "44", "46", "47", "48", "51", "53", "54", "72", "93", "98", "99", "9D", "9E", "E5", "E8", "EA"]
    )


def outcome(case, generation, profile, whole_memory, threads=1):
    """Everything a run leaves and says."""
    state, machine = state_of(case, generation), Machine(generation, Choices(profile), threads=threads)
    try:
        result = machine.run(case.record, state, trace="full")
    except (NotModelled, InvalidInstructions) as error:  # nki takes fewer records
        return str(error)
    everything = [Region(space, 0, *array.shape[:1], 0, array.shape[1]) for space, array in state.memory.arrays.items()]
    places = [r for r in everything if r.size] if whole_memory else result.written
    lanes = state.accumulators
    return (
        [state.memory.read(region).tobytes() for region in places],
        [array.tobytes() for array in (lanes.values, lanes.tainted, lanes.unseeded)],
        (result.written, result.assumptions, result.diagnostics, result.trace),
    )


def legal(rng, opcode, generation):
    """The next case that the generator vouches for."""
    while (case := legal_case(rng, opcode, generation)) is None:
        pass
    return case


@pytest.mark.parametrize("opcode", LANEWISE, ids="0x{:02X}".format)
def test_lane_blocks_change_nothing(opcode, monkeypatch):
    rng = random.Random(f"lane blocks {opcode}")
    blocked = 0
    for name in sorted(legal_generations(opcode)):
        generation = generation_named(name)
        for number in range(CASES):
            case = legal(rng, opcode, name)
            how = ("notes", "nki")[number % 2], number % WHOLE_MEMORY_EVERY == 0
            monkeypatch.setattr(lane_blocks, "BLOCK_ELEMENTS", 1 << 62)
            whole = outcome(case, generation, *how)
            monkeypatch.setattr(lane_blocks, "BLOCK_ELEMENTS", rng.choice((1, 40, 200)))
            assert outcome(case, generation, *how, threads=1 + number % 2) == whole, case.record.hex()
            if not isinstance(whole, str):
                blocked += bool(Machine(generation, Choices(how[0])).plan(case.record, case.registers).steps[0].blocks)
    assert (blocked > 0) is (opcode != Opcode.TRANSPOSE_TENSOR_SCALAR_ARITH_OP)


SPECIAL = [0, 0x80000000, 1, 0x007FFFFF, 0x00800000, 0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7F800001, 0xFFC01234]
WORDS = st.one_of(st.integers(0, 2**32 - 1), st.sampled_from(SPECIAL), st.integers(0x3F000000, 0x41000000))
OPS = st.sampled_from([AluOp.ADD, AluOp.SUBTRACT, AluOp.MULT, AluOp.MAX, AluOp.BYPASS])


def step(link, values, choices):
    return alu_f32(link.op, *((link.scalar, values) if link.scalar_first else (values, link.scalar)), choices)


FUSED = {code: family for code, family in INSTRUCTIONS.items() if family.fuse is not None}
NUMBERS = np.array([0x3F800000, 0xC1234567, 0x00C00000, 0x7F000001, *SPECIAL], np.uint32)


def plain(plan):
    """The same plan without anything made ready."""
    steps = [
        replace(step, fused=None, blocks=tuple(replace(block, fused=None) for block in step.blocks))
        for step in plan.steps
    ]
    return replace(plan, steps=tuple(steps))


def carried_out(machine, plan, state):
    """Everything a run leaves and says; not its trace, for which nothing is fused."""
    result = machine.execute(plan, state)
    memory = [state.memory.read(region).tobytes() for region in result.written]
    return memory, result.written, result.assumptions, result.diagnostics


def test_fused_opcodes():
    assert [f"{code:02X}" for code in sorted(FUSED)] == ["43", "44", "93"]


@pytest.mark.parametrize("profile", ["notes", "nki"])
def test_a_fused_record_is_the_record(profile, monkeypatch):
    rng, generation = random.Random(f"fused {profile}"), generation_named("CAYMAN")
    machine, ready, done = Machine(generation, Choices(profile)), 0, 0
    for _ in range(FUSED_CASES):
        dtypes, columns = [rng.choice(("fp32", "bf16")) for _ in range(2)], rng.choice((1, 5, 24))
        lanes = rng.choice((1, 32, 128))
        code = ProgramBuilder(generation).tensor_scalar(
            src=sbuf(0, 0, dtypes[0], (lanes, columns)),
            dst=sbuf(0, rng.choice((0, 4096)), dtypes[1], (lanes, columns)),
            op0=rng.choice(("MULTIPLY", "ADD", "SUBTRACT", "MAX")), op1=rng.choice(("MULTIPLY", "ADD", "BYPASS")),
            imm0=rng.choice((1.5, -0.0, 2.0**-100, 3e38)), imm1=rng.choice((0.25, 1e-30)),
            reverse_operands=rng.choice(("NONE", "FIRST", "SECOND", "BOTH")),
        )  # fmt: skip
        words = np.array([rng.choice(NUMBERS) if rng.random() < 0.02 else rng.getrandbits(32) for _ in range(99)], "u4")
        words[rng.sample(range(99), 90)] = 0x40490FDB
        given = np.resize(words[: rng.choice((3, 99))], (128, 1030)).tobytes()
        monkeypatch.setattr(lane_blocks, "BLOCK_ELEMENTS", rng.choice((64, 1 << 16)))
        both = []
        plan = machine.plan(code, {})
        for one in (plan, plain(plan)):
            state = MachineState.fresh(generation)
            state.memory.write(Region(Space.SBUF, 0, 128, 0, 4120), given)
            both.append(carried_out(machine, one, state))
        assert both[0] == both[1]
        parts = [block.fused for block in plan.steps[0].blocks] or [plan.steps[0].fused]
        state = MachineState.fresh(generation)
        state.memory.write(Region(Space.SBUF, 0, 128, 0, 4120), given)
        with np.errstate(all="ignore"):
            took = [part is not None and part(state.memory) for part in parts]
        ready, done = ready + (parts[0] is not None), done + all(took)
    assert ready > FUSED_CASES / 3
    assert FUSED_CASES / 10 < done < ready  # numbers of both kinds


@given(st.lists(WORDS, min_size=1, max_size=12), st.lists(st.tuples(OPS, WORDS, st.booleans()), min_size=1, max_size=2))
def test_a_chain_is_its_steps(words, steps):
    values = np.array([words], np.uint32).view(np.float32)
    links = [Link(op, np.array([[word]], np.uint32).view(np.float32), first) for op, word, first in steps]
    fast = chain(values, links)
    if fast is None:
        return
    choices, slow = Choices(), values
    for link in links:
        slow = step(link, slow, choices)
    assert np.broadcast_to(slow, values.shape).tobytes() == fast.tobytes()
    assert choices.used == {}


@given(st.lists(st.integers(0x20000000, 0x5F000000), min_size=1, max_size=12), st.integers(0x30000000, 0x4F000000))
def test_ordinary_numbers_take_the_chain(words, scalar):
    values, number = np.array([words], np.uint32).view(np.float32), np.array([[scalar]], np.uint32).view(np.float32)
    assert chain(values, [Link(AluOp.MULT, number), Link(AluOp.ADD, np.full((1, 1), 1, np.float32))]) is not None
