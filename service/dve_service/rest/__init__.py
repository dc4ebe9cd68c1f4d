"""REST: translate HTTP to use cases and back.

app.py          the FastAPI application, errors, metrics
bodies.py       request bodies: limits, decompression, JSON, npz
models.py       request models in the words of the contract
answers.py      documents as JSON, bytes and npy
compression.py  responses as gzip or zstd
simulation.py text.py images.py sessions.py vbool.py neff.py isa.py operations.py   the endpoints
"""
