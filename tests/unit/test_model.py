"""The model answers every vector of the specification that concerns its opcodes, bit for bit.

Source: isa/vectors/instructions.json.
"""

import json
import struct
from pathlib import Path

import pytest

from tests.model import OPCODES, Memory, ModelError, NotModelled, alu, assumptions, banks, numbers, run
from tests.model.arithmetic import multiply
from tests.model.operands import u32

ISA = Path(__file__).parents[2] / "docs" / "isa"
INSTRUCTIONS = json.loads((ISA / "vectors" / "instructions.json").read_text())
REGISTRY = {row["id"]: row for row in json.loads((ISA / "tables" / "assumptions.json").read_text())}
OPCODE_ROWS = json.loads((ISA / "tables" / "opcodes.json").read_text())["opcodes"]
ENCODINGS = {e["id"]: e for e in INSTRUCTIONS["encodings"]}

DEFAULTS = assumptions.choices(None, "notes")


def ours(record_hex):
    return bytes.fromhex(record_hex)[0] in OPCODES


def fresh(generation, rows=()):
    memory = Memory(generation)
    memory.load([(r["space"], r["partition"], r["byte"], bytes.fromhex(r["hex"])) for r in rows])
    return memory


# ---------------------------------------------------------------------------------------------- assumptions


def test_assumption_values_are_those_of_the_registry():
    for name, followed in assumptions.FOLLOWED.items():
        row = REGISTRY[name]
        assert followed[0] == row["default"] == row["profiles"]["notes"], name
        assert set(followed) <= set(row["alternatives"]), name
        assert assumptions.choices(None, "nki")[name] == row["profiles"]["nki"], name


VALIDATION_ONLY = {
    "event-modes",
    "sunda-dve-roster",
    "cayman-dve-roster",
    "start-partition-table",
    "psum-narrow-write",
    "shape-marker-on-sunda",
    "indirect-marker-in-plain-pattern",
    "indirect-dst-size-limit",
    "indirect-src-dst-quadrant",
    "immediate-register-bound",
    "narrow-immediate-high-bytes",
    "extended-dtype-codes",
    "dtype-64-small-codes",
    "int-tensor-tensor-on-dve",
    "predicate-dtype-set",
    "control-waits",
    "control-record-body",
    "pseudo-records",
    "accumulator-initial",
    "stt-quadrant-erratum",
    "cache-int32-output",
    "exponential-upper-dims",
    "rand2-dtypes",
}


def test_every_row_of_a_modelled_opcode_is_known():
    names = {"*"} | {row["name"] for row in OPCODE_ROWS if int(str(row["code"]), 0) in OPCODES}
    concerned = {name for name, row in REGISTRY.items() if names & set(row["instructions"])}
    assert len(names) == 1 + len(OPCODES)
    assert concerned - set(assumptions.FOLLOWED) - VALIDATION_ONLY == set()


def test_an_alternative_that_is_not_followed_is_refused():
    with pytest.raises(NotModelled):
        run("CAYMAN", b"", Memory("CAYMAN"), {}, [0] * 128, [False] * 128, {"partial-overlap": "streaming"})


# ---------------------------------------------------------------------------------------------- executions

EXECUTIONS = [e for e in INSTRUCTIONS["executions"] if ours(e["hex"])]


def execution_runs():
    """List (execution, generation, assumptions, profile): both profiles where they fit, and each listed alternative."""
    runs = []
    for e in EXECUTIONS:
        settings = [({}, profile) for profile in e["profiles"]]
        pinned = {name: values[0] for name, values in e["assumptions"].items()}
        for name, values in e["assumptions"].items():
            settings += [({**pinned, name: value}, "notes") for value in values]
        for generation in e["generations"]:
            runs += [(e, generation, *setting) for setting in settings]
    return runs


BANK_NAMES = {
    "mv": "match_values",
    "mv_matched": "match_flags",
    "idx8": "index_registers",
    "lane_mask": "lane_mask",
    "bn_param": "batch_norm",
    "dropout_draws": "random_draws",
}


def bank_words(item):
    """Return the integers behind a word of a vector: hex text, a flag, an fp32 value, or the named parts of a batch
    norm row.
    """
    if isinstance(item, list):
        return [bank_words(word) for word in item]
    if isinstance(item, dict):
        return [bank_words(item[name]) for name in ("N", "mean", "A", "B", "C")]
    if isinstance(item, str):
        return int(item, 16)
    return fp32_bits(item) if isinstance(item, float) else None if item is None else int(item)


def fp32_bits(value):
    return int.from_bytes(struct.pack("<f", value), "little")


def close(bits, value, rtol):
    got = struct.unpack("<f", bits.to_bytes(4, "little"))[0]
    return abs(got - value) <= rtol * abs(value)


