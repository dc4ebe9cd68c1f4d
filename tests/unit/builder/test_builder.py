"""What arguments become: bytes written by hand from the layouts, and what is refused before there is a record."""

import struct

import numpy as np
import pytest

from dve_engine import CAYMAN, MARIANA, SUNDA, Choices
from dve_engine.builder import Bits, BuildError, IllegalInstruction, Indirect, ProgramBuilder, Scalar, at_register, sbuf
from dve_engine.isa.aluops import AluOp
from dve_engine.isa.codes import AccumCmd, ReverseOps

# isa/01 section 12.5: -inf where the predicate at partition 0 byte 256 is 0, into partition 32 byte 512
CPS = (
    "e8100000000000000000000000000000000100000100010001000400010001000300200000000000000a0a00000080ff"
    "00028000010001000100040001000100"
)
PRED, DST = sbuf(0, 256, "uint8", (32, 4)), sbuf(32, 512, "fp32", (32, 4))
SRC, OUT = sbuf(0, 0, "bf16", (16, 8)), sbuf(0, 64, "bf16", (16, 8))
BYTES = SRC.view("uint8")


@pytest.fixture
def program():
    return ProgramBuilder("trn2")


def test_the_worked_record_of_the_specification(program):
    made = program.copy_predicated_scalar(pred=PRED, dst=DST, src0_imm=Scalar(float("-inf"), "fp32"))
    assert made.hex() == CPS
    assert program.bytes == made
    assert len(program) == 1
    assert program.text == (
        "COPY_PREDICATED_SCALAR pred=uint8@0x100[1,1,1][4,1,1] dst=fp32@0x800200[1,1,1][4,1,1] "
        "src0_imm=fp32@-inf channels=32\n"
    )


@pytest.mark.parametrize("scalar", [float("-inf"), np.float32("-inf"), Bits(0xFF80_0000), Scalar(-np.inf, np.float32)])
def test_spellings_of_a_scalar(program, scalar):
    assert program.copy_predicated_scalar(pred=PRED, dst=DST, in_dtype="fp32", src0_imm=scalar).hex() == CPS


def test_scalars_behind_pointers_and_registers(program):
    made = program.tensor_scalar(
        src=SRC, dst=OUT, op0="MULTIPLY", op1=AluOp.ADD, imm0=sbuf(0, 0xC000, "fp32", (16, 1)),
        imm1=at_register(7, "fp32", (16, 1)), reverse_operands=ReverseOps.FIRST,
    )  # fmt: skip
    assert made[35:40] == bytes((1, 6, 4, 1, 2))
    assert struct.unpack("<II", made[40:48]) == (0xC000, 7)


def test_an_integer_scalar_takes_the_dtype_of_its_field(program):
    ints = {"src": SRC.view("int16"), "dst": OUT.view("int16")}
    made = program.tensor_scalar_bitvec_op(**ints, op0="BITWISE_AND", imm0=-2)
    assert made[40:44] == b"\xfe\xff\0\0"


def test_axes_are_innermost_first_in_the_record(program):
    source = sbuf(0, 0, "fp32", (32, 3, 4, 6))[:, ::-1, :, ::2]
    made = program.tensor_reduce(src=source, dst=sbuf(0, 4096, "fp32", (32, 3)), op="MAX", op_dim="XY")
    assert struct.unpack("<I4h4H", made[12:32]) == (2 * 24 * 4, 2, 6, -24, 1, 3, 4, 3, 1)


def test_events_and_the_header(program):
    made = program.nop(events="S[9]>=16 S[6]++@complete", debug_cmd="NOTIFY", debug_hint=7)
    assert made[:12] == bytes((0xA4, 16, 1, 7, 5, 9, 0x13, 6, 16, 0, 0, 0))
    assert program.nop(wait_mode="EVT_SET", wait_idx=4)[4:6] == bytes((6, 4))


def test_an_indirect_operand():
    program = ProgramBuilder(MARIANA)
    made = program.copy(src=Indirect(SRC, sbuf(0, 0x400, "uint16", (16, 1))), dst=OUT)
    assert struct.unpack("<IIH", made[12:22]) == (0x2000_0400, 0, 8)
    with pytest.raises(BuildError, match="no indirect form on CAYMAN"):
        ProgramBuilder(CAYMAN).copy(src=Indirect(SRC, SRC), dst=OUT)


