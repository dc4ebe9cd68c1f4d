"""A client with assertions."""

from __future__ import annotations

from collections.abc import Mapping

from dve_engine import Generation

from ..reports import of_program
from ..requests import Program
from ..sync import Client
from .comparison import assert_memory


class CheckedClient(Client):
    """A synchronous client that also asserts. Make it with `CheckedClient(aconnect(target))`."""

    assert_memory = staticmethod(assert_memory)

    def assert_legal(
        self,
        program: Program,
        generation: str | Generation,
        *,
        profile: str | None = None,
        assumptions: Mapping[str, str] | None = None,
    ) -> None:
        """Assert that a program has records and all of them are legal.

        Raises AssertionError that lists every broken rule.
        """
        __tracebackhide__ = True
        answer = self.validate(program, generation, profile=profile, assumptions=assumptions)
        report = of_program(answer, "program", as_it_is=True)
        if report.outcome != "legal":
            raise AssertionError("\n".join([report.sum, *(one.told for one in report.findings)]))
