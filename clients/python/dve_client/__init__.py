"""Clients for the service: synchronous and asynchronous, over HTTP, gRPC or in process."""
