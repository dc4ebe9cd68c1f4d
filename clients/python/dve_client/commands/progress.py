"""What a terminal shows while something takes long: on standard error, and only where that is a terminal."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from rich.console import Console
from rich.progress import wrap_file

_SHOWN_FROM = 1 << 20  # bytes; less is through before anybody has read a bar


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """A spinner beside `what`, which happens meanwhile."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(what):
        yield


@contextmanager
def reading(content: BinaryIO, what: str) -> Iterator[BinaryIO]:
    """`content`, which can seek, and a bar that says how far it has been read."""
    console, size = Console(stderr=True), content.seek(0, os.SEEK_END)
    content.seek(0)
    if not console.is_terminal or size < _SHOWN_FROM:
        yield content
        return
    with wrap_file(content, size, description=what, console=console, transient=True) as watched:
        yield watched
