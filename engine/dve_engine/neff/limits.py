"""How much a container may ask for. Source: isa/09 section 11, with room over every container known."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import NeffLimitExceeded

_MIB = 1 << 20


@dataclass(frozen=True)
class NeffLimits:
    """Upper bounds; all sizes in bytes.

    file: the whole input. inflated: the archive after decompression. ratio: of inflated to compressed bytes, asked
    only once `ratio_from` bytes have appeared, because a stream of zeros is legal and deflates 1000:1. extension: one
    extended tar header. json, json_depth: one JSON member. json_total: all
    that are read. cores: subgraphs.
    """

    file: int = 65 * _MIB
    header: int = _MIB
    inflated: int = 512 * _MIB
    ratio: int = 200
    ratio_from: int = 16 * _MIB
    members: int = 4096
    name: int = 512
    extension: int = 64 * 1024
    json: int = 8 * _MIB
    json_total: int = 32 * _MIB
    json_depth: int = 64
    cores: int = 64
    stream: int = 64 * _MIB

    def check(self, name: str, asked: int) -> None:
        """Raise NeffLimitExceeded if more than limit `name` is asked for."""
        allowed: int = getattr(self, name)
        if asked > allowed:
            raise NeffLimitExceeded(name, allowed, asked)