@pytest.mark.parametrize(
    ("e", "generation", "values", "profile"),
    execution_runs(),
    ids=lambda x: x["id"] if isinstance(x, dict) and "id" in x else str(x),
)
def test_execution(e, generation, values, profile):
    memory = fresh(generation, e["memory_in"])
    accumulators = [0] * 128
    for lane, bits in e["accumulators_in"].items():
        accumulators[int(lane)] = int(bits, 16)
    tainted = [False] * 128
    registers = {int(k): v for k, v in e["registers"].items()}
    state = {}
    for name, rows in e["state_in"].items():
        state[BANK_NAMES[name]] = bank_words(rows) if isinstance(rows, list) else banks.fresh(BANK_NAMES[name])
        for lane, row in rows.items() if isinstance(rows, dict) else ():
            state[BANK_NAMES[name]][int(lane)] = bank_words(row)
    run(generation, bytes.fromhex(e["hex"]), memory, registers, accumulators, tainted, values, profile, state)
    for row in e["memory_out"]:
        wanted = bytes.fromhex(row["hex"])
        assert memory.read(row["space"], row["partition"], row["byte"], len(wanted)).hex() == row["hex"]
    for row in e.get("memory_out_nan", []):
        size = {"FP32": 4, "BFLOAT16": 2}[row["dtype"]]
        code = int.from_bytes(memory.read(row["space"], row["partition"], row["byte"], size), "little")
        assert numbers.is_nan(code << (32 - 8 * size))
    for row in e.get("memory_out_approx", []):
        assert row["dtype"] == "FP32"
        for k, value in enumerate(row["values"]):
            assert close(
                u32(memory.read(row["space"], row["partition"], row["byte"] + 4 * k, 4), 0), value, row["rtol"]
            )
    for lane, bits in e["accumulators_out"].items():
        assert accumulators[int(lane)] == int(bits, 16)
    for lane, flag in e.get("accumulators_tainted_out", {}).items():
        assert tainted[int(lane)] is flag
    for name, rows in e["state_out"].items():
        if isinstance(rows, list):
            assert state[BANK_NAMES[name]] == bank_words(rows)
        for lane, row in rows.items() if isinstance(rows, dict) else ():
            got = state[BANK_NAMES[name]][int(lane)]
            assert len(row) == len(got) and all(
                word in (None, mine) for word, mine in zip(bank_words(row), got, strict=False)
            )


def test_execution_counts():
    assert len(EXECUTIONS) == 130
    assert len({e["opcode"] for e in EXECUTIONS}) == 40


RUN_ERRORS = [e for e in INSTRUCTIONS["run_errors"] if ours(ENCODINGS[e["encoding"]]["hex"])]


@pytest.mark.parametrize("e", RUN_ERRORS, ids=lambda e: e["id"])
def test_run_error(e):
    record = bytes.fromhex(ENCODINGS[e["encoding"]]["hex"])
    for generation in e["generations"]:
        memory, registers = Memory(generation), {int(k): v for k, v in e["registers"].items()}
        with pytest.raises(ModelError):
            run(generation, record, memory, registers, [0] * 128, [False] * 128)
        assert memory.pages() == []


NOT_MODELLED = [e for e in INSTRUCTIONS["not_modelled"] if ours(ENCODINGS[e["encoding"]]["hex"])]


@pytest.mark.parametrize("e", NOT_MODELLED, ids=lambda e: e["id"])
def test_not_modelled(e):
    for generation in e["generations"]:
        with pytest.raises(NotModelled):
            run(
                generation,
                bytes.fromhex(ENCODINGS[e["encoding"]]["hex"]),
                Memory(generation),
                {},
                [0] * 128,
                [False] * 128,
            )


def test_refusal_counts():
    assert (len(RUN_ERRORS), len(NOT_MODELLED)) == (9, 2)


GATHERS = [c for c in INSTRUCTIONS["components"] if c["id"].startswith("01-12.4")]


@pytest.mark.parametrize("component", GATHERS, ids=lambda c: c["id"])
def test_gather(component):
    values = {name: options[0] for name, options in component["assumptions"].items()}
    per_partition = "per-partition" in values.values()
    memory = Memory("MARIANA")
    for partition in range(16):
        data = b"".join(numbers.to_single(0, 100 * partition + k, 0).to_bytes(4, "little") for k in range(8))
        memory.write("SBUF", partition, 0x1000, data)
        if per_partition:
            memory.write("SBUF", partition, 0x400, b"".join(i.to_bytes(4, "little") for i in component["index"]))
        elif partition < 5:
            memory.write("SBUF", partition, 0x400, component["index"][partition].to_bytes(2, "little"))
    record = bytes.fromhex(
        "43100000" + "00" * 12 + component["pattern"] + "0a0a0200" + "00" * 12 + "00200000010000000000050001000100"
    )
    run("MARIANA", record, memory, {}, [0] * 128, [False] * 128, values)
    for lane in (0, 1):
        got = [u32(memory.read("SBUF", lane, 0x2000 + 4 * k, 4), 0) for k in range(5)]
        assert got == [numbers.to_single(0, value, 0) for value in component[f"lane{lane}"]]


def test_gather_count():
    assert len(GATHERS) == 2


# ---------------------------------------------------------------------------------------------- beyond the vectors


def test_the_two_nan_policies_of_max_differ_where_they_should():
    select = {**DEFAULTS, "max-nan": "select"}
    assert alu.alu_fp32(alu.MAX, 0x40400000, 0x7FC00011, select) == 0x7FC00011
    assert alu.alu_fp32(alu.MAX, 0, 0x80000000, select) == 0x80000000
    assert alu.alu_fp32(alu.MIN, 0x80000000, 0, select) == 0


def test_multiplication_rounds_once_into_the_subnormals():
    assert multiply(0x00800000, 0x3F000001) == 0x00400000
    assert multiply(0x00800000, 0x3F000003) == 0x00400002
    assert multiply(0x7F7FFFFF, 0x40000000) == 0x7F800000
