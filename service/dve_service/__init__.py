"""The service of dvesim: HTTP and gRPC over one set of use cases, Redis or Valkey behind a port.

simulator.py   the use cases; images.py, sessions.py, execution.py are their parts
orders.py      what is asked and answered, in engine types; words.py reads it, documents.py says it
ports.py       what the use cases need from a store; store/ has it
errors.py      the catalogue of errors; limits.py the bounds; settings.py what an operator can set
rest/, rpc/    the two transports
wiring.py      puts the parts together; main.py serves
"""
