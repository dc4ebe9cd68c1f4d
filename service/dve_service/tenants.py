"""Tenants share a service and see nothing of each other: not images, sessions, blocks, answers, nor that they exist.

Each has a Simulator of its own on its own view of the store; threads, queues and limits are those of the process.
Whoever says which tenant a request is of says it here: `Tenants.of`.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Sequence

from .errors import InvalidField
from .simulator import Simulator

PUBLIC = "public"
HEADER = "dvesim-tenant"  # of HTTP requests, and the metadata of gRPC calls
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")


class Tenants:
    """The Simulator of each tenant. It remembers nothing that counts, so only those used lately are kept."""

    def __init__(self, make: Callable[[str], Simulator], most: int = 256) -> None:
        self._make, self._most = make, most
        self._made: OrderedDict[str, Simulator] = OrderedDict()

    def of(self, given: Sequence[str]) -> Simulator:
        """The Simulator for a request. given: the values of its header; none is the public tenant.

        Raises InvalidField for what cannot be one name.
        """
        if len(given) > 1:
            raise InvalidField(HEADER, "is given more than once")
        name = given[0] if given else PUBLIC
        if not _NAME.fullmatch(name):
            raise InvalidField(HEADER, f"{name[:80]!r} is no tenant: a-z, 0-9 and -, at most 32, - not first")
        found = self._made.pop(name, None) or self._make(name)
        self._made[name] = found
        if len(self._made) > self._most:
            self._made.popitem(last=False)
        return found