def test_what_is_illegal_leaves_the_program_as_it_was(program):
    program.copy(src=SRC, dst=OUT)
    with pytest.raises(IllegalInstruction, match="COPY on CAYMAN breaks ") as caught:
        program.copy(src=SRC, dst=OUT.view("fp32"))
    assert len(program) == 1
    assert not caught.value.verdict.valid
    assert caught.value.text.startswith("COPY src=bf16@0x0")
    unchecked = ProgramBuilder(CAYMAN, check=False)
    assert unchecked.copy(src=SRC, dst=OUT.view("fp32")) == caught.value.record


def test_choices_are_those_of_the_caller():
    quantity = {"src": SRC, "dst": OUT, "op0": "SYMMETRIC_CLAMP", "imm0": 1.0}
    with pytest.raises(IllegalInstruction, match="tensor_scalar_valid_ops"):
        ProgramBuilder("maverick").tensor_scalar(**quantity)
    allowed = Choices(overrides={"symmetric-clamp": "accept-header-formula"})
    assert ProgramBuilder("maverick", choices=allowed).tensor_scalar(**quantity)[36] == AluOp.SYMMETRIC_CLAMP


def test_add_and_raw(program):
    assert program.add("COPY_PREDICATED_SCALAR", pred=PRED, dst=DST, src0_imm=Scalar(-np.inf, "fp32")).hex() == CPS
    assert program.add("tensor_tensor", src0=SRC, src1=SRC, dst=OUT, op="ADD")[0] == 0x41
    assert program.raw(bytes.fromhex(CPS)).hex() == CPS
    assert len(program.lines) == len(program) == 3


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda p: p.add("COPPY"), "no generation has a mnemonic 'COPPY'; did you mean COPY"),
        (lambda p: p.add("COPY", source=SRC), "COPY, source: there is no argument 'source'"),
        (lambda p: p.raw(bytes(63)), "64 bytes, not 63"),
        (lambda p: p.copy(src=SRC, dst=sbuf(0, 64, "bf16", (8, 8))), "how many lanes"),
        (lambda p: p.copy(src=SRC, dst=7), "7 is no Operand"),
        (lambda p: p.copy(src=sbuf(0, 0, "fp32", (4, 2, 2, 2, 2, 2)), dst=OUT), "5 axes behind the lanes"),
        (lambda p: p.copy(src=sbuf(0, 0, "fp32", (4, 2), (40_000,)), dst=OUT), "40000 does not lie in -32768..32767"),
        (lambda p: p.copy(src=SRC, dst=OUT, op="ADDD"), "CAYMAN has no ALU_OP 'ADDD'; did you mean ADD"),
        (lambda p: p.copy(src=SRC, dst=OUT, op=AccumCmd.ZERO), "is no AluOp"),
        (lambda p: p.copy(src=SRC, dst=OUT, op=1.5), "float"),
        (lambda p: p.copy(src=SRC, dst=OUT, negated=256), "256 does not lie in 0..255"),
        (lambda p: p.copy(src=SRC, dst=OUT, events="9>=3"), "expected S"),
        (lambda p: p.copy(src=SRC, dst=OUT, events="S[1]>=1 S[2]+=2@complete"), "semaphore_value is already 1, and 2"),
        (lambda p: p.tensor_scalar(src=SRC, dst=OUT, imm0=Scalar(1, "bf16")), "FP32 is fixed here, not BFLOAT16"),
        (lambda p: p.tensor_scalar_ptr(src=SRC, dst=OUT, imm0=1.0), "always a pointer"),
        (lambda p: p.tensor_scalar_bitvec_op(src=BYTES, dst=BYTES, imm0=300), "300 is no UINT8"),
        (lambda p: p.copy_predicated_scalar(pred=PRED, dst=DST, src0_imm=1.5), r"or give Scalar\(value, dtype\)"),
        (lambda p: p.tensor_scalar_select(src0=SRC, dst=DST, num_active_channels=1), "dtype is already bf16, and fp32"),
    ],
)
def test_what_makes_no_record(program, make, said):
    with pytest.raises(BuildError, match=said):
        make(program)
    assert len(program) == 0


def test_words_of_another_generation():
    with pytest.raises(BuildError, match="SUNDA has no ALU_OP 'SQUARE'"):
        ProgramBuilder(SUNDA).tensor_tensor(src0=SRC, src1=SRC, dst=OUT, op="SQUARE")
