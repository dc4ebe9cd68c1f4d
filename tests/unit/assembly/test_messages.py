"""What is said about a text that cannot be read: one row per kind of mistake, with its place and words."""

import pytest

from dve_engine import CAYMAN, MARIANA, SUNDA, AssemblyError, assemble
from dve_engine.assembly.errors import MAX_MISTAKES

# generation, text, line, column, found, message
TABLE = (
    (SUNDA,
     "COPPY src=fp32@0x0[1][1]",
     1, 1, "COPPY", "SUNDA has no mnemonic 'COPPY'; did you mean COPY?"),
    (CAYMAN,
     "TENSOR_REDUCE_ADD_BF16 channels=1",
     1, 1, "TENSOR_REDUCE_ADD_BF16", "TENSOR_REDUCE_ADD_BF16 is an instruction of SUNDA, not of CAYMAN"),
    (SUNDA,
     ".equ",
     1, 5, "", "expected a name and a value"),
    (SUNDA,
     "equ A 1",
     1, 1, "equ", "SUNDA has no mnemonic 'equ'"),
    (SUNDA,
     ".equ 9A 1",
     1, 6, "9A", "'9A' is no name"),
    (SUNDA,
     ".equ A B",
     1, 8, "B", "the text defines no 'B'; it has A"),
    (SUNDA,
     ".equ A 1\n.equ A 2",
     2, 6, "A", "A is defined already"),
    (SUNDA,
     ".org 0x100",
     1, 1, ".org", "there is no directive '.org'; it has .equ, .raw"),
    (SUNDA,
     ".raw 00",
     1, 6, "00", "expected 128 hex digits, found 2 characters"),
    (SUNDA,
     "COPY channel=4",
     1, 6, "channel", "COPY has no field 'channel'; did you mean channels?"),
    (SUNDA,
     "COPY channels=4 channels=4",
     1, 17, "channels", "channels stands twice in this line"),
    (SUNDA,
     "COPY channels=",
     1, 15, "", "found nothing, expected a number or a name"),
    (SUNDA,
     "COPY channels=four",
     1, 15, "four", "the text defines no 'four'"),
    (SUNDA,
     "COPY channels=256",
     1, 6, "channels=256", "256 does not lie in 0..255"),
    (SUNDA,
     "COPY 4",
     1, 6, "4", "found '4', expected key=value or S[n] and a condition"),
    (SUNDA,
     "COPY op=ADDD",
     1, 9, "ADDD", "SUNDA has no ALU_OP 'ADDD'; did you mean ADD?"),
    (SUNDA,
     "COPY op=ADD_",
     1, 9, "ADD_", "SUNDA has no ALU_OP 'ADD_'; did you mean ADD?"),
    (SUNDA,
     "COPY src=fp33@0x0[1][1]",
     1, 10, "fp33", "SUNDA has no DTYPE 'fp33'; did you mean fp32?"),
    (SUNDA,
     "COPY src=fp32@0x0[1,1][1]",
     1, 24, "1]", "2 steps and 1 counts; a dimension has both"),
    (SUNDA,
     "COPY src=fp32@0x0[1,1,1,1,1][1,1,1,1,1]",
     1, 30, "1,1,1,1,1]", "src has at most 4 dimensions, found 5"),
    (SUNDA,
     "COPY src=fp32@0x0[1]",
     1, 21, "", "found nothing, expected '['"),
    (SUNDA,
     "COPY src=fp32@0x0[40000][1]",
     1, 6, "src=fp32@0x0[40000][1]", "40000 does not lie in -32768..32767"),
    (SUNDA,
     "COPY src=fp32@[1][1]",
     1, 15, "[1][1]", "found '[1][1]', expected a number or a name"),
    (SUNDA,
     "COPY src=fp32@0x0[1][1]x",
     1, 24, "x", "found 'x', expected a space or the end of the line"),
    (SUNDA,
     "COPY src=fp32@$R[64][1][1]",
     1, 18, "64", "register 64 does not lie in 0..63"),
    (SUNDA,
     "COPY src=fp32@0x1ffffffff[1][1]",
     1, 6, "src=fp32@0x1ffffffff[1][1]", "8589934591 does not lie in 0..4294967295"),
    (SUNDA,
     "COPY src=fp32@0x100[idx@0x20][4]",
     1, 15, "0x100[idx@0x20][4]", "src has no indirect form on SUNDA"),
    (SUNDA,
     "TENSOR_SCALAR imm0=bf16@1.0",
     1, 20, "bf16", "imm0 has fp32, found bf16"),
    (SUNDA,
     "TENSOR_SCALAR imm0=fp32@one",
     1, 25, "one", "the text defines no 'one'"),
    (SUNDA,
     "TENSOR_SCALAR imm0=-0x1",
     1, 20, "-0x1", "bits have no sign"),
    (SUNDA,
     "TENSOR_SCALAR imm0=[fp32@0x100",
     1, 31, "", "found nothing, expected ']'"),
    (CAYMAN,
     "SELECT_REDUCE imm0=1.5",
     1, 20, "1.5", "imm0 has no dtype in this line; write it before the value"),
    (CAYMAN,
     "SELECT_REDUCE imm0=fp8e4@1.5",
     1, 26, "1.5", "no value can be written in FP8_EXP4; write its bits in hex"),
    (CAYMAN,
     "SELECT_REDUCE imm0=int8@300",
     1, 25, "300", "300 is no INT8"),
    (SUNDA,
     "TENSOR_SCALAR_SELECT src0=fp32@0x0[1][1] dst=bf16@0x40[1][1]",
     1, 42, "dst=bf16@0x40[1][1]", "dtype is already fp32, and bf16 here"),
    (SUNDA,
     "TENSOR_SCALAR ops=ADD",
     1, 22, "", "found nothing, expected ','"),
    (SUNDA,
     "TENSOR_SCALAR ops=ADD,MULTIPLY op0=MAX",
     1, 32, "op0=MAX", "op0 is already ADD, and MAX here"),
    (SUNDA,
     "NOP S[1]",
     1, 9, "", "found nothing, expected '==' or '<=' or '>=' or '<' or '>' or '++' or '--' or '+=' or '-=' or '='"),
    (SUNDA,
     "NOP S[1]>=1@complete",
     1, 9, ">=", ">= is a wait; @complete belongs to an update"),
    (SUNDA,
     "NOP S[1]++",
     1, 11, "", "found nothing, expected '@complete' or '@read'"),
    (SUNDA,
     "NOP S[1]>=1 S[2]+=2@complete",
     1, 13, "S[2]+=2@complete", "events.semaphore_value is already 1, and 2 here"),
    (SUNDA,
     "NOP S[300]>=1",
     1, 5, "S[300]>=1", "300 does not lie in 0..255"),
    (SUNDA,
     "NOP byte[64]=0x01",
     1, 5, "byte[64]=0x01", "bytes 64..64 do not lie in 0..63"),
    (SUNDA,
     "NOP byte[1..2]=0x01",
     1, 18, "01", "2 hex digits for 2 bytes"),
    (SUNDA,
     "NOP byte[x]=1",
     1, 5, "byte[x]=1", "found 'byte[x]=1', expected byte[n]=0x.. or byte[m..n]=0x.."),
    (SUNDA,
     "COPY channels=A+4",
     1, 15, "A", "the text defines no 'A'"),
    (SUNDA,
     "LOAD_MASK_SELECT masks=1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1",
     1, 18, "masks=1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,", "33 values; the field has 32"),
    (SUNDA,
     "COPY channels=-1",
     1, 6, "channels=-1", "-1 does not lie in 0..255"),
    (SUNDA,
     "NOP wait_mode=SEM_GE",
     1, 15, "SEM_GE", "SUNDA has no WAIT_MODE 'SEM_GE'; did you mean SEM_GE_IMM?"),
    (SUNDA,
     "QUANTIZE_MX dst=fp8e4@0x0,0x40[1][1]",
     1, 1, "QUANTIZE_MX", "QUANTIZE_MX is an instruction of MARIANA, MAVERICK, not of SUNDA"),
    (SUNDA,
     "NOP S[1] (DVE)>=x",
     1, 17, "x", "the text defines no 'x'"),)  # fmt: skip


