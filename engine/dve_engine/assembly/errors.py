"""What is wrong with a text: every mistake with its place, up to a bound."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

MAX_MISTAKES = 50
_COMPARED = 1000  # words a found one is compared with; a text can define millions of names
_SHOWN = 60  # characters of a caller's text in a message
_LISTED = 24  # more words of a legal set are not told in a message; the mistake itself has all of them


@dataclass(frozen=True)
class Mistake:
    """One thing that cannot be read.

    line, column: of its first character, from 1. found: what stands there. expected: the legal words or forms.
    """

    line: int
    column: int
    found: str
    expected: tuple[str, ...]
    message: str

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.message}"


class AssemblyError(ValueError):
    """A text that is no program. `mistakes` in the order of the text; `more`: there were too many to list."""

    def __init__(self, mistakes: tuple[Mistake, ...], more: bool = False) -> None:
        self.mistakes, self.more = mistakes, more
        rest = len(mistakes) - 1
        others = f" (and {'at least ' if more else ''}{rest} more)" if rest else ""
        super().__init__(f"{mistakes[0]}{others}")


class Unreadable(Exception):
    """One mistake, before its line is known. position: index into the line's text."""

    def __init__(self, position: int, found: str, message: str, expected: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.position, self.found, self.message, self.expected = position, found[:_SHOWN], message, tuple(expected)


def unknown(none: str, position: int, found: str, known: Iterable[str]) -> Unreadable:
    """A word that is none of the known ones, with the nearest of them. none: such as "COPY has no field"."""
    legal, shown = tuple(islice(known, _COMPARED)), found[:_SHOWN]
    upper = {word.upper(): word for word in legal}
    near = difflib.get_close_matches(shown.upper(), upper, 1, 0.6)
    hint = f"; did you mean {upper[near[0]]}?" if near else ""
    listed = f"; it has {', '.join(legal)}" if 0 < len(legal) <= _LISTED else ""
    return Unreadable(position, found, f"{none} {shown!r}{hint or listed}", legal)
