"""Random legal records for the elementwise, predicated and select instructions, with the state they run on."""

from .cases import OPCODES, Case, legal_case, legal_record

__all__ = ["OPCODES", "Case", "legal_case", "legal_record"]
