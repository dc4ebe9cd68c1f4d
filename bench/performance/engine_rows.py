"""Instructions against the same arithmetic written by hand in NumPy.

The engine runs as in the service, which keeps the plans (verdicts and address walks) of programs it has seen; "plan
from nothing" is what the first run of a program takes besides. Both sides must give the same bytes, which is checked
before anything is measured.
"""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np

from dve_engine import CAYMAN, Choices, Machine, MachineState, Region, Space
from dve_engine.builder import Operand, ProgramBuilder, Scalar, sbuf
from dve_service.orders import Program, Run
from dve_service.plans import Plans

from .measure import Action, Measured, Row, Target, alternately, faster, slower

LANES = 128
A, B, OUT = 0, 0x8000, 0x10000  # byte addresses of operands within each partition
FP32, BF16, FP8, UINT8 = "fp32", "bf16", "fp8e4", "uint8"
LOWEST = np.uint16(0xFF80)  # minus infinity in bf16
SCALE, BIAS = np.float32(1.5), np.float32(0.25)
RNG = np.random.default_rng(0)


def normal(columns: int) -> np.ndarray:
    return RNG.normal(size=(LANES, columns)).astype(np.float32)


class Bench:
    """A machine with operands in memory and a program that is run again and again."""

    def __init__(self, code: bytes, out: tuple[int, int], *operands: tuple[int, np.ndarray], threads: int = 1) -> None:
        self.state = MachineState.fresh(CAYMAN)
        for byte, values in operands:
            self.state.memory.write(Region(Space.SBUF, 0, LANES, byte, values[0].nbytes), values.tobytes())
        self.machine, self.out = Machine(CAYMAN, Choices(), threads=threads), out
        self.order, self.plans = Run(Program(CAYMAN, code, Choices())), Plans(1 << 26)

    def run(self) -> None:
        planned = self.plans.of(self.machine, self.order, self.state.registers)
        self.machine.execute(planned.plan, self.state, atomic=False)

    def result(self) -> bytes:
        return self.state.memory.read(Region(Space.SBUF, 0, LANES, *self.out)).tobytes()


def compared(bench: Bench, by_hand: Action, expected: Callable[[], np.ndarray], **how: float) -> Measured:
    """The ratio, once both sides have given the same bytes."""
    bench.run()
    by_hand()
    assert bench.result() == expected().tobytes()
    return slower(bench.run, by_hand, **how)


def everywhere(start: int, dtype: str, columns: int) -> Operand:
    return sbuf(0, start, dtype, (LANES, columns))


# -- TENSOR_SCALAR ---------------------------------------------------------------------------------------------------


def tensor_scalar_record(columns: int, dtype: str) -> bytes:
    return ProgramBuilder(CAYMAN).tensor_scalar(
        src=everywhere(A, dtype, columns), dst=everywhere(OUT, dtype, columns), op0="MULTIPLY", op1="ADD",
        imm0=float(SCALE), imm1=float(BIAS),
    )  # fmt: skip


def tensor_scalar_fp32(columns: int, threads: int = 1) -> Measured:
    values, out = normal(columns), np.empty((LANES, columns), np.float32)
    bench = Bench(tensor_scalar_record(columns, FP32), (OUT, 4 * columns), (A, values), threads=threads)

    def by_hand() -> None:
        np.multiply(values, SCALE, out=out)
        np.add(out, BIAS, out=out)

    return compared(bench, by_hand, lambda: out)


def tensor_scalar_bf16(columns: int) -> Measured:
    values = normal(columns).astype(ml_dtypes.bfloat16)
    wide, out = np.empty((LANES, columns), np.float32), np.empty((LANES, columns), ml_dtypes.bfloat16)
    bench = Bench(tensor_scalar_record(columns, BF16), (OUT, 2 * columns), (A, values))

    def by_hand() -> None:
        np.copyto(wide, values)
        np.multiply(wide, SCALE, out=wide)
        np.add(wide, BIAS, out=wide)
        np.copyto(out, wide, casting="same_kind")

    return compared(bench, by_hand, lambda: out)


