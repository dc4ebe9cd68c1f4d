"""The cost model against the worked numbers of isa/08 section 12; worked.json holds them as printed there."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dve_engine.isa.aluops import AluOp
from dve_engine.isa.dtypes import Dtype
from dve_engine.isa.generation import CAYMAN, GENERATIONS, MARIANA, MAVERICK, SUNDA, Generation, generation_named
from dve_engine.isa.layout import struct_of
from dve_engine.isa.opcodes import CATALOG
from dve_engine.timing import BadOpcode, Space, Step, Stream, Traffic, Work, cost, timeline, traffic, work_of
from dve_engine.timing.rates import CONTROLS, RATES
from dve_engine.timing.record import STREAMS
from dve_engine.timing.work import EXECUTED_ROLES, SCATTERED

WORKED: dict[str, Any] = json.loads(Path(__file__).with_name("worked.json").read_text())
RECORDS = {name: bytes.fromhex("".join(entry["hex"])) for name, entry in WORKED["records"].items()}
BF16, FP32, UINT8 = int(Dtype.BFLOAT16), int(Dtype.FP32), int(Dtype.UINT8)


def stream(dtype: int, count: int, step: int = 1, space: Space = "SBUF") -> Stream:
    return Stream(space, dtype, count, step)


def same(opcode: int, dtype: int, n: int, sources: int = 1, ops: tuple[int, ...] = ()) -> Work:
    """An instruction whose operands are all alike: contiguous, in SBUF."""
    one = stream(dtype, n)
    return Work(opcode, (one,) * sources, (one,), ops)


def memset(fill: int) -> Work:
    return Work(0x49, (), (stream(BF16, 1024),), fill=fill)


def reduce_to_one(opcode: int) -> Work:
    return Work(opcode, (stream(BF16, 1024),), (stream(BF16, 1),), (AluOp.ADD,))


TT_PSUM = Work(0x41, (stream(FP32, 512), stream(FP32, 512, space="PSUM")), (stream(FP32, 512),), (AluOp.MULT,))
MAX8 = Work(0x6C, (stream(FP32, 4096),), (stream(FP32, 8),))
TINY = same(0x43, FP32, 1)
UNENCODED = {  # results of section 12.2 whose record section 12.1 does not print
    "T1": same(0x43, FP32, 512, ops=(AluOp.MULT, AluOp.ADD)),
    "T3": Work(0x43, (stream(BF16, 1024),), (stream(BF16, 1024, 2),), (AluOp.MULT, AluOp.BYPASS)),
    "T4": Work(0x46, (stream(BF16, 512, space="PSUM"),), (stream(BF16, 512),)),
    "T7": TT_PSUM,
    "T9": same(0x41, BF16, 512, 2, (AluOp.ADD,)),
    "T11": same(0x9D, FP32, 1216, 2, (AluOp.MULT, AluOp.ADD)),
    "T15": same(0x48, FP32, 64),
    "T16": Work(0x61, (stream(FP32, 512),), (stream(FP32, 6),)),
    "T18": same(0xE5, FP32, 512, 2, (AluOp.MULT, AluOp.ADD)),
    "T19": memset(0),
    "T20": memset(0x3F80),
    "T22": Work(0x46, (stream(FP32, 256, 4),), (stream(FP32, 256),)),
    "T24": Work(0x72, (stream(UINT8, 512), stream(FP32, 512, space="PSUM")), (stream(FP32, 512),)),
    "T25": reduce_to_one(0x42),
    "T26": reduce_to_one(0x8C),
    "T27": MAX8,
    "T28": TINY,
}


def worked(name: str, generation: Generation) -> Work:
    return work_of(RECORDS[name], generation) if name in RECORDS else UNENCODED[name]


CELLS = [(row, g) for row in WORKED["results"] for g in (SUNDA, CAYMAN, MARIANA)]
COSTED = [pytest.param(row, g, id=f"{row['id']}-{g.name}") for row, g in CELLS if row[g.name] is not None]


def test_every_worked_number_is_present() -> None:
    assert (len(RECORDS), len(UNENCODED), len(WORKED["results"])) == (13, 17, 30)
    assert RECORDS.keys() | UNENCODED.keys() == {row["id"] for row in WORKED["results"]}
    assert (len(CELLS), len(COSTED)) == (90, 83)
    assert (len(WORKED["bad_opcode"]), len(WORKED["refused_by_validator"])) == (6, 5)


@pytest.mark.parametrize(("row", "generation"), COSTED)
def test_worked_result(row: dict[str, Any], generation: Generation) -> None:
    """Section 12.2; nanoseconds to the one decimal printed."""
    numbers, _, mode = row[generation.name].replace(" / ", "/").partition(" ")
    stream_cycles, issue, issue_ns, latency = numbers.split("/")
    got = cost(worked(row["id"], generation), generation)
    assert (got.n, got.doc_cycles) == (row["n"], row["doc"])
    assert (got.stream_cycles, got.issue_cycles, got.latency_cycles) == (int(stream_cycles), int(issue), int(latency))
    assert f"{got.issue_ns:.1f}" == issue_ns
    assert got.performance_mode == (mode or None)


@pytest.mark.parametrize(("row", "generation"), [cell for cell in CELLS if cell[0][cell[1].name] is None])
def test_dash_in_the_table_is_a_bad_opcode(row: dict[str, Any], generation: Generation) -> None:
    with pytest.raises(BadOpcode):
        cost(worked(row["id"], generation), generation)


def test_performance_mode_off() -> None:
    """Section 12.2, last paragraph."""
    rows = WORKED["cayman_performance_mode_off"]
    assert len(rows) == 5
    for name, numbers in rows.items():
        got = cost(worked(name, CAYMAN), CAYMAN, performance_mode=False)
        assert f"{got.stream_cycles} / {got.issue_cycles} / {got.latency_cycles}" == numbers, name
        assert got.performance_mode is None


@pytest.mark.parametrize(("name", "generation"), WORKED["bad_opcode"])
def test_bad_opcode_has_no_cost(name: str, generation: str) -> None:
    """Section 12.3, first three rows."""
    with pytest.raises(BadOpcode, match=rf"BadOpcode.*{generation}.*0x{RECORDS[name][0]:02X}"):
        work_of(RECORDS[name], generation_named(generation))


@pytest.mark.parametrize("case", WORKED["refused_by_validator"], ids=lambda case: case["rule"].split()[0])
def test_other_refusals_are_left_to_the_validator(case: dict[str, Any]) -> None:
    """Section 12.3, the other rows: timing neither judges nor fails; the caller asks the validator first."""
    raw = bytearray(RECORDS[case["record"]])
    for offset, new in case["change"].items():
        raw[int(offset) : int(offset) + len(bytes.fromhex(new))] = bytes.fromhex(new)
    assert bytes(raw) != RECORDS[case["record"]]
    for name in case["generations"]:
        generation = generation_named(name)
        assert cost(work_of(bytes(raw), generation), generation).n > 0


def independent(*works: Work) -> list[Step]:
    return [Step(work) for work in works]


def chain(*works: Work) -> list[Step]:
    return [Step(work, (position - 1,) if position else ()) for position, work in enumerate(works)]


def test_sequences() -> None:
    """Section 12.4, in its order; nanoseconds to the digits printed."""
    pair = timeline(independent(worked("T12", CAYMAN), worked("T13", CAYMAN)), CAYMAN)
    assert (pair.issue_cycles, round(pair.issue_cycles / 0.96)) == (16513, 17201)

    scan, tensor_tensor = UNENCODED["T18"], same(0x41, FP32, 512, 2, (AluOp.ADD,))
    mamba = timeline(independent(TT_PSUM, scan, TT_PSUM, tensor_tensor), SUNDA)
    assert [slot.cost.issue_cycles for slot in mamba.slots] == [576, 1088, 576, 1088]
    assert (mamba.issue_cycles, round(mamba.issue_cycles / 1.12, 1)) == (3328, 2971.4)

    replace = same(0x6F, FP32, 4096)
    top16 = timeline(chain(MAX8, replace, MAX8, replace), CAYMAN)
    assert (top16.total_cycles, round(top16.total_cycles / 0.96)) == (16960, 17667)

    for generation, cycles, ns in ((CAYMAN, 1160, 1208), (SUNDA, 3128, 2793)):
        dependent = timeline(chain(*[TINY] * 8), generation)
        assert (dependent.total_cycles, round(dependent.instruction_ns)) == (cycles, ns)

    apart = timeline(independent(*[TINY] * 8), CAYMAN)
    assert (apart.total_cycles, round(apart.active_ns)) == (600, 625)

    tensor_reduce = Work(0x42, (stream(FP32, 512),), (stream(FP32, 1),), (AluOp.ADD,))
    assert timeline(independent(tensor_reduce), SUNDA).issue_cycles == 576
    assert timeline(independent(tensor_reduce, tensor_reduce), SUNDA).issue_cycles == 1152


def test_mamba_active_time() -> None:
    """Section 9, row S3 and its derivation: 1 757 184 cycles."""
    scan, tensor_tensor = UNENCODED["T18"], same(0x41, FP32, 512, 2, (AluOp.ADD,))
    fill = Work(0x49, (), (stream(FP32, 512),), fill=0)
    inner = sum(cost(work, SUNDA).issue_cycles for work in (TT_PSUM, scan, TT_PSUM, tensor_tensor))
    outer = sum(cost(work, SUNDA).issue_cycles for work in (tensor_tensor, fill))
    assert 512 * inner + 32 * outer == 1_757_184


def test_waits_and_hand_offs_delay_the_start() -> None:
    waited = timeline([Step(TINY, waits=True), Step(TINY, after_ns=1000.0)], CAYMAN).slots
    assert (waited[0].start_ns, waited[0].evt_wait_time_ns) == (10.0, 10.0)
    assert waited[1].start_ns == pytest.approx(1040.0)


def test_step_cannot_depend_on_a_later_one() -> None:
    with pytest.raises(ValueError, match="only earlier"):
        timeline([Step(TINY, (0,))], CAYMAN)


def test_control_records_take_no_issue_slot() -> None:
    """Section 6, last rows: 10 ns on the queue; the register load is the open candidate of 536 cycles."""
    got = cost(work_of(bytes([0xA0, 0x10]) + bytes(62), CAYMAN), CAYMAN)
    assert (got.issue_cycles, got.issue_ns, got.bound, got.performance_mode) == (0, 10.0, "control", None)
    assert "no issue slot" in got.reason
    assert cost(Work(0xAA), SUNDA).issue_cycles == 536
    assert timeline(independent(Work(0xA0), TINY), CAYMAN).slots[1].start_ns == pytest.approx(10.0)


SECTION_6 = """
    30 41 51 42 52 43 53 44 54 93 45 58 46 47 48 49 4D 4E 5E 60 61 82 62 63 94 65 64 8E 6D 70 71 66 69 6A 6B 6C 6E 6F
    72 99 E8 98 7F 77 78 83 84 8A 8B 8F 8C 8D 9A E6 9B E9 9D 9E E5 EA BC E0 E1 E2 E3 F4 9F A0 A4 A7 A8 A9 B0 B1 B2 B3
    B4 B5 AA AB
