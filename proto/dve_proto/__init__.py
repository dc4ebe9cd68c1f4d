"""The wire messages of dvesim, generated from proto/dve/v1."""
