"""Keyword arguments as a record: what each kind of argument means, by the notation of the opcode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from functools import cache
from operator import index
from typing import Any

import numpy as np

from ..assembly.cursor import Cursor
from ..assembly.errors import Unreadable, unknown
from ..assembly.events import BEGIN
from ..assembly.events import read as read_event
from ..assembly.fields import Draft
from ..assembly.notation import notation
from ..assembly.operands import Immediate, Tensor
from ..assembly.operands import Microscaled as MicroscaledToken
from ..assembly.tokens import Line, Ops, Plain, Token
from ..assembly.words import bits_of, codes, enumerated, mnemonic, words
from ..isa.aluops import AluOp
from ..isa.codes import CODE_SPACES, ImmSrc
from ..isa.dtypes import Dtype
from ..isa.generation import Generation
from ..memory.address import INDIRECT_BIT
from .errors import BuildError
from .operands import Bits, Indirect, Microscaled, Operand, Scalar, dtype_of

ENUMS: Mapping[str, type[IntEnum]] = {"ALU_OP": AluOp, "DTYPE": Dtype} | {
    name: space.names for name, space in CODE_SPACES.items()
}
EVENTS = "events"
_HEADER = ("inst_word_len", "debug_cmd", "debug_hint")
COMMON = ("wait_mode", "wait_idx", "update_mode", "update_idx", "semaphore_value", *_HEADER)
CHANNELS = "num_active_channels"


@cache
def keywords(opcode: int) -> dict[str, Token]:
    """The arguments of an instruction: roles of operands, then fields by their header names.

    A field that an operand decides, its dtype or the source of a scalar, is no argument.
    """
    form = notation(opcode)
    decided = {path for token in form.tokens for path in _decides(token)}
    found: dict[str, Token] = {}
    for token in form.tokens:
        if isinstance(token, Plain) and token.slot.path not in decided:
            found[_keyword(token)] = token
        elif not isinstance(token, Plain | Ops):
            found[token.key] = token
    return found


def _decides(token: Token) -> list[str]:
    if isinstance(token, Tensor | MicroscaledToken):
        return [path for path in (token.dtype, f"{token.field}.scale_partition_index") if isinstance(path, str)]
    if isinstance(token, Immediate):
        return [token.operand.source] if token.operand.source is not None else []
    return []


def _keyword(token: Plain) -> str:
    """A header name that Python can say: no prefix, no dots."""
    return token.slot.path.removeprefix("header.").removeprefix("events.").replace(".", "_")


def encode(opcode: int, generation: Generation, arguments: Mapping[str, Any]) -> bytes:
    """The record of an opcode and its arguments. What is not given is zero; channels come from the operands' lanes.

    Raises BuildError.
    """
    state = Line(Draft(opcode, notation(opcode).layout), generation, [])
    known = keywords(opcode)
    lanes: dict[int, str] = {}
    for name, value in arguments.items():
        if value is None:
            continue
        try:
            if name == EVENTS:
                _events(value, state)
            elif name in known:
                _place(known[name], value, state)
            else:
                raise unknown("there is no argument", 0, name, [*known, EVENTS])
        except Unreadable as error:
            raise BuildError(f"{mnemonic(opcode)}, {name}: {error.message}") from error
        except (ValueError, TypeError) as error:
            raise BuildError(f"{mnemonic(opcode)}, {name}: {error}") from error
        found = _lanes(value) if isinstance(known.get(name), Tensor | MicroscaledToken) else None
        lanes |= {found: name} if found else {}
    for job in state.later:
        job()
    if arguments.get(CHANNELS) is None and CHANNELS in known and lanes:
        if len(lanes) > 1:
            said = ", ".join(f"{name} has {count}" for count, name in lanes.items())
            raise BuildError(f"{mnemonic(opcode)}: how many lanes? {said}; give {CHANNELS}")
        state.draft.give(CHANNELS, *lanes)
    return state.draft.record()


def _lanes(value: object) -> int:
    data = value.data if isinstance(value, Indirect | Microscaled) else value
    return data.lanes if isinstance(data, Operand) else 0


def _place(token: Token, value: Any, state: Line) -> None:
    """Put one argument into the draft."""
    if isinstance(token, Tensor):
        _tensor(token, value, state)
    elif isinstance(token, MicroscaledToken):
        _microscaled(token, value, state)
    elif isinstance(token, Immediate):
        _immediate(token, value, state)
    elif isinstance(token, Plain):
        state.draft.give(token.slot.path, *_values(token, value, state.generation))


def _values(token: Plain, value: Any, generation: Generation) -> Sequence[int]:
    kind = token.slot.kind
    if isinstance(value, Bits):
        return (value.bits,)
    if enumerated(kind):
        return (code(value, kind, generation),)
    if kind == "f32":
        return (bits_of(value, Dtype.FP32),)
    return [index(item) for item in (value if isinstance(value, Sequence | np.ndarray) else (value,))]


def code(value: Any, kind: str, generation: Generation) -> int:
    """A code from its enumerator, its word or a number.

    Raises BuildError for an enumerator of something else, Unreadable for an unknown word.
    """
    if kind == "DTYPE" and (isinstance(value, Dtype) or not isinstance(value, int)):
        return int(dtype_of(value))
    known = codes(kind, generation)
    if isinstance(value, str):
        if value.upper() not in known:
            raise unknown(f"{generation.name} has no {kind}", 0, value, words(kind, generation).values())
        return known[value.upper()]
    if isinstance(value, IntEnum) and type(value) is not ENUMS[kind]:
        raise BuildError(f"{value!r} is no {ENUMS[kind].__name__}")
    return index(value)


def _tensor(token: Tensor, value: Any, state: Line) -> None:
    draft, generation = state.draft, state.generation
    if isinstance(value, Indirect):
        if not (token.union and generation.features.mem_pattern_unions):
            raise BuildError(f"there is no indirect form on {generation.name}")
        draft.give(f"{token.field}.index_addr", value.index.word(generation) | INDIRECT_BIT)
        draft.give(f"{token.field}.data_addr", value.data.word(generation))
        draft.give(f"{token.field}.num", value.data.elements)
        _dtype(token.dtype, value.data.code, draft)
        return
    if not isinstance(value, Operand):
        raise BuildError(f"{value!r} is no Operand")
    axes = len(value.shape) - 1
    if axes > token.dims:
        raise BuildError(f"{axes} axes behind the lanes; the field has {token.dims}")
    rest = (1,) * (token.dims - axes)
    draft.give(f"{token.field}.start_addr", value.word(generation))
    draft.give(f"{token.field}.step_elem", *reversed(value.steps or ()), *rest)
    draft.give(f"{token.field}.num_elem", *reversed(value.shape[1:]), *rest)
    _dtype(token.dtype, value.code, draft)


def _microscaled(token: MicroscaledToken, value: Any, state: Line) -> None:
    if not isinstance(value, Microscaled) or len(value.data.shape) != 2:
        raise BuildError(f"{value!r} is no Microscaled with one axis of groups")
    members = {
        "data_addr": value.data.word(state.generation),
        "scale_addr": value.scales.word(state.generation),
        "step": (value.data.steps or (1,))[0],
        "num": value.data.elements,
        "scale_partition_index": value.scale_partition_index,
    }
    for member, item in members.items():
        state.draft.give(f"{token.field}.{member}", item)
    _dtype(token.dtype, value.data.code, state.draft)


def _dtype(path: str | int | None, found: Dtype, draft: Draft) -> None:
    """Say a dtype in its field, or compare it with the one that is fixed."""
    if isinstance(path, str):
        draft.give(path, int(found))
    elif path is not None and found != path:
        raise BuildError(f"{Dtype(path).name} is fixed here, not {found.name}")


def _immediate(token: Immediate, value: Any, state: Line) -> None:
    """An Operand is a pointer to one value per lane; a number is held in the record."""
    operand, draft = token.operand, state.draft
    if isinstance(value, Operand):
        _dtype(token.dtype, value.code, draft)
        by_register = value.register is not None and operand.source is not None
        draft.give(token.field, value.register if by_register else value.word(state.generation))  # type: ignore[arg-type]
        if operand.source is not None:
            source = ImmSrc.REG_PTR_IMMEDIATE if by_register else ImmSrc.POINTER_IMMEDIATE
            draft.give(operand.source, int(source))
        return
    if isinstance(value, Bits):
        if value.dtype is not None:
            _dtype(token.dtype, dtype_of(value.dtype), draft)
        draft.give(token.field, value.bits)
        return
    if operand.source is None or not operand.inline:
        raise BuildError("is always a pointer: give an Operand")
    if isinstance(value, Scalar):
        _dtype(token.dtype, dtype_of(value.dtype), draft)
        draft.give(token.field, bits_of(value.value, int(dtype_of(value.dtype))))
        return
    number = float(value) if isinstance(value, np.floating) else value
    if isinstance(token.dtype, int):
        draft.give(token.field, bits_of(number, token.dtype))
    else:
        state.later.append(lambda: _give_when_known(token, number, state))


def _give_when_known(token: Immediate, value: float, state: Line) -> None:
    dtype = state.draft.value(str(token.dtype)) or token.operand.zero_means
    try:
        state.draft.give(token.field, bits_of(value, dtype))
    except ValueError as error:
        raise BuildError(
            f"{mnemonic(state.draft.opcode)}, {token.key}: {error}; or give Scalar(value, dtype)"
        ) from error


def _events(text: str, state: Line) -> None:
    """Waits and updates in the notation of assembly text."""
    for word in text.split():
        cursor = Cursor(word, 0, len(word), {})
        if not BEGIN.match(word):
            raise cursor.wrong("S[n] and a condition")
        read_event(cursor, state)
        cursor.finish()
