"""Writes instructions.py, the typed methods of the builder, from the tables.

python -m dve_engine.builder.generate            write it
python -m dve_engine.builder.generate --check    exit 1 if it is out of date
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

from ..assembly.operands import Immediate, Tensor
from ..assembly.tokens import Plain, Token
from ..assembly.words import enumerated, mnemonic
from ..instructions.catalog import INSTRUCTIONS
from ..isa.codes import CODE_SPACES
from ..isa.generation import GENERATIONS
from ..isa.opcodes import CATALOG
from .encode import COMMON, keywords

TARGET = Path(__file__).with_name("instructions.py")
_ENUMS = {"ALU_OP": "AluOp", "DTYPE": "Dtype"} | {name: space.names.__name__ for name, space in CODE_SPACES.items()}
_WIDTH = 116
_OPTIONAL = " | None = None"

_HEAD = '''"""The methods of ProgramBuilder: one per instruction that the Vector Engine's queue executes.

Written by `python -m dve_engine.builder.generate` from the layout tables and the families' operands; a test compares.
Arguments that are not given are zero, but for `num_active_channels`: the lanes of the operands. Every method raises
BuildError for arguments that make no record and IllegalInstruction for a record that is not legal, and returns the
64 bytes it appended. `locals()` in a method are its arguments.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Unpack

from ..isa.aluops import AluOp
from ..isa.codes import (
{enums}
)
from .operands import Bits, DtypeLike, Indirect, Microscaled, Operand, Scalar


class Common(TypedDict, total=False):
    """What every instruction takes. events: waits and updates as text, such as "S[9]>=16 S[6]++@complete"."""

    events: str
{common}


class Instructions(ABC):
    """One method per instruction."""

    @abstractmethod
    def _append(self, opcode: int, arguments: Mapping[str, Any]) -> bytes:
        """Append the record of an opcode and its arguments."""
'''


def in_scope() -> tuple[int, ...]:
    """The opcodes that the Vector Engine or the front end of its queue executes on at least one generation."""
    return tuple(
        code
        for code, info in CATALOG.items()
        if code in INSTRUCTIONS and any(info.is_member(g) and not info.engine_check_leaf(g) for g in GENERATIONS)
    )


def method_name(opcode: int) -> str:
    """The mnemonic as profilers print it, in lower case."""
    return mnemonic(opcode).lower()


def rendered() -> str:
    """The module's text."""
    scope = in_scope()
    body = "\n".join(_method(opcode) for opcode in scope)
    common = [f"    {name}: {_type(keywords(scope[0])[name]).removesuffix(_OPTIONAL)}" for name in COMMON]
    words = {name for name in _ENUMS.values() if f": {name} |" in body + "\n".join(common)} - {"AluOp", "Dtype"}
    return (
        _HEAD.format(enums="\n".join(f"    {name}," for name in sorted(words)), common="\n".join(common)) + "\n" + body
    )


def _method(opcode: int) -> str:
    arguments = sorted(keywords(opcode).items(), key=lambda item: not isinstance(item[1], Tensor))
    own = [f"        {name}: {_type(token)}," for name, token in arguments if name not in COMMON]
    star = ["        *,"] if own else []
    lines = [f"    def {method_name(opcode)}(", "        self,", *star, *own, "        **common: Unpack[Common],"]
    if not own:
        lines = [f"    def {method_name(opcode)}(self, **common: Unpack[Common]) -> bytes:"]
    else:
        lines.append("    ) -> bytes:")
    return "\n".join([*lines, *_docstring(opcode), f"        return self._append(0x{opcode:02X}, locals())", ""])


def _type(token: Token) -> str:
    if isinstance(token, Tensor):
        return "Operand | Indirect" if token.union else "Operand"
    if isinstance(token, Immediate):
        kinds = [] if token.operand.source is None or not token.operand.inline else ["Scalar", "float"]
        return " | ".join(["Operand", "Bits", *kinds, "None"]) + " = None"
    if not isinstance(token, Plain):
        return "Microscaled"
    kind = token.slot.kind
    if kind == "DTYPE":
        return "DtypeLike | None = None"
    if enumerated(kind):
        return f"{_ENUMS[kind]} | str | int | None = None"
    if kind == "f32":
        return "float | Bits | None = None"
    return "int | None = None" if token.slot.count == 1 else "Sequence[int] | None = None"


def _docstring(opcode: int) -> Iterator[str]:
    family, info = INSTRUCTIONS[opcode], CATALOG[opcode]
    said = family.description.split("\n\n")[0].replace("\n", " ")
    on = ", ".join(g.name for g in GENERATIONS if info.is_member(g) and not info.engine_check_leaf(g))
    yield f'        """{info.name} (0x{opcode:02X}), on {on}.'
    yield ""
    said = f"{said[0].upper()}{said[1:].removesuffix('.')}."
    yield from textwrap.wrap(said, _WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 8)
    yield f"        Source: {family.source}." if family.source else f"        Layout: {family.struct.name}."
    yield '        """'


def main(arguments: list[str]) -> int:
    """Write the module, or compare."""
    if arguments == ["--check"]:
        return int(TARGET.read_text(encoding="utf-8") != rendered())
    TARGET.write_text(rendered(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
