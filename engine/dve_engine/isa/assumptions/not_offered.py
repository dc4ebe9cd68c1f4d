"""Alternatives that the registry knows and this engine does not implement, each with its reason.

A caller who asks for one gets a typed answer, never the default in silence. What only instructions can show that the
engine does not execute is not listed by hand: the catalogue says once which instructions there are (`restrict_to`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from .model import Assumption

NOT_OFFERED: dict[tuple[str, str], str] = {
    ("maverick-tile-range", "share-of-128"): "no source says how a flag shares out the 128 channels",
    ("control-waits", "local-counters"): "the engines that would satisfy a wait are not part of a run",
    ("psum-on-maverick", "v4-map"): "the older generations' PSUM addresses lie inside this generation's SBUF range",
    ("walk-out-of-bounds", "wrap-in-partition"): "no source says where a wrapped element continues, padding included",
    ("walk-out-of-bounds", "touch-padding"): "what lies between two partitions is in no source and holds no bytes here",
    ("partial-overlap", "streaming"): "no source says how far reading runs ahead of writing",
    ("uninitialised-memory", "poison"): "no source gives a pattern; a caller can fill the memory it sends",
    ("indirect-index-out-of-range", "skip"): "no source says what a skipped element reads as",
    ("indirect-dst-size-limit", "unknown-limit"): "the limit is in no source",
    ("stochastic-rounding", "stochastic"): "the device's generator, its bits and their lane assignment are not known",
    ("int32-arithmetic", "exact"): "no source says how an exact integer meets an fp32 operand, scalar or intermediate",
    ("select-reduce-axis", "across-lanes"): "no source says where a maximum across lanes would be kept",
    ("accumulator-location", "psum"): "no record addresses the accumulator, so no PSUM address can be named",
    ("fold-association", "pairwise"): "no source gives the grouping of the additions",
    ("vbool-movvpr", "pr-from-vec"): "no source says which bits of the vector register reach the 64-bit one",
    ("dropout-scale", "scale-survivors"): "the record holds no factor, and no source derives one from the threshold",
    ("reciprocal-accuracy", "table-model"): "the seed table and the refinement of the device are not public",
    ("mask-byte-32-63", "neighbour-block"): "no source says which block is meant, nor what happens where there is none",
    ("rand2-lane-map", "column-mode"): "the engine's column mode is not known",
    ("scan-recurrence", "combine-then-scan"): "a rejected reading; no source names the operator of its second pass",
    ("cache-reduce-destination", "final-value-only"): "no source says which elements of dst the one value goes to",
    ("exponential-accuracy", "table-model"): "the coefficients of the device's table are not public",
    ("accumulator-idle", "unknown"): "an unknown content has no value to compute with; keep-tainted marks it instead",
}

_VERDICTS = ("cayman-dve-roster", "pseudo-records")  # decided by the validator, whoever executes the opcode
_PREDICATE_UNIT = "vbool-"  # rows that dve_engine.vbool answers by itself
_NOT_BUILT = "it concerns only instructions that this engine does not execute yet"


def restrict_to(built: Collection[str], rows: Iterable[Assumption]) -> None:
    """List every alternative of the rows that concern none of the instructions named in `built`."""
    for row in rows:
        if row.id.startswith(_PREDICATE_UNIT):
            continue
        if row.instructions == "*" or row.id in _VERDICTS or not set(built).isdisjoint(row.instructions.split()):
            continue
        for value in row.alternatives:
            if value != row.default:
                NOT_OFFERED.setdefault((row.id, value), _NOT_BUILT)
