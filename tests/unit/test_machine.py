"""The machine: illegal records, halts, control records, tile flags, limits, written regions, and what an answer
tells.
"""

import pytest

from dve_engine import (
    Choices,
    ExecutionError,
    InvalidInstructions,
    NotModelled,
    Region,
    RegisterError,
    Space,
    generation_named,
    validate,
)
from dve_engine.isa.opcodes import CATALOG
from tests.unit.isa.tables import BY_NAME, ORDER, vectors
from tests.unit.records import (
    DST,
    FP32,
    INT8,
    UINT8,
    UINT32,
    floats,
    pattern,
    read_accumulator,
    record,
    run,
    sbuf,
    select_reduce,
    state_with,
    tensor_scalar,
    two_sources,
)

ADD, ONE = 4, 0x3F80_0000
INCREMENT = tensor_scalar(ADD, src=pattern(DST), imm0=ONE)  # dst += 1.0
ILLEGAL = tensor_scalar(ADD, imm0=ONE, dtypes=(0, FP32))
WAIT, HALT = record(0xA0), record(0xA1)
COUNTS = ["00000000", "0000803f", "00000040", "00004040"]  # 0.0 to 3.0 in memory order

each_generation = pytest.mark.parametrize("generation", ORDER)


# --- illegal records -------------------------------------------------------------------------------------------------


def test_reject_refuses_the_program_and_touches_nothing():
    state = state_with("CAYMAN")
    with pytest.raises(InvalidInstructions, match="1 of 3 records are not legal; 1: ") as caught:
        run(INCREMENT + ILLEGAL + INCREMENT, state=state)
    assert [v.valid for v in caught.value.verdicts] == [True, False, True]
    assert caught.value.verdicts[1].legal_on == ()
    assert caught.value.verdicts[0].legal_on == tuple(n.lower() for n in ORDER)
    assert sbuf(state, DST, 4) == COUNTS[0]


def test_stop_carries_out_what_comes_before():
    result, state = run(INCREMENT + INCREMENT + ILLEGAL + INCREMENT, on_invalid="stop")
    assert (result.executed, sbuf(state, DST, 4)) == (2, COUNTS[2])
    assert [v.valid for v in result.verdicts] == [True, True, False, True]


def test_skip_carries_out_the_others():
    result, state = run(ILLEGAL + INCREMENT + ILLEGAL + INCREMENT, on_invalid="skip")
    assert (result.executed, sbuf(state, DST, 4)) == (2, COUNTS[2])


def test_nothing_left_to_carry_out():
    for program in (b"", ILLEGAL):
        result, _ = run(program, on_invalid="skip")
        assert (result.executed, result.written, result.estimated_cycles) == (0, (), 0)


def test_an_unbound_record_behind_an_illegal_one_is_not_bound_under_stop():
    unset = tensor_scalar(0, src=pattern(0x8000_0005))
    run(ILLEGAL + unset, on_invalid="stop")
    with pytest.raises(ExecutionError, match="instruction 1: src: address register 5 is not set"):
        run(ILLEGAL + unset, on_invalid="skip")


# --- control records -------------------------------------------------------------------------------------------------


def test_halt_ends_the_run():
    result, state = run(INCREMENT + HALT + INCREMENT + tensor_scalar(0, src=pattern(0x8000_0005)))
    assert (result.executed, sbuf(state, DST, 4)) == (2, COUNTS[1])
    assert result.assumptions["control-halt"] == "ends-run"


def test_halt_ignored():
    result, state = run(INCREMENT + HALT + INCREMENT, choices=Choices(overrides={"control-halt": "ignored"}))
    assert (result.executed, sbuf(state, DST, 4)) == (3, COUNTS[2])


@each_generation
def test_every_control_record(generation):
    """Steps count as carried out and change nothing; register records are refused; the others do not exist here."""
    g = BY_NAME[generation]
    kinds = {"step": 0, "halt": 0, "register": 0}
    for code, info in CATALOG.items():
        if info.role(g) != "c":
            continue
        program = (record(code) if info.struct not in (None, "MOVE") else bytes((code, 16)) + bytes(62)) + INCREMENT
        if info.struct == "MOVE":
            program = record(code, dtype=UINT32) + INCREMENT
        kinds[info.control] += 1
        if info.control == "register":
            with pytest.raises(NotModelled, match="instruction 0: not modelled: no source gives the operands"):
                run(program, generation)
            result, state = run(program, generation, choices=Choices(overrides={"control-register-ops": "skip"}))
        else:
            result, state = run(program, generation)
        assert sbuf(state, DST, 4) == COUNTS[0 if info.control == "halt" else 1], info.name
        assert result.executed == (1 if info.control == "halt" else 2)
        assert [v.record_class for v in result.verdicts] == ["control", "data"]
    assert sum(kinds.values()) == {"SUNDA": 18, "CAYMAN": 18, "MARIANA": 19, "MAVERICK": 20}[generation]


def test_what_acts_outside_says_so():
    result, _ = run(record(0xA5) + record(0xA6) + record(0xA4))
    assert [(d["instruction"], d["kind"]) for d in result.diagnostics] == [(0, "acts_outside"), (1, "acts_outside")]


def test_trace_of_a_program():
    result, _ = run(WAIT + INCREMENT, trace="summary")
    assert [(e["instruction"], e["mnemonic"], e["class"]) for e in result.trace] == [
        (0, "EVENT_SEMAPHORE", "control"),
        (1, "TENSOR_SCALAR_ARITH_OP", "data"),
    ]
    assert sum(e["estimated_cycles"] for e in result.trace) == result.estimated_cycles
    full, _ = run(tensor_scalar(0, events__wait_mode=5, events__wait_idx=3), trace="full")
    (entry,) = full.trace
    assert (entry["events"]["wait_mode"], entry["events"]["wait_idx"]) == (5, 3)
    assert entry["reads"] == [Region(Space.SBUF, 0, 1, 0, 4)]
    assert entry["writes"] == [Region(Space.SBUF, 0, 1, DST, 4)] == list(full.written)
    silent, _ = run(INCREMENT)
    assert silent.trace == []