"""
BEYOND_SECTION_6 = "4F 5F 23 25 A1 A2 A3 A5 A6 B6"  # executed or stepped over, but without a row


def test_rates_are_those_of_section_6() -> None:
    listed = [int(code, 16) for code in SECTION_6.split()]
    assert len(listed) == len(set(listed)) == 80
    assert RATES.keys() | CONTROLS.keys() == {*listed, *(int(code, 16) for code in BEYOND_SECTION_6.split())}


@pytest.mark.parametrize("generation", GENERATIONS, ids=lambda g: g.name)
def test_every_executed_opcode_has_a_rate_and_its_struct_has_streams(generation: Generation) -> None:
    executed = [code for code, info in CATALOG.items() if info.role(generation) in EXECUTED_ROLES]
    assert len(executed) == {"SUNDA": 76, "CAYMAN": 73, "MARIANA": 81, "MAVERICK": 85}[generation.name]
    for code in executed:
        assert (code in RATES) != (code in CONTROLS), hex(code)
        struct = struct_of(code)
        assert code in CONTROLS or struct is None or struct.name in STREAMS, hex(code)
        got = cost(work_of(bytes([code, 0x10]) + bytes(62), generation), generation)
        assert got.issue_cycles >= 64 or code in CONTROLS


def test_register_address_is_sbuf_until_its_value_is_known() -> None:
    raw = np.frombuffer(RECORDS["T5"], np.uint8).copy()
    raw[12:16] = (5, 0, 0, 0x80)
    assert work_of(raw, CAYMAN).sources[0].space == "SBUF"
    assert work_of(raw, CAYMAN, {5: 0x200_0000}).sources[0].space == "PSUM"
    assert work_of(raw, MAVERICK, {5: 0x200_0000}).sources[0].space == "SBUF"  # no address is a PSUM address


def test_indirect_source_streams_scattered_with_its_index_vector() -> None:
    raw = np.frombuffer(RECORDS["T2"], np.uint8).copy()
    raw[16:32] = np.frombuffer(bytes.fromhex("00000020 00100000 0001 000000000000"), np.uint8)
    raw[58:60] = (0, 1)
    gathered = work_of(raw, MARIANA)
    assert gathered.sources == (Stream("SBUF", BF16, 256, SCATTERED),)
    assert gathered.indices == (Stream("SBUF", int(Dtype.UINT32), 256),)
    assert cost(gathered, MARIANA).stream_cycles == 128
    assert cost(gathered, MARIANA).performance_mode == "2x"


def test_structured_record_and_bytes_agree() -> None:
    struct = struct_of(RECORDS["T6"][0])
    assert struct is not None
    record = struct.view(np.frombuffer(RECORDS["T6"], np.uint8).reshape(1, 64))[0]
    assert work_of(record, SUNDA) == work_of(RECORDS["T6"], SUNDA)
    with pytest.raises(ValueError, match="64 bytes"):
        work_of(b"\x41", SUNDA)


@pytest.mark.parametrize(
    ("name", "generation", "bound"),
    [
        pytest.param("T6", SUNDA, "sbuf_read", id="two-sbuf-sources-share-a-port"),
        pytest.param("T7", CAYMAN, "psum_read", id="fp32-from-psum"),
        pytest.param("T3", CAYMAN, "write", id="strided-destination"),
        pytest.param("T15", CAYMAN, "compute", id="reciprocal"),
    ],
)
def test_bound(name: str, generation: Generation, bound: str) -> None:
    assert cost(worked(name, generation), generation).bound == bound


def test_tags_never_exceed_the_fixed_costs() -> None:
    """Section 3: the fixed costs are [M] where measured, [L] on MARIANA and MAVERICK; section 4.4: [L] weights."""
    tags = {g.name: cost(TINY, g).tag for g in GENERATIONS}
    assert tags == {"SUNDA": "M", "CAYMAN": "M", "MARIANA": "L", "MAVERICK": "L"}
    assert cost(work_of(RECORDS["T21"], CAYMAN), CAYMAN).tag == "L"


def test_packed_bonus_ends_with_sunda() -> None:
    """Section 4.3: without performance mode later generations have no packed bonus (section 10 would grant it)."""
    packed = same(0x9D, BF16, 512, 2, (AluOp.SUBTRACT, AluOp.MULT))
    assert (cost(packed, SUNDA).stream_cycles, cost(packed, SUNDA).doc_cycles) == (512, 512)
    assert cost(packed, CAYMAN, performance_mode=False).stream_cycles == 1024


def test_traffic() -> None:
    """Section 11: channels times count times element size, by memory."""
    assert traffic(work_of(RECORDS["T5"], SUNDA), 128) == Traffic(0, 128 * 512 * 2, 128 * 512 * 4, 0)


def test_issue_ns_follows_the_clock() -> None:
    for generation, ghz in ((SUNDA, 1.12), (CAYMAN, 0.96), (MARIANA, 1.2), (MAVERICK, 1.2)):
        got = cost(TINY, generation)
        assert math.isclose(got.issue_ns * ghz, got.issue_cycles)
        assert math.isclose(got.latency_ns * ghz, got.latency_cycles)
