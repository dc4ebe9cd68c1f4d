"""Fields <-> 64 bytes <-> text: one notation, from the layout tables and the operands that the families declare.

errors.py        what is wrong with a text, and where
words.py         codes and scalars as words
fields.py        paths <-> bytes of a record
cursor.py        reading within a line
tokens.py        fields as text; operands.py operands; events.py semaphores
notation.py      which tokens an opcode has
assembler.py     text -> records
disassembler.py  records -> text
"""

from .assembler import assemble
from .disassembler import disassemble, text_of
from .errors import AssemblyError, Mistake
from .words import mnemonic

__all__ = ["AssemblyError", "Mistake", "assemble", "disassemble", "mnemonic", "text_of"]
