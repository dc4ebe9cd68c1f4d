"""The grpc.aio server: the services of proto/dve/v1, health and reflection."""

from __future__ import annotations

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from dve_proto.v1 import (
    description_pb2,
    description_pb2_grpc,
    images_pb2,
    images_pb2_grpc,
    neff_pb2,
    neff_pb2_grpc,
    sessions_pb2,
    sessions_pb2_grpc,
    simulation_pb2,
    simulation_pb2_grpc,
    text_pb2,
    text_pb2_grpc,
    vbool_pb2,
    vbool_pb2_grpc,
)

from ..tenants import Tenants
from .decoding import Decoding
from .neff import Neff
from .servicers import Description, Images, Sessions, Simulation
from .text import Text
from .vbool import Vbool

SERVICES = tuple(
    file.DESCRIPTOR.services_by_name[name].full_name
    for file, name in (
        (simulation_pb2, "Simulation"),
        (images_pb2, "Images"),
        (sessions_pb2, "Sessions"),
        (description_pb2, "Description"),
        (vbool_pb2, "Vbool"),
        (text_pb2, "Text"),
        (neff_pb2, "Neff"),
    )
)
_NAMES = ("", *SERVICES)


class RpcServer:
    """One server of this process."""

    def __init__(self, tenants: Tenants, *, share_port: bool) -> None:
        self._server = grpc.aio.server(
            interceptors=(Decoding(),),
            options=(
                ("grpc.max_receive_message_length", tenants.of(()).limits.grpc_message_bytes),
                ("grpc.max_send_message_length", -1),
                ("grpc.so_reuseport", int(share_port)),
            ),
        )
        self._health = health.aio.HealthServicer()
        simulation_pb2_grpc.add_SimulationServicer_to_server(Simulation(tenants), self._server)
        images_pb2_grpc.add_ImagesServicer_to_server(Images(tenants), self._server)
        sessions_pb2_grpc.add_SessionsServicer_to_server(Sessions(tenants), self._server)
        description_pb2_grpc.add_DescriptionServicer_to_server(Description(tenants), self._server)
        vbool_pb2_grpc.add_VboolServicer_to_server(Vbool(tenants), self._server)
        neff_pb2_grpc.add_NeffServicer_to_server(Neff(tenants), self._server)
        text_pb2_grpc.add_TextServicer_to_server(Text(tenants), self._server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        reflection.enable_server_reflection((*SERVICES, health.SERVICE_NAME, reflection.SERVICE_NAME), self._server)

    async def start(self, address: str) -> int:
        """Listen; the port that was taken.

        Raises OSError if the address cannot be had.
        """
        try:
            port = self._server.add_insecure_port(address)
        except RuntimeError as error:
            raise OSError(f"gRPC cannot listen on {address}: {error}") from error
        await self._server.start()
        return port

    async def report(self, serving: bool) -> None:
        """Answer health checks."""
        status = health_pb2.HealthCheckResponse
        for name in _NAMES:
            await self._health.set(name, status.SERVING if serving else status.NOT_SERVING)

    async def stop(self, grace_seconds: float) -> None:
        """Take no new calls, and let the running ones finish for a while."""
        await self._health.enter_graceful_shutdown()
        await self._server.stop(grace_seconds)
