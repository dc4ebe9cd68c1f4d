"""List every rule that a record breaks: a slow, literal reading of the specification's rule lists.

One generator per validator, in the model_*.py files beside this one, yields (rule id, verdict) in header order; a
verdict is True, False, or the name of the elementary check that fails. It exists to prove the vectors beside it and is
never imported by the engine. Sets and memberships come from docs/isa/tables; the rules are typed from the pages.
"""

from . import model_extra, model_norm, model_reduce, model_scan, model_seed, model_select
from .model_base import GENERATIONS, NOT_MODELLED

__all__ = ["GENERATIONS", "NOT_MODELLED", "VALIDATORS", "failures"]

MODELS = (model_seed, model_select, model_scan, model_reduce, model_norm, model_extra)
VALIDATORS = {opcode: rules for model in MODELS for opcode, rules in model.VALIDATORS.items()}


def failures(record, generation, assumptions=None):
    """List (rule id, elementary check or None) of every rule the record breaks, in header order.

    record: 64 bytes whose opcode is one of VALIDATORS and a member of the generation.
    """
    validator = VALIDATORS[record[0]]
    verdicts = validator(record, generation, assumptions or {})
    return [(rule, verdict or None) for rule, verdict in verdicts if verdict is not True]
