"""What can go wrong, apart from a program's text.

    VboolError
    ├── UnknownOperation   no such mnemonic, or one that is known and not modelled
    ├── BadInput           a value that the input cannot have
    │   └── MissingInput   an input that the operation needs
    └── ProgramError       a line that is no operation; carries line and column
"""

from __future__ import annotations


class VboolError(ValueError):
    """Anything this package refuses."""


class UnknownOperation(VboolError):
    """No operation of this name. `nearest` is the closest known one; `reason` says why a known one is not modelled."""

    def __init__(self, mnemonic: str, nearest: str | None = None, reason: str | None = None) -> None:
        self.mnemonic, self.nearest, self.reason = mnemonic, nearest, reason
        said = f"{mnemonic!r} is not modelled: {reason}" if reason else f"there is no operation {mnemonic!r}"
        super().__init__(said + (f"; the nearest is {nearest}" if nearest else ""))


class BadInput(VboolError):
    """An input whose value cannot be used. `name` is the input's, or empty."""

    def __init__(self, name: str, reason: str) -> None:
        self.name, self.reason = name, reason
        super().__init__(f"{name}: {reason}" if name else reason)


class MissingInput(BadInput):
    """An input that the operation needs, perhaps only under the choices made."""

    def __init__(self, mnemonic: str, name: str, under: str = "") -> None:
        super().__init__(name, f"{mnemonic} needs it" + (f" under {under}" if under else ""))


class ProgramError(VboolError):
    """A line of a program that cannot be read. Line and column count from 1."""

    def __init__(self, line: int, column: int, reason: str) -> None:
        self.line, self.column, self.reason = line, column, reason
        super().__init__(f"line {line}, column {column}: {reason}")
