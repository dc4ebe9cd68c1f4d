"""Semaphore waits and updates: `S[9]>=16`, `S[6]++@complete`. Source: isa/10 section 5.

The forms with `>`, `>=`, `==` and `++@complete` are attested, the others of the table are ours by analogy. Event bits
are written as fields (`wait_mode=EVT_SET wait_idx=3`): no listing shows them.
"""

from __future__ import annotations

import re

from ..isa.codes import UpdateMode, WaitMode
from ..isa.generation import Generation
from .cursor import Cursor
from .errors import Unreadable
from .fields import Reading
from .tokens import Line

BEGIN = re.compile(r"\$?S\[")
_WAITS = {
    "==": WaitMode.SEM_EQ_IMM, "<=": WaitMode.SEM_LE_IMM, ">=": WaitMode.SEM_GE_IMM, "<": WaitMode.SEM_LT_IMM,
    ">": WaitMode.SEM_GT_IMM,
}  # fmt: skip
_UPDATES = {
    ("++", "@complete"): UpdateMode.SEM_INC_COMPLETE, ("--", "@complete"): UpdateMode.SEM_DEC_COMPLETE,
    ("+=", "@complete"): UpdateMode.SEM_ADD_IMM_COMPLETE, ("-=", "@complete"): UpdateMode.SEM_SUB_IMM_COMPLETE,
    ("=", "@complete"): UpdateMode.SEM_WR_IMM_COMPLETE, ("++", "@read"): UpdateMode.SEM_INC_READ,
    ("--", "@read"): UpdateMode.SEM_DEC_READ, ("+=", "@read"): UpdateMode.SEM_ADD_IMM_READ,
    ("-=", "@read"): UpdateMode.SEM_SUB_IMM_READ, ("=", "@read"): UpdateMode.SEM_WR_IMM_READ,
}  # fmt: skip
_WAIT_OF = {int(mode): mark for mark, mode in _WAITS.items()}
_UPDATE_OF = {int(mode): marks for marks, mode in _UPDATES.items()}
_COUNTED = ("++", "--")
_MARKS = tuple(dict.fromkeys((*_WAITS, *(mark for mark, _ in _UPDATES))))
_BY_LENGTH = sorted(_MARKS, key=len, reverse=True)  # `==` before `=`
_NAME = re.compile(r"[ \t]*\([^()\s]*\)")
VALUE = "events.semaphore_value"


def write(reading: Reading, generation: Generation) -> list[str]:
    """The wait and the update of a record, where a form says them."""
    del generation
    found = []
    value = reading.peek(VALUE)
    wait, update = reading.peek("events.wait_mode"), reading.peek("events.update_mode")
    if wait in _WAIT_OF:
        found.append(f"S[{reading.peek('events.wait_idx')}]{_WAIT_OF[wait]}{value}")
        reading.say("events.wait_mode", "events.wait_idx", VALUE)
    if update in _UPDATE_OF:
        mark, when = _UPDATE_OF[update]
        found.append(f"S[{reading.peek('events.update_idx')}]{mark}{'' if mark in _COUNTED else value}{when}")
        reading.say("events.update_mode", "events.update_idx", *([] if mark in _COUNTED else [VALUE]))
    return found


def read(cursor: Cursor, line: Line) -> None:
    """Read one wait or update; a name in parentheses behind the index is for people."""
    cursor.take(BEGIN)
    index = cursor.integer()
    cursor.expect("]")
    cursor.take(_NAME)
    begin = cursor.position
    mark = next((mark for mark in _BY_LENGTH if cursor.accept(mark)), None)
    if mark is None:
        raise cursor.wrong(*map(repr, _MARKS))
    value = None if mark in _COUNTED else cursor.integer()
    when = next((when for when in ("@complete", "@read") if cursor.accept(when)), None)
    if when is None and mark in _WAITS:
        line.draft.give("events.wait_mode", int(_WAITS[mark]))
        line.draft.give("events.wait_idx", index)
    elif (mark, when) in _UPDATES:
        line.draft.give("events.update_mode", int(_UPDATES[mark, str(when)]))
        line.draft.give("events.update_idx", index)
    elif when is None:
        raise cursor.wrong("'@complete'", "'@read'")
    else:
        raise Unreadable(begin, mark, f"{mark} is a wait; {when} belongs to an update", _COUNTED)
    if value is not None:
        line.draft.give(VALUE, value)
