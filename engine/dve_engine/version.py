"""Which engine and which specification an answer comes from."""

from importlib.metadata import PackageNotFoundError, version

try:
    ENGINE_VERSION = version("dvesim")
except PackageNotFoundError:  # used from a source tree that was never installed
    ENGINE_VERSION = "0+source"
ISA_VERSION = "2026.11"  # the state of docs/isa this engine implements
