"""The wire contract of package dve.v1 as Python modules."""
