"""The open questions of isa/00, one file per section, and the choices of one request."""

from .model import PROFILES, AlternativeNotOffered, Assumption, Profile, UnknownAssumption
from .registry import REGISTRY, Choices

__all__ = ["PROFILES", "REGISTRY", "AlternativeNotOffered", "Assumption", "Choices", "Profile", "UnknownAssumption"]
