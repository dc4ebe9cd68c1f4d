"""Run all scenarios on a private store and print their costs, and their ratios to the first row of each."""

from __future__ import annotations

from dataclasses import astuple

from bench.store.replica import Cost
from bench.store.scenarios import SCENARIOS
from dve_client.commands.common import table
from dve_service.store.embedded import EmbeddedServer

COLUMNS = ("scenario", "", "client bytes", "store bytes", "store commands", "ms")


def main() -> None:
    """Measure and print."""
    rows: list[tuple[str, ...]] = []
    for name, scenario in SCENARIOS.items():
        with EmbeddedServer("1gb") as store:
            costs = scenario(store)
        base = next(iter(costs.values()))
        rows += [(name, role, *_cells(cost, base)) for role, cost in costs.items()]
    table(COLUMNS, rows)


def _cells(cost: Cost, base: Cost) -> list[str]:
    numbers = [f"{cost.client_bytes:,}", f"{cost.store_bytes:,}", f"{cost.commands:,}", f"{cost.seconds * 1e3:,.2f}"]
    ratios = [value / first if first else 1.0 for value, first in zip(astuple(cost), astuple(base), strict=True)]
    return [f"{number} (x {ratio:.2g})" for number, ratio in zip(numbers, ratios, strict=True)]


if __name__ == "__main__":
    main()
