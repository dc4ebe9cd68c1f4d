"""The open questions of isa/00, one file per section, and the choices of one request."""

from .model import PROFILES, AlternativeNotOffered, Assumption, Profile, UnknownAssumption
from .not_offered import NOT_OFFERED, restrict_to
from .registry import REGISTRY, Choices, in_registry_order

__all__ = [
    "NOT_OFFERED",
    "PROFILES",
    "REGISTRY",
    "AlternativeNotOffered",
    "Assumption",
    "Choices",
    "Profile",
    "UnknownAssumption",
    "in_registry_order",
    "restrict_to",
]
