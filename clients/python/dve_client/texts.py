"""Programs as text: the client's two calls."""

from __future__ import annotations

from dve_engine import Generation

from .requests import Program, generation_name, program_bytes
from .retry import Retry
from .transports.port import Transport


class TextCalls:
    """The part of AsyncClient that reads and writes text."""

    _transport: Transport
    _retry: Retry

    async def assemble(self, text: str, generation: str | Generation) -> bytes:
        """Read a program from text; docs/assembly.md has the notation.

        Raises ProgramText, whose `mistakes` say what is wrong where.
        """
        name = generation_name(generation)
        return await self._retry.call(lambda: self._transport.assemble(name, text))

    async def disassemble(self, program: Program, generation: str | Generation) -> list[str]:
        """Write a program down, a line per record, legal or not; the lines assemble to the same bytes."""
        name, code = generation_name(generation), program_bytes(program)
        return await self._retry.call(lambda: self._transport.disassemble(name, code))
