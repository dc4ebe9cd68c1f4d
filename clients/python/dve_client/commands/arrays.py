"""Memory from and to .npz files, and single regions from and to .npy files and plain bytes.

Array names: `sbuf` and `psum` are whole memories, uint8 (128, n); `sbuf@32:512` places rows from partition 32, byte
512 on, and may have any numeric dtype; `accumulators` (128 float32 values or uint32 bits) and `accumulators_tainted`
are named as a run writes them. Nothing is unpickled, and sizes are checked before anything is read.
"""

from __future__ import annotations

import os
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO

import click
import numpy as np
import numpy.typing as npt

from dve_engine import MAX_CHANNELS, Region

from ..answers import RunAnswer
from ..errors import BadInput
from ..memory import MemoryRegion, region

MAX_BYTES = 256 << 20
LANES = {"accumulators": ("float32", "uint32"), "accumulators_tainted": ("bool",)}
_NAME = re.compile(r"(sbuf|psum)(?:@(\d{1,3}):(\d{1,7}))?")
_REGION = re.compile(r"(sbuf|psum)@(\d{1,3}):(\d{1,7})\+(\d{1,7})(?:x(\d{1,3}))?")


@dataclass(frozen=True)
class Start:
    """What a run starts from, as an .npz file has it."""

    memory: tuple[MemoryRegion, ...] = ()
    accumulators: npt.NDArray[Any] | None = None
    tainted: npt.NDArray[Any] | None = None


def load(path: str) -> Start:
    """The contents of an .npz file.

    Raises BadInput for a file that is not one, is too large, or holds what is not memory.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(info.file_size for info in archive.infolist())
        if size > MAX_BYTES:
            raise BadInput(f"{path}: {size} bytes of arrays; {MAX_BYTES} are allowed")
        with np.load(path, allow_pickle=False) as arrays:
            contents = {name: arrays[name] for name in arrays.files}
            for name, array in contents.items():
                if not isinstance(array, np.ndarray):
                    raise BadInput(f"{path}: {name} is not an array")
            lanes = {name: _lanes(path, name, array) for name, array in contents.items() if name in LANES}
            memory = tuple(_placed(path, name, array) for name, array in contents.items() if name not in LANES)
            return Start(memory, *(lanes.get(name) for name in LANES))
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from error
    except (zipfile.BadZipFile, zlib.error, ValueError, EOFError, KeyError, NotImplementedError) as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput(f"{path}: not an .npz file of arrays: {error}") from error


def _lanes(path: str, name: str, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if array.shape != (MAX_CHANNELS,) or array.dtype not in LANES[name]:
        expected = f"{MAX_CHANNELS} values of {LANES[name]}"
        raise BadInput(f"{path}: {name} takes {expected}, it is {array.dtype} {array.shape}")
    return array


def _placed(path: str, name: str, array: npt.NDArray[Any]) -> MemoryRegion:
    found = _NAME.fullmatch(name)
    if not found:
        raise BadInput(f"{path}: array {name!r}; expected sbuf, psum, or a place such as sbuf@32:512")
    space, partition, byte = found.groups()
    if partition is None and (array.dtype != np.uint8 or array.ndim != 2 or array.shape[0] != 128):
        raise BadInput(f"{path}: {name} is a whole memory, uint8 (128, n); it is {array.dtype} {array.shape}")
    if array.dtype.kind not in "biufV":
        raise BadInput(f"{path}: {name} has dtype {array.dtype}; expected numbers")
    return MemoryRegion.of(space, int(partition or 0), int(byte or 0), array)


def save(path: str, answer: RunAnswer) -> None:
    """Write what was read back, named as `load` reads it, and the accumulators with their taint.

    Raises BadInput if the file cannot be written.
    """
    arrays = {place_name(item.region): item.data for item in answer.memory}
    extra = {"accumulators": answer.state.accumulators, "accumulators_tainted": answer.state.tainted}
    save_arrays(path, {**arrays, **extra})


def save_arrays(path: str, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write an .npz file. Raises BadInput if that cannot be done."""
    with _writing(path) as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]


def load_at(path: str, at: str, partitions: int) -> MemoryRegion:
    """The contents of an .npy file, or those of any other as bytes for so many partitions, as memory from a place on.

    Raises BadInput for a file that cannot be read, is too large, or holds what is not memory.
    """
    name = _NAME.fullmatch(at)
    if not name or name[2] is None:
        raise BadInput(f"{at!r} is not a place such as sbuf@32:512")
    try:
        if os.path.getsize(path) > MAX_BYTES:
            raise BadInput(f"{path}: {os.path.getsize(path)} bytes; {MAX_BYTES} are allowed")
        if path.endswith(".npy"):
            return _placed(path, at, np.load(path, allow_pickle=False))
        data = np.fromfile(path, np.uint8)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from error
    except (ValueError, EOFError) as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput(f"{path}: not an .npy file of numbers: {error}") from error
    if data.size % partitions:
        raise BadInput(f"{path}: {data.size} bytes are not {partitions} partitions of the same size")
    return _placed(path, at, data.reshape(partitions, -1))


def save_region(path: str, item: MemoryRegion) -> None:
    """Write a region: as uint8 (partitions, size) into an .npy or .npz file, as bytes into any other.

    Raises BadInput if that cannot be done.
    """
    if path.endswith(".npz"):
        save_arrays(path, {place_name(item.region): item.data})
        return
    with _writing(path) as file:
        if path.endswith(".npy"):
            np.save(file, item.data)
        else:
            file.write(item.data.data)


@contextmanager
def _writing(path: str) -> Iterator[BinaryIO]:
    try:
        with open(path, "wb") as file:
            yield file
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from error


def place_name(place: Region) -> str:
    """A region's place as an array name."""
    return f"{place.space.value}@{place.partition}:{place.byte}"


def region_named(text: str) -> Region:
    """Read SPACE@PARTITION:BYTE+SIZE[xPARTITIONS]."""
    found = _REGION.fullmatch(text)
    if not found:
        raise click.BadParameter(f"{text!r} is not a region such as sbuf@0:512+256x128")
    space, partition, byte, size, partitions = found.groups()
    return region(space, int(partition), int(byte), int(size), int(partitions or 1))


def register_set(text: str) -> tuple[int, int]:
    """Read NUMBER=VALUE."""
    number, _, content = text.partition("=")
    try:
        return int(number, 0), int(content, 0)
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a register such as 5=0x800100") from None