# -- predicates ------------------------------------------------------------------------------------------------------


def predicated(columns: int) -> tuple[Bench, np.ndarray, np.ndarray, np.ndarray]:
    """COPY_PREDICATED, fp32 under a random mask: the bench, the mask, the data and the destination."""
    mask = RNG.integers(0, 2, (LANES, columns)).astype(np.uint8)
    data, old = normal(columns), normal(columns)
    code = ProgramBuilder(CAYMAN).copy_predicated(
        pred=everywhere(B, UINT8, columns), data=everywhere(A, FP32, columns), dst=everywhere(OUT, FP32, columns)
    )
    return Bench(code, (OUT, 4 * columns), (B, mask), (A, data), (OUT, old)), mask, data, old


def copy_predicated_blend(columns: int) -> Measured:
    bench, mask, data, old = predicated(columns)
    words, target = data.view(np.uint32), old.copy().view(np.uint32)
    kill, changes = np.empty_like(words), np.empty_like(words)

    def by_hand() -> None:
        np.negative(mask, out=kill, dtype=np.uint32)  # 1 becomes all ones
        np.bitwise_xor(target, words, out=changes)
        np.bitwise_and(changes, kill, out=changes)
        np.bitwise_xor(target, changes, out=target)

    return compared(bench, by_hand, lambda: target)


def copy_predicated_copyto(columns: int) -> Measured:
    bench, mask, data, old = predicated(columns)
    where, target = mask.astype(bool), old.copy()
    bench.run()
    np.copyto(target, data, where=where)
    assert bench.result() == target.tobytes()
    return faster(bench.run, lambda: np.copyto(target, data, where=where))


def select_reduce(columns: int) -> Measured:
    """Selected elements are stored and enter their lane's maximum; the others keep their bytes."""
    mask = RNG.integers(0, 2, (LANES, columns)).astype(np.uint8)
    data, old = (normal(columns).astype(ml_dtypes.bfloat16) for _ in range(2))
    code = ProgramBuilder(CAYMAN).select_reduce(
        pred=everywhere(B, UINT8, columns), data=everywhere(A, BF16, columns), dst=everywhere(OUT, BF16, columns),
        imm0=Scalar(0.0, FP32), op0="BYPASS", op1="MAX", accumulator_cmd="ZERO_ACCUMULATE",
    )  # fmt: skip
    bench = Bench(code, (OUT, 2 * columns), (B, mask), (A, data), (OUT, old))
    words, target = data.view(np.uint16), old.copy().view(np.uint16)
    changes, kill = np.empty_like(words), np.empty_like(words)
    wide, maximum = np.empty((LANES, columns), np.float32), np.empty(LANES, np.float32)

    def by_hand() -> None:
        np.negative(mask, out=kill, dtype=np.uint16)
        np.bitwise_xor(target, words, out=changes)
        np.bitwise_and(changes, kill, out=changes)
        np.bitwise_xor(target, changes, out=target)
        np.bitwise_xor(words, LOWEST, out=changes)
        np.bitwise_and(changes, kill, out=changes)
        np.bitwise_xor(changes, LOWEST, out=changes)
        np.copyto(wide, changes.view(ml_dtypes.bfloat16))
        np.maximum.reduce(wide, axis=1, out=maximum)

    measured = compared(bench, by_hand, lambda: target)
    assert bench.state.accumulators.values.tobytes() == maximum.tobytes()
    return measured


# -- conversions -----------------------------------------------------------------------------------------------------


def cast(columns: int, source: str, target: str, values: np.ndarray, to: type) -> Measured:
    code = ProgramBuilder(CAYMAN).cast(src=everywhere(A, source, columns), dst=everywhere(OUT, target, columns))
    bench = Bench(code, (OUT, np.dtype(to).itemsize * columns), (A, values))
    bench.run()
    assert bench.result() == values.astype(to).tobytes()
    return faster(bench.run, lambda: values.astype(to))


