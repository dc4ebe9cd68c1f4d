"""Records written by field names are the bytes of the specification and of the rule vectors."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dve_client import BadInput
from dve_client.encode import address, bits, indirect, pair, pattern, program, record, register
from dve_engine import CAYMAN, GENERATIONS, MARIANA, Choices, validate
from dve_engine.isa.dtypes import Dtype
from dve_engine.isa.layout import struct_of
from dve_engine.isa.opcodes import CATALOG

VECTORS = Path(__file__).parents[2] / "vectors" / "rules"


def neighbour(family: str, opcode: str) -> bytes:
    cases = json.loads((VECTORS / f"{family}.json").read_text())["cases"]
    return bytes.fromhex(next(case["neighbour"] for case in cases if case["opcode"] == opcode))


# isa/01 section 12.5: -inf where the predicate at partition 0 byte 256 is 0, into partition 32 byte 512
CPS = (
    "e8100000000000000000000000000000000100000100010001000400010001000300200000000000000a0a00000080ff"
    "00028000010001000100040001000100"
)


def test_the_worked_record_of_the_specification() -> None:
    made = record(
        "COPY_PREDICATED_SCALAR",
        pred_mem_pattern=pattern(address(CAYMAN, "sbuf", 0, 256), (1, 1, 1), (4, 1, 1)),
        pred_dtype=Dtype.UINT8,
        num_active_channels=32,
        in_dtype=Dtype.FP32,
        out_dtype=Dtype.FP32,
        src0_imm=float("-inf"),
        dst_mem_pattern=pattern(address(CAYMAN, "sbuf", 32, 512), (1, 1, 1), (4, 1, 1)),
    )
    assert made.hex() == CPS


def test_a_record_of_the_rule_vectors() -> None:
    made = record(
        0x72,
        in0_in1_dtype=pair(Dtype.UINT8, Dtype.BFLOAT16),
        out_dtype=Dtype.BFLOAT16,
        num_active_channels=32,
        src0_mem_pattern=pattern(0x100, (1, 1, 1), (4, 1, 1)),
        src1_mem_pattern=pattern(0x200, (1, 1, 1), (4, 1, 1)),
        dst_mem_pattern=pattern(0x300, (1, 1, 1), (4, 1, 1)),
    )
    assert made == neighbour("copy_predicated", "0x72")


def test_every_described_opcode_has_its_code_and_length() -> None:
    described = [opcode for opcode in CATALOG if struct_of(opcode)]
    assert len(described) > 60
    for opcode in described:
        assert record(opcode) == bytes([opcode, 16]) + bytes(62)


@pytest.mark.parametrize("generation", GENERATIONS, ids=repr)
def test_addresses_follow_the_partition_stride(generation: Any) -> None:
    stride = {"MAVERICK": 0x10_0000}.get(generation.name, 0x4_0000)
    assert address(generation, "sbuf", 3, 17) == 3 * stride + 17
    with pytest.raises(BadInput):
        address(generation, "sbuf", 128, 0)
    with pytest.raises(BadInput):
        address(generation, "sbuf", 0, stride)
    if generation.name == "MAVERICK":
        with pytest.raises(BadInput, match="MAVERICK has no PSUM"):
            address(generation, "psum", 0, 0)
    else:
        assert address(generation.name.lower(), "psum", 2, 4) == 0x200_0000 + 2 * 0x8000 + 4


def test_every_kind_of_value() -> None:
    made = record(
        "SELECT_REDUCE",
        header={"debug_cmd": 1},
        events={"wait_mode": 1, "wait_idx": 2, "semaphore_value": 0x01020304},
        src0_mem_pattern=pattern(register(5), (-2,), (7,)),
        reserved=b"\x01\x02\x03",
        imm0=1.5,
    )
    assert made[:12] == bytes([0xEA, 16, 1, 0, 1, 2, 0, 0, 4, 3, 2, 1])
    assert made[12:24] == struct.pack("<IhhHH", 0x8000_0005, -2, 0, 7, 1)
    assert made[45:48] == b"\x01\x02\x03"
    assert made[60:] == struct.pack("<f", 1.5)


def test_an_indirect_pattern_is_marked() -> None:
    made = record("COPY_PREDICATED_SCALAR", pred_mem_pattern=indirect(0x400, 0x800, 9))
    assert made[16:32] == struct.pack("<IIH6x", 0x2000_0400, 0x800, 9)


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        (float("-inf"), Dtype.FP32, 0xFF80_0000),
        (float("-inf"), Dtype.BFLOAT16, 0xFF80),
        (float("-inf"), Dtype.FP16, 0xFC00),
        (-1, Dtype.INT8, 0xFF),
        (-1, Dtype.INT32, 0xFFFF_FFFF),
        (-9984.0, Dtype.BFLOAT16, 0xC61C),
    ],
)  # isa/04 section 4.3, 5.4
def test_scalars_as_low_bits(value: float, dtype: Dtype, expected: int) -> None:
    assert bits(value, dtype) == expected


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: record("SELECT_REDUCED"), "did you mean SELECT_REDUCE"),
        (lambda: record(0x97), "no source describes"),
        (lambda: record("SELECT_REDUCE", acumulator_cmd=3), "did you mean accumulator_cmd"),
        (lambda: record("SELECT_REDUCE", accumulator_cmd=256), "does not fit"),
        (lambda: record("SELECT_REDUCE", src0_mem_pattern=pattern(0, (1, 1, 1), (2, 2, 2))), "2 dimensions"),
        (lambda: record("SELECT_REDUCE", src0_mem_pattern=pattern(0, (40_000,), (2,))), "does not fit"),
        (lambda: record("SELECT_REDUCE", reserved=b"\0"), "3 bytes"),
        (lambda: record("SELECT_REDUCE", events={"no": 1}), "does not fit"),
        (lambda: pattern(0, (1,), (1, 2)), "1 steps and 2 counts"),
        (lambda: pair(16, 0), "four bits"),
        (lambda: register(64), "0..63"),
        (lambda: bits(1.0, Dtype.FP8_EXP4), "no encoder"),
    ],
)
def test_what_cannot_be_encoded(make: Any, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        make()


def test_programs_are_records_in_a_row() -> None:
    both = program(bytes.fromhex(CPS), record("DVE_READ_ACCUMULATOR"))
    assert len(both) == 128
    verdicts = validate(both, MARIANA, Choices()).verdicts
    assert [one.valid for one in verdicts] == [True, False]
    assert np.frombuffer(both, np.uint8)[64] == 0x9B
