"""A slow, obvious model of the DVE instructions.

Written from docs/isa alone, one element of one lane at a time, on integers that hold bit patterns. It answers
the question "what should the bytes be"; it never says whether a record is legal and takes legality for granted.
"""

from .errors import ModelError, NotModelled
from .instructions import OPCODES, run
from .memory import GEOMETRIES, PAGE, Memory

__all__ = ["GEOMETRIES", "PAGE", "Memory", "ModelError", "NotModelled", "OPCODES", "run"]
