"""One stage of a two-operation instruction: which operand is on the left, and what unary codes make of it.

Source: isa/03 section 4.2 and OPEN-15, isa/05 section 4.2.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..isa.aluops import UNARY
from .operation import Operation

Lanes = np.ndarray  # fp32, uint32 or int32, (lanes, elements) or (lanes, 1)
Alu = Callable[[int, Lanes, Lanes], Lanes]


def swapped(op: Operation, code: int, reverse: bool) -> bool:
    """Whether a stage exchanges its operands.

    A unary code acts on the left operand after the exchange; under `reversed-unary-op` = stream-operand its
    reverse bit has no effect.
    """
    return reverse and not (code in UNARY and op.choices["reversed-unary-op"] == "stream-operand")


def stage(op: Operation, code: int, stream: Lanes, other: Lanes, reverse: bool, alu: Alu) -> Lanes:
    """stream code other, or other code stream; always of the stream's shape."""
    left, right = (other, stream) if swapped(op, code, reverse) else (stream, other)
    return np.broadcast_to(alu(code, left, right), stream.shape)
