"""The DVE accumulator: one fp32 register per lane, shared by every accumulating instruction.

It persists across instructions until a command seeds it again; reading does not clear it.
Source: isa/05 section 3.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..isa.aluops import AluOp
from ..isa.assumptions import Choices
from ..isa.codes import AccumCmd
from ..isa.generation import MAX_CHANNELS
from .arrays import F32, Bools
from .fold import fold, fold_all

__all__ = ["LANES", "AccumulatorUnseeded", "Accumulators", "fold", "fold_all", "identity"]

LANES = MAX_CHANNELS

_IDENTITY = {
    AluOp.ADD: np.float32(0.0),
    AluOp.SUBTRACT: np.float32(0.0),
    AluOp.MULT: np.float32(1.0),
    AluOp.MAX: np.float32(-np.inf),
    AluOp.MIN: np.float32(np.inf),
}
_LOWEST = -np.finfo(np.float32).max


class AccumulatorUnseeded(RuntimeError):
    """A lane is used before anything seeded it, under accumulator-initial = error."""

    def __init__(self, lanes: list[int]) -> None:
        self.lanes = lanes
        super().__init__(f"accumulator used before it was seeded, lanes {lanes[0]} to {lanes[-1]}")


def identity(op: int, choices: Choices) -> np.float32:
    """The seed of ZERO and ZERO_ACCUMULATE for a fold operator.

    Asks for `accumulator-reset-value` where the alternatives differ. Raises KeyError for an operator that no
    accumulating instruction has.
    Source: isa/05 section 3.2 [H].
    """
    value = _IDENTITY[AluOp(op)]
    if op in (AluOp.ADD, AluOp.SUBTRACT):
        return value
    choice = choices["accumulator-reset-value"]
    if choice == "zero":
        return np.float32(0.0)
    if choice == "fp32-lowest-for-max" and op == AluOp.MAX:
        return np.float32(_LOWEST)
    return value


class Accumulators:
    """The registers of all lanes.

    values: float32 (128,). tainted: bool (128,), the content is not what an instruction left there on purpose.
    Lanes are named by a slice: slice(0, channels) unless `accumulator-lane` says otherwise.
    """

    __slots__ = ("_unseeded", "tainted", "values")

    def __init__(self, values: npt.ArrayLike | None = None, tainted: npt.ArrayLike | None = None) -> None:
        """Start from a caller's content, which counts as seeded unless `tainted` says otherwise, or from reset.

        Source: isa/05 section 3.1 [M].
        """
        reset = values is None
        self.values: F32 = np.zeros(LANES, np.float32)
        self.tainted: Bools = np.full(LANES, reset)
        self._unseeded: Bools = np.full(LANES, reset)
        if values is not None:
            self.values[:] = np.asarray(values, np.float32)
        if tainted is not None:
            self.tainted[:] = tainted
            self._unseeded &= self.tainted

    @property
    def unseeded(self) -> Bools:
        """The lanes that nothing has seeded since reset, bool (128,); a copy."""
        return self._unseeded.copy()

    @classmethod
    def restored(cls, values: npt.ArrayLike, tainted: npt.ArrayLike, unseeded: npt.ArrayLike) -> Accumulators:
        """Exactly what another instance held."""
        twin = cls(values, tainted)
        twin._unseeded[:] = unseeded
        return twin

    def copy(self) -> Accumulators:
        """An independent copy."""
        twin = Accumulators.__new__(Accumulators)
        twin.values, twin.tainted, twin._unseeded = self.values.copy(), self.tainted.copy(), self._unseeded.copy()
        return twin

    def command(self, cmd: int, lanes: slice, op: int, choices: Choices, load: F32 | None = None) -> None:
        """Apply a command to the registers, before anything is folded.

        op: the fold operator, whose identity ZERO and ZERO_ACCUMULATE write. load: float32 that broadcasts to the
        lanes, for LOAD_ACCUMULATE. IDLE keeps the content and taints it (`accumulator-idle`).
        Raises ValueError for an unknown command or a load without a value.
        Source: isa/05 sections 3.1 and 3.2 [H; IDLE M].
        """
        cmd = AccumCmd(cmd)
        if cmd in (AccumCmd.ZERO, AccumCmd.ZERO_ACCUMULATE):
            self.seed(lanes, np.asarray(identity(op, choices)))
        elif cmd == AccumCmd.LOAD_ACCUMULATE:
            if load is None:
                raise ValueError("LOAD_ACCUMULATE without a value to load")
            self.seed(lanes, load)
        elif cmd == AccumCmd.IDLE and not self.tainted[lanes].all():
            self.tainted[lanes] |= choices["accumulator-idle"] == "keep-tainted"

    def read(self, lanes: slice, choices: Choices) -> tuple[F32, Bools]:
        """The content and taint of `lanes`, as copies; the registers stay as they are.

        A lane that nothing has seeded asks for `accumulator-initial`. The caller warns about tainted lanes.
        Raises AccumulatorUnseeded where that choice is `error`.
        Source: isa/05 sections 3.1 and 8.2 [M].
        """
        unseeded = self._unseeded[lanes]
        if unseeded.any() and choices["accumulator-initial"] == "error":
            first = lanes.start or 0
            raise AccumulatorUnseeded([first + int(i) for i in np.nonzero(unseeded)[0]])
        return self.values[lanes].copy(), self.tainted[lanes].copy()

    def store(self, lanes: slice, values: F32) -> None:
        """Leave fold results in the registers; taint is not touched, garbage folded onto stays garbage."""
        self.values[lanes] = values

    def accumulate(self, op: int, lanes: slice, values: F32, choices: Choices, *, element_first: bool = True) -> F32:
        """Fold values, float32 (lanes, elements), onto the content and keep the result, which is also returned.

        Raises AccumulatorUnseeded, AluOpNotDefined.
        Source: isa/05 section 3.3.
        """
        seed, _ = self.read(lanes, choices)
        result = fold(op, seed, values, choices, element_first=element_first)
        self.store(lanes, result)
        return result

    def seed(self, lanes: slice, values: npt.ArrayLike) -> None:
        """Leave values of known origin in the registers: no taint."""
        self.values[lanes] = values
        self.tainted[lanes] = False
        self._unseeded[lanes] = False
