"""Print the table of ratios; with --check, fail where one got 30 % worse than ratios.json says; --record writes it.

    python -m bench.performance [--check | --record] [NAME PART ...]
"""

from __future__ import annotations

import json
import platform
import resource
import sys
from pathlib import Path

from . import engine_rows, validator_rows
from .measure import Measured, Row

RATIOS = Path(__file__).with_name("ratios.json")
ALLOWED = 1.3


def main(arguments: list[str]) -> int:
    check, record = "--check" in arguments, "--record" in arguments
    parts = [argument for argument in arguments if not argument.startswith("--")]
    known = json.loads(RATIOS.read_text()) if RATIOS.exists() else {}
    rows = [row for row in ROWS if not parts or any(part in row.name for part in parts)]
    print(f"{platform.machine()}, Python {platform.python_version()}, medians\n")
    print(f"{'work':<68}{'target':>8}{'ratio':>8}{'work':>12}{'baseline':>12}{'peak MiB':>10}  verdict")
    failed = []
    for row in rows:
        measured = row.measure()
        print(line(row, measured), flush=True)
        if check and row.name in known and worse(row, measured.ratio, known[row.name]):
            failed.append(f"{row.name}: {measured.ratio:.2f}, was {known[row.name]:.2f}")
        known[row.name] = round(measured.ratio, 3)
    if record:
        RATIOS.write_text(json.dumps(known, indent=1) + "\n")
    print(*failed, sep="\n")
    return 1 if failed else 0


ROWS: tuple[Row, ...] = (*engine_rows.ROWS, *validator_rows.ROWS)


def line(row: Row, measured: Measured) -> str:
    verdict = "" if row.target is None else "met" if row.target.met(measured.ratio) else "MISSED"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    times = f"{measured.work * 1e6:>9.1f} us{measured.baseline * 1e6:>9.1f} us"
    return f"{row.name:<68}{row.target or ''!s:>8}{measured.ratio:>8.2f}{times}{peak:>10.0f}  {verdict}"


def worse(row: Row, ratio: float, known: float) -> bool:
    if row.target is not None and row.target.at_least:
        return ratio * ALLOWED < known
    return ratio > known * ALLOWED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
