"""Generate proto/dve_proto/v1 from proto/dve/v1/*.proto; with --check only say whether it is up to date.

The wire names stay `dve/v1/*.proto` and `dve.v1.*`, as other languages see them. Only the Python modules live in
`dve_proto.v1`, so that installing dvesim does not put a package as short as `dve` into site-packages.
"""

from __future__ import annotations

import re
import sys
import tempfile
from importlib.resources import files
from pathlib import Path

from google.rpc import status_pb2
from grpc_tools import protoc

PROTO = Path(__file__).resolve().parent
TARGET = PROTO / "dve_proto" / "v1"
PLUGINS = ("protoc-gen-mypy", "protoc-gen-mypy_grpc")

IMPORT = re.compile(r"^(\s*)from dve\.v1 import ", re.MULTILINE)
MODULE_NAME = re.compile(r"'dve\.v1\.(\w+_pb2)'")


def generate() -> dict[str, str]:
    """Run protoc; return file name -> text."""
    sources = sorted(path.relative_to(PROTO).as_posix() for path in (PROTO / "dve" / "v1").glob("*.proto"))
    if not sources:
        sys.exit("no .proto file in proto/dve/v1")
    with tempfile.TemporaryDirectory() as out:
        plugins = [f"--plugin={name}={Path(sys.executable).parent / name}" for name in PLUGINS]
        includes = [PROTO, files("grpc_tools") / "_proto", Path(status_pb2.__file__).parents[2]]
        outputs = [f"--{kind}_out={out}" for kind in ("python", "grpc_python")]
        typed = [f"--{kind}_out=quiet:{out}" for kind in ("mypy", "mypy_grpc")]
        code = protoc.main(["protoc", *plugins, *(f"-I{path}" for path in includes), *outputs, *typed, *sources])
        if code:
            sys.exit(code)
        return {path.name: rename(path.read_text()) for path in sorted(Path(out, "dve", "v1").iterdir())}


def rename(text: str) -> str:
    """Point the Python imports at dve_proto.v1; descriptors and service names keep their wire names."""
    return MODULE_NAME.sub(r"'dve_proto.v1.\1'", IMPORT.sub(r"\1from dve_proto.v1 import ", text))


def present() -> dict[str, str]:
    """Return the generated files as they stand: file name -> text."""
    return {path.name: path.read_text() for path in sorted(TARGET.glob("*_pb2*"))}


def main() -> None:
    """Write what differs, or with --check report it and exit 1."""
    wanted, existing = generate(), present()
    stale = sorted(name for name in wanted.keys() | existing.keys() if wanted.get(name) != existing.get(name))
    if "--check" in sys.argv[1:]:
        if stale:
            sys.exit("out of date, run `make proto`: " + ", ".join(stale))
        return
    TARGET.mkdir(parents=True, exist_ok=True)
    (TARGET / "__init__.py").write_text('"""Generated from proto/dve/v1; `make proto` writes it."""\n')
    for name in stale:
        if name in wanted:
            (TARGET / name).write_text(wanted[name])
        else:
            (TARGET / name).unlink()
    print(f"proto/dve_proto/v1: {len(wanted)} files, {len(stale)} changed")


if __name__ == "__main__":
    main()
