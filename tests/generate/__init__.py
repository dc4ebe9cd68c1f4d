"""Random legal records of the modelled instructions, with the state they run on."""

from .cases import OPCODES, Case, legal_case, legal_generations, legal_record

__all__ = ["OPCODES", "Case", "legal_case", "legal_generations", "legal_record"]
