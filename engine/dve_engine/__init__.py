"""The stateless NumPy engine of dvesim."""
