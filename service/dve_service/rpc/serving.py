"""What the services share: the use cases for the tenant of a call."""

from __future__ import annotations

from typing import Any

import grpc

from ..simulator import Simulator
from ..tenants import HEADER, Tenants


class Serving:
    """A service on the use cases."""

    def __init__(self, tenants: Tenants) -> None:
        self._tenants = tenants

    def _use(self, context: grpc.aio.ServicerContext[Any, Any]) -> Simulator:
        """The use cases for the tenant of a call: over gRPC, this is where it is decided."""
        return self._tenants.of([str(value) for key, value in context.invocation_metadata() or () if key == HEADER])
