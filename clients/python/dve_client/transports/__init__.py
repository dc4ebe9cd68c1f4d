"""How calls reach the service: port.py says what a transport does; http.py, rpc.py and inproc.py do it."""
