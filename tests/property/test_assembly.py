"""Text and bytes are two ways to write one record: nothing is lost on the way, and any text is read or refused."""

import json
import random
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dve_engine import GENERATIONS, AssemblyError, assemble, disassemble, generation_named
from dve_engine.assembly import text_of
from dve_engine.assembly.errors import MAX_MISTAKES
from dve_engine.assembly.notation import notation
from dve_engine.assembly.words import opcodes
from dve_engine.isa.opcodes import CATALOG
from tests.generate import OPCODES, legal_generations, legal_record

VECTORS = Path(__file__).parents[2] / "docs/isa/vectors/instructions.json"
PAIRS = [(opcode, generation) for opcode in OPCODES for generation in legal_generations(opcode)]
EACH = 12  # records of every pair
GENERATION = st.sampled_from(GENERATIONS)
RECORD = st.binary(min_size=64, max_size=64)
# mostly zero, so that forms are met that random bytes never make
SPARSE = st.dictionaries(st.integers(1, 63), st.sampled_from((1, 2, 0x10, 0x20, 0x40, 0x80, 0xA0, 0xFF)), max_size=20)
MANY = settings(max_examples=settings.default.max_examples * 5)


def sparse(opcode, changes):
    raw = bytearray(64)
    raw[0], raw[1] = opcode, 16
    for at, value in changes.items():
        raw[at] = value
    return bytes(raw)


def test_the_pairs_are_all_of_them():
    assert (len(OPCODES), len(PAIRS)) == (64, 222)


@pytest.mark.parametrize(("opcode", "name"), PAIRS, ids=[f"{opcode:#x}-{name}" for opcode, name in PAIRS])
def test_legal_records(opcode, name):
    rng, generation = random.Random(opcode), generation_named(name)
    records = [legal_record(rng, opcode, name) for _ in range(EACH)]
    lines = disassemble(b"".join(records), generation)
    assert len(lines) == EACH
    assert assemble("\n".join(lines), generation) == b"".join(records)
    inert = [line for line in lines if "byte[" in line]
    assert all("[idx@" in line for line in inert), "only bytes that mean nothing are written as bytes"


@MANY
@given(raw=RECORD, generation=GENERATION)
def test_any_bytes(raw, generation):
    assert assemble(text_of(raw, generation), generation) == raw


@MANY
@given(opcode=st.sampled_from(sorted(CATALOG)), raw=RECORD, generation=GENERATION)
def test_any_bytes_behind_an_opcode(opcode, raw, generation):
    record = bytes((opcode,)) + raw[1:]
    assert assemble(text_of(record, generation), generation) == record


@MANY
@given(opcode=st.sampled_from(sorted(CATALOG)), changes=SPARSE, generation=GENERATION)
def test_any_sparse_record(opcode, changes, generation):
    record = sparse(opcode, changes)
    assert assemble(text_of(record, generation), generation) == record


def test_the_handed_vectors():
    encodings = json.loads(VECTORS.read_text())["encodings"]
    code = b"".join(bytes.fromhex(row["hex"]) for row in encodings)
    assert (len(encodings), len(code)) == (473, 473 * 64)
    for generation in GENERATIONS:
        assert assemble("\n".join(disassemble(code, generation)), generation) == code


# --- what people type ------------------------------------------------------------------------------------------------

ALPHABET = st.characters(codec="utf-8", exclude_characters="\r")
PIECES = st.sampled_from((
    "COPY", "TENSOR_SCALAR", "EVENT_SEMAPHORE", "QUANTIZE_MX", ".equ", ".raw", "src=", "dst=", "imm0=", "ops=", "op=",
    "channels=", "masks=", "fp32@", "fp8e4x4@", "0x4200", "[1,1]", "[", "]", "$R[5]", "[idx@0x20]", "S[9]", "$S[",
    " (Vector)", ">=", "++", "@complete", "@read", "=", "==", "16", "-1", "1e400", "nan", "-inf", "0x", "A", "A+4", "-",
    ",", " ", "\t", "\n", "#", ";", "byte[", "byte[5]=0x3", "..", "\x00", "K", "ſ", "é", "١", "9" * 80,
))  # fmt: skip


@MANY
@given(text=st.text(ALPHABET, max_size=200), generation=GENERATION)
@example(text="COPY src=0x" + "f" * 5000, generation=GENERATIONS[0])
@example(text="COPY channels=" + "9" * 5000, generation=GENERATIONS[0])
@example(text="TENSOR_SCALAR imm0=" + "9" * 5000, generation=GENERATIONS[0])
@example(text=".raw " + "٣" * 128, generation=GENERATIONS[0])
def test_any_text(text, generation):
    read_or_refused(text, generation)


@MANY
@given(pieces=st.lists(PIECES, max_size=30), generation=GENERATION)
def test_any_pieces(pieces, generation):
    read_or_refused("".join(pieces), generation)


@MANY
@given(data=st.data(), generation=GENERATION)
def test_a_line_with_one_character_changed(data, generation):
    code = data.draw(st.sampled_from(OPCODES))
    name = data.draw(st.sampled_from(legal_generations(code)))
    line = text_of(legal_record(random.Random(data.draw(st.integers(0, 999))), code, name), generation)
    at = data.draw(st.integers(0, len(line) - 1))
    read_or_refused(line[:at] + data.draw(st.sampled_from("[]=,@x$-. #09AZ_é")) + line[at + 1 :], generation)


def tried(text, generation):
    """The records and no mistakes, or mistakes and no records."""
    try:
        return assemble(text, generation), ()
    except AssemblyError as error:
        return b"", error.mistakes or pytest.fail("an error without a mistake")


def read_or_refused(text, generation):
    """Whole records or mistakes that lie in the text; what was read reads the same again."""
    code, mistakes = tried(text, generation)
    lines = text.split("\n")
    assert len(mistakes) <= MAX_MISTAKES
    for mistake in mistakes:
        assert mistake.message
        assert 1 <= mistake.line <= len(lines)
        assert 1 <= mistake.column <= len(lines[mistake.line - 1]) + 1
    assert len(code) % 64 == 0
    assert assemble("\n".join(disassemble(code, generation)), generation) == code


@pytest.mark.parametrize("generation", GENERATIONS, ids=repr)
def test_every_key_of_an_instruction_is_its_own(generation):
    counted = 0
    for code in set(opcodes(generation).values()):
        keys = [token.key for token in notation(code).tokens]
        assert len(set(keys)) == len(keys)
        counted += 1
    assert counted == sum(info.is_member(generation) for info in CATALOG.values())
