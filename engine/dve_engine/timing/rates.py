"""How fast each opcode computes, and what the NKI documentation prints for it.

Source: isa/08 sections 4.2, 4.4 and 6 (rates), 5.1 and 10 (formulas), 6 (control records).
A limit is written "elements per lane per cycle" and its confidence. `off` holds under the port rules of SUNDA and
wherever performance mode is off, `on` with performance mode. Basis A of section 6 is [L], R is [M].
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from ..isa.aluops import AluOp
from ..isa.codes import AccumCmd
from ..isa.dtypes import Dtype
from .parameters import MIN_ISSUE_CYCLES, Tag
from .work import Work

Condition = Callable[[Work], bool]


def always(_: Work) -> bool:
    """Hold for every instruction of the opcode."""
    return True


def never(_: Work) -> bool:
    """Hold for no instruction."""
    return False


def accumulator_idle(work: Work) -> bool:
    """Whether the accumulator is left alone."""
    return work.accumulator_cmd == AccumCmd.IDLE


def all_bf16(work: Work) -> bool:
    """Whether every tensor operand is BF16."""
    return all(o.dtype == Dtype.BFLOAT16 for o in work.operands)


def bf16_add_or_max(work: Work) -> bool:
    """The fast TensorReduce: BF16 in and out, ADD or MAX."""
    return all_bf16(work) and work.ops[:1] in ((AluOp.ADD,), (AluOp.MAX,))


def zero_16bit_fill(work: Work) -> bool:
    """The fast Memset: value 0 into BF16 or FP16 (SU5)."""
    return work.fill == 0 and all(d.dtype in (Dtype.BFLOAT16, Dtype.FP16) for d in work.destinations)


def bf16_subtract_multiply(work: Work) -> bool:
    """The packed ScalarTensorTensor: both sources BF16, SUBTRACT then MULT, an even count (SU4)."""
    packed = all(s.dtype == Dtype.BFLOAT16 for s in work.sources)
    return packed and work.ops == (AluOp.SUBTRACT, AluOp.MULT) and work.n % 2 == 0


def one_source_in_psum(work: Work) -> bool:
    """Whether the two sources use different read ports."""
    return len(work.source_spaces) == 2


def packed_tensor_tensor(work: Work) -> bool:
    """The printed condition of the N row: both in SBUF, all BF16, add, subtract or multiply, unit stride inputs."""
    fits = work.source_spaces == {"SBUF"} and all_bf16(work) and all(s.contiguous for s in work.sources)
    return fits and work.ops[:1] in ((AluOp.ADD,), (AluOp.SUBTRACT,), (AluOp.MULT,))


@dataclass(frozen=True)
class Limit:
    """Elements per lane per cycle of the compute stage, `otherwise` where the condition fails."""

    per_cycle: Fraction
    tag: Tag
    only_if: Condition = always
    otherwise: Limit | None = None

    def of(self, work: Work) -> Limit:
        """The limit that holds for one instruction."""
        return self if self.otherwise is None or self.only_if(work) else self.otherwise


def _limit(text: str, only_if: Condition = always, otherwise: Limit | None = None) -> Limit:
    number, tag = text.split()
    return Limit(Fraction(number), "H" if tag == "H" else "M" if tag == "M" else "L", only_if, otherwise)


@dataclass(frozen=True)
class Rate:
    """One opcode. half_source, half_destination: where the packed form halves the weight of these streams on SUNDA."""

    off: Limit
    on: Limit
    half_source: Condition | None = None
    half_destination: Condition | None = None
    reports_mode: bool = False


ONE_H, ONE_M, ONE_L = _limit("1 H"), _limit("1 M"), _limit("1 L")
_DOCUMENTED, _GENERAL, _ANALOGY = Rate(ONE_H, ONE_M), Rate(ONE_M, ONE_M), Rate(ONE_L, ONE_L)
_COPY = Rate(ONE_H, _limit("4 H"), reports_mode=True)
_MEMSET = Rate(
    _limit("2 H", zero_16bit_fill, ONE_H), _limit("2 M", zero_16bit_fill, ONE_M), half_destination=zero_16bit_fill
)
_TWO_IF_IDLE = _limit("2 M", accumulator_idle, ONE_L)


def _table(*rows: tuple[str, Rate]) -> dict[int, Rate]:
    return {int(code, 16): rate for codes, rate in rows for code in codes.split()}


RATES = _table(
    ("41 51", Rate(ONE_H, _limit("2 M"), reports_mode=True)),  # [H] for 16-bit operands
    ("8A 8B 8F", Rate(ONE_H, ONE_H, half_source=always)),
    ("8C 8D", Rate(_limit("2 H"), ONE_H, half_source=always)),
    ("42", Rate(ONE_H, _limit("2 M", bf16_add_or_max, ONE_M))),
    ("43 46 47", _COPY),
    ("44 53 54", Rate(ONE_H, _limit("4 M"), reports_mode=True)),
    ("48", Rate(_limit("1/8 H"), _limit("1/8 H"))),
    ("49", _MEMSET),
    ("62", Rate(_limit("3/13 H"), _limit("3/13 H"))),
    ("72 99", Rate(ONE_H, ONE_L)),
    ("9D", Rate(ONE_H, _TWO_IF_IDLE, half_source=bf16_subtract_multiply, reports_mode=True)),
    ("9E", Rate(ONE_H, _TWO_IF_IDLE, reports_mode=True)),
    ("E5", Rate(_limit("1/2 H"), _limit("1/2 M"))),
    ("30 E3", Rate(ONE_M, _limit("4 H"), reports_mode=True)),
    ("E2", Rate(ONE_M, _limit("4 H"))),
    ("52 60 61 82 6A 6B 6C 6E 6F 7F 9A 9B BC", _DOCUMENTED),
    ("93 45 58 4D 4E 5E 63 94 65 E8 98 83 84 EA", _GENERAL),
    ("64 8E 6D 70 71 66 69 77 78 E6 E9 E0 E1 F4 9F", _ANALOGY),
    ("4F 5F 23 25", _ANALOGY),  # not in the table of section 6: stubs, and the MAVERICK codes of unknown meaning
)


@dataclass(frozen=True)
class Formula:
    """Printed cycles per element, other ones under a condition, floored at MIN_II where the page says so."""

    cycles_per_element: Fraction
    special_cycles_per_element: Fraction = Fraction(0)
    special: Condition = never
    floored: bool = True

    def cycles(self, n: int, work: Work) -> int:
        """Apply the formula. An unfloored N/2 is rounded down, as section 10 does; the pages print no rounding."""
        exact = n * (self.special_cycles_per_element if self.special(work) else self.cycles_per_element)
        return max(MIN_ISSUE_CYCLES, math.ceil(exact)) if self.floored else math.floor(exact)


def _either(first: Condition, second: Condition) -> Condition:
    return lambda work: first(work) or second(work)


_N, _TWO_N, _HALF_N = Fraction(1), Fraction(2), Fraction(1, 2)
_ONE_SOURCE, _TWO_SOURCES = Formula(_N), Formula(_TWO_N, _N, one_source_in_psum)
_TENSOR_TENSOR = Formula(_TWO_N, _N, _either(one_source_in_psum, packed_tensor_tensor))
_REDUCE = Formula(_N, _HALF_N, bf16_add_or_max, floored=False)
FORMULAS = {  # opcodes whose API-2.26.1 row is not the general rule
    **dict.fromkeys((0x41, 0x51, 0x8A, 0x8B, 0x8F), _TENSOR_TENSOR),
    0x9D: Formula(_TWO_N, _N, bf16_subtract_multiply, floored=False),
    0x9E: Formula(_TWO_N, floored=False),
    0xE5: Formula(_TWO_N),
    **dict.fromkeys((0x42, 0x52, 0x8C, 0x8D), _REDUCE),
    0x9B: Formula(Fraction(0)),  # the second MIN_II of tensor_scalar_reduce
    0x48: Formula(Fraction(8)),
    0x62: Formula(Fraction(13, 3)),
    0x49: Formula(_N, _HALF_N, zero_16bit_fill),
    0x6C: Formula(_N, floored=False),
    0x6E: Formula(_N, floored=False),
}


def documented_cycles(work: Work) -> int:
    """The literal NKI formula of API-2.26.1, whatever the generation; for comparison with documents, not an estimate.

    Source: isa/08 sections 5.1 and 5.3.
    """
    general = _TWO_SOURCES if len(work.sources) == 2 else _ONE_SOURCE
    return FORMULAS.get(work.opcode, general).cycles(work.n, work)


@dataclass(frozen=True)
class Control:
    """A record the sequencer handles: time on the queue, no issue slot in the datapath."""

    ns: float
    cycles: int
    tag: Tag
    reason: str


_SEQUENCER = Control(10.0, 0, "M", "sequencer control: 10 ns, no issue slot")
_UNLISTED = Control(10.0, 0, "L", "sequencer control without a published number: charged as its neighbours")
CONTROLS = {
    **dict.fromkeys((0xA0, 0xA4, 0xA7, 0xA8, 0xA9, 0xB0, 0xB1, 0xB2, 0xB3, 0xB4, 0xB5), _SEQUENCER),
    **dict.fromkeys((0xA2, 0xA3, 0xA5, 0xA6, 0xAB, 0xB6), _UNLISTED),
    0xA1: Control(0.0, 0, "L", "halt: nothing follows it"),
    0xAA: Control(0.0, 536, "L", "register load: max(600, N) of a dynamic copy less the copy's own 64 cycles"),
}
