"""Messages that cannot be decoded: gRPC alone would end the call as UNKNOWN, with a traceback in the log."""

from __future__ import annotations

from typing import Any, NoReturn

import grpc
from google.protobuf.message import DecodeError

from ..errors import MalformedRequest

_OURS = "/dve.v1."


class _Unreadable:
    """Stands in for a message that cannot be decoded, and says so where the call first looks at it."""

    def __getattr__(self, name: str) -> NoReturn:
        raise MalformedRequest("the message cannot be decoded: it is not of the type this call takes")


class Decoding(grpc.aio.ServerInterceptor):
    """Let calls of ours meet such messages inside, where errors become statuses."""

    async def intercept_service(self, continuation: Any, handler_call_details: Any) -> Any:
        """Replace the deserializer of the call."""
        handler = await continuation(handler_call_details)
        decode = handler and handler.request_deserializer
        if not decode or not handler_call_details.method.startswith(_OURS):
            return handler

        def tolerant(data: bytes) -> Any:
            try:
                return decode(data)
            except DecodeError:
                return _Unreadable()

        return handler._replace(request_deserializer=tolerant)
