"""Alternatives that the registry knows and this engine does not implement, each with its reason.

A caller who asks for one gets a typed answer, never the default in silence.
"""

from __future__ import annotations

from collections.abc import Mapping

NOT_OFFERED: Mapping[tuple[str, str], str] = {
    ("stochastic-rounding", "stochastic"): "the device's generator, its bits and their lane assignment are not known",
    ("int32-arithmetic", "exact"): "no source says how an exact integer meets an fp32 operand, scalar or intermediate",
    ("fold-association", "pairwise"): "no source gives the grouping of the additions",
    ("dropout-scale", "scale-survivors"): "the record holds no factor, and no source derives one from the threshold",
    ("reciprocal-accuracy", "table-model"): "the seed table and the refinement of the device are not public",
    ("mask-byte-32-63", "neighbour-block"): "no source says which block is meant, nor what happens where there is none",
    ("rand2-lane-map", "column-mode"): "the engine's column mode is not known",
    ("accumulator-idle", "unknown"): "an unknown content has no value to compute with; keep-tainted marks it instead",
}
