"""What is measured. Each scenario checks its answers and names its costs; the first is what others are set against."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bench.store.replica import Cost, Replica, replica
from dve_client import MemoryRegion, region
from dve_client.answers import RunAnswer
from dve_engine import CAYMAN
from dve_engine.builder import ProgramBuilder, sbuf
from dve_service.store.embedded import EmbeddedServer

Costs = dict[str, Cost]
MIB = 1 << 20
ROWS, COLUMNS = 128, 512
FORKS = 1_000
RESULT_BYTE = 4 * COLUMNS
X = np.random.default_rng(1).standard_normal((ROWS, COLUMNS), np.float32)
INPUT = MemoryRegion.of("sbuf", 0, 0, X)
RESULT = region("sbuf", 0, RESULT_BYTE, RESULT_BYTE, ROWS)
_ROW = sbuf(0, 0, "fp32", (ROWS, 2 * COLUMNS))
PROGRAM = ProgramBuilder(CAYMAN).tensor_scalar(  # x * 2 + 1
    src=_ROW[:, :COLUMNS], dst=_ROW[:, COLUMNS:], op0="MULTIPLY", op1="ADD", imm0=2.0, imm1=1.0
)


def memory(size_bytes: int, seed: int = 2) -> tuple[MemoryRegion, MemoryRegion]:
    """Noise in all partitions, so that every block is another, and the input of the program on top."""
    noise = np.random.default_rng(seed).integers(0, 256, (ROWS, size_bytes // ROWS), np.uint8)
    return MemoryRegion.of("sbuf", 0, 0, noise), INPUT


def _check(answer: RunAnswer) -> None:
    [read] = answer.memory
    expected = X * np.float32(2.0) + np.float32(1.0)
    assert np.array_equal(read.view(np.uint32), expected.view(np.uint32)), "the run has another result"


def _run(at: Replica, image: str, **options: Any) -> RunAnswer:
    answer = at.client.run(PROGRAM, CAYMAN, image=image, read=[RESULT], **options)
    _check(answer)
    return answer


def runs(store: EmbeddedServer) -> Costs:
    """One TENSOR_SCALAR on 128 x 512 fp32, of images of two sizes, each on a replica that holds no blocks."""
    costs = {}
    for name, size in (("1 MiB image", MIB), ("24 MiB image", 24 * MIB)):
        with replica(store) as at:
            image = at.client.put_image(memory(size), CAYMAN).image
        with replica(store) as at:
            _check(at.client.run(PROGRAM, CAYMAN, memory=[INPUT], read=[RESULT], cache=False))  # imports, tables
            _, costs[name] = at.cost(lambda at=at, image=image: _run(at, image, cache=False))
    return costs


def uploads(store: EmbeddedServer) -> Costs:
    """A 24 MiB image that is new, and the same with one byte of one block changed."""
    whole, _ = memory(24 * MIB, seed=3)
    values = whole.data.copy()
    values[70, 5000] ^= 0xFF
    changed = MemoryRegion(whole.region, values)
    with replica(store) as at:
        first, new = at.cost(lambda: at.client.put_image([whole], CAYMAN))
        second, again = at.cost(lambda: at.client.put_image([changed], CAYMAN))
        blocks = [{place.id for place in at.client.image(one.image).blocks} for one in (first, second)]
        assert first.blocks == 768 and len(blocks[1] - blocks[0]) == 1
        assert at.client.read_image(second.image, [changed.region]) == (changed,)
    return {"new image": new, "one block changed": again}


def forks(store: EmbeddedServer) -> Costs:
    """Many forks of one session of 24 MiB; the cost is of one of them."""
    with replica(store) as at:
        parent = at.client.create_session(CAYMAN, memory=memory(24 * MIB))
        made, created = at.cost(lambda: at.client.create_session(CAYMAN, image=parent.image))
        found, total = at.cost(lambda: [at.client.fork_session(parent.id) for _ in range(FORKS)])
        assert len({one.id for one in found}) == FORKS
        assert {one.image for one in [*found, made]} == {parent.image}
        last = at.client.run_session(found[-1].id, PROGRAM, read=[RESULT])
        _check(last)
        assert at.client.session(found[0].id).image == parent.image
    each = Cost(total.client_bytes // FORKS, total.store_bytes // FORKS, total.commands // FORKS, total.seconds / FORKS)
    return {"session of an image": created, f"one of {FORKS:,} forks": each}


def kept_answers(store: EmbeddedServer) -> Costs:
    """A run that is carried out, and the same run answered from what was kept of it."""
    with replica(store) as at:
        image = at.client.put_image(memory(24 * MIB), CAYMAN).image
        first = _run(at, image)
        answer, computed = at.cost(lambda: _run(at, image, cache=False))
        again, kept = at.cost(lambda: _run(at, image))
        assert (answer.cached, again.cached) == (False, True)
        assert first.digest == answer.digest == again.digest
    return {"carried out": computed, "kept": kept}


SCENARIOS: dict[str, Callable[[EmbeddedServer], Costs]] = {
    "run 128 x 512 fp32": runs,
    "upload 24 MiB": uploads,
    "fork": forks,
    "answer of a run": kept_answers,
}
