"""The 1,024-byte header. Source: isa/09 section 2 [H unless said otherwise]."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from .errors import NeffError, shown
from .limits import NeffLimits
from .source import Source

HEADER_BYTES = 1024
_FIELDS = struct.Struct("<5Q128sI32s16s256sI64sQI468x")
PACKAGES = {1: ("sha256", 32), 2: ("md5", 16)}  # pkg_version: algorithm, bytes of `hash` it fills
_NEWEST_MAJOR = 2
_NEWER_COMPILER = 0x7FFF_FFFF_F800_0000  # feature bits the runtime refuses [M]
_AT = {"pkg_version": 0, "header_size": 8, "data_size": 16, "neff_version_major": 24, "feature_bits": 544}
_FEATURES = {
    0x2: "collective_has_offset",
    0x4: "custom_ops",
    0x8: "coalesced_ccops",
    0x10: "queue_set_instances",
    0x20: "has_functions",
    0x40: "dynamic_pwp",
    0x200: "DMA_desc_higher_dim",
    0x400: "vnc",
    0x800: "dve_performance_mode",  # the notes give it no name
    0x4000: "remote_sem",
}
assert _FIELDS.size == HEADER_BYTES


@dataclass(frozen=True)
class Header:
    """What the header says. Sizes in bytes; `data_size` is as recorded and may be wrong.

    hash_algorithm: what `pkg_version` stands for; hash: as many bytes as it has. features: names of the known bits of
    feature_bits.
    """

    pkg_version: int
    header_size: int
    data_size: int
    version: tuple[int, int]
    build_version: str
    hash_algorithm: str
    hash: bytes
    uuid: bytes
    name: str
    requested_tpb_count: int
    tpb_per_node: tuple[int, ...]
    feature_bits: int
    features: tuple[str, ...]
    vnc_size: int


def parse_header(source: Source, limits: NeffLimits) -> Header:
    """Read and check the header, in the order of the runtime.

    Raises NeffError.
    """
    if source.size < HEADER_BYTES:
        raise NeffError(f"the file has {source.size} bytes", offset=source.size, expected="a header of 1024 bytes")
    package, size, data, major, minor, build, _, digest, uuid, name, count, nodes, features, vnc = _FIELDS.unpack(
        source.at(0, HEADER_BYTES)
    )
    most = min(limits.header, source.size - 1)
    _require(HEADER_BYTES <= size <= most, "header_size", size, f"{HEADER_BYTES} to {most}: a payload follows")
    _require(major <= _NEWEST_MAJOR, "neff_version_major", major, f"at most {_NEWEST_MAJOR}")
    newer = features & _NEWER_COMPILER if major == _NEWEST_MAJOR else 0
    _require(not newer, "feature_bits", hex(features), "no bit that only a newer compiler sets")
    _require(package in PACKAGES, "pkg_version", package, "1 or 2")
    algorithm, length = PACKAGES[package]
    return Header(
        package,
        size,
        data,
        (major, minor),
        _text(build),
        algorithm,
        digest[:length],
        uuid,
        _text(name),
        count,
        tuple(nodes.rstrip(b"\0")),
        features,
        tuple(word for bit, word in _FEATURES.items() if features & bit),
        vnc,
    )


def _require(holds: bool, field: str, value: object, expected: str) -> None:
    if not holds:
        raise NeffError(f"{field} is {value}", offset=_AT[field], expected=expected)


def _text(field: bytes) -> str:
    return shown(field.partition(b"\0")[0].decode("utf-8", "backslashreplace"))
