"""HTTP/1.1 as uvicorn speaks it, except that what is not HTTP is refused with a problem document, too."""

from __future__ import annotations

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from ..errors import MalformedRequest
from .answers import problem


class Protocol(HttpToolsProtocol):
    """One connection."""

    def send_400_response(self, msg: str) -> None:
        """Refuse and close; the parser cannot tell where the next request would begin."""
        answer = problem(MalformedRequest("this is not HTTP/1.1: the request line or a header cannot be read"))
        answer.headers["connection"] = "close"
        head = b"".join(name + b": " + value + b"\r\n" for name, value in answer.raw_headers)
        self.transport.write(b"HTTP/1.1 400 Bad Request\r\n" + head + b"\r\n" + bytes(answer.body))
        self.transport.close()
