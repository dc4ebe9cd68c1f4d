"""From the JSON members to the cores and their DVE streams. Source: isa/09 sections 5 to 7 and 10."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .documents import load, refuse
from .errors import NeffError, shown
from .limits import NeffLimits
from .source import Source
from .tar import Member, name_fault, plain_name

RECORD_BYTES = 64
Members = Mapping[str, Member]
_KELF = re.compile(r"kelf-[^/]*\.json")


@dataclass(frozen=True)
class Stream:
    """An engine's records. member: "" for a raw dump. offset: in the archive. size in bytes."""

    member: str
    offset: int
    size: int
    engine: str = "DVE"

    @property
    def records(self) -> int:
        """Whole records."""
        return self.size // RECORD_BYTES

    @property
    def remainder(self) -> int:
        """Bytes behind the last whole record; none in a sound stream."""
        return self.size % RECORD_BYTES


@dataclass(frozen=True)
class Core:
    """A subgraph, in the order of the kelf. absent: why there is no stream, where there is none."""

    index: int
    subgraph: str
    definition: str
    stream: Stream | None
    absent: str | None


@dataclass(frozen=True)
class Cores:
    """The cores of a container and the target they were compiled for."""

    cores: tuple[Core, ...]
    target: str | None


def core(index: int, subgraph: str, definition: str, stream: Stream) -> Core:
    """A core that has a stream, which may be empty."""
    return Core(index, subgraph, definition, stream, None if stream.size else "the DVE stream is empty")


def cores(archive: Source, members: Members, limits: NeffLimits, warnings: list[str]) -> Cores:
    """Find every core's DVE stream; what is odd is added to the warnings.

    Raises NeffError, NeffLimitExceeded.
    """
    reader = _Reader(archive, members, limits, warnings)
    kelf = reader.kelf()
    if kelf is None:
        return Cores((reader.core(0, "", reader.only_definition()),), None)
    document = reader.load(kelf)
    target = document.get("target")
    if target is not None and not isinstance(target, str):
        refuse(kelf, f"target is {shown(target)}", "a string")
    graphs = document.get("graphs")
    if not isinstance(graphs, list) or not graphs:
        refuse(kelf, f"graphs is {shown(graphs)}", "a list of subgraphs")
    limits.check("cores", len(graphs))
    found = tuple(reader.graph(kelf, number, graph) for number, graph in enumerate(graphs))
    return Cores(found, None if target is None else shown(target))


class _Reader:
    """The members of one archive, looked up by name."""

    def __init__(self, archive: Source, members: Members, limits: NeffLimits, warnings: list[str]) -> None:
        self._archive, self._members, self._limits, self._warnings = archive, members, limits, warnings
        self._read = 0

    def load(self, name: str) -> Mapping[str, Any]:
        """A document; every reading counts, so that subgraphs which share one cannot multiply it."""
        self._read += self._members[name].size
        self._limits.check("json_total", self._read)
        return load(self._archive, self._members[name], self._limits)

    def kelf(self) -> str | None:
        """The member that lists the subgraphs."""
        if "neff.json" in self._members:
            named = dict.fromkeys(_named_kelfs(self.load("neff.json")))
            there = [name for name in named if name in self._members]
            lacking = [name for name in named if name not in self._members]
            self._warnings += [f"neff.json names {shown(name)}, which is no member" for name in lacking]
            if len(there) > 1:
                refuse("neff.json", f"names {len(there)} kelf members", "one")
            if there:
                return there[0]
        if "kelf-0.json" in self._members:
            return "kelf-0.json"
        others = [name for name in self._members if _KELF.fullmatch(name)]
        if len(others) > 1:
            raise NeffError(f"{len(others)} members kelf-*.json", offset=0, expected="kelf-0.json", within="archive")
        return others[0] if others else None

    def only_definition(self) -> str:
        """The definition of a container without a kelf."""
        found = [name for name in self._members if posixpath.basename(name) == "def.json"]
        if len(found) != 1:
            reason = f"no kelf member, and {len(found)} of def.json"
            raise NeffError(reason, offset=0, expected="kelf-0.json", within="archive")
        self._warnings.append(f"no kelf member; {found[0]} is the only definition")
        return found[0]

    def graph(self, kelf: str, number: int, graph: Any) -> Core:
        if not isinstance(graph, dict):
            refuse(kelf, f"graphs[{number}] is {shown(graph)}", "an object")
        name = graph.get("name", "")
        if not isinstance(name, str):
            refuse(kelf, f"graphs[{number}].name is {shown(name)}", "a string")
        definition = self._member(kelf, f"graphs[{number}].definition", graph.get("definition"), "")
        return self.core(number, shown(name), definition)

    def core(self, number: int, name: str, definition: str) -> Core:
        document, folder = self.load(definition), posixpath.dirname(definition)
        descriptor: Mapping[str, Any] = {}
        told = document.get("dve_instr")
        if "dve" in document and (told is None or self._has(document["dve"], folder)):
            descriptor = self.load(self._member(definition, "dve", document["dve"], folder))
        where, key = definition, "dve_instr"
        if told is None:
            where, key, told = f"{definition} (dve)", "instr", descriptor.get("instr")
        elif descriptor.get("instr", told) != told:
            other = descriptor["instr"]
            self._warnings.append(f"{definition} names {shown(told)} as the DVE stream, its descriptor {shown(other)}")
        if told is None:
            return Core(number, name, definition, None, f"{definition} names no DVE stream")
        if told in list(_texts(descriptor.get("dve_tables"))):
            refuse(definition, f"{key} is {shown(told)}, a decode table", "an instruction stream")
        member = self._members[self._member(where, key, told, folder)]
        self._limits.check("stream", member.size)
        return core(number, name, definition, Stream(member.name, member.offset, member.size))

    def _has(self, name: object, folder: str) -> bool:
        return isinstance(name, str) and posixpath.join(folder, plain_name(name)) in self._members

    def _member(self, where: str, key: str, value: object, folder: str) -> str:
        """The member that a document names, relative to its folder."""
        if not isinstance(value, str):
            refuse(where, f"{key} is {shown(value)}", "the name of a member")
        fault = name_fault(value)
        if fault:
            refuse(where, f"{key}: the name {shown(value)} {fault}", "a relative path inside the archive")
        name = posixpath.join(folder, plain_name(value))
        if name not in self._members:
            refuse(where, f"{key} names {shown(name)}, which is no member", "a member of the archive")
        return name


def _named_kelfs(graph: Mapping[str, Any]) -> Iterator[str]:
    """The kelf members that the nodes of the host graph point at."""
    nodes = graph.get("nodes")
    for node in nodes if isinstance(nodes, list) else ():
        attrs = node.get("attrs") if isinstance(node, dict) else None
        if isinstance(attrs, dict) and "__kelf" in (attrs.get("func_name"), node.get("func_name")):
            name = attrs.get("kelf")
            if isinstance(name, str):
                yield plain_name(name)


def _texts(value: object) -> Iterator[str]:
    """Every string in a document."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)
