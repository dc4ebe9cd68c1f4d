"""The predicate unit of the 512-bit vector core, as an executable oracle: values, registers, programs, timing.

    vbool.ivp_ltnx16(a, b)            an operation by its mnemonic, over any leading axes of cases
    vbool.evaluate("ivp_andb", {...}) the same in the words of vectors/vbool.json

formats.py     lanes, masks, packing                 operation.py   what a row says
catalog.py     mnemonic -> row                       spelling.py    values as text
compare_int.py compare_fp.py classify.py             producers of masks
algebra.py fold.py packers.py                        masks among themselves
merge.py alu.py flagged_alu.py float_alu.py select.py scalar_conditions.py    consumers
reduce.py reduce_flag.py moves.py dropout.py
binding.py fpbits.py errors.py         rules for lanes as functions; floats as bits; what can go wrong
registers.py program.py machine.py     register files, text programs, their run
timing/                                stages, rows, scoreboard
words.py describe.py                   instruction words; everything as plain data

Imports only dve_engine.isa. The values know nothing of cycles. Source: isa/07.
"""

from .catalog import GROUP_OF, GROUPS, NOT_MODELLED, OPERATIONS, named
from .errors import BadInput, MissingInput, ProgramError, UnknownOperation, VboolError
from .formats import BYTES, DOUBLES, HALVES, WORDS, Format, lanes, vb_bits, vb_pack, vector
from .machine import RunResult, Step, VboolMachine
from .merge import kill_f, kill_t, masked_store, merge_t
from .operation import Operand, Operation
from .packers import flags_to_vb, sticky_flag
from .program import parse
from .registers import FILES, Name, RegisterFile, Registers
from .spelling import EvaluationError, evaluate, evaluate_all

__all__ = [
    "BYTES", "BadInput", "DOUBLES", "EvaluationError", "FILES", "Format", "GROUPS", "GROUP_OF", "HALVES",
    "MissingInput", "NOT_MODELLED", "Name", "OPERATIONS", "Operand", "Operation", "ProgramError", "RegisterFile",
    "Registers", "RunResult", "Step", "UnknownOperation", "VboolError", "VboolMachine", "WORDS", "evaluate",
    "evaluate_all", "flags_to_vb", "kill_f", "kill_t", "lanes", "masked_store", "merge_t", "named", "parse",
    "sticky_flag", "vb_bits", "vb_pack", "vector",
]  # fmt: skip


def __getattr__(name: str) -> Operation:
    """An operation by its mnemonic."""
    try:
        return OPERATIONS[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
