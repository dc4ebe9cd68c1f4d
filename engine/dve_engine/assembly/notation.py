"""Which tokens an instruction has, from its family's operands and its layout: one table per opcode.

Order: ops, dimensions, tensors, scalars, channels, then the other fields as they lie, length and debug bytes last.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from ..instructions.catalog import INSTRUCTIONS
from ..isa.layout import layout_of
from ..isa.opcodes import Opcode
from ..isa.struct import Struct
from .fields import Slot, slots
from .operands import Immediate, Microscaled, Tensor
from .tokens import Ops, Plain, Token

Operand = Tensor | Microscaled | Immediate
_KEYS = {"num_active_channels": "channels", "op_dim": "dim", "pool_dim": "dim", "pool_scale": "scale"}
_KEYS_OF = {(Opcode.LOAD_MASK_SELECT, "immediate"): "masks"}
_OPS = ("op0", "op1")
_OMITTED_PREFIXES = ("header.", "events.")
_BY_MNEMONIC = "header.opcode"
_PATTERN = re.compile("(TENSOR|PATTERN|MEM_PATTERN)([1-4])D")  # the latter two may be indirect
_ALWAYS = ("channels",)  # what readers of profiles look for, also at zero


@dataclass(frozen=True)
class Notation:
    """The text form of one opcode: its layout, its tokens in the order they are written, and by every key they answer
    to.
    """

    layout: Struct
    tokens: tuple[Token, ...]
    by_key: Mapping[str, Token]


@cache
def notation(opcode: int) -> Notation:
    """The text form of an opcode."""
    family, layout = INSTRUCTIONS.get(opcode), layout_of(opcode)
    known = slots(layout)
    operands: list[Operand] = []
    if family is not None:
        operands += [_tensor(layout, t.name, t.field, t.dtype) for t in family.tensors]
        operands += [Microscaled(m.name, m.field, m.dtype) for m in family.mx]
        operands += [Immediate(i.name, i.field, i.dtype, i) for i in family.immediates]
    taken = {operand.field for operand in operands}
    operands += [
        _tensor(layout, f.name.removesuffix("_mem_pattern"), f.name, None)
        for f in layout.fields
        if _PATTERN.fullmatch(f.type) and f.name not in taken
    ]
    hidden = {o.field for o in operands} | {f.name for f in layout.fields if f.reserved or f.undescribed}
    plain = [_plain(opcode, slot) for slot in known.values() if slot.path != _BY_MNEMONIC and _shown(slot, hidden)]
    ops = [Ops("ops", tuple(known[path] for path in _OPS))] if all(path in known for path in _OPS) else []
    first, last = _split(plain)
    tokens: tuple[Token, ...] = (*ops, *first, *operands, *last)
    return Notation(layout, tokens, _keys(tokens, operands))


def _keys(tokens: Iterable[Token], operands: Iterable[Operand]) -> dict[str, Token]:
    """Every key, and the header's name of a field beside the profiler's key."""
    by_name = {token.slot.path: token for token in tokens if isinstance(token, Plain)}
    by_field = {operand.field: operand for operand in operands}
    return {**by_name, **by_field, **{token.key: token for token in tokens}}


def _tensor(layout: Struct, name: str, field: str, dtype: str | None) -> Tensor:
    kind, dims = _PATTERN.fullmatch(layout.by_name[field].type).groups()  # type: ignore[union-attr]
    return Tensor(name, field, dtype, int(dims), kind != "TENSOR")


def _shown(slot: Slot, hidden: set[str]) -> bool:
    """Whether a field has a token of its own: not what an operand says whole, nor what must be zero."""
    name, _, member = slot.path.partition(".")
    return name not in hidden or member == "scale_partition_index"


def _plain(opcode: int, slot: Slot) -> Plain:
    key = _KEYS_OF.get((Opcode(opcode), slot.path)) or _KEYS.get(slot.path, slot.path)
    for prefix in _OMITTED_PREFIXES:
        key = key.removeprefix(prefix)
    return Plain(key, slot, key in _ALWAYS)


def _split(plain: list[Plain]) -> tuple[list[Plain], list[Plain]]:
    """What stands before the operands, and what stands behind them."""
    first = [token for token in plain if token.key in ("op", "dim")]
    channels = [token for token in plain if token.key == "channels"]
    header = [token for token in plain if token.slot.path.startswith("header.")]
    rest = [token for token in plain if token not in (*first, *channels, *header)]
    return first, [*channels, *rest, *header]
