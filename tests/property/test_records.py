"""Records as bytes: decoding and encoding are inverse, and validation answers anything, alone or in company."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dve_engine import GENERATIONS, Choices, ProgramLengthError, validate
from dve_engine.isa.layout import STRUCTS
from dve_engine.isa.opcodes import CATALOG
from dve_engine.isa.struct import column, decode
from dve_engine.validator import legality
from tests.generate import OPCODES, legal_record

each_generation = pytest.mark.parametrize("generation", GENERATIONS, ids=repr)
RECORD = st.binary(min_size=64, max_size=64)
OPCODE = st.sampled_from(sorted(CATALOG))
# a plausible head, so that rules behind the opcode and the length are reached
SHAPED = st.builds(lambda opcode, body: bytes((opcode, 16)) + bytes(10) + body[12:], OPCODE, RECORD)
NEAR = st.builds(
    lambda opcode, seed, byte, value: _changed(legal_record(random.Random(seed), opcode, "MARIANA"), byte, value),
    st.sampled_from(sorted(OPCODES)), st.integers(0, 2**32), st.integers(0, 63), st.integers(0, 255),
)  # fmt: skip
MANY = settings(max_examples=settings.default.max_examples * 3)


def _changed(record, byte, value):
    raw = bytearray(record)
    raw[byte] = value
    return bytes(raw)


# --- layouts ---------------------------------------------------------------------------------------------------------


def leaves(dtype, path=()):
    """Every member of a structured dtype that is no struct itself."""
    for name, (kind, _) in dtype.fields.items():
        base = kind.subdtype[0] if kind.subdtype else kind
        if base.fields:
            yield from leaves(base, (*path, name))
        else:
            yield (*path, name)


def member(records, path):
    for name in path:
        records = records[name]
    return records


@pytest.mark.parametrize("name", STRUCTS)
@given(raw=RECORD)
def test_fields_hold_every_bit(name, raw):
    """Bytes to fields to bytes, member by member into an empty record."""
    layout = STRUCTS[name]
    records = layout.view(decode(raw))
    copy = np.zeros(1, layout.dtype)
    for path in leaves(layout.dtype):
        member(copy, path)[...] = member(records, path)
    assert copy.tobytes() == raw


@pytest.mark.parametrize("name", STRUCTS)
@given(raw=RECORD)
def test_columns_are_the_bytes_of_their_span(name, raw):
    layout = STRUCTS[name]
    records = layout.view(decode(raw))
    for path in map(".".join, leaves(layout.dtype)):
        offset, size = layout.span(path)
        assert np.ascontiguousarray(column(records, path)).tobytes() == raw[offset : offset + size]


@given(lo=st.integers(0, 15), hi=st.integers(0, 15))
def test_halves_of_a_pair(lo, hi):
    records = np.zeros(1, STRUCTS["S3S3D3_TT"].dtype)
    records["in0_in1_dtype"] = lo | hi << 4
    assert column(records, "in0_in1_dtype.dtype_lo").tolist() == [lo]
    assert column(records, "in0_in1_dtype.dtype_hi").tolist() == [hi]


@given(st.binary(max_size=200))
def test_a_program_is_a_whole_number_of_records(raw):
    if len(raw) % 64:
        with pytest.raises(ProgramLengthError) as caught:
            decode(raw)
        assert (caught.value.size, caught.value.remainder) == (len(raw), len(raw) % 64)
    else:
        assert decode(raw).tobytes() == raw


# --- validation ------------------------------------------------------------------------------------------------------


def check(verdict, raw):
    """What holds of every verdict."""
    assert verdict.opcode == raw[0]
    assert verdict.valid == (not verdict.failures)
    assert not (verdict.executable and not verdict.valid)
    for failure in verdict.failures:
        assert failure.rule
        assert failure.expected
        assert failure.message
        assert 0 <= failure.offset < failure.offset + failure.size <= 64
        assert failure.not_modelled == (failure.reason is not None)
        if isinstance(failure.value, int) and failure.size in (2, 4) and "." not in failure.field:
            blamed = raw[failure.offset : failure.offset + failure.size]
            assert int.from_bytes(blamed, "little") == failure.value


@each_generation
@MANY
@given(raw=RECORD | SHAPED | NEAR)
def test_validation_answers_any_bytes(generation, raw):
    (verdict,) = validate(raw, generation, Choices()).verdicts
    check(verdict, raw)
    assert (generation.name.lower() in verdict.legal_on) == verdict.valid


@each_generation
@given(records=st.lists(RECORD | SHAPED | NEAR, min_size=1, max_size=12))
def test_a_batch_is_its_records(generation, records):
    """Verdicts of a program are those of its records one at a time; the assumptions are the union."""
    together = validate(b"".join(records), generation, Choices())
    alone = [validate(raw, generation, Choices()) for raw in records]
    used = {}
    for index, (verdict, single) in enumerate(zip(together.verdicts, alone, strict=True)):
        assert verdict.index == index
        assert (verdict.failures, verdict.legal_on) == (single.verdicts[0].failures, single.verdicts[0].legal_on)
        assert (verdict.executable, verdict.reason) == (single.verdicts[0].executable, single.verdicts[0].reason)
        used |= single.assumptions
    assert together.assumptions == used
    assert legality(b"".join(records), generation, Choices()).tolist() == [s.valid for s in alone]


@each_generation
def test_thousands_of_random_records_at_once(generation):
    """Random bytes behind every opcode: no exception, and one verdict each."""
    rng = np.random.default_rng(20261130)
    records = rng.integers(0, 256, (4096, 64), np.uint8)
    records[:, 0] = rng.choice(sorted(CATALOG), 4096)
    records[::2, 1] = 16
    records[::4, 4:12] = 0
    answer = validate(records, generation, Choices(), legal_on=False)
    assert len(answer.verdicts) == 4096
    for verdict, raw in zip(answer.verdicts, records, strict=True):
        check(verdict, raw.tobytes())
