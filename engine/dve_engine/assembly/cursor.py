"""Reading within one line: where we are, numbers with names and offsets, and mistakes at their place."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .errors import Unreadable, unknown

_NUMBER = re.compile(r"0[xX][0-9A-Fa-f]+|[0-9]+")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LITERAL = re.compile(
    r"[-+]?(?:0[xX][0-9A-Fa-f]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|inf|nan)", re.I | re.A
)
_SIGN = re.compile("[-+]")
_DIGITS = 64  # more are no number of a record
_BITS = 64  # of the greatest field; sums of names of sums may not grow without end


class Cursor:
    """A piece of a line, text[position:end]. names: what `.equ` has defined."""

    def __init__(self, text: str, position: int, end: int, names: Mapping[str, int]) -> None:
        self.text, self.position, self.end, self.names = text, position, end, names

    @property
    def rest(self) -> str:
        """What is not read yet."""
        return self.text[self.position : self.end]

    def at_end(self) -> bool:
        """Whether everything is read."""
        return self.position >= self.end

    def sees(self, mark: str) -> bool:
        """Whether a mark comes next."""
        return self.text.startswith(mark, self.position, self.end)

    def accept(self, mark: str) -> bool:
        """Read a mark if it comes next."""
        seen = self.sees(mark)
        self.position += len(mark) if seen else 0
        return seen

    def expect(self, mark: str) -> None:
        """Read a mark."""
        if not self.accept(mark):
            raise self.wrong(repr(mark))

    def take(self, pattern: re.Pattern[str]) -> str | None:
        """Read what matches, if anything does."""
        match = pattern.match(self.text, self.position, self.end)
        if match is None or not match[0]:
            return None
        self.position = match.end()
        return match[0]

    def word(self) -> str | None:
        """Read a word of letters, digits and underscores."""
        return self.take(_WORD)

    def literal(self) -> str | None:
        """Read a number with or without a fraction, or hex digits."""
        return self.take(_LITERAL)

    def finish(self) -> None:
        """Nothing may follow."""
        if not self.at_end():
            raise self.wrong("a space or the end of the line")

    def wrong(self, *expected: str) -> Unreadable:
        """What stands here is not what should."""
        found = self.rest
        shown = repr(found[:40]) if found else "nothing"
        return Unreadable(self.position, found, f"found {shown}, expected {' or '.join(expected)}", expected)

    def integer(self) -> int:
        """Read terms with + and - between them; a term is a number or a name."""
        begin = self.position
        total = -self._term() if self.accept("-") else self._term()
        while (sign := self.take(_SIGN)) is not None:
            total += -self._term() if sign == "-" else self._term()
        if abs(total) >> _BITS:
            raise Unreadable(
                begin, self.text[begin : self.position], f"it does not fit into {_BITS} bits", ("a number",)
            )
        return total

    def integers(self) -> list[int]:
        """Read integers with commas between them."""
        found = [self.integer()]
        while self.accept(","):
            found.append(self.integer())
        return found

    def _term(self) -> int:
        begin = self.position
        digits = self.take(_NUMBER)
        if digits is not None:
            if len(digits) > _DIGITS:
                raise Unreadable(begin, digits, f"a number of {len(digits)} digits fits into no field", ("a number",))
            return number(digits)
        name = self.word()
        if name is None:
            raise self.wrong("a number", "a name")
        if name not in self.names:
            raise unknown("the text defines no", begin, name, self.names)
        return self.names[name]


def number(digits: str) -> int:
    """Decimal or hex digits as an integer."""
    return int(digits, 16) if digits[:2] in ("0x", "0X") else int(digits, 10)
