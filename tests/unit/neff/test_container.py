"""What is read from a container, in every form the specification knows, and what is refused where."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import re
import struct
import tarfile
import tracemalloc
import zlib
from pathlib import Path

import pytest

from dve_engine.neff import NeffError, NeffLimitExceeded, NeffLimits, read_neff
from tests import neff_files as files
from tests.neff_files import ONE, SOUND, TWO, changed, document, entry, gzipped, neff, packed, plain, tar, without

ARCHIVE = tar(ONE)
GUIDE = Path(__file__).parents[3] / "docs/neff.md"
PAGE = Path(__file__).parents[3] / "docs/isa/09-neff-container.md"


def refused(data, **limits):
    with pytest.raises(NeffError) as caught:
        read_neff(data, NeffLimits(**limits))
    return caught.value


def pax_global(**headers):
    """A tar whose first header speaks for every entry."""
    buffer = io.BytesIO()
    tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT, pax_headers=headers).close()
    return buffer.getvalue()[:1024] + ARCHIVE


# --- what is read ------------------------------------------------------------------------------------------

FORMS = {
    "gzip": packed(ONE),
    "plain": plain(ONE),
    "no-padding": neff(gzipped(ARCHIVE, pad=False)),
    "pax": neff(gzipped(tar(ONE, tarfile.PAX_FORMAT))),
    "gnu": neff(gzipped(tar(ONE, tarfile.GNU_FORMAT))),
    "reversed": packed(dict(reversed(ONE.items()))),
    "dve0": packed(files.members(SOUND, name="DVE0.bin")),
    "no-dve_instr": packed(files.members(SOUND, instr=False)),
    "long-header": neff(ARCHIVE, header_size=2048, data_size=len(ARCHIVE))[:1024] + bytes(1024) + ARCHIVE,
    "dot-slash": packed({f"./{name}": data for name, data in ONE.items()}),
    "byte-order-mark": packed(ONE | {"kelf-0.json": b"\xef\xbb\xbf" + ONE["kelf-0.json"]}),
    "global-comment": neff(gzipped(pax_global(comment="0123abc"))),
    "directories": neff(gzipped(tar(ONE, extra=[entry("sg00/", tarfile.DIRTYPE), entry("./", tarfile.DIRTYPE)]))),
    "checksum-member": packed(ONE | {"a.checksum": b"x"}),
    "bare-gzip": gzipped(ARCHIVE),
    "bare-tar": ARCHIVE,
    "other-kelf": packed(without(ONE, "kelf-0.json") | {"kelf-a.json": ONE["kelf-0.json"]}),
    "kelf-by-graph": packed(
        without(ONE, "kelf-0.json")
        | {"x/k.json": ONE["kelf-0.json"], "kelf-1.json": b"{}", "kelf-2.json": b"{}"}
        | {"neff.json": document({"nodes": [{"op": "null"}, {"attrs": {"func_name": "__kelf", "kelf": "x/k.json"}}]})}
    ),
}  # fmt: skip


@pytest.mark.parametrize("data", FORMS.values(), ids=FORMS.keys())
def test_every_form_gives_the_same_stream(data):
    with read_neff(data) as found:
        [core] = found.cores
        assert found.code(core) == SOUND
        assert (core.stream.records, core.stream.remainder, core.absent) == (4, 0, None)
        assert (found.target, found.metadata["tool_version"]) == ("cayman", "2.21")
        assert found.warnings == ()
        assert not any(name.endswith("checksum") for name in found.members)


def test_files_of_any_kind_are_read(tmp_path):
    path = tmp_path / "a.neff"
    path.write_bytes(FORMS["gzip"])
    with path.open("rb") as file, read_neff(file) as found:
        assert found.code(found.cores[0]) == SOUND
    assert path.read_bytes() == FORMS["gzip"]
    assert sorted(tmp_path.iterdir()) == [path]

    class Pipe(io.RawIOBase):
        def __init__(self):
            self.rest = io.BytesIO(FORMS["plain"])

        def readable(self):
            return True

        def readinto(self, buffer):
            return self.rest.readinto(buffer)

    with read_neff(Pipe()) as found:
        assert found.code(found.cores[0]) == SOUND
    with pytest.raises(NeffLimitExceeded, match="file is limited to 2000"):
        read_neff(Pipe(), NeffLimits(file=2000))


def test_the_description():
    data = neff(gzipped(tar(TWO)), major=2, features=0xC00, vnc=2, name=b"model.neff")
    with read_neff(data) as found:
        header = found.header
        assert (header.version, header.features, header.vnc_size) == ((2, 0), ("vnc", "dve_performance_mode"), 2)
        assert (header.name, header.hash_algorithm, header.requested_tpb_count) == ("model.neff", "md5", 1)
        assert (found.payload.compression, found.payload.offset, found.payload.size) == ("gzip", 1024, len(data) - 1024)
        assert (found.payload.archive_size, found.payload.hash_matches) == (len(tar(TWO)), True)
        assert list(found.members) == list(TWO)
        assert {name: member.size for name, member in found.members.items()} == {n: len(d) for n, d in TWO.items()}
        assert [(core.index, core.subgraph, core.definition) for core in found.cores] == [
            (0, "sg00", "sg00/def.json"), (1, "sg01", "sg01/def.json")]  # fmt: skip
        for core in found.cores:
            assert core.stream.offset == files.data_offset(tar(TWO), core.stream.member)
            assert found.file_offset(core.stream) is None
    with read_neff(plain(TWO)) as found:
        for core in found.cores:
            at = found.file_offset(core.stream)
            assert plain(TWO)[at : at + core.stream.size] == TWO[core.stream.member]
        assert (found.header.hash_algorithm, found.payload.hash_matches) == ("sha256", True)


def test_raw_dumps():
    for data in (SOUND, gzipped(SOUND)):
        with read_neff(data) as found:
            assert (found.kind == "raw", found.target, found.members) == (True, None, {})
            assert found.code(found.cores[0]) == SOUND
    with read_neff(b"") as found:
        assert (found.cores[0].stream.size, found.cores[0].absent) == (0, "the DVE stream is empty")


ODD = {
    "hash": (neff(gzipped(ARCHIVE), hash=b"x" * 16), []),
    "data_size-larger": (neff(gzipped(ARCHIVE), data_size=1 << 60), ["data_size"]),
    "data_size-with-header": (neff(gzipped(ARCHIVE), data_size=len(gzipped(ARCHIVE)) + 1024), ["data_size"]),
    "garbage-behind-gzip": (neff(gzipped(ARCHIVE) + b"x"), ["follow the gzip stream"]),
    "second-gzip-member": (neff(gzipped(ARCHIVE, pad=False) * 2), ["follow the gzip stream"]),
    "garbage-behind-tar": (neff(gzipped(ARCHIVE + b"x")), ["follow the end of the archive"]),
    "no-such-kelf": (
        packed(ONE | {"neff.json": document({"nodes": [{"attrs": {"func_name": "__kelf", "kelf": "no.json"}}]})}),
        ["neff.json names no.json"],
    ),
    "two-streams": (
        packed(changed(ONE, "sg00/DVE.json", lambda old: old | {"instr": "other.bin"})),
        ["its descriptor other.bin"],
    ),
    "no-kelf": (packed(without(ONE, "kelf-0.json")), ["sg00/def.json is the only definition"]),
}


@pytest.mark.parametrize(("data", "said"), ODD.values(), ids=ODD.keys())
def test_what_is_odd_is_said_and_read_all_the_same(data, said):
    with read_neff(data) as found:
        assert found.code(found.cores[0]) == SOUND
        assert len(found.warnings) == len(said)
        for warning, words in zip(found.warnings, said, strict=True):
            assert words in warning
        assert (found.payload.hash_matches is False) == (data is ODD["hash"][0])


ABSENT = {
    "no-stream": changed(ONE, "sg00/def.json", lambda old: {"name": "definition"}),
    "empty-stream": files.members(b""),
}


@pytest.mark.parametrize("content", ABSENT.values(), ids=ABSENT.keys())
def test_absent_streams_are_said(content):
    with read_neff(packed(content)) as found:
        assert found.cores[0].absent
        assert found.code(found.cores[0]) == b""


def test_members_nobody_needs_may_be_missing():
    with read_neff(packed(without(ONE, "info.json", "sg00/DVE.json", "sg00/default_opcode_table.bin"))) as found:
        assert (found.code(found.cores[0]), found.metadata) == (SOUND, {})


# --- truncation --------------------------------------------------------------------------------------------


def test_gzip_cut_anywhere():
    data = neff(gzipped(ARCHIVE, pad=False))
    boundaries = {16, 24, 168, 220, 544, 1023, 1024, 1034, len(data) - 8, len(data) - 4, len(data) - 1}
    steps = set(range(1, len(data), 7))
    for end in sorted(boundaries | steps):
        error = refused(data[:end])
        if end > 1024 + 2:
            assert f"ends after {end - 1024} of {len(data) - 1024} bytes" in error.reason
            assert error.offset == end


def test_padding_may_be_cut():
    data = packed(ONE)
    with read_neff(data[:-1]) as found:
        assert (found.code(found.cores[0]), len(found.warnings)) == (SOUND, 1)


def test_plain_cut_anywhere():
    data = plain(ONE)
    end_mark = 1024 + len(ARCHIVE.rstrip(b"\0")) // 512 * 512 + 512  # where the first block of zeros starts
    blocks = range(1024, end_mark + 1, 512)
    ends = [end for block in blocks for end in (block - 1, block, block + 1)]
    for end in ends:
        error = refused(data[:end])
        assert error.offset <= end
    assert len(ends) > 40
    with read_neff(data[: end_mark + 512]) as found:
        assert found.code(found.cores[0]) == SOUND


# --- what is refused ---------------------------------------------------------------------------------------


def damaged(at, value):
    return neff(ARCHIVE[:at] + value + ARCHIVE[at + len(value) :], pkg_version=1)


CRC = bytearray(neff(gzipped(ARCHIVE, pad=False)))
CRC[-8] ^= 1
HEADER = {
    "short": (bytes([2]) + bytes(500), 501, "file"),
    "header-alone": (neff(b""), 8, "file"),
    "header_size-0": (neff(gzipped(ARCHIVE), header_size=0), 8, "file"),
    "header_size-1023": (neff(gzipped(ARCHIVE), header_size=1023), 8, "file"),
    "header_size-huge": (neff(gzipped(ARCHIVE), header_size=1 << 63), 8, "file"),
    "header_size-beyond": (neff(gzipped(ARCHIVE), header_size=1024 + len(gzipped(ARCHIVE))), 8, "file"),
    "data_size-0": (neff(gzipped(ARCHIVE), data_size=0), 1024, "file"),
    "data_size-smaller": (neff(gzipped(ARCHIVE), data_size=100), 1124, "file"),
    "major-3": (neff(gzipped(ARCHIVE), major=3), 24, "file"),
    "newer-compiler": (neff(gzipped(ARCHIVE), major=2, features=1 << 27), 544, "file"),
    "pkg_version-3": (neff(gzipped(ARCHIVE), pkg_version=3), 0, "file"),
    "zeros": (bytes(2048), 8, "file"),
    "crc": (bytes(CRC), None, "file"),
    "deflate": (neff(gzipped(ARCHIVE)[:40] + b"\xff" * 40 + gzipped(ARCHIVE)[80:]), None, "file"),
    "zstd": (neff(b"\x28\xb5\x2f\xfd" + bytes(99)), 1024, "file"),
    "nothing-known": (b"hello" * 99, 0, "file"),
    "raw-remainder": (SOUND + b"\0", 0, "file"),
    "gzip-of-nothing-known": (gzipped(b"hello" * 99), 0, "archive"),
    "gzip-of-no-tar": (neff(gzipped(b"hello" * 99)), 0, "archive"),
    "gzip-in-gzip": (neff(gzipped(gzipped(ARCHIVE))), 0, "archive"),
    "neff-in-neff": (neff(gzipped(packed(ONE))), 0, "archive"),
    "empty-tar": (neff(gzipped(bytes(10240))), 0, "archive"),
    "tar-checksum-first": (damaged(0, b"K"), 148, "archive"),
    "tar-checksum-later": (damaged(1024, b"x"), 1024 + 148, "archive"),
    "tar-magic-later": (damaged(1024 + 257, b"USTAR"), 1024 + 257, "archive"),
}  # fmt: skip


@pytest.mark.parametrize(("data", "offset", "within"), HEADER.values(), ids=HEADER.keys())
def test_broken_files(data, offset, within):
    error = refused(data)
    assert (error.within, error.offset if offset is not None else None) == (within, offset)
    assert error.expected
    assert len(str(error)) < 400


def pax(**headers):
    info = entry("x")
    info.pax_headers = headers
    return tar(ONE, tarfile.PAX_FORMAT, [info])


ENTRIES = {
    "symlink": tar(ONE, extra=[entry("a", tarfile.SYMTYPE, "/etc/passwd")]),
    "hard-link": tar(ONE, extra=[entry("a", tarfile.LNKTYPE, "kelf-0.json")]),
    "device": tar(ONE, extra=[entry("a", tarfile.CHRTYPE)]),
    "block-device": tar(ONE, extra=[entry("a", tarfile.BLKTYPE)]),
    "fifo": tar(ONE, extra=[entry("a", tarfile.FIFOTYPE)]),
    "gnu-sparse": tar(ONE, extra=[entry("a", tarfile.GNUTYPE_SPARSE)]),
    "long-link": tar(ONE, tarfile.GNU_FORMAT, [entry("a", tarfile.SYMTYPE, "x" * 200)]),
    "unknown-type": tar(ONE, extra=[entry("a", b"Z")]),
    "absolute": tar(ONE, extra=[entry("/etc/passwd")]),
    "climbing": tar(ONE, extra=[entry("a/../../b")]),
    "climbing-directory": tar(ONE, extra=[entry("../b/", tarfile.DIRTYPE)]),
    "control-characters": tar(ONE, extra=[entry("\x1b[31m")]),
    "nul-in-pax": pax(path="a\0b"),
    "not-utf-8": tar(ONE, extra=[entry("\udcff")]),
    "empty-name": tar(ONE, extra=[entry("")]),
    "twice": tar(ONE, extra=[entry("info.json")]),
    "twice-with-dot": tar(ONE, extra=[entry("./info.json")]),
    "pax-global-path": pax_global(path="kelf-0.json"),
    "pax-global-size": pax_global(size="5"),
    "pax-absolute": pax(path="/etc/passwd"),
    "pax-climbing": pax(path="../x"),
    "pax-size": pax(size="99999999999"),
    "pax-size-negative": pax(size="-5"),
    "pax-size-words": pax(size="many"),
    "pax-sparse": pax(**{"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "y"}),
    "no-end-mark": ARCHIVE.rstrip(b"\0") + bytes(-len(ARCHIVE.rstrip(b"\0")) % 512),
}  # fmt: skip


@pytest.mark.parametrize("archive", ENTRIES.values(), ids=ENTRIES.keys())
@pytest.mark.parametrize("wrap", [gzipped, bytes], ids=["gzip", "plain"])
def test_hostile_entries(archive, wrap, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    error = refused(neff(wrap(archive)))
    assert error.within == "archive"
    assert 0 < error.offset <= len(archive)
    assert list(tmp_path.iterdir()) == []


def test_a_pax_name_and_size_count():
    info = entry("short")
    info.pax_headers, info.size = {"path": "sg00/ü-" + "x" * 120}, 700
    with read_neff(neff(gzipped(tar(ONE, tarfile.PAX_FORMAT, [info])))) as found:
        assert found.members["sg00/ü-" + "x" * 120].size == 700
    with read_neff(neff(gzipped(tar(ONE, tarfile.GNU_FORMAT, [entry("y" * 300, size=5)])))) as found:
        assert found.members["y" * 300].size == 5
    with read_neff(neff(gzipped(tar(ONE, extra=[entry("p" * 90 + "/" + "q" * 90)])))) as found:
        assert "p" * 90 + "/" + "q" * 90 in found.members


@pytest.mark.parametrize(
    "records", [b"12 path=x", b"99 path=x\n", b"0 path=x\n", b"9 pathxx\n", b"x", b"8 =abcd\n", b"7 path=x\n"]
)
def test_broken_pax_records(records):
    block = bytearray(512)
    block[:1], block[100:108], block[124:136], block[156:157] = b"p", b"0000644\0", b"%011o\0" % len(records), b"x"
    block[257:265], block[148:156] = b"ustar\x0000", b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    hostile = bytes(block) + records + bytes(-len(records) % 512) + ARCHIVE
    error = refused(neff(hostile))
    assert (error.within, error.offset) == ("archive", 512)


def graphs(*listed):
    return changed(ONE, "kelf-0.json", lambda old: old | {"graphs": list(listed)})


JSON = {
    "kelf-text": (ONE | {"kelf-0.json": b"hello"}, "kelf-0.json"),
    "kelf-list": (ONE | {"kelf-0.json": b"[]"}, "kelf-0.json"),
    "kelf-utf-16": (ONE | {"kelf-0.json": "{}".encode("utf-16")}, "kelf-0.json"),
    "kelf-twice": (ONE | {"kelf-0.json": b'{"target": "sunda", ' + ONE["kelf-0.json"][1:]}, "kelf-0.json"),
    "kelf-nan": (ONE | {"kelf-0.json": b'{"x": NaN, ' + ONE["kelf-0.json"][1:]}, "kelf-0.json"),
    "kelf-long-number": (
        ONE | {"kelf-0.json": b'{"x": ' + b"9" * 5000 + b", " + ONE["kelf-0.json"][1:]}, "kelf-0.json"),
    "graphs-empty": (graphs(), "kelf-0.json"),
    "graphs-absent": (changed(ONE, "kelf-0.json", lambda old: {"target": "cayman"}), "kelf-0.json"),
    "graphs-object": (changed(ONE, "kelf-0.json", lambda old: old | {"graphs": {"0": {}}}), "kelf-0.json"),
    "graph-number": (graphs(5), "kelf-0.json"),
    "graph-name": (graphs({"name": 5}), "kelf-0.json"),
    "target-number": (changed(ONE, "kelf-0.json", lambda old: old | {"target": 5}), "kelf-0.json"),
    "definition-missing": (without(ONE, "sg00/def.json"), "kelf-0.json"),
    "definition-climbs": (graphs({"definition": "../d"}), "kelf-0.json"),
    "definition-number": (graphs({"definition": 1}), "kelf-0.json"),
    "definition-surrogate": (ONE | {"kelf-0.json": b'{"graphs": [{"definition": "\\ud800"}]}'}, "kelf-0.json"),
    "instr-number": (changed(ONE, "sg00/def.json", lambda old: old | {"dve_instr": 5}), "sg00/def.json"),
    "instr-list": (changed(ONE, "sg00/def.json", lambda old: old | {"dve_instr": ["DVE.bin"]}), "sg00/def.json"),
    "instr-absolute": (changed(ONE, "sg00/def.json", lambda old: old | {"dve_instr": "/DVE.bin"}), "sg00/def.json"),
    "instr-climbs": (changed(ONE, "sg00/def.json", lambda old: old | {"dve_instr": "../DVE.bin"}), "sg00/def.json"),
    "instr-table": (
        changed(ONE, "sg00/def.json", lambda old: old | {"dve_instr": "default_opcode_table.bin"}), "sg00/def.json"),
    "instr-missing": (without(ONE, "sg00/DVE.bin"), "sg00/def.json"),
    "info-text": (ONE | {"info.json": b"{"}, "info.json"),
    "descriptor-missing": (
        without(files.members(SOUND, instr=False), "sg00/DVE.json"), "sg00/def.json"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "member"), JSON.values(), ids=JSON.keys())
def test_broken_documents(content, member):
    error = refused(packed(content))
    assert error.within == f"member {member}"


def test_the_offset_of_a_json_error_counts_bytes():
    assert refused(packed(ONE | {"kelf-0.json": "{\"é\": ,}".encode()})).offset == 7
    assert refused(packed(ONE | {"kelf-0.json": b'\xef\xbb\xbf{"a": ,}'})).offset == 9
    assert refused(packed(ONE | {"kelf-0.json": b'\xef\xbb\xbf{"a": \xff}'})).offset == 9


KELFS = {
    "none": without(TWO, "kelf-0.json"),
    "several": without(ONE, "kelf-0.json") | {"kelf-1.json": b"{}", "kelf-2.json": b"{}"},
}


@pytest.mark.parametrize("content", KELFS.values(), ids=KELFS.keys())
def test_no_kelf_to_go_by(content):
    assert refused(packed(content)).expected == "kelf-0.json"


# --- limits ------------------------------------------------------------------------------------------------

DEEP = b'{"graphs": ' + b"[" * 80 + b"]" * 80 + b"}"
LIMITED = {
    "file": (packed(ONE), {"file": 2000}),
    "inflated": (packed(ONE), {"inflated": 5000}),
    "members": (packed(ONE), {"members": 3}),
    "name": (packed(ONE), {"name": 5}),
    "json": (packed(ONE), {"json": 20}),
    "json_depth": (packed(ONE | {"kelf-0.json": DEEP}), {}),
    "json_total": (packed(TWO), {"json_total": 400}),
    "cores": (packed(TWO), {"cores": 1}),
    "stream": (packed(ONE), {"stream": 255}),
    "extension": (neff(gzipped(tar(ONE, tarfile.GNU_FORMAT, [entry("y" * 300)]))), {"extension": 300}),
}


@pytest.mark.parametrize(("name", "case"), LIMITED.items(), ids=LIMITED.keys())
def test_limits(name, case):
    data, limits = case
    with pytest.raises(NeffLimitExceeded) as caught:
        read_neff(data, NeffLimits(**limits))
    assert caught.value.limit == name


def test_json_of_any_depth():
    with pytest.raises(NeffLimitExceeded) as caught:
        read_neff(packed(ONE | {"kelf-0.json": b"[" * 1_000_000}))
    assert caught.value.limit == "json_depth"


def bomb(size):
    engine, zeros = zlib.compressobj(9, zlib.DEFLATED, 31), bytes(1 << 20)
    return b"".join(engine.compress(zeros) for _ in range(size >> 20)) + engine.flush()


@pytest.mark.parametrize(
    ("limits", "named"), [({}, "ratio"), ({"ratio_from": 1 << 40, "inflated": 24 << 20}, "inflated")]
)
def test_bombs_stop_early_and_in_little_memory(limits, named):
    data = neff(bomb(300 << 20))
    assert len(data) < 1 << 20
    tracemalloc.start()
    try:
        with pytest.raises(NeffLimitExceeded) as caught:
            read_neff(data, NeffLimits(**limits))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert caught.value.limit == named
    assert peak < 24 << 20


def test_small_archives_of_zeros_are_no_bombs():
    with read_neff(packed(files.members(bytes(64 * 50_000)))) as found:
        assert found.cores[0].stream.records == 50_000


def test_base_256_sizes():
    """As GNU tar writes sizes that octal digits cannot hold; here of an entry that claims too much."""
    archive = bytearray(ARCHIVE)
    archive[124:136] = b"\x80" + (1 << 40).to_bytes(11, "big")
    archive[148:156] = b" " * 8
    archive[148:156] = b"%06o\0 " % sum(archive[:512])
    error = refused(neff(bytes(archive)))
    assert (error.offset, error.within) == (124, "archive")
    assert str(1 << 40) in error.reason


def test_the_synthetic_container_of_the_page_reads():
    text = PAGE.read_text(encoding="utf-8")
    source = text[text.index("def synthetic_neff") :].partition("```")[0]
    space = {"io": io, "json": json, "tarfile": tarfile, "struct": struct, "gzip": gzip, "hashlib": hashlib}
    exec(source, space)
    with read_neff(space["synthetic_neff"](SOUND, "cayman")) as found:
        assert (found.code(found.cores[0]), found.payload.hash_matches) == (SOUND, True)


UNITS = {"": 0, " KiB": 10, " MiB": 20}


def test_the_guide_has_the_limits():
    rows = re.findall(r"^\| ((?:`neff_\w+`(?:, )?)+) \| ([^|]+) \|", GUIDE.read_text(encoding="utf-8"), re.M)
    said = {}
    for names, values in rows:
        numbers = [int(number) << UNITS[unit] for number, unit in re.findall(r"(\d+)( [KM]iB|)", values)]
        said |= dict(zip(re.findall(r"`neff_(\w+)`", names), numbers, strict=True))
    settings = {"file", "inflated"}  # of the service
    fixed = {name: value for name, value in vars(NeffLimits()).items() if name not in settings | {"ratio_from"}}
    assert said == fixed
