"""The work of one encoded record: which fields of its struct are streams, and of what dtype.

Source: isa/08 section 2; layouts of isa/layout.py; address words of isa/01 sections 3 and 6.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..isa.dtypes import Dtype
from ..isa.generation import ADDRESS_MASK, RECORD_BYTES, Generation
from ..isa.layout import STRUCTS, struct_of
from ..isa.struct import Records, Struct, column, indirect_arm
from ..memory import address as ad
from .rates import CONTROLS
from .work import SCATTERED, Space, Stream, Work, require_executed

Record = np.void | npt.NDArray[np.uint8] | bytes
Registers = Mapping[int, int]  # address register number -> 32-bit value


@dataclass(frozen=True)
class Operands:
    """The streams of a struct: (pattern field, dtype field) in struct order."""

    sources: tuple[tuple[str, str], ...]
    destinations: tuple[tuple[str, str], ...]


def _operands(text: str) -> Operands:
    """Read `pattern:dtype ... > pattern:dtype ...`; `_mem_pattern` is implied."""

    def side(part: str) -> tuple[tuple[str, str], ...]:
        pairs = (item.split(":") for item in part.split())
        return tuple((f"{pattern}_mem_pattern", dtype) for pattern, dtype in pairs)

    sources, _, destinations = text.partition(">")
    return Operands(side(sources), side(destinations))


_LO, _HI = "dtype_lo", "dtype_hi"
_TWO_SOURCES = f"src0:in0_in1_dtype.{_LO} src1:in0_in1_dtype.{_HI} > dst:"
_IN_OUT = "src:in_dtype > dst:out_dtype"
STREAMS = {
    name: _operands(text)
    for name, text in {
        "S3S3D3_TT": _TWO_SOURCES + "out_dtype",
        "S3D3_TS": _IN_OUT,
        "S2S2D2_STT": _TWO_SOURCES + "out_dtype",
        "S3D3_CP_PRED_SCALAR": "pred:pred_dtype > dst:out_dtype",
        "S3D3_TS_SELECT": "src0:dtype > dst:dtype",
        "S2D2_RS": f"src:in_out_dtype.{_LO} > dst:in_out_dtype.{_HI}",
        "S4D4_TR": _IN_OUT,
        "S4D4_PL": _IN_OUT,
        "S4D4_TSM": _IN_OUT,
        "S4D2_BN": _IN_OUT,
        "S2_BN": "src:dtype >",
        "S2_BNPL2": "src:src_dtype >",
        "S3S3D1_BN": _TWO_SOURCES + "out_dtype",
        "S3S3D1_BN2": _TWO_SOURCES + f"immediate_out_dtype.{_HI}",
        "S4D4_MR": _IN_OUT,
        "D4_MR": "> dst:dtype",
        "D1_RD": "> dst:dtype",
        "CTRL_IM": ">",
        "D4_RAND": "> dst:dtype",
        "S1_RAND": "src:in_dtype >",
        "D3_RAND": "> dst:dtype",
        "S3D3_SC": "src:in_dtype > dst:out_data_dtype",
        "S2D2D2_SC": "src:in_dtype > data_dst:out_data_dtype tag_dst:out_tag_dtype",
        "S3DMX1_QUANT": "src:in_dtype >",  # its microscaled outputs are not streamed by element (isa/08 section 10)
        "S3D3_DROPOUT": _IN_OUT,
        "S2D2D2_TS_WIDE": f"src:in_imm_dtype.{_LO} > dst0:out0_out1_dtype.{_LO} dst1:out0_out1_dtype.{_HI}",
        "S2D2_AC": _IN_OUT,
    }.items()
}
_OPS = ("op", "op0", "op1")
_ACCUMULATOR_CMDS = ("accumulator_cmd", "reduce_cmd")
_FILL = "set_value"
_MEMSET = 0x49


def space_of(word: int, generation: Generation, registers: Registers | None = None) -> Space:
    """The memory an address word points to; a register without a known value counts as SBUF.

    word: raw ADDR4. registers: values by number, None if unknown.
    Source: isa/01 sections 3.3, 3.4 and 4.2; isa/08 section 2.
    """
    if word & ad.REGISTER_BIT:
        word = (registers or {}).get(word & 0xFF, 0)
    psum, address = generation.psum, word & ADDRESS_MASK
    return "PSUM" if psum.base <= address < psum.base + psum.region_bytes else "SBUF"


def _inner_step(steps: list[int], counts: list[int]) -> int:
    """|step| of the first dimension with more than one element. Source: isa/08 section 2 [M]."""
    return next((abs(step) for step, count in zip(steps, counts, strict=True) if count > 1), 1)


class _Reader:
    """One record seen through its struct."""

    def __init__(
        self, struct: Struct, raw: npt.NDArray[np.uint8], generation: Generation, registers: Registers | None
    ) -> None:
        self.struct, self.generation, self.registers = struct, generation, registers
        self.records: Records = struct.view(raw.reshape(1, RECORD_BYTES))
        self.indices: list[Stream] = []

    def code(self, path: str) -> int:
        return int(column(self.records, path)[0].item())

    def codes(self, names: tuple[str, ...]) -> tuple[int, ...]:
        return tuple(self.code(name) for name in names if name in self.struct.by_name)

    def stream(self, name: str, dtype_path: str) -> Stream:
        """One operand. An indirect one adds its index vector to `indices`."""
        dtype = self.code(dtype_path)
        pattern = self.records[name][0]
        word = int(pattern["start_addr"])
        union = self.struct.by_name[name].type_on(self.generation).startswith("MEM_PATTERN")
        if union and ad.is_indirect(np.uint32(word)):
            gather = indirect_arm(pattern)
            count = int(gather["num"])
            # isa/08 section 6, open candidate: not contiguous, plus one stream of the FP32 class for the index vector
            self.indices.append(Stream("SBUF", Dtype.UINT32, count))
            return Stream(self._space(int(gather["data_addr"])), dtype, count, SCATTERED)
        counts = pattern["num_elem"].tolist()
        return Stream(self._space(word), dtype, math.prod(counts), _inner_step(pattern["step_elem"].tolist(), counts))

    def _space(self, word: int) -> Space:
        return space_of(word, self.generation, self.registers)


def work_of(record: Record, generation: Generation, registers: Registers | None = None) -> Work:
    """Derive the work of one record.

    record: 64 bytes, as uint8 (64,), a structured scalar or bytes. registers: address register values by number.
    Raises BadOpcode if the DVE of `generation` does not execute the opcode, ValueError if the record has not 64 bytes.
    Control records, and opcodes whose struct no source describes, have no streams.
    """
    raw = np.frombuffer(record if isinstance(record, bytes) else record.tobytes(), np.uint8)
    if raw.size != RECORD_BYTES:
        raise ValueError(f"a record has {RECORD_BYTES} bytes, not {raw.size}")
    opcode = int(raw[0])
    require_executed(opcode, generation)
    struct = struct_of(opcode)
    if opcode in CONTROLS or struct is None:
        return Work(opcode)
    reader, operands = _Reader(struct, raw, generation, registers), STREAMS[struct.name]
    return Work(
        opcode,
        sources=tuple(reader.stream(*pair) for pair in operands.sources),
        destinations=tuple(reader.stream(*pair) for pair in operands.destinations),
        ops=reader.codes(_OPS),
        accumulator_cmd=next(iter(reader.codes(_ACCUMULATOR_CMDS)), 0),
        fill=reader.code(_FILL) if opcode == _MEMSET else None,
        indices=tuple(reader.indices),
    )


for _name, _row in STREAMS.items():  # every name is a field of its struct
    for _pattern, _dtype in _row.sources + _row.destinations:
        STRUCTS[_name].span(_pattern), STRUCTS[_name].span(_dtype)
