"""Generate the Python package `dve_proto` from `proto/dve/v1/*.proto`.

    python proto/build.py           write proto/dve_proto/v1/
    python proto/build.py --check   exit 1 and name the files that are out of date

Needs grpcio-tools and mypy-protobuf. protoc derives import names from the .proto paths (`dve.v1`); the package here is
`dve_proto.v1`, so the imports are rewritten. The descriptors keep the name `dve/v1/...`, which other languages see.
"""

from __future__ import annotations

import re
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from grpc_tools import protoc  # type: ignore[import-untyped]

HERE = Path(__file__).resolve().parent
TARGET = HERE / "dve_proto" / "v1"


def generate(out: Path) -> None:
    """Run protoc on every .proto file, into `out`."""
    plugins = Path(sysconfig.get_path("scripts"))
    code = protoc.main(
        [
            "protoc",
            f"--proto_path={HERE}",
            f"--proto_path={files('grpc_tools') / '_proto'}",
            f"--plugin=protoc-gen-mypy={plugins / 'protoc-gen-mypy'}",
            f"--plugin=protoc-gen-mypy_grpc={plugins / 'protoc-gen-mypy_grpc'}",
            f"--python_out={out}",
            f"--grpc_python_out={out}",
            f"--mypy_out=quiet:{out}",
            f"--mypy_grpc_out=quiet:{out}",
            *sorted(str(path) for path in (HERE / "dve" / "v1").glob("*.proto")),
        ]
    )
    if code != 0:
        raise SystemExit(f"protoc failed with exit code {code}")


def generated() -> Iterator[tuple[str, str]]:
    """Yield (file name, text) of everything dve_proto/v1 should hold."""
    yield "__init__.py", '"""Generated from proto/dve/v1 by proto/build.py; do not edit."""\n'
    with tempfile.TemporaryDirectory() as out:
        generate(Path(out))
        for path in sorted((Path(out) / "dve" / "v1").iterdir()):
            text = path.read_text(encoding="utf-8")
            if "_pb2_grpc" not in path.name or "Stub" in text:  # a file without a service needs no stubs
                yield path.name, _rewrite(text)


def _rewrite(text: str) -> str:
    """Let imports say dve_proto.v1; leave service names, descriptors and comments alone."""
    lines = text.splitlines(keepends=True)
    return "".join(re.sub(r"\bdve\.v1\b", "dve_proto.v1", line) if _is_import(line) else line for line in lines)


def _is_import(line: str) -> bool:
    return re.match(r"\s*(from dve\.v1 import|import dve\.v1)", line) is not None


def main() -> int:
    """Write the package, or with --check compare it with what is there."""
    wanted = dict(generated())
    if "--check" in sys.argv[1:]:
        there = {path.name: path.read_text(encoding="utf-8") for path in TARGET.glob("*.py*")}
        stale = sorted(name for name in wanted.keys() | there.keys() if wanted.get(name) != there.get(name))
        for name in stale:
            print(f"proto/dve_proto/v1/{name} is out of date; run: python proto/build.py")
        return 1 if stale else 0
    TARGET.mkdir(parents=True, exist_ok=True)
    for path in TARGET.glob("*.py*"):
        path.unlink()
    for name, text in wanted.items():
        (TARGET / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
