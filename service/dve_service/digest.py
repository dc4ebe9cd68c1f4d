"""The digest of a run: equal digests mean that the same program, started the same way, gave the same result.

It covers, in this order and each with its length in front:

    engine_version, isa_version, generation, profile, the chosen assumptions (sorted), on_invalid, the program; the
    start: image id (empty for zero memory), each written region with its bytes in order, registers, accumulators,
    taint; the result: executed count, each written region with its final bytes in order, registers, accumulators,
    taint.

It does not cover which regions were read back, the trace, verdict messages, or whether an image was stored; so the same
run has the same digest over HTTP, over gRPC and in process. A start given as an image and the same start given as
regions digest differently. The key under which an answer is cached begins with the same parts and adds these.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import orjson
from blake3 import blake3

from dve_engine import ENGINE_VERSION, ISA_VERSION, DeviceMemory, MachineState, Region

from .machine_state import view
from .orders import Run
from .version import SERVICE_VERSION


class Digest:
    """A BLAKE3 over length-prefixed parts."""

    def __init__(self) -> None:
        self._hash = blake3()

    def add(self, *parts: str | bytes | int) -> None:
        """Add parts; numbers as decimal text."""
        for part in parts:
            data = part if isinstance(part, bytes) else str(part).encode()
            self._hash.update(len(data).to_bytes(8, "little"))
            self._hash.update(data)

    def copy(self) -> Digest:
        """A digest of the same parts, to which others may be added."""
        twin = Digest()
        twin._hash = self._hash.copy()
        return twin

    def __str__(self) -> str:
        return f"blake3:{self._hash.hexdigest()}"


def of_start(order: Run, image: str | None, state: MachineState) -> Digest:
    """A digest of everything the result follows from. `state` is the machine before the run."""
    digest = Digest()
    program, choices = order.program, order.program.choices
    overrides = sorted(f"{name}={value}" for name, value in choices.overrides.items())
    digest.add(ENGINE_VERSION, ISA_VERSION, program.generation.name.lower(), choices.profile, *overrides)
    digest.add(order.on_invalid, program.code, image or "")
    for write in order.start.writes:
        _region(digest, write.region)
        digest.add(write.data)
    _registers(digest, state)
    return digest


def key_of_result(start: Digest, order: Run, state: MachineState) -> str:
    """The name of a run's answer: 64 hex digits over everything the answer depends on.

    start: from `of_start`, which lacks what has no influence on the digest of a run: which of the accumulators were
    never seeded (that only decides whether a run succeeds), and what the answer shows of it.
    """
    key = start.copy()
    key.add("answer", SERVICE_VERSION, np.packbits(state.accumulators.unseeded).tobytes())
    key.add(order.trace, order.verdicts, int(order.store_image), "written" if order.read is None else "regions")
    for region in order.read or ():
        _region(key, region)
    return str(key).removeprefix("blake3:")


def of_result(digest: Digest, executed: int, written: Iterable[Region], state: MachineState) -> str:
    """The digest completed with the result."""
    digest.add(executed)
    memory: DeviceMemory = state.memory
    for region in written:
        _region(digest, region)
        digest.add(memory.read(region).tobytes())
    _registers(digest, state)
    return str(digest)


def _region(digest: Digest, region: Region) -> None:
    digest.add(region.space.value, region.partition, region.partitions, region.byte, region.size)


def _registers(digest: Digest, state: MachineState) -> None:
    seen = view(state)
    digest.add(orjson.dumps(sorted(seen.registers.items())))
    digest.add(seen.accumulators.astype("<u4").tobytes(), np.packbits(seen.tainted).tobytes())
    for name, contents in seen.banks.items():
        digest.add(name, contents)
