"""Programs from files: raw bytes, hex digits, or assembly text."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from dve_engine import RECORD_BYTES, AssemblyError, UnknownGeneration, assemble, generation_named
from dve_engine.assembly import Mistake as EngineMistake

from ..errors import BadInput
from ..problem import Mistake

MAX_BYTES = 512 << 20
_SUFFIXES = {".hex": "hex", ".bin": "raw", ".dve": "text"}
_HEX_TEXT = re.compile(rb"[0-9A-Fa-fxX_\s]+")
_COMMENT = re.compile(rb"#[^\n]*")
_CONTROL = re.compile(rb"[^\t\n\r\x20-\x7e\x80-\xff]")
FORMATS = click.Choice(["auto", "raw", "hex", "text"])
input_option = click.option(
    "--input",
    "kind",
    type=FORMATS,
    default="auto",
    show_default=True,
    help="raw: N x 64 bytes. hex: 128 digits a record, # comments. text: assembly. auto: by suffix, then by content.",
)


@dataclass(frozen=True)
class ProgramFile:
    """The records of a file. as_it_is: whether the file holds just these bytes, rather than digits or text."""

    code: bytes
    as_it_is: bool


def read_program(path: str, kind: str, generation: str) -> ProgramFile:
    """The records of a file, or of standard input for `-`; assembly text is read for the generation.

    Raises BadInput if it cannot be read, holds no record, or is not the text it should be.
    """
    data = _content(path)
    if kind == "auto":
        kind = _SUFFIXES.get(Path(path).suffix.lower()) or _looks_like(data)
    if kind == "text":
        code = _assembled(path, _decoded(path, data), generation)
    else:
        code = _from_hex(path, data) if kind == "hex" else data
    if not code:
        raise BadInput(f"{path}: there is no record in it")
    if len(code) % RECORD_BYTES:
        raise BadInput(
            f"{path}: {len(code)} bytes are {len(code) // RECORD_BYTES} records of {RECORD_BYTES} bytes "
            f"and a remainder of {len(code) % RECORD_BYTES}"
        )
    return ProgramFile(code, kind == "raw")


def _content(path: str) -> bytes:
    try:
        if path == "-":
            data = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with open(path, "rb") as file:
                data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from error
    if len(data) > MAX_BYTES:
        raise BadInput(f"{path}: more than {MAX_BYTES} bytes")
    return data


def read_text(path: str) -> str:
    """The text of a file, or of standard input for `-`.

    Raises BadInput if it cannot be read or is not UTF-8.
    """
    return _decoded(path, _content(path))


def _decoded(path: str, data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: not text: {error}") from error


def _assembled(path: str, text: str, generation: str) -> bytes:
    try:
        return assemble(text, generation_named(generation))
    except AssemblyError as error:
        raise misread(path, error.mistakes, int(error.more)) from error
    except UnknownGeneration as error:
        raise BadInput(str(error)) from error


def misread(path: str, mistakes: Sequence[Mistake | EngineMistake], omitted: int) -> BadInput:
    """The mistakes of a text, one a line, as editors and people find them."""
    told = [f"{path}:{one.line}:{one.column}: {one.message}" for one in mistakes]
    return BadInput("\n".join([*told, *(["... and more"] if omitted else [])]))


def _looks_like(data: bytes) -> str:
    if _HEX_TEXT.fullmatch(_COMMENT.sub(b"", data)):
        return "hex"
    return "raw" if _CONTROL.search(data) else "text"  # every record has a length byte 0x10


def _from_hex(path: str, data: bytes) -> bytes:
    digits = b""
    for number, line in enumerate(_COMMENT.sub(b"", data).splitlines(), 1):
        part = re.sub(rb"[\s_]|0[xX]", b"", line)
        if not re.fullmatch(rb"[0-9A-Fa-f]*", part):
            raise BadInput(f"{path}, line {number}: not hex digits")
        digits += part
    if len(digits) % 2:
        raise BadInput(f"{path}: {len(digits)} hex digits are not whole bytes")
    return bytes.fromhex(digits.decode("ascii"))
