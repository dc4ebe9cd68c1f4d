"""The service: FastAPI and gRPC over one set of use cases, state behind a port."""
