"""The version of the distribution."""

from importlib.metadata import PackageNotFoundError, version

try:
    SERVICE_VERSION = version("dvesim")
except PackageNotFoundError:  # run from a source tree
    SERVICE_VERSION = "0+source"
