"""The generated parts of docs/service.md: tables of settings, limits and errors.

python -m dve_service.reference docs/service.md            write them
python -m dve_service.reference --check docs/service.md    exit 1 if they are out of date
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path

from .errors import catalogue
from .limits import Limits
from .settings import Settings


def settings_table() -> str:
    """Every environment variable with its default."""
    rows = []
    for kind in (Settings, Limits):
        prefix = kind.model_config.get("env_prefix", "")
        for name, field in kind.model_fields.items():
            default = "CPUs, at most 8" if name == "engine_threads" else "" if field.default is None else field.default
            rows.append((f"`{prefix}{name.upper()}`", str(default), str(field.description)))
    return _table(("variable", "default", "meaning"), rows)


def errors_table() -> str:
    """Every code with its status on both transports."""
    rows = [(f"`{kind.code}`", str(kind.http_status), kind.grpc_status, kind.title) for kind in catalogue()]
    return _table(("code", "HTTP", "gRPC", "title"), rows)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def rendered(text: str) -> str:
    """The page with its generated parts as they should be."""
    for name, table in (("settings", settings_table()), ("errors", errors_table())):
        mark = rf"(<!-- {name}:begin -->\n).*?(<!-- {name}:end -->)"
        text = re.sub(mark, lambda match, table=table: f"{match[1]}{table}\n{match[2]}", text, flags=re.S)  # type: ignore[misc]
    return text


def main(arguments: list[str]) -> int:
    """Write or check one page."""
    check, path = "--check" in arguments, Path(arguments[-1])
    text = path.read_text(encoding="utf-8")
    if check:
        return int(rendered(text) != text)
    path.write_text(rendered(text), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