# --- tile flags ------------------------------------------------------------------------------------------------------


def programs_with_flags(byte):
    """One legal record of each seed family with a flag in header byte 2 or 3."""
    flag = {"header__debug_cmd" if byte == 2 else "header__debug_hint": 1}
    yield tensor_scalar(0, **flag)
    yield tensor_scalar(0, opcode=0x44, **flag)
    yield two_sources(0x41, (FP32,) * 3, **flag)
    yield two_sources(0x72, (UINT8, FP32, FP32), **flag)
    yield select_reduce(**flag)
    yield read_accumulator(**flag)


@pytest.mark.parametrize("byte", [2, 3])
def test_tile_flags_are_never_answered_with_a_guess(byte):
    """On MAVERICK byte 3 holds flags by default: no opcode runs with one set, whether or not its rules look at it."""
    choices = Choices(overrides={"maverick-inst-flags-byte": f"byte-{byte}"})
    refused = 0
    for program in programs_with_flags(byte):
        verdict = validate(program, BY_NAME["MAVERICK"], choices).verdicts[0]
        if verdict.valid:
            with pytest.raises(NotModelled, match="maverick-tile-range"):
                run(program, "MAVERICK", choices=choices)
        else:
            assert verdict.failures[0].not_modelled
            assert "maverick-tile-range" in verdict.failures[0].reason
        refused += 1
        run(program, "MARIANA")
        ignored = Choices(overrides={**choices.overrides, "maverick-tile-range": "ignore-flags"})
        result, _ = run(program, "MAVERICK", choices=ignored)
        assert result.assumptions["maverick-tile-range"] == "ignore-flags"
    assert refused == 6


def test_the_other_byte_is_free():
    for program in programs_with_flags(2):
        result, _ = run(program, "MAVERICK")
        assert result.assumptions["maverick-inst-flags-byte"] == "byte-3"


# --- what an answer tells --------------------------------------------------------------------------------------------


def test_assumptions_stand_in_registry_order_and_only_where_they_matter():
    quiet, _ = run(tensor_scalar(ADD, imm0=ONE))
    assert quiet.assumptions == {}
    loud, _ = run(tensor_scalar(0, dtypes=(FP32, INT8)), state=state_with("CAYMAN", [(0, 0, floats(0x7FC0_0000))]))
    assert list(loud.assumptions) == ["float-to-int-nan"]


def test_a_tainted_accumulator_is_diagnosed():
    result, _ = run(read_accumulator(channels=2))
    (diagnostic,) = result.diagnostics
    assert (diagnostic["instruction"], diagnostic["kind"], diagnostic["lanes"]) == (0, "tainted_accumulator", [0, 1])
    assert result.assumptions["accumulator-initial"] == "zero-tainted"


def test_registers_are_checked_when_a_state_is_made():
    for registers in ({64: 0}, {-1: 0}, {0: 1 << 32}, {0: -1}):
        with pytest.raises(RegisterError):
            type(state_with("CAYMAN"))(generation_named("cayman"), state_with("CAYMAN").memory, registers)


def test_a_pseudo_record_is_refused_or_skipped():
    pseudo = bytes((0xC1, 16)) + bytes(62)
    verdict = validate(pseudo, BY_NAME["CAYMAN"], Choices()).verdicts[0]
    assert (verdict.valid, verdict.record_class, verdict.failures[0].leaf) == (False, "pseudo", "pseudo_instruction")
    skip = Choices(overrides={"pseudo-records": "skip"})
    verdict = validate(pseudo, BY_NAME["CAYMAN"], skip).verdicts[0]
    assert (verdict.valid, verdict.executable) == (True, False)
    assert "skips it" in verdict.reason
    result, state = run(pseudo + INCREMENT, choices=skip)
    assert (result.executed, sbuf(state, DST, 4)) == (1, COUNTS[1])


# --- the specification's failing and not-modelled runs ---------------------------------------------------------------


ENCODINGS = {row["id"]: bytes.fromhex(row["hex"]) for row in vectors("instructions")["encodings"]}
ERRORS = [(row, g) for row in vectors("instructions")["run_errors"] for g in row["generations"]]
UNKNOWN = [(row, g) for row in vectors("instructions")["not_modelled"] for g in row["generations"]]


@pytest.mark.parametrize(
    ("row", "generation", "kind"),
    [(row, g, ExecutionError) for row, g in ERRORS] + [(row, g, NotModelled) for row, g in UNKNOWN],
    ids=[f"{row['id']}-{g}" for row, g in ERRORS + UNKNOWN],
)
def test_refused_runs_leave_the_state_as_it_was(row, generation, kind):
    state = state_with(generation, registers={int(k): v for k, v in row.get("registers", {}).items()})
    overrides = {i: values[0] for i, values in row["assumptions"].items()}
    program = ENCODINGS[row["encoding"]]
    assert validate(program, state.generation, Choices(overrides=overrides)).valid
    with pytest.raises(kind) as caught:
        run(program, generation, state, Choices(overrides=overrides))
    assert caught.value.instruction == 0
    assert not any(array.any() for array in state.memory.arrays.values())


def test_refused_runs_are_all_there():
    assert (len(ERRORS), len(UNKNOWN)) == (30, 12)
