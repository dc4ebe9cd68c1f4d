"""The pytest plugin: fixtures `dvesim`, a client with assertions, and `dvesim_golden`, golden files; docs/ci.md.

pytest loads it at its start wherever dvesim is installed, so nothing heavy is imported before a fixture is used. That
is why it is a package of its own: every module of dve_client brings the engine along.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from dve_client.testing import CheckedClient, Golden

TARGET = "DVESIM_TARGET"
_PROPERTY = "dvesim-golden"  # of the report of a teardown, which pytest-xdist brings along


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("dvesim")
    group.addoption(
        "--dvesim-target",
        metavar="TARGET",
        help=f"what the fixture dvesim talks to: http://host:port, grpc://host:port or inproc "
        f"(default: the environment's {TARGET}, or inproc)",
    )
    group.addoption("--dvesim-update", action="store_true", help="write golden files instead of comparing with them")


@pytest.fixture(scope="session")
def dvesim(pytestconfig: pytest.Config) -> Iterator[CheckedClient]:
    """A client of the target, for the tenant of DVESIM_TENANT, with assert_legal and assert_memory."""
    from dve_client.connect import aconnect
    from dve_client.testing import CheckedClient

    target = pytestconfig.getoption("--dvesim-target") or os.environ.get(TARGET) or "inproc"
    with CheckedClient(aconnect(target, tenant=os.environ.get("DVESIM_TENANT"))) as client:
        yield client


@pytest.fixture
def dvesim_golden(request: pytest.FixtureRequest) -> Iterator[Golden]:
    """The golden files of a test, in golden/<module>/ beside its file; `check` compares with them."""
    from dve_client.testing import Golden

    directory = request.path.parent / "golden" / request.path.stem
    name = re.sub(r"[^\w.]+", "-", request.node.nodeid.partition("::")[2]).strip("-.")
    update = request.config.getoption("--dvesim-update")
    golden = Golden(directory, name, update=update, how="pytest --dvesim-update")
    yield golden
    request.node.user_properties += [(_PROPERTY, str(path)) for path in golden.written]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the golden files that were written."""
    for report in [one for reports in terminalreporter.stats.values() for one in reports]:
        for name, path in getattr(report, "user_properties", ()):
            if name == _PROPERTY:
                terminalreporter.write_line(f"dvesim: wrote {path}")
