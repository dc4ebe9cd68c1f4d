"""Programs from typed calls: `ProgramBuilder(generation)` has one method per instruction.

operands.py      places with dtype, shape and steps, sliced as NumPy arrays are
encode.py        arguments -> the fields of a record
instructions.py  the methods, written by generate.py from the tables
builder.py       the program so far, judged record by record
"""

from .builder import ProgramBuilder
from .errors import BuildError, IllegalInstruction
from .operands import Bits, Indirect, Microscaled, Operand, Scalar, at_register, psum, sbuf

__all__ = [
    "Bits",
    "BuildError",
    "IllegalInstruction",
    "Indirect",
    "Microscaled",
    "Operand",
    "ProgramBuilder",
    "Scalar",
    "at_register",
    "psum",
    "sbuf",
]