@pytest.mark.parametrize(("generation", "text", "line", "column", "found", "message"), TABLE, ids=range(len(TABLE)))
def test_a_mistake(generation, text, line, column, found, message):
    with pytest.raises(AssemblyError) as caught:
        assemble(text, generation)
    (mistake,) = caught.value.mistakes
    assert (mistake.line, mistake.column, mistake.found, mistake.message) == (line, column, found, message)
    assert str(caught.value) == f"line {line}, column {column}: {message}"


def test_the_table_is_whole():
    assert len(TABLE) == 51


def test_the_legal_set_comes_with_a_mistake():
    with pytest.raises(AssemblyError) as caught:
        assemble("NOP\nCOPY src=fp33@0x0[1][1] chanels=4\nNOPE", MARIANA)
    dtype, field, mnemonic = caught.value.mistakes
    assert (dtype.line, dtype.column, field.line, field.column, mnemonic.line) == (2, 10, 2, 25, 3)
    assert {"fp32", "bf16", "fp4_exp2"} < set(dtype.expected)
    assert {"src", "dst", "channels", "debug_cmd"} < set(field.expected)
    assert {"NOP", "COPY", "QUANTIZE_MX"} < set(mnemonic.expected)
    assert str(caught.value) == "line 2, column 10: MARIANA has no DTYPE 'fp33'; did you mean fp32? (and 2 more)"


def test_mistakes_are_bounded():
    with pytest.raises(AssemblyError) as caught:
        assemble("NOPE\n" * 10_000, SUNDA)
    assert (len(caught.value.mistakes), caught.value.more) == (MAX_MISTAKES, True)
    with pytest.raises(AssemblyError) as caught:
        assemble("NOPE\n" * MAX_MISTAKES, SUNDA)
    assert (len(caught.value.mistakes), caught.value.more) == (MAX_MISTAKES, False)


def test_one_line_can_have_several_mistakes():
    with pytest.raises(AssemblyError) as caught:
        assemble("COPY src=fp33@0x0[1][1] channels=999 op=NO dim=X", CAYMAN)
    assert [mistake.column for mistake in caught.value.mistakes] == [10, 25, 41]


def test_sums_do_not_grow_without_end():
    doubling = [".equ A0 1", *(f".equ A{k + 1} A{k}+A{k}" for k in range(5_000))]
    with pytest.raises(AssemblyError) as caught:
        assemble("\n".join(doubling), SUNDA)
    first = caught.value.mistakes[0]
    assert (first.line, first.column, first.message) == (65, 10, "it does not fit into 64 bits")


def test_a_name_is_not_compared_with_millions():
    names = [f".equ NAME_{k} {k}" for k in range(30_000)]
    with pytest.raises(AssemblyError) as caught:
        assemble("\n".join([*names, *["NOP wait_idx=NAMES"] * 40]), SUNDA)
    assert len(caught.value.mistakes) == 40
    assert all(len(mistake.expected) == 1000 for mistake in caught.value.mistakes)
