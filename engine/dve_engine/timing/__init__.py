"""Floor 4: what an instruction costs. Nothing here changes a result or makes an illegal instruction legal.

parameters.py   clocks, fixed costs and feature rows per generation, each with its confidence
work.py         what a cost depends on: streams, opcode, operations
rates.py        elements per cycle and documented formula of every opcode
model.py        the cost of one instruction
sequence.py     in-order issue of several
record.py       the work of one encoded 64-byte record

The caller validates first: a cost is computed for any record whose opcode the generation executes, legal or not.
Source: isa/08. A cycle is a Vector Engine clock cycle of the generation at hand.
"""

from .model import Bound, Cost, cost
from .parameters import PARAMETERS, Parameters, Tag
from .record import work_of
from .sequence import Slot, Step, Timeline, timeline
from .work import BadOpcode, Space, Stream, Traffic, Work, traffic

__all__ = [
    "PARAMETERS", "BadOpcode", "Bound", "Cost", "Parameters", "Slot", "Space", "Step", "Stream", "Tag", "Timeline",
    "Traffic", "Work", "cost", "timeline", "traffic", "work_of",
]  # fmt: skip
