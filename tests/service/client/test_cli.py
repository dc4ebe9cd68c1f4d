"""The commands: exit codes, what they print, and that a user's mistake is one line and never a traceback."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner, Result

from dve_client import connect
from dve_client.cli import main
from dve_client.demo import expected
from dve_client.demo.stage import MASKED, ROW_MAX, inputs, stage
from dve_engine import CAYMAN
from tests import neff_files
from tests.service.programs import COPY, FAR, ILLEGAL, REGISTER, REGISTER_MOVE
from tests.service.running import Service

Run = Callable[..., Result]


@pytest.fixture
def dvesim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DVESIM_TARGET", raising=False)

    def run(*arguments: str, stdin: bytes | None = None) -> Result:
        result = CliRunner().invoke(main, arguments, input=stdin)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        assert "Traceback" not in result.output
        return result

    for name, code in {"copy": COPY, "illegal": COPY + ILLEGAL, "far": FAR, "register": REGISTER}.items():
        Path(f"{name}.bin").write_bytes(code)
    Path("stage.bin").write_bytes(stage(CAYMAN))
    return run


# --- validate ----------------------------------------------------------------------------------------------


def test_legal(dvesim: Run) -> None:
    result = dvesim("validate", "copy.bin", "-g", "trn2")
    assert result.exit_code == 0
    assert "1 records checked, all legal on cayman" in result.stdout


def test_not_legal(dvesim: Run) -> None:
    result = dvesim("validate", "illegal.bin", "-g", "cayman")
    assert result.exit_code == 1
    for text in ("has_valid_reversed_pred", "reversed_pred @ 33", "0 or 1", "1 of 2 records checked are not legal"):
        assert text in result.stdout


def test_json_is_the_whole_answer(dvesim: Run) -> None:
    result = dvesim("validate", "illegal.bin", "-g", "cayman", "--json")
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert (document["valid"], document["total"], document["invalid"]) == (False, 2, 1)
    first = document["verdicts"][1]["failures"][0]
    assert (first["rule"], first["field"], first["offset"], first["value"]) == (
        "has_valid_reversed_pred", "reversed_pred", 33, 2,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("p.hex", COPY.hex().encode()),
        ("p.txt", b"# a comment\n" + COPY.hex(" ", 4).encode() + b"\n\n" + COPY.hex().upper().encode()),
        ("p", b"0x" + COPY.hex("_").encode()),
        ("p.dat", COPY),
        ("p.bin", COPY),
    ],
)
def test_files_of_every_kind(dvesim: Run, name: str, content: bytes) -> None:
    Path(name).write_bytes(content)
    assert dvesim("validate", name, "-g", "cayman").exit_code == 0
    assert dvesim("validate", "-", "-g", "cayman", stdin=content).exit_code == 0


@pytest.mark.parametrize(
    ("content", "options", "said"),
    [
        (b"", [], "there is no record"),
        (b"# nothing\n\n", [], "there is no record"),
        (COPY[:-1], [], "63 bytes are 0 records of 64 bytes and a remainder of 63"),
        (b"e8 10 0", ["--input", "hex"], "5 hex digits are not whole bytes"),
        (b"e8\nxyz", ["--input", "hex"], "line 2: not hex digits"),
        (b"e810", [], "remainder of 2"),
        (COPY, ["--profile", "mine"], "unknown_assumption"),
        (COPY, ["--assume", "no-such=thing"], "unknown_assumption"),
        (COPY, ["--assume", "nonsense"], "'nonsense' is not ID=VALUE"),
        (COPY, ["--target", "ftp://x"], "target 'ftp://x' means nothing"),
        (COPY, ["--target", "http://[bad"], "target 'http://[bad' cannot be read"),
        (COPY, ["--target", "http://host:99999"], "cannot be read"),
        (COPY, ["--target", "grpc://host:port"], "cannot be read"),
        (COPY, ["--target", "http://:80"], "means nothing"),
        (COPY, ["--target", "http://a\x01"], "cannot be read"),
        (COPY, ["--target", ""], "means nothing"),
        (COPY, ["-g", "pascal"], "unknown_generation"),
    ],
)
def test_nothing_checked_is_exit_code_2(dvesim: Run, content: bytes, options: list[str], said: str) -> None:
    result = dvesim("validate", "-", "-g", "cayman", *options, stdin=content)
    assert result.exit_code == 2
    assert said in result.stderr
    assert not result.stdout


def test_usage(dvesim: Run) -> None:
    assert dvesim("validate", "copy.bin").exit_code == 2
    assert dvesim("validate", "-g", "cayman").exit_code == 2
    missing = dvesim("validate", "no-such-file", "-g", "cayman")
    assert (missing.exit_code, missing.stderr) == (2, "dvesim: no-such-file: No such file or directory\n")
    assert dvesim("validate", ".", "-g", "cayman").exit_code == 2


def test_nobody_there_is_exit_code_3(dvesim: Run) -> None:
    result = dvesim("version", "--target", "http://127.0.0.1:1")
    assert result.exit_code == 3
    assert result.stderr.startswith("dvesim: unreachable: ")


# --- run ---------------------------------------------------------------------------------------------------


def saved(**arrays: object) -> None:
    np.savez("in.npz", **arrays)  # type: ignore[arg-type]


def test_the_stage_from_and_to_npz(dvesim: Run) -> None:
    given = inputs()
    saved(**{"sbuf@0:64": given.scale, "sbuf@0:68": given.bias, "sbuf@0:512": given.mask, "sbuf@0:1536": given.scores})
    result = dvesim("run", "stage.bin", "-g", "cayman", "--memory", "in.npz", "--out", "out.npz", "--trace", "summary")
    assert result.exit_code == 0, result.stderr
    assert "7 records executed" in result.stdout
    assert "SELECT_REDUCE" in result.stdout
    wanted = expected.sbuf(given)
    with np.load("out.npz", allow_pickle=False) as out:
        assert np.array_equal(out[f"sbuf@0:{MASKED}"], wanted[:, MASKED : MASKED + 1024])
        assert np.array_equal(out[f"sbuf@0:{ROW_MAX}"].view(np.float32)[:, 0], expected.row_max(given))
        assert np.array_equal(out["accumulators"], expected.row_max(given))
        assert not out["accumulators_tainted"].any()
    again = dvesim("run", "stage.bin", "-g", "cayman", "--memory", "out.npz", "--read", f"sbuf@0:{ROW_MAX}+4x128")
    assert again.exit_code == 0, again.stderr


def test_whole_memories(dvesim: Run) -> None:
    sbuf = np.zeros((128, 1024), np.uint8)
    sbuf[:32, 256:260] = [0, 1, 0, 1]
    saved(sbuf=sbuf, psum=np.zeros((128, 16 * 1024), np.uint8))
    result = dvesim("run", "copy.bin", "-g", "cayman", "--memory", "in.npz", "--read", "sbuf@32:512+16x2", "--json")
    assert result.exit_code == 0, result.stderr
    document = json.loads(result.stdout)
    assert document["memory"] == [
        {"space": "sbuf", "partition": 32, "partitions": 2, "byte": 512, "size": 16, "data_hex": "000080ff00000000" * 4}
    ]


def test_kept_answers(dvesim: Run, service: Service) -> None:
    """The second run says what the first one did, unless it is told to run."""
    command = ("run", "copy.bin", "-g", "cayman", "--register", "63=77", "--json", "--target")
    command = (*command, f"grpc://{service.grpc_address}")
    first, second, third = (json.loads(dvesim(*command, *options).stdout) for options in ([], [], ["--no-cache"]))
    assert [answer.pop("cached") for answer in (first, second, third)] == [False, True, False]
    assert first == second == third


@pytest.mark.parametrize(
    ("program", "options", "code", "said"),
    [
        ("illegal.bin", [], 1, "invalid_instructions"),
        ("illegal.bin", ["--on-invalid", "skip"], 1, ""),
        ("far.bin", [], 1, "execution_error"),
        ("register.bin", [], 1, "execution_error"),
        ("register.bin", ["--register", "5=0x800200"], 0, ""),
        ("register.bin", ["--register", "64=0"], 2, "invalid_field"),
        ("copy.bin", ["--image", "img_x"], 2, "image_not_found"),
        ("copy.bin", ["--read", "sbuf@0"], 2, "is not a region"),
        ("copy.bin", ["--read", "sbuf@127:0+4x2"], 2, "invalid_region"),
        ("copy.bin", ["--register", "five"], 2, "is not a register"),
        ("copy.bin", ["--out", "no/such/folder.npz"], 2, "No such file or directory"),
    ],
)
def test_exit_codes_of_a_run(dvesim: Run, program: str, options: list[str], code: int, said: str) -> None:
    result = dvesim("run", program, "-g", "cayman", *options)
    assert result.exit_code == code, result.output
    assert said in result.stderr


def test_not_modelled_is_exit_code_1(dvesim: Run) -> None:
    result = dvesim("run", "-", "-g", "cayman", "--out", "out.npz", stdin=REGISTER_MOVE)
    assert result.exit_code == 1
    assert "not_modelled" in result.stderr
    assert not Path("out.npz").exists()


def npz(**members: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.npy", data)
    return stream.getvalue()


def npy(array: np.ndarray, **options: bool) -> bytes:  # type: ignore[type-arg]
    stream = io.BytesIO()
    np.save(stream, array, **options)
    return stream.getvalue()


BOMB = npz(sbuf=b"\0" * (300 << 20))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"no archive", "not an .npz file"),
        (npz(sbuf=b"no array"), "sbuf is not an array"),
        (npz(sbuf=npy(np.array([{"a": 1}]), allow_pickle=True)), "allow_pickle=False"),
        (npz(sbuf=npy(np.zeros((64, 4), np.uint8))), "a whole memory, uint8 (128, n)"),
        (npz(sbuf=npy(np.zeros((128, 4), np.float32))), "a whole memory, uint8 (128, n)"),
        (npz(dram=npy(np.zeros(4))), "expected sbuf, psum, or a place"),
        (npz(**{"sbuf@0:0": npy(np.array(["a"]))}), "expected numbers"),
        (npz(**{"sbuf@0:0": npy(np.zeros((2, 2, 2)))}), "takes a non-empty array"),
        (npz(accumulators=npy(np.zeros(4, np.float32))), "accumulators takes 128 values"),
        (npz(**{"sbuf@120:0": npy(np.zeros((9, 1), np.uint8))}), "invalid_region"),
        (BOMB, "bytes of arrays; 268435456 are allowed"),
    ],
    ids=lambda value: "" if isinstance(value, bytes) else value,
)
def test_memory_that_cannot_be_used(dvesim: Run, content: bytes, said: str) -> None:
    Path("in.npz").write_bytes(content)
    result = dvesim("run", "copy.bin", "-g", "cayman", "--memory", "in.npz")
    assert result.exit_code == 2
    assert said in result.stderr


# --- isa, version ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["generations"], "nc-v5"),
        (["generation", "-g", "maverick"], "1048576"),
        (["instructions", "-g", "sunda"], "SELECT_REDUCE"),
        (["instruction", "select_reduce", "-g", "cayman"], "has_valid_select_reduce_dtypes"),
        (["dtypes", "-g", "mariana"], "FP4_EXP2"),
        (["aluops", "-g", "cayman"], "is_general_arith_op"),
        (["coverage", "-g", "cayman"], "SELECT_REDUCE"),
        (["assumptions"], "select-reduce-false-lanes"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_isa(dvesim: Run, arguments: list[str], said: str) -> None:
    result = dvesim("isa", *arguments)
    assert result.exit_code == 0
    assert said in result.stdout
    assert isinstance(json.loads(dvesim("isa", *arguments, "--json").stdout), dict)


def test_isa_of_what_is_not_there(dvesim: Run) -> None:
    result = dvesim("isa", "instruction", "NO_SUCH", "-g", "cayman")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "instruction_not_found" in result.stderr


@pytest.mark.parametrize("transport", ["http", "grpc"])
def test_another_target(dvesim: Run, service: Service, transport: str) -> None:
    address = {"http": service.http_address, "grpc": service.grpc_address}[transport]
    with connect("inproc") as client:
        version = client.version()
    result = dvesim("version", "--target", f"{transport}://{address}", "--json")
    assert json.loads(result.stdout) == vars(version)
    assert dvesim("validate", "illegal.bin", "-g", "cayman", "--target", f"{transport}://{address}").exit_code == 1


# --- for machines and for terminals ------------------------------------------------------------------------


def commands(group: click.Group, above: str = "") -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, f"{above}{name} ")
        else:
            yield f"{above}{name}", command


def test_json_everywhere() -> None:
    options = {name: [o for p in command.params for o in p.opts] for name, command in commands(main)}
    assert len(options) >= 25
    assert {name for name, known in options.items() if "--json" not in known} == {"serve"}


def test_texts_as_json(dvesim: Run) -> None:
    lines = json.loads(dvesim("disassemble", "illegal.bin", "-g", "cayman", "--json").stdout)["lines"]
    Path("again.dve").write_text("\n".join(lines))
    told = json.loads(dvesim("assemble", "again.dve", "-g", "cayman", "--json", "-o", "again.bin").stdout)
    assert bytes.fromhex("".join(told["records"])) == COPY + ILLEGAL == Path("again.bin").read_bytes()
    refused = dvesim("assemble", "again.dve", "-g", "cayman", "--json", "-o", "-")
    assert (refused.exit_code, refused.stdout) == (2, "")


def test_streams_as_json(dvesim: Run) -> None:
    Path("two.neff").write_bytes(neff_files.plain(neff_files.members(COPY + ILLEGAL, COPY)))
    listed = [json.loads(line) for line in dvesim("neff", "disassemble", "two.neff", "--json").stdout.splitlines()]
    assert [(one["core"], one["record"], one["offset"]) for one in listed] == [(0, 0, 0), (0, 1, 64), (1, 0, 0)]
    written = json.loads(dvesim("neff", "extract", "two.neff", "out", "--json").stdout)
    assert [one["records"] for one in written] == [2, 1]
    assert [Path(one["file"]).read_bytes() for one in written] == [COPY + ILLEGAL, COPY]


def on_a_terminal(*arguments: str) -> tuple[bytes, bytes]:
    """Standard output of a command whose standard error is a terminal, and what that showed."""
    terminal, end = os.openpty()
    try:
        ran = subprocess.Popen([sys.executable, "-m", "dve_client", *arguments], stdout=subprocess.PIPE, stderr=end)
        os.close(end)
        shown = b""
        with contextlib.suppress(OSError):  # the other end is closed
            while piece := os.read(terminal, 4096):
                shown += piece
        return ran.communicate(timeout=60)[0], shown
    finally:
        os.close(terminal)


def test_long_work_shows_on_a_terminal_only(tmp_path: Path) -> None:
    large = tmp_path / "large.neff"
    large.write_bytes(neff_files.plain(neff_files.members(COPY * 20_000)))
    out, shown = on_a_terminal("neff", "validate", str(large), "--json")
    assert b"Judging" in shown
    assert json.loads(out)["summary"]["checked"] == 20_000
    piped = process("neff", "validate", str(large), "--json")
    assert (piped.stderr, piped.stdout) == (b"", out)
    program = tmp_path / "copy.bin"
    program.write_bytes(COPY)
    for command in ("validate", "run"):
        out, shown = on_a_terminal(command, str(program), "-g", "cayman", "--json")
        assert b"Judging" in shown or b"Running" in shown
        assert process(command, str(program), "-g", "cayman", "--json").stderr == b""
        json.loads(out)


# --- as processes ------------------------------------------------------------------------------------------


def process(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "dve_client", *arguments], input=stdin, capture_output=True, timeout=120
    )


def test_pipes(tmp_path: Path) -> None:
    legal = process("validate", "-", "-g", "cayman", stdin=COPY)
    assert (legal.returncode, legal.stderr) == (0, b"")
    illegal = process("validate", "-", "-g", "cayman", stdin=ILLEGAL.hex().encode())
    assert (illegal.returncode, illegal.stderr) == (1, b"")
    nothing = process("validate", "-", "-g", "cayman")
    assert (nothing.returncode, nothing.stdout) == (2, b"")


def test_serve_takes_bad_options_and_settings_as_usage(monkeypatch: pytest.MonkeyPatch) -> None:
    assert process("serve", "--port", "70000").returncode == 2
    monkeypatch.setenv("DVESIM_LOG_LEVEL", "loud")
    refused = process("serve", "--port", "0", "--grpc-port", "0")
    assert refused.returncode == 2
    assert b"DVESIM_LOG_LEVEL" in refused.stderr
    assert b"Traceback" not in refused.stderr


# --- image -------------------------------------------------------------------------------------------------


@pytest.fixture
def stored(dvesim: Run, service: Service) -> Run:
    """`dvesim image` against the service."""
    return lambda *arguments: dvesim("image", *arguments, "--target", f"http://{service.http_address}")


def test_images_from_files_and_back(stored: Run) -> None:
    sbuf = np.zeros((128, 2048), np.uint8)
    sbuf[3:5, 1000:1040] = np.arange(1, 81).reshape(2, 40)
    saved(sbuf=sbuf, psum=np.full((128, 1024), 7, np.uint8))
    first = json.loads(stored("put", "in.npz", "-g", "trn2", "--json").stdout)
    assert (first["blocks"], first["bytes"]) == (3, 3 * 32 * 1024)
    got = stored("get", first["image"], "--out", "out.npz", "--json")
    assert got.exit_code == 0, got.stderr
    assert {(b["space"], b["quadrant"], b["tile"]) for b in json.loads(got.stdout)["blocks"]} == {
        ("sbuf", 0, 0), ("sbuf", 0, 1), *(("psum", quadrant, 0) for quadrant in range(4)),
    }  # fmt: skip
    with np.load("out.npz", allow_pickle=False) as out:
        assert np.array_equal(out["sbuf"], sbuf)
        assert out["psum"].shape == (128, 1024)
    assert json.loads(stored("put", "out.npz", "-g", "cayman", "--json").stdout) == first


@pytest.mark.parametrize("name", ["part.npy", "part.raw", "part.npz"])
def test_regions_from_and_to_files(stored: Run, name: str) -> None:
    part = np.arange(1, 81, dtype=np.uint8).reshape(2, 40)
    np.save("in.npy", part)
    Path("in.raw").write_bytes(part.tobytes())
    made = json.loads(stored("put", "in.npy", "-g", "cayman", "--at", "sbuf@3:1000", "--json").stdout)
    raw = stored("put", "in.raw", "-g", "cayman", "--at", "sbuf@3:1000", "--partitions", "2", "--json")
    assert json.loads(raw.stdout) == made
    result = stored("read", made["image"], "sbuf@3:1000+40x2", "--out", name)
    assert (result.exit_code, result.stdout) == (0, "")
    if name == "part.npz":
        assert json.loads(stored("put", name, "-g", "cayman", "--json").stdout) == made
    else:
        read = np.load(name) if name == "part.npy" else np.fromfile(name, np.uint8).reshape(2, 40)
        assert np.array_equal(read, part)
    shown = stored("read", made["image"], "sbuf@4:1000+8")
    assert shown.stdout == f"  4 {part[1, :8].tobytes().hex(' ', 4)}\n"
    assert (
        json.loads(stored("read", made["image"], "sbuf@4:1000+8", "--json").stdout)["data_hex"]
        == part[1, :8].tobytes().hex()
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("put", "copy.bin", "-g", "cayman"), "not an .npz file"),
        (("put", "copy.bin", "-g", "cayman", "--at", "sbuf"), "is not a place"),
        (("put", "copy.bin", "-g", "cayman", "--at", "sbuf@0:0", "--partitions", "5"), "64 bytes are not 5 partitions"),
        (("put", "nothing.npy", "-g", "cayman", "--at", "sbuf@0:0"), "No such file"),
        (("put", "lanes.npz", "-g", "cayman"), "an image has no accumulators"),
        (("put", "copy.bin", "-g", "cayman", "--at", "psum@127:0", "--partitions", "4"), "invalid_region"),
        (("get", "img_x"), "image_not_found"),
        (("read", "img_x", "sbuf@0:0+4"), "image_not_found"),
        (("read", "img_x", "sbuf"), "is not a region"),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0],
)
def test_images_that_cannot_be(stored: Run, arguments: tuple[str, ...], said: str) -> None:
    np.savez("lanes.npz", accumulators=np.zeros(128, np.float32))
    result = stored(*arguments)
    assert result.exit_code == 2, result.output
    assert said in result.stderr


def test_images_are_those_of_the_tenant(dvesim: Run, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    np.save("array.npy", np.arange(256, dtype=np.uint8).reshape(2, 128))
    target = ("--target", f"http://{service.http_address}")
    monkeypatch.setenv("DVESIM_TENANT", "cli-tests")
    put = dvesim("image", "put", "array.npy", "-g", "cayman", "--at", "sbuf@0:0", "--json", *target)
    assert put.exit_code == 0, put.output
    image = json.loads(put.stdout)["image"]
    assert dvesim("image", "get", image, *target).exit_code == 0
    for other, said in (("cli-other", "image_not_found"), ("No", "invalid_field")):
        monkeypatch.setenv("DVESIM_TENANT", other)
        refused = dvesim("image", "get", image, *target)
        assert (refused.exit_code, said in refused.stderr) == (2, True), refused.output
