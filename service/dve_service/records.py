"""What a session remembers, as it is kept in the store: an image and the machine beside it."""

from __future__ import annotations

import base64
from dataclasses import dataclass

import orjson

from dve_engine import DeviceMemory, Generation, MachineState, generation_named

from .machine_state import Snapshot, fresh, restore, snapshot


@dataclass(frozen=True)
class Record:
    """The machine state of a session; its memory is an image."""

    generation: Generation
    image: str
    machine: Snapshot
    forked_from: tuple[str, int] | None = None  # session and version

    @classmethod
    def of(cls, state: MachineState, image: str, forked_from: tuple[str, int] | None = None) -> Record:
        """Describe a state whose memory is stored as `image`."""
        return cls(state.generation, image, snapshot(state), forked_from)

    def state(self, memory: DeviceMemory | None = None) -> MachineState:
        """The state, on the given memory or zeros."""
        return restore(fresh(self.generation, memory), self.machine)

    def encode(self) -> bytes:
        """As JSON."""
        kept = self.machine
        return orjson.dumps(
            {
                "generation": self.generation.name.lower(),
                "image": self.image,
                "registers": sorted(kept.registers.items()),
                "accumulators": kept.accumulators.hex(),
                "tainted": kept.tainted.hex(),
                "unseeded": kept.unseeded.hex(),
                "banks": {name: base64.b64encode(contents).decode() for name, contents in kept.banks.items()},
                "forked_from": self.forked_from,
            }
        )

    @classmethod
    def decode(cls, data: bytes) -> Record:
        """Read what `encode` wrote."""
        document = orjson.loads(data)
        accumulators, tainted, unseeded = (
            bytes.fromhex(document[name]) for name in ("accumulators", "tainted", "unseeded")
        )
        banks = {name: base64.b64decode(text) for name, text in document["banks"].items()}
        machine = Snapshot(dict(document["registers"]), accumulators, tainted, unseeded, banks)
        origin = document["forked_from"]
        forked_from = (origin[0], origin[1]) if origin else None
        return cls(generation_named(document["generation"]), document["image"], machine, forked_from)
