"""gRPC: translate dve.v1 messages to use cases and back.

server.py      the grpc.aio server with health and reflection
servicers.py   one class per service of proto/dve/v1
requests.py    messages -> orders
replies.py     documents -> messages
status.py      errors -> google.rpc.Status in the trailers; counts and times every call
"""
