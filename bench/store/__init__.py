"""What state costs: bytes on both wires, commands at the store, seconds. `python -m bench.store` prints the table."""
