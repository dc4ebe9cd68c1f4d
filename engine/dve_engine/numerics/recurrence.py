"""First-order recurrences over the last axis: state = (a op0 state) op1 b, two `alu_f32` steps per element.

The loop over elements is the definition, every step over all lanes at once. ADD, SUBTRACT, MULT, MAX, MIN and BYPASS
have a form that does not look at each result; lanes that meet something special go through the definition.
Source: isa/05 section 5.1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..isa.aluops import UNARY, AluOp
from ..isa.assumptions import Choices
from .alu_fp32 import alu_f32
from .arrays import F32, Bools, bits, has_minus_zero, has_nan, has_subnormal
from .fold import ADDITIVE, CHOOSING, UFUNC

_EXACT = 2.0**24


@dataclass(frozen=True)
class Recurrence:
    """state = (a op0 state) op1 b. state_first: state op0 a instead; b_first: b op1 (...) instead."""

    op0: int
    op1: int
    state_first: bool = False
    b_first: bool = False

    @property
    def uses_state(self) -> bool:
        """Whether a state depends on the one before: not where a unary code passes only a, or only b."""
        return (self.state_first or self.op0 not in UNARY) and not (self.b_first and self.op1 in UNARY)

    def step(self, state: F32, a: F32, b: F32, choices: Choices) -> F32:
        """One element of every lane, or any arrays of one shape."""
        middle = alu_f32(self.op0, *((state, a) if self.state_first else (a, state)), choices)
        return alu_f32(self.op1, *((b, middle) if self.b_first else (middle, b)), choices)

    def run(self, seed: F32, a: F32, b: F32, choices: Choices, settle: Callable[[F32], F32] | None = None) -> F32:
        """Every state, float32 (lanes, elements).

        seed: float32 (lanes,), the state before the first element. a, b: float32 (lanes, elements).
        settle: what becomes of a state before the next element uses it, (lanes,) to (lanes,); only if one is used.
        Asks for `fold-association` if another grouping of additions could show. Raises AluOpNotDefined.
        """
        if not self.uses_state:
            middle = b if self.b_first and self.op1 in UNARY else alu_f32(self.op0, a, None, choices)
            return np.array(alu_f32(self.op1, *((b, middle) if self.b_first else (middle, b)), choices))
        known = {AluOp.BYPASS, *UFUNC}
        if settle is None and {self.op0, self.op1} <= known and not (self.b_first and self.op1 == AluOp.BYPASS):
            states = self._fast(seed, a, b, choices)
        else:
            states = self._loop(seed, a, b, choices, settle)
        if a.shape[1] > 1 and (self.op0 in ADDITIVE or self.op1 in ADDITIVE) and not _exact(seed, a, b, states):
            choices["fold-association"]
        return states

    def _loop(self, seed: F32, a: F32, b: F32, choices: Choices, settle: Callable[[F32], F32] | None) -> F32:
        states = np.empty(a.shape, np.float32)
        state = np.array(seed)
        for k in range(a.shape[1]):
            state = self.step(state, a[:, k], b[:, k], choices)
            if settle is not None:
                state = settle(state)
            bits(states)[:, k] = bits(state)
        return states

    def _fast(self, seed: F32, a: F32, b: F32, choices: Choices) -> F32:
        rows_a, rows_b = np.ascontiguousarray(a.T), np.ascontiguousarray(b.T)
        middles, states = np.empty_like(rows_a), np.empty_like(rows_a)
        first, second = UFUNC.get(AluOp(self.op0)), UFUNC.get(AluOp(self.op1))
        state = np.array(seed)
        with np.errstate(all="ignore"):
            for row_a, row_b, middle, result in zip(rows_a, rows_b, middles, states, strict=True):
                left, right = (state, row_a) if self.state_first else (row_a, state)
                if first is None:
                    middle[...] = left
                else:
                    first(left, right, out=middle)
                left, right = (row_b, middle) if self.b_first else (middle, row_b)
                if second is None:
                    result[...] = left
                else:
                    second(left, right, out=result)
                state = result
        return self._settled(seed, a, b, middles, states, choices)

    def _settled(self, seed: F32, a: F32, b: F32, middles: F32, states: F32, choices: Choices) -> F32:
        """The states, lanes that met something special done again. middles, states: (elements, lanes)."""
        everything = (seed, a, b, middles, states)
        if any(has_subnormal(x) for x in everything) and choices["fp32-subnormals"] == "flush":
            return self._loop(seed, a, b, choices, None)
        special: Bools = np.zeros(len(seed), np.bool_)
        for x in (middles, states):
            if has_nan(x):
                special |= np.isnan(x).any(axis=0)
        if any(has_nan(x) for x in (seed, a, b)):
            special |= np.isnan(seed) | np.isnan(a).any(axis=1) | np.isnan(b).any(axis=1)
        if any(has_minus_zero(x) for x in everything):
            for op, results in ((self.op0, middles), (self.op1, states)):
                if op in CHOOSING:
                    special |= (results == 0).any(axis=0)
        final: F32 = np.ascontiguousarray(states.T)
        if special.any():
            final[special] = self._loop(seed[special], a[special], b[special], choices, None)
        return final


def _exact(*operands: F32) -> bool:
    """Whether all are integers so small that sums of neighbours stay exact, whatever their grouping."""
    elements = operands[-1].shape[1]
    with np.errstate(all="ignore"):
        largest = max(float(np.abs(x).max()) for x in operands)
        return largest * (elements + 1) <= _EXACT and all((np.rint(x) == x).all() for x in operands)
