"""Floor 2: what a number becomes on its way into, through and out of the fp32 datapath.

convert.py       element codes to fp32 and back (widen, narrow, convert)
formats.py       the float formats, and which one an FP8 code means under a mode
tables.py        lookup tables of the 8- and 16-bit floats
integers.py      between fp32 and the integer dtypes
stochastic.py    stochastic rounding with given draws
alu.py           alu_f32, alu_bits, alu_int: alu_fp32.py and alu_lanes.py have the formulas
chain.py         steps with scalars, where nothing special is met
fold.py          sequential folds and scans
reduce.py        reductions and scans of groups
pooling.py       the position of a maximum
reciprocal.py    1/x
accumulator.py   the accumulator registers and their commands
search.py        the eight largest elements, the first matches of keys
lfsr.py          the shift register behind random draws
xorwow.py        the generator behind uniform numbers
moments.py       means and summed squared deviations, and their merge
extremes.py      the most extreme elements of groups
recurrence.py    the two-tensor scan
exponential.py   exp, correctly rounded
errors.py        what the sources leave without a meaning
arrays.py        array types, bit constants, detectors

Open questions are asked (`choices["id"]`) only when an element makes the answer depend on them.
"""

from .accumulator import Accumulators, AccumulatorUnseeded, fold, fold_all, identity
from .alu import AluOpNotDefined, alu_bits, alu_f32, alu_int, between_bit_ops, scalar_to_int32
from .convert import convert, narrow, widen
from .errors import ConversionNotDefined, NotDefined

__all__ = [
    "AccumulatorUnseeded",
    "Accumulators",
    "AluOpNotDefined",
    "ConversionNotDefined",
    "NotDefined",
    "alu_bits",
    "alu_f32",
    "alu_int",
    "between_bit_ops",
    "convert",
    "fold",
    "fold_all",
    "identity",
    "narrow",
    "scalar_to_int32",
    "widen",
]
