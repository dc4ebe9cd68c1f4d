"""Answers of runs as bytes and back, exactly: floats, arrays and memory bit by bit, tuples as tuples.

BLAKE3 of the rest (32 bytes), length of the head (8 bytes, little-endian), the head, the tail. The head is JSON, in
which a value that JSON does not have is an array [kind, ...]; the tail holds the bytes that the head points into.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import orjson
from blake3 import blake3

from dve_engine import Failure, Generation, Region, Space, Verdict, generation_named

from .machine_state import Snapshot
from .orders import Ran, Registers, Write

_DIGEST_BYTES, _LENGTH_BYTES = 32, 8


@dataclass(frozen=True)
class Kept:
    """What is kept of a run: the answer, with the image if it stored one, and the machine beside the memory."""

    answer: Ran
    machine: Snapshot


_RECORDS: Mapping[str, type[Any]] = {
    kind.__name__: kind for kind in (Kept, Ran, Registers, Snapshot, Verdict, Failure, Write, Region)
}
_PLAIN = (str, int, bool, type(None))


def encode(kept: Kept) -> bytes:
    """As bytes."""
    tail = bytearray()
    head = orjson.dumps(_said(kept, tail))
    rest = len(head).to_bytes(_LENGTH_BYTES, "little") + head + tail
    return blake3(rest).digest() + rest


def decode(data: bytes) -> Kept:
    """Read what `encode` wrote.

    Raises ValueError for anything else.
    """
    rest = data[_DIGEST_BYTES:]
    if blake3(rest).digest() != data[:_DIGEST_BYTES]:
        raise ValueError("the bytes are not those that were kept")
    end = _LENGTH_BYTES + int.from_bytes(rest[:_LENGTH_BYTES], "little")
    try:
        kept = _meant(orjson.loads(rest[_LENGTH_BYTES:end]), rest[end:])
    except (LookupError, TypeError) as error:
        raise ValueError(f"an answer as another version keeps it: {error}") from error
    if not isinstance(kept, Kept):
        raise ValueError(f"kept is a {type(kept).__name__}")
    return kept


def _said(value: Any, tail: bytearray) -> Any:
    """A value as JSON."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if _RECORDS.get(kind.__name__) is kind:
        return [kind.__name__, *(_said(getattr(value, field.name), tail) for field in fields(kind))]
    if isinstance(value, Mapping):
        return ["map", *([_said(name, tail), _said(item, tail)] for name, item in value.items())]
    if kind in (list, tuple):
        return [kind.__name__, *(_said(item, tail) for item in value)]
    if kind is float:
        return ["float", struct.pack(">d", value).hex()]
    if kind is bytes:
        return ["bytes", *_placed(value, tail)]
    if isinstance(value, np.ndarray | np.generic):
        word = "array" if isinstance(value, np.ndarray) else "scalar"
        return [word, value.dtype.str, list(value.shape), *_placed(value.tobytes(), tail)]
    if isinstance(value, Space):
        return ["space", value.value]
    if isinstance(value, Generation):
        return ["generation", value.name]
    raise TypeError(f"no answer holds a {kind.__name__}")


def _placed(data: bytes, tail: bytearray) -> tuple[int, int]:
    tail += data
    return len(tail) - len(data), len(tail)


def _array(tail: bytes, dtype: str, shape: list[int], first: int, end: int) -> Any:
    return np.frombuffer(tail[first:end], dtype).reshape(shape).copy()


_KINDS: Mapping[str, Callable[..., Any]] = {  # (tail, what stands behind the kind)
    "map": lambda tail, *items: {_meant(name, tail): _meant(item, tail) for name, item in items},
    "list": lambda tail, *items: [_meant(item, tail) for item in items],
    "tuple": lambda tail, *items: tuple(_meant(item, tail) for item in items),
    "float": lambda _, bits: struct.unpack(">d", bytes.fromhex(bits))[0],
    "bytes": lambda tail, first, end: tail[first:end],
    "array": _array,
    "scalar": lambda *array: _array(*array)[()],
    "space": lambda _, name: Space(name),
    "generation": lambda _, name: generation_named(name),
}


def _meant(said: Any, tail: bytes) -> Any:
    """The value that JSON says."""
    if not isinstance(said, list):
        return said
    kind, *parts = said
    if kind in _RECORDS:
        return _RECORDS[kind](*(_meant(part, tail) for part in parts))
    return _KINDS[kind](tail, *parts)
