"""Three ways to ask the same question: the engine in this process, the service over HTTP, the service over gRPC."""

import base64
from dataclasses import dataclass, field

import grpc
import numpy as np

from dve_engine import (
    Accumulators,
    Choices,
    ExecutionError,
    Machine,
    MachineState,
    NotModelled,
    Region,
    Space,
    generation_named,
    validate,
)
from dve_proto.v1 import common_pb2, simulation_pb2
from tests.service.rpc import Stubs, unpacked


@dataclass(frozen=True)
class Start:
    """What a run starts from: (region, bytes) pairs, registers, fp32 bit patterns by lane (None: reset), banks."""

    memory: list = field(default_factory=list)
    registers: dict = field(default_factory=dict)
    accumulators: np.ndarray | None = None
    banks: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """What a run left: the bytes of the regions asked for, the 128 accumulator words, the banks that differ from reset.

    refused: the code it was refused with instead.
    """

    memory: tuple = ()
    accumulators: tuple = ()
    tainted: tuple = ()
    banks: dict = field(default_factory=dict)
    refused: str | None = None


def regions_of(reads):
    return [Region(space, partition, 1, byte, size) for space, partition, byte, size in reads]


class EngineTarget:
    """The engine's Python API."""

    name = "engine"

    def verdicts(self, program, generation, profile, assumptions):
        """(rule, leaf) of the first failure of each record, None where it is legal."""
        answer = validate(program, generation_named(generation), Choices(profile, assumptions))
        return [None if v.valid else (v.failures[0].rule, v.failures[0].leaf) for v in answer.verdicts]

    def run(self, program, generation, profile, assumptions, start, reads):
        """Run and read back."""
        state = MachineState.fresh(generation_named(generation))
        for region, data in start.memory:
            state.memory.write(region, data)
        state.registers = dict(start.registers)
        if start.accumulators is not None:
            state.accumulators = Accumulators(start.accumulators.view(np.float32))
        for name, contents in start.banks.items():
            state.banks.load(name, contents)
        try:
            Machine(state.generation, Choices(profile, assumptions)).run(program, state)
        except ExecutionError:
            return Answer(refused="execution_error")
        except NotModelled:
            return Answer(refused="not_modelled")
        memory = tuple(state.memory.read(r).tobytes() for r in regions_of(reads))
        banks = {name: bank.tobytes() for name, bank in state.banks.changed()}
        words = tuple(state.accumulators.values.view(np.uint32).tolist())
        return Answer(memory, words, tuple(state.accumulators.tainted.tolist()), banks)


class HttpTarget:
    """The REST API."""

    name = "http"

    def __init__(self, http):
        self.http = http

    def verdicts(self, program, generation, profile, assumptions):
        body = self._body(program, generation, profile, assumptions)
        answer = self.http.post("/v1/validate", json=body)
        assert answer.status_code == 200, answer.text
        return [None if v["valid"] else first(v["failures"][0].get) for v in answer.json()["verdicts"]]

    def run(self, program, generation, profile, assumptions, start, reads):
        state = {"memory": [{**words(r), "data_base64": base64.b64encode(data).decode()} for r, data in start.memory]}
        state["registers"] = {str(k): v for k, v in start.registers.items()}
        if start.accumulators is not None:
            state["accumulators_hex"] = start.accumulators.astype("<u4").tobytes().hex()
        body = self._body(program, generation, profile, assumptions)
        state["banks_hex"] = {name: contents.hex() for name, contents in start.banks.items()}
        body |= {"state": state, "read": [words(r) for r in regions_of(reads)], "cache": False}
        answer = self.http.post("/v1/run", json=body)
        if answer.status_code in (409, 422):
            return Answer(refused=answer.json()["code"])
        assert answer.status_code == 200, answer.text
        memory = tuple(base64.b64decode(m["data_base64"]) for m in answer.json()["memory"])
        left = answer.json()["state"]
        banks = {name: base64.b64decode(contents) for name, contents in left["banks_base64"].items()}
        return Answer(
            memory, lanes(bytes.fromhex(left["accumulators_hex"])), tuple(left["accumulators_tainted"]), banks
        )

    @staticmethod
    def _body(program, generation, profile, assumptions):
        code = base64.b64encode(program).decode()
        return {"generation": generation, "program_base64": code, "profile": profile, "assumptions": assumptions}


class GrpcTarget:
    """The gRPC API."""

    name = "grpc"

    def __init__(self, channel):
        self.simulation = Stubs(channel).simulation

    def verdicts(self, program, generation, profile, assumptions):
        request = simulation_pb2.ValidateRequest(
            generation=generation, program=program, profile=profile, assumptions=assumptions
        )
        answer = self.simulation.Validate(request)
        return [None if v.valid else (v.failures[0].rule, leaf(v.failures[0])) for v in answer.verdicts]

    def run(self, program, generation, profile, assumptions, start, reads):
        state = simulation_pb2.InputState(
            memory=[common_pb2.MemoryRegion(**words(r), data=data) for r, data in start.memory],
            registers=start.registers,
            banks=start.banks,
            accumulators=b"" if start.accumulators is None else start.accumulators.astype("<u4").tobytes(),
        )
        request = simulation_pb2.RunRequest(
            generation=generation,
            program=program,
            profile=profile,
            assumptions=assumptions,
            cache=False,
            state=state,
            read=[common_pb2.Region(**words(r)) for r in regions_of(reads)],
        )
        try:
            answer = self.simulation.Run(request)
        except grpc.RpcError as error:
            return Answer(refused=next(d.code for d in unpacked(error) if isinstance(d, common_pb2.Problem)))
        left = answer.state
        return Answer(
            tuple(m.data for m in answer.memory),
            lanes(left.accumulators),
            tuple(left.accumulators_tainted),
            dict(left.banks),
        )


def words(region):
    """A region in the contract's words."""
    return {
        "space": region.space.value,
        "partition": region.partition,
        "partitions": region.partitions,
        "byte": region.byte,
        "size": region.size,
    }


def first(get):
    return get("rule"), get("leaf")


def leaf(failure):
    return failure.leaf if failure.HasField("leaf") else None


def lanes(raw):
    return tuple(np.frombuffer(raw, "<u4").tolist())


def space(name):
    return Space[name]
