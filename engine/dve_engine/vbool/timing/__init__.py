"""The schedule view: when an operation reads and writes, and what a short sequence waits for.

stages.py      register files: stages and ports
rows.py        operations: slot, result stage, read stages, and where each number comes from
scoreboard.py  in-order issue of one operation per bundle

Nothing here looks at a value, and no value depends on anything here. Source: isa/07 section 11.
"""

from .rows import Row, row
from .scoreboard import Access, Issue, Scoreboard
from .stages import FORWARD_WINDOW, PORTS, READ_STAGE, STAGES, Ports

__all__ = ["FORWARD_WINDOW", "PORTS", "READ_STAGE", "STAGES", "Access", "Issue", "Ports", "Row", "Scoreboard", "row"]
