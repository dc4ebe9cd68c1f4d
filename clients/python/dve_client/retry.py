"""When a call is tried again: bounded, with growing pauses of random length, and only where that is safe."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from .errors import DvesimError

T = TypeVar("T")
NOTHING_DONE = frozenset({"overloaded"})  # codes that say that the service did nothing


@dataclass(frozen=True)
class Retry:
    """How often and how long a call is tried.

    codes: what is tried again. Calls that change a session are tried again only for codes that say that nothing was
    done. A pause is drawn from 0 to base_seconds, doubling each time up to cap_seconds. If the service asks for one, it
    is that one and up to half of it more, so that those who were refused together do not come back together; if it
    asks for one longer than cap_seconds, its error is raised.
    """

    attempts: int = 5
    base_seconds: float = 0.1
    cap_seconds: float = 5.0
    codes: frozenset[str] = frozenset({"overloaded", "store_unavailable", "unreachable"})

    async def call(self, work: Callable[[], Awaitable[T]], *, repeatable: bool = True) -> T:
        """Do the work, and again where that may help.

        Raises what the last attempt raised.
        """
        codes = self.codes if repeatable else self.codes & NOTHING_DONE
        for attempt in range(1, max(1, self.attempts)):
            try:
                return await work()
            except DvesimError as error:
                asked = getattr(error, "retry_after_seconds", None) or 0.0
                if error.code not in codes or asked > self.cap_seconds:
                    raise
                ceiling = min(self.cap_seconds, self.base_seconds * 2 ** (attempt - 1))
                pause = asked + random.uniform(0, max(ceiling, asked / 2))
            await asyncio.sleep(pause)
        return await work()


NEVER = Retry(attempts=1)
