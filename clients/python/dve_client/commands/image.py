"""`dvesim image`: memory from files into the service, and back."""

from __future__ import annotations

from typing import Any

import click

from dve_engine import Region

from ..answers import ImageInfo
from ..blocks import BYTES, PARTITIONS
from ..errors import BadInput
from ..memory import MemoryRegion, region
from . import arrays
from .common import client_of, generation_option, json_option, print_json, reported, table, target_option
from .progress import waiting

_ALL = 4 * PARTITIONS


@click.group()
def image() -> None:
    """Stored memory: put it there, get it back, read parts of it.

    Images live in the service of --target; one that is `inproc` without DVESIM_REDIS_URL forgets them at once.
    """


@image.command()
@click.argument("file", metavar="FILE", type=click.Path())
@generation_option
@click.option("--at", metavar="PLACE", help="Where the rows of an .npy file or of plain bytes go, such as sbuf@0:512.")
@click.option(
    "--partitions", type=click.IntRange(1, _ALL), default=_ALL, show_default=True, help="Rows of plain bytes."
)
@json_option
@target_option
@reported
def put(file: str, generation: str, at: str | None, partitions: int, as_json: bool, target: str) -> None:
    """Store FILE as an image: an .npz file as `dvesim run --memory` takes it, or with --at an .npy file or plain bytes.

    Only blocks that the service lacks are sent.
    """
    memory = (arrays.load_at(file, at, partitions),) if at else _memory(file)
    with client_of(target) as client, waiting("Storing"):
        stored = client.put_image(memory, generation)
    if as_json:
        print_json(vars(stored))
    else:
        click.echo(f"{stored.image}  {stored.blocks} blocks, {stored.bytes} bytes")


def _memory(file: str) -> tuple[MemoryRegion, ...]:
    given = arrays.load(file)
    if given.accumulators is not None or given.tainted is not None:
        raise BadInput(f"{file}: an image has no accumulators; it holds sbuf and psum")
    return given.memory


@image.command()
@click.argument("name", metavar="IMAGE")
@click.option("--out", type=click.Path(), help="Where to write all of it, as .npz with sbuf and psum.")
@json_option
@target_option
@reported
def get(name: str, out: str | None, as_json: bool, target: str) -> None:
    """Tell where an image has blocks; with --out write its memory to a file that `put` makes the same image of."""
    with client_of(target) as client, waiting("Reading"):
        info = client.image(name)
        if out:
            whole = client.read_image(name, _extents(info))
            arrays.save_arrays(out, {item.region.space.value: item.data for item in whole})
    if as_json:
        blocks = [vars(place) for place in info.blocks]
        print_json({"image": info.image, "generation": info.generation, "blocks": blocks})
    else:
        rows = [(p.space, f"{PARTITIONS * p.quadrant}..", f"{BYTES * p.tile}..", p.id) for p in info.blocks]
        table(("memory", "partitions", "bytes", "block"), rows)


def _extents(info: ImageInfo) -> list[Region]:
    """All partitions of each memory, as far as there are blocks."""
    tiles: dict[str, int] = {}
    for place in info.blocks:
        tiles[place.space] = max(tiles.get(place.space, 0), place.tile + 1)
    return [region(space, 0, 0, BYTES * count, _ALL) for space, count in sorted(tiles.items())]


@image.command()
@click.argument("name", metavar="IMAGE")
@click.argument("place", metavar="REGION", type=arrays.region_named)
@click.option("--out", type=click.Path(), help="Where to write it: .npy, .npz, or any other name for plain bytes.")
@json_option
@target_option
@reported
def read(name: str, place: Region, out: str | None, as_json: bool, target: str) -> None:
    """Read a REGION such as sbuf@0:512+256x128 of an image."""
    with client_of(target) as client:
        [item] = client.read_image(name, [place])
    if out:
        arrays.save_region(out, item)
    where: dict[str, Any] = {**vars(place), "space": place.space.value}
    if as_json:
        print_json(where if out else {**where, "data_hex": item.tobytes().hex()})
    elif not out:
        for row, data in enumerate(item.data):
            click.echo(f"{place.partition + row:3} {data.tobytes().hex(' ', 4)}")
