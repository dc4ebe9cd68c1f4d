"""What is not HTTP, and what is no message: refused like everything else."""

from __future__ import annotations

import json
import socket

import grpc
import pytest

from tests.service.rpc import refused
from tests.service.running import Service


@pytest.mark.parametrize("length", ["-1", "ten", "9" * 5000])
def test_what_is_not_http_is_a_problem(service: Service, length: str) -> None:
    host, _, port = service.http_address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall(f"POST /v1/validate HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\n\r\n".encode())
        answer = b"".join(iter(lambda: connection.recv(4096), b""))  # to its end: the connection is closed
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert b"content-type: application/problem+json" in head
    assert f"content-length: {len(body)}".encode() in head
    assert json.loads(body)["code"] == "malformed_request"


@pytest.mark.parametrize("data", [b"\xff\xff\xff", b"\x0a\x02\xff\xff"], ids=["garbage", "not-utf-8"])
def test_what_is_no_message_is_a_problem(channel: grpc.Channel, data: bytes) -> None:
    one = channel.unary_unary("/dve.v1.Simulation/Run")
    refused(lambda: one(data), "malformed_request", grpc.StatusCode.INVALID_ARGUMENT)
    many = channel.stream_stream("/dve.v1.Simulation/ValidateStream")
    refused(lambda: list(many(iter([data]))), "malformed_request", grpc.StatusCode.INVALID_ARGUMENT)
    put = channel.stream_unary("/dve.v1.Images/PutImage")
    refused(lambda: put(iter([data])), "malformed_request", grpc.StatusCode.INVALID_ARGUMENT)
