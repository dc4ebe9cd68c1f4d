"""What a line means: each form against bytes written out by hand from the layouts of isa/01 to isa/06."""

import struct

import pytest

from dve_engine import CAYMAN, GENERATIONS, MARIANA, MAVERICK, SUNDA, assemble, disassemble
from dve_engine.assembly import mnemonic, text_of
from dve_engine.isa.opcodes import CATALOG


def at(offset, data, record):
    return record[:offset] + data + record[offset + len(data) :]


def empty(opcode, **pieces):
    """A record with pieces at offsets, `b12=...`."""
    record = bytes((opcode, 16)) + bytes(62)
    for place, data in pieces.items():
        record = at(int(place[1:]), data, record)
    return record


def pattern(start, steps, counts):
    return struct.pack(f"<I{len(steps)}h{len(counts)}H", start, *steps, *counts)


NOP, EVENT, COPY_PREDICATED_SCALAR = 0xA4, 0xA0, 0xE8
CPS = (  # isa/01 section 12.5
    "e8100000000000000000000000000000000100000100010001000400010001000300200000000000000a0a00000080ff"
    "00028000010001000100040001000100"
)
# line, generation, record; the line is what is printed too
EXACT = (
    ("COPY_PREDICATED_SCALAR pred=uint8@0x100[1,1,1][4,1,1] dst=fp32@0x800200[1,1,1][4,1,1] "
     "src0_imm=fp32@-inf channels=32", CAYMAN, bytes.fromhex(CPS)),
    ("NOP S[9]>=16 S[6]++@complete", SUNDA, empty(NOP, b4=bytes((5, 9, 0x13, 6)), b8=b"\x10\0\0\0")),
    ("NOP S[9]==3 S[6]-=3@read", SUNDA, empty(NOP, b4=bytes((1, 9, 7, 6)), b8=b"\x03\0\0\0")),
    ("NOP wait_mode=EVT_SET wait_idx=4", SUNDA, empty(NOP, b4=bytes((6, 4)))),
    ("NOP wait_mode=0x08", SUNDA, empty(NOP, b4=b"\x08")),
    ("NOP debug_cmd=NOTIFY debug_hint=7", SUNDA, empty(NOP, b2=b"\x01\x07")),
    ("NOP inst_word_len=3", SUNDA, at(1, b"\x03", empty(NOP))),
    ("EVENT_SEMAPHORE second_wait.wait_mode=SEM_GE_IMM second_wait.wait_idx=2", SUNDA, empty(EVENT, b32=b"\x05\x02")),
    ("NOP byte[12]=0x05 byte[20..22]=0x010203", SUNDA, empty(NOP, b12=b"\x05", b20=b"\x01\x02\x03")),
    ("TENSOR_TENSOR op=MULTIPLY src0=bf16@$R[5][-2,0,7][3,1,1] src1=fp32@0x40[1,1,1][3,1,1] "
     "dst=fp32@0x80[1,1,1][3,1,1] channels=8", CAYMAN,
     empty(0x41, b12=b"\xa6\x0a\x06\x08", b16=pattern(0x8000_0005, (-2, 0, 7), (3, 1, 1)),
           b32=pattern(0x40, (1, 1, 1), (3, 1, 1)), b48=pattern(0x80, (1, 1, 1), (3, 1, 1)))),
    ("COPY_PREDICATED_SCALAR pred=uint8@0x800[idx@0x400][9] dst=fp16@0x800[idx@$R[3]][9] channels=0", MARIANA,
     empty(0xE8, b16=struct.pack("<IIH", 0x2000_0400, 0x800, 9), b32=b"\x03", b42=b"\x07",
           b48=struct.pack("<IIH", 0xA000_0003, 0x800, 9))),
    ("COPY_PREDICATED_SCALAR pred=uint8@0x20000400[0,1,1][1,1,1] dst=invalid@0x0[0,0,0][0,0,0] channels=0", SUNDA,
     empty(0xE8, b16=pattern(0x2000_0400, (0, 1, 1), (1, 1, 1)), b32=b"\x03")),
    ("TENSOR_SCALAR ops=MULTIPLY,BYPASS src=invalid@0x0[0,0,0][0,0,0] dst=invalid@0x0[0,0,0][0,0,0] imm0=[fp32@0xc000] "
     "imm1=[fp32@$R[7]] channels=0", CAYMAN,
     empty(0x43, b35=b"\x01\x06", b39=b"\x02", b40=struct.pack("<II", 0xC000, 7))),
    ("TENSOR_SCALAR ops=BYPASS,BYPASS src=invalid@0x0[0,0,0][0,0,0] dst=invalid@0x0[0,0,0][0,0,0] imm0=fp32@0x7fc00001 "
     "imm1=fp32@0.33333334 channels=0", CAYMAN, empty(0x43, b40=struct.pack("<If", 0x7FC0_0001, 1 / 3))),
    ("QUANTIZE_MX src=bf16@0x0[1,1,1][4,1,1] dst=fp8e5x4@0x1000,0x2000[1][1] channels=32 "
     "dst_mem_pattern.scale_partition_index=4", MARIANA,
     empty(0xE3, b16=pattern(0, (1, 1, 1), (4, 1, 1)), b33=b"\x20\x06\x0f",
           b48=struct.pack("<IIHbB", 0x1000, 0x2000, 1, 1, 4))),
    ("LOAD_MASK_SELECT masks=" + ",".join(map(str, range(1, 33))), CAYMAN, empty(0x69, b32=bytes(range(1, 33)))),
    (".raw " + "0c" * 64, CAYMAN, b"\x0c" * 64),
    (".raw bc10" + "00" * 62, SUNDA, empty(0xBC)),
)  # fmt: skip


