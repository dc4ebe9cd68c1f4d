"""POST /v1/assemble and /v1/disassemble."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from pydantic import Field

from .. import texts, words
from ..errors import InvalidField, MalformedRequest
from ..orders import Program
from ..texts import Assemble
from .answers import answer
from .bodies import OCTETS, content, from_query, media_type, parsed, parsed_or_octets
from .common import Uses, takes
from .models import Body, RecordsBody

router = APIRouter(prefix="/v1", tags=["text"])
PLAIN = "text/plain"
_RECORD_BYTES = 256  # of an answer, for each record


class AssembleBody(Body):
    """POST /v1/assemble."""

    generation: str | None = Field(None, description="sunda, cayman, mariana, maverick, or an alias such as trn2")
    text: str | None = Field(None, description="one record a line; see docs/assembly.md")

    def order(self, raw: str | None) -> Assemble:
        """The assembly asked for; `raw` is a text body, if there was one."""
        text = raw if raw is not None else self.text
        if text is None or (raw is not None and self.text is not None):
            raise InvalidField("text", "takes exactly one of text and a body of text/plain")
        return Assemble(words.generation(self.generation), text)


class DisassembleBody(RecordsBody):
    """POST /v1/disassemble."""

    generation: str | None = Field(None, description="sunda, cayman, mariana, maverick, or an alias such as trn2")

    def order(self, code: bytes | None) -> Program:
        """The records to write down."""
        return words.program(self.generation, self.records(code), None, {})


@router.post("/assemble", openapi_extra=takes(AssembleBody, PLAIN))
async def assemble(request: Request, simulator: Uses) -> Response:
    """Read a program from text: its records, or every mistake with line and column."""
    if media_type(request) == PLAIN:
        order = from_query(request, AssembleBody).order(_decoded(await content(request)))
    else:
        order = (await parsed(request, AssembleBody)).order(None)
    assembled = await simulator.texts.assemble(order)
    return await answer(request, lambda: texts.assembled(assembled), 2 * len(assembled.code))


def _decoded(body: bytes) -> str:
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise MalformedRequest(f"the text is not UTF-8: {error.reason} at byte {error.start}") from error


@router.post("/disassemble", openapi_extra=takes(DisassembleBody, OCTETS))
async def disassemble(request: Request, simulator: Uses) -> Response:
    """Write records down as text that assembles to the same bytes."""
    body, code = await parsed_or_octets(request, DisassembleBody)
    disassembled = await simulator.texts.disassemble(body.order(code))
    return await answer(request, lambda: texts.disassembled(disassembled), _RECORD_BYTES * len(disassembled.lines))
