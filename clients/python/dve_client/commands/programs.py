"""Programs from files: raw bytes or hex text."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click

from dve_engine import RECORD_BYTES

from ..errors import BadInput

MAX_BYTES = 512 << 20
_HEX_SUFFIXES = (".hex", ".txt")
_HEX_TEXT = re.compile(rb"[0-9A-Fa-fxX_\s]+")
_COMMENT = re.compile(rb"#[^\n]*")
FORMATS = click.Choice(["auto", "raw", "hex"])
format_option = click.option(
    "--format",
    "kind",
    type=FORMATS,
    default="auto",
    show_default=True,
    help="raw: N x 64 bytes. hex: text, 128 digits a record, # comments. auto: by suffix, then by content.",
)


def read_program(path: str, kind: str) -> bytes:
    """The records of a file, or of standard input for `-`.

    Raises BadInput if it cannot be read, holds no record, or is not hex text where it should be.
    """
    data = _content(path)
    if kind == "auto":
        suffix = Path(path).suffix.lower()
        kind = "hex" if suffix in _HEX_SUFFIXES else "raw" if suffix == ".bin" else _looks_like(data)
    code = _from_hex(path, data) if kind == "hex" else data
    if not code:
        raise BadInput(f"{path}: there is no record in it")
    if len(code) % RECORD_BYTES:
        raise BadInput(
            f"{path}: {len(code)} bytes are {len(code) // RECORD_BYTES} records of {RECORD_BYTES} bytes "
            f"and a remainder of {len(code) % RECORD_BYTES}"
        )
    return code


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
    try:
        return _content(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: not text: {error}") from error


def _looks_like(data: bytes) -> str:
    return "hex" if _HEX_TEXT.fullmatch(_COMMENT.sub(b"", data)) else "raw"


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
