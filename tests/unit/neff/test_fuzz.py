"""Any bytes: an answer, NeffError or NeffLimitExceeded, in bounded memory, and nothing written."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dve_engine import CAYMAN, Choices, disassemble
from dve_engine.neff import NeffError, NeffLimitExceeded, NeffLimits, judge, pieces, read_neff
from tests import neff_files as files
from tests.neff_files import ONE, TWO, gzipped, neff, packed, plain, tar

LIMITS = NeffLimits(file=1 << 20, inflated=1 << 22, stream=1 << 16)
PEAK = 16 << 20


def intake(data: bytes) -> str:
    """Everything a caller does with a container."""
    try:
        with read_neff(data, LIMITS) as found:
            answer = judge(found, CAYMAN, Choices(), lenient=True, listed=10)
            for core in found.cores:
                if core.stream:
                    for _, records in pieces(found, core.stream):
                        assert len(disassemble(records, CAYMAN)) == len(records)
            return answer.outcome
    except (NeffError, NeffLimitExceeded) as error:
        said = str(error)
    assert said.isprintable()
    assert len(said) < 2000
    return "refused"


@st.composite
def mutated(draw, base: bytes) -> bytes:
    """Bytes with some changes: other values, cuts, insertions, pieces moved."""
    data = bytearray(base)
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.integers(0, max(0, len(data) - 1)))
        kind = draw(st.sampled_from(["set", "zero", "cut", "insert", "move", "number"]))
        if kind == "set":
            data[at : at + 1] = bytes([draw(st.integers(0, 255))])
        elif kind == "zero":
            data[at : at + 64] = bytes(len(data[at : at + 64]))
        elif kind == "cut":
            del data[at : at + draw(st.sampled_from([1, 64, 512, 10**6]))]
        elif kind == "insert":
            data[at:at] = draw(st.binary(max_size=600))
        elif kind == "move":
            other = draw(st.integers(0, len(data)))
            data[at:at] = data[other : other + 512]
        else:
            data[at : at + 8] = draw(st.sampled_from([b"\xff" * 8, b"\x80" + bytes(7), b"77777777", b"99999999"]))
    return bytes(data)


@settings(deadline=None, max_examples=150)
@given(data=mutated(packed(TWO)) | mutated(plain(TWO)) | mutated(gzipped(tar(TWO))))
def test_files(data: bytes) -> None:
    intake(data)


def with_checksums(archive: bytes) -> bytes:
    """Headers as their checksums say, so that changes of other bytes are met."""
    data = bytearray(archive)
    for at in range(0, len(data) - 511, 512):
        if data[at + 257 : at + 262] == b"ustar":
            data[at + 148 : at + 156] = b" " * 8
            data[at + 148 : at + 156] = b"%06o\0 " % sum(data[at : at + 512])
    return bytes(data)


@settings(deadline=None, max_examples=150)
@given(archive=st.one_of(*(mutated(tar(ONE, form)) for form in (0, 1, 2))))
def test_archives_behind_sound_checksums(archive: bytes) -> None:
    intake(neff(gzipped(with_checksums(archive), pad=False)))


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["DVE.bin", "sg00/def.json", "../x", "/x", "\0", "\ud800", "default_opcode_table.bin", "*"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["graphs", "definition", "name", "target", "dve", "dve_instr", "instr", "dve_tables", "nodes",
                         "attrs", "func_name", "kelf", "tool_version"]),
        inner | st.just("__kelf"), max_size=4),
    max_leaves=12,
)  # fmt: skip


@settings(deadline=None, max_examples=150)
@given(name=st.sampled_from(["kelf-0.json", "sg00/def.json", "sg00/DVE.json", "info.json", "neff.json"]), value=values)
def test_documents(name: str, value: object) -> None:
    intake(plain(ONE | {name: files.document(value)}))


@settings(deadline=None, max_examples=50)
@given(data=st.binary(max_size=3000) | st.binary(max_size=3000).map(lambda rest: neff(rest)))
def test_noise(data: bytes) -> None:
    intake(data)


def test_sound_ones_still_pass() -> None:
    assert (intake(packed(ONE)), intake(plain(TWO))) == ("legal", "illegal")


@pytest.mark.parametrize("seed", range(20))
def test_memory_stays_bounded(seed: int) -> None:
    """Whatever number of a header becomes the largest one."""
    data = bytearray(plain(ONE))
    headers = [at for at in range(1024, len(data), 512) if data[at + 257 : at + 262] == b"ustar"]
    at = headers[seed % len(headers)]
    data[at + 124 : at + 136] = [b"77777777777\0", b"\x80" + b"\xff" * 11, b"00000777777\0"][seed % 3]
    if seed % 2:
        data[at + 156 : at + 157] = [b"x", b"L", b"g"][seed // 2 % 3]
    hostile = bytes(data[:1024]) + with_checksums(bytes(data[1024:]))
    tracemalloc.start()
    try:
        assert intake(hostile) == "refused"
        assert tracemalloc.get_traced_memory()[1] < PEAK
    finally:
        tracemalloc.stop()
