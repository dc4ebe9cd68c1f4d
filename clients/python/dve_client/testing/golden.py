"""Golden files: memory kept beside the tests, written only when asked for."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy.typing as npt

from ..commands import arrays
from ..errors import BadInput
from ..memory import MemoryRegion
from .comparison import Memory, assert_memory, regions

_NAME = re.compile(r"[\w.\-]+")


class Golden:
    """The golden files of one test: `<directory>/<name>.npz`, arrays named by place as in `dvesim run --out`.

    update: write what is there instead of comparing. how: tells people how to do so. written: the files that were.
    """

    def __init__(self, directory: Path, name: str, *, update: bool, how: str) -> None:
        self._directory, self._name, self._update, self._how = directory, name, update, how
        self._checked: set[Path] = set()
        self.written: list[Path] = []

    def check(
        self, actual: Memory, name: str | None = None, *, dtype: npt.DTypeLike | None = None, ulp: int = 0
    ) -> None:
        """Assert that memory is that of the golden file, region by region.

        name: of the file, where a test has several. dtype, ulp: as of `assert_memory`.
        Raises AssertionError for a difference and where there is no golden file, BadInput for one that cannot be read.
        """
        __tracebackhide__ = True
        got = regions(actual)
        path = self._path(name)
        if path in self._checked:
            raise BadInput(f"{path}: checked already; a test that checks twice gives names")
        self._checked.add(path)
        places = {arrays.place_name(one.region): one for one in got}
        if not any(one.data.size for one in got):
            raise AssertionError(f"{path}: no memory was read back: nothing to compare")
        if len(places) != len(got):
            raise BadInput(f"{path}: two regions begin at one place")
        if self._update:
            self._write(path, places)
            return
        if not path.exists():
            raise AssertionError(f"{path}: there is no such golden file; {self._how} writes it")
        kept = arrays.load(str(path)).memory
        there, here = ({str(one.region) for one in memory} for memory in (kept, got))
        if there != here:
            only = f"only in the file {sorted(there - here)}, only in the answer {sorted(here - there)}"
            raise AssertionError(f"{path}: other regions: {only}; {self._how} writes it anew")
        try:
            assert_memory(got, kept, dtype=dtype, ulp=ulp)
        except AssertionError as error:
            raise AssertionError(f"{path}: {error}") from None

    def _path(self, name: str | None) -> Path:
        chosen = self._name if name is None else name
        if not _NAME.fullmatch(chosen) or chosen.startswith("."):
            raise BadInput(f"{chosen!r} is no name of a golden file: letters, digits, _, - and . are")
        return self._directory / f"{chosen}.npz"

    def _write(self, path: Path, places: dict[str, MemoryRegion]) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f".{path.name}.{os.getpid()}.npz")
        arrays.save_arrays(str(partial), {name: one.data for name, one in places.items()})
        partial.replace(path)
        self.written.append(path)