def from_fp8(columns: int) -> Measured:
    codes = RNG.integers(0, 0x78, (LANES, columns)).astype(np.uint8).view(ml_dtypes.float8_e4m3)
    return cast(columns, FP8, FP32, codes, np.float32)


def to_fp8(columns: int) -> Measured:
    return cast(columns, FP32, FP8, normal(columns), ml_dtypes.float8_e4m3)


# -- scans and fixed costs -------------------------------------------------------------------------------------------


def scan(columns: int) -> Measured:
    """state = a * state + b from 1, against a loop over elements that is vectorised across lanes."""
    a, b = (normal(columns) * np.float32(0.5) for _ in range(2))
    code = ProgramBuilder(CAYMAN).tensor_tensor_scan(
        src0=everywhere(A, FP32, columns), src1=everywhere(B, FP32, columns), dst=everywhere(OUT, FP32, columns),
        op0="MULTIPLY", op1="ADD", imm0=Scalar(1.0, FP32),
    )  # fmt: skip
    bench = Bench(code, (OUT, 4 * columns), (A, a), (B, b))
    out = np.empty_like(a)

    def by_hand() -> None:
        state = np.ones(LANES, np.float32)
        for k in range(columns):
            state = a[:, k] * state + b[:, k]
            out[:, k] = state

    return compared(bench, by_hand, lambda: out, rounds=15)


def small_instructions(count: int = 200, columns: int = 16) -> Measured:
    """The fixed cost of one instruction, in additions of 16 numbers."""
    code = tensor_scalar_record(columns, FP32) * count
    bench, few = Bench(code, (OUT, 4 * columns), (A, normal(columns))), np.ones(16, np.float32)

    def additions() -> None:
        for _ in range(count):
            np.add(few, few)

    ours, theirs = alternately(bench.run, additions)
    return Measured(ours / theirs, ours / count, theirs / count)


def planning() -> Measured:
    """Decoding, judging and binding one record, in additions of 16 numbers."""
    machine, code, few = Machine(CAYMAN, Choices()), tensor_scalar_record(512, FP32), np.ones(16, np.float32)
    return slower(lambda: machine.plan(code, {}), lambda: np.add(few, few))


ROWS = (
    Row("TENSOR_SCALAR fp32 mult+add 128x512, against NumPy", Target(2.0), lambda: tensor_scalar_fp32(512)),
    Row("TENSOR_SCALAR fp32 mult+add 128x8192, against NumPy", Target(1.15), lambda: tensor_scalar_fp32(8192)),
    Row("  the same in two threads", None, lambda: tensor_scalar_fp32(8192, threads=2)),
    Row("TENSOR_SCALAR bf16 128x8192, against NumPy by hand", Target(1.3), lambda: tensor_scalar_bf16(8192)),
    Row("COPY_PREDICATED fp32 128x2048, against an integer blend", Target(1.4), lambda: copy_predicated_blend(2048)),
    Row("COPY_PREDICATED fp32 128x2048, np.copyto(where=) against it", Target(5, at_least=True),
        lambda: copy_predicated_copyto(2048)),
    Row("SELECT_REDUCE bf16 128x2048, against NumPy by hand", Target(1.5), lambda: select_reduce(2048)),
    Row("FP8 to FP32 128x2048, astype against it", Target(5, at_least=True), lambda: from_fp8(2048)),
    Row("FP32 to FP8 128x2048, astype against it", Target(5, at_least=True), lambda: to_fp8(2048)),
    Row("TENSOR_TENSOR_SCAN 128x512, against a loop over elements", Target(1.5), lambda: scan(512)),
    Row("fixed cost of an instruction 128x16, in np.add of 16 numbers", Target(25), small_instructions),
    Row("plan from nothing, one record, in np.add of 16 numbers", None, planning),
)  # fmt: skip
