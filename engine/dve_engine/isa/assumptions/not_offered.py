"""Alternatives that the registry knows and this engine does not implement, each with its reason.

A caller who asks for one gets a typed answer, never the default in silence.
"""

from __future__ import annotations

from collections.abc import Mapping

NOT_OFFERED: Mapping[tuple[str, str], str] = {}