@pytest.mark.parametrize(("line", "generation", "record"), EXACT, ids=[line[:40] for line, *_ in EXACT])
def test_a_form(line, generation, record):
    assert assemble(line, generation) == record
    assert text_of(record, generation) == line


# other spellings of the same record: what is read but not printed
SAME = (
    ("nop", "NOP"),
    ("TENSOR_TENSOR", "TENSOR_TENSOR_ARITH_OP"),
    ("COPY channels=0x20", "COPY num_active_channels=32"),
    ("COPY src=float32@0x10[1,1,1,1][8,1,1,1]", "COPY src=FP32@16[1][8]"),
    ("TENSOR_TENSOR op=MULT", "TENSOR_TENSOR op=multiply"),
    ("TENSOR_SCALAR ops=ADD,MAX", "TENSOR_SCALAR op1=MAX op0=ADD"),
    ("TENSOR_SCALAR imm0=fp32@1.5", "TENSOR_SCALAR imm0=1.5"),
    ("TENSOR_SCALAR imm0=fp32@1.5", "TENSOR_SCALAR imm0=0x3fc00000"),
    ("TENSOR_SCALAR imm0=[fp32@0xc000]", "TENSOR_SCALAR imm0=[0xc000]"),
    ("TENSOR_SCALAR imm0=[0xc000]", "TENSOR_SCALAR imm0=0xc000 imm0_src=POINTER_IMMEDIATE"),
    ("SELECT_REDUCE imm0=bf16@-inf", "SELECT_REDUCE imm0=-inf imm0_dtype=bf16"),
    ("NOP S[9]>=16", "NOP S[9] (Vector)>=16"),
    ("NOP S[9]>=16", "NOP $S[9](Vector)>=16;"),
    ("NOP S[9]>=16", "NOP wait_mode=SEM_GE_IMM wait_idx=9 semaphore_value=16  # as fields"),
    ("COPY src=fp32@0x140[1][1]", ".equ BASE 0x100\n.equ TILE 64\nCOPY src=fp32@BASE+TILE[1][1]"),
    ("TENSOR_SCALAR imm0=[0x140]", ".equ BASE 0x100\r\n\r\nTENSOR_SCALAR imm0=[fp32@BASE+0x40]\r\n"),
    ("COPY src=fp32@0xf0[-1][1]", ".equ BASE 0x100\n.equ ONE 1\nCOPY src=fp32@BASE-16[-ONE][ONE]"),
    (".raw " + "ab" * 64, ".raw " + "ABAB " * 32),
)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_two_spellings(one, other):
    assert assemble(one, CAYMAN) == assemble(other, CAYMAN)
    assert len(assemble(one, CAYMAN)) == 64


def test_a_program():
    text = "# comment\n\n.equ A 0x100 ; and another\nCOPY src=fp32@A[1][4] channels=1\n  NOP  # the end\n"
    code = assemble(text, CAYMAN)
    assert len(code) == 128
    assert disassemble(code, CAYMAN) == [
        "COPY src=fp32@0x100[1,1,1,1][4,1,1,1] dst=invalid@0x0[0,0,0,0][0,0,0,0] channels=1", "NOP",
    ]  # fmt: skip
    assert assemble("", CAYMAN) == b""


def test_mnemonics_are_unique():
    assert len({mnemonic(code) for code in CATALOG}) == len(CATALOG)
    assert [mnemonic(code) for code in (0x41, 0x51, 0xE5)] == [
        "TENSOR_TENSOR", "TENSOR_TENSOR_BITVEC_OP", "TENSOR_TENSOR_SCAN",
    ]  # fmt: skip


def test_words_follow_the_generation():
    square = bytes((0x41, 16)) + bytes(12) + b"\x23" + bytes(49)
    assert "op=SQUARE" in text_of(square, MARIANA)
    assert "op=0x23" in text_of(square, CAYMAN)
    assert all(assemble(text_of(square, g), g) == square for g in GENERATIONS)


def test_work_can_be_stopped():
    def stop():
        raise TimeoutError

    with pytest.raises(TimeoutError):
        assemble("NOP", MAVERICK, check=stop)
    with pytest.raises(TimeoutError):
        disassemble(bytes(64), MAVERICK, check=stop)
