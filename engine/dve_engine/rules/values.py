"""How an offending value is printed: with its name where it is a code, as an address where it is one."""

from __future__ import annotations

import numpy as np

from ..isa.aluops import ALU_OPS, AluOp
from ..isa.codes import CODE_SPACES
from ..isa.dtypes import dtype_name
from ..isa.opcodes import CATALOG
from ..isa.struct import INDIRECT, column
from .batch import Batch

_INDIRECT_MEMBERS = ("index_addr", "data_addr", "num", "inert")
ADDRESS_MEMBERS = ("start_addr", "index_addr", "data_addr", "scale_addr")


def show(batch: Batch, row: int, path: str) -> tuple[int | list[int] | str, str]:
    """The value of a field in one record: as data, and as text for a message."""
    name, _, member = path.partition(".")
    value = _value(batch, row, path)
    if value.dtype.fields is not None:
        return value.tobytes().hex(), value.tobytes().hex()
    if value.ndim:
        if batch.struct.by_name[name].reserved or value.dtype == np.uint8:
            return value.tobytes().hex(), value.tobytes().hex()
        return value.tolist(), str(value.tolist())
    number = int(value)
    return number, _text(number, batch.struct.by_name[name].type, member)


def _value(batch: Batch, row: int, path: str) -> np.ndarray:
    name, _, member = path.partition(".")
    record = batch.records[row : row + 1]
    field = record[name]
    if member in _INDIRECT_MEMBERS and member not in (field.dtype.names or ()):  # the indirect arm of a union
        field = field.copy()
        return np.asarray(field.view(INDIRECT[field.dtype.itemsize])[member][0])
    return np.asarray(column(record, path)[0])


def _text(number: int, field_type: str, member: str) -> str:
    if member in ADDRESS_MEMBERS or field_type in ("IMM_VAL_INST_FIELD", "PARTITION_OFFSET"):
        return f"0x{number:08X}"
    if field_type == "f32":
        return f"0x{number:08X} ({np.uint32(number).view(np.float32)})"
    if member == "opcode":
        return f"0x{number:02X}" + (f" ({CATALOG[number].name})" if number in CATALOG else "")
    if field_type in ("DTYPE", "DTYPE_PAIR") and member in ("", "dtype_lo", "dtype_hi"):
        return f"0x{number:02X} ({dtype_name(number)})"
    if field_type == "ALU_OP":
        return f"0x{number:02X}" + (f" ({AluOp(number).name})" if number in ALU_OPS else "")
    names = CODE_SPACES[field_type].names if field_type in CODE_SPACES else ()
    for code in names:
        if int(code) == number:
            return f"{number} ({code.name})"
    return str(number)
