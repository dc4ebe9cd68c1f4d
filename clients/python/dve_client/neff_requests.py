"""What is asked about a container, in the words of the contract. Every transport sends it its own way."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from .requests import Which

_PIECE_BYTES = 1 << 20


@dataclass(frozen=True)
class NeffRequest:
    """A validation of the container in a seekable file."""

    file: BinaryIO
    generation: str = ""
    profile: str | None = None
    verdicts: Which = "invalid"
    lenient: bool = False
    override_target: bool = False

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self.file.seek(0, io.SEEK_END)

    async def pieces(self) -> AsyncIterator[bytes]:
        """The file from its start, so that it can be sent again."""
        at = 0
        while True:
            self.file.seek(at)
            piece = self.file.read(_PIECE_BYTES)
            if not piece:
                return
            at += len(piece)
            yield piece

    def options(self) -> dict[str, Any]:
        """Everything but the file."""
        return {name: value for name, value in vars(self).items() if name != "file"}
