"""Shardy's ops with a region: a computation with a name, and one that each device runs on its own parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ...errors import RunError
from ...indexing import UNDEFINED, IndexMap, OperandMap, Runtime
from ...ir.module import Module, Region, walk
from ...ir.types import TensorType, Type
from ...sharding.notation.shardy import ManualAxes, Meshes, ShardingPerValue
from ...sharding.notation.stated_shardings import meshes_of
from ..collectives.collective_rules import CollectiveOp
from ..core.bases import Partitioned
from ..core.exchanges import (
    Arrays,
    ExecuteCollective,
    FetchPeers,
    GridPosition,
    Peers,
    PeerValues,
    Piece,
    Where,
    no_peers,
)
from ..core.facets import Explanation, RuntimeVariables, Traits
from ..core.facets.findings import Findings
from ..core.op import Array, Ask, AskingOp, Constraint, RunRegion, no_cost
from ..core.regions import region_type
from ..sharded_parts.manual_parts import ManualParts, manual_parts, side_problems
from ..sharded_parts.part_maps import CUT_NAMES, JOINED_NAMES, TABLE_NAME, compose_cut


@dataclass(frozen=True)
class Computation(AskingOp):
    """Common base of the ops that run a region once."""

    findings = Findings(moves_elements=True)
    traits = Traits(is_isolated=True)

    operands: tuple[Type, ...]
    body: Region
    results: tuple[Type, ...]

    cost = no_cost

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        for number in range(len(self.operands)):
            for result in range(len(self.results)):
                yield OperandMap(number, UNDEFINED, result)


@dataclass(frozen=True)
class NamedComputation(Computation):
    """Runs its body once, on whole tensors; the name is for readers of the program."""

    name = "sdy.named_computation"
    explanation = Explanation(passes_values=True)
    short_form = "custom named_computation"

    computation_name: str = field(default="", metadata={"attribute": "name"})
    in_shardings: ShardingPerValue | None = None
    out_shardings: ShardingPerValue | None = None

    def constraints(self) -> Iterator[Constraint]:
        found = region_type(self.body)
        fits = (found.inputs, found.results) == (self.operands, self.results)
        yield "", fits, "the body must take the operands' types and return those of the results"

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return Ask(None, RunRegion(0, operands))

    def resume(self, state: Any, answer: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return answer


class ManualComputationRuntimeVariables(RuntimeVariables["ManualComputation"]):
    def names_of(self, op: ManualComputation) -> tuple[str, ...]:
        operands = (name.format(f"operand {k}") for k in range(len(op.operands)) for name in CUT_NAMES)
        results = (name.format(f"result {k}") for k in range(len(op.results)) for name in JOINED_NAMES)
        tables = (
            TABLE_NAME.format(f"operand {operand}", f"result {result}")
            for result in range(len(op.results))
            for operand in range(len(op.operands))
        )
        return (*operands, *results, *tables)

    def process_values(
        self, op: ManualComputation, place: GridPosition, fetch_peers: FetchPeers = no_peers
    ) -> tuple[Array | None, ...]:
        """The starts of the parts that the process takes, and which process has which parts of the results."""
        found = (*op.parts.cut_values(place), *op.parts.join_values(place))
        return (*found, *op.parts.start_tables(place))


@dataclass(frozen=True)
class ManualComputation(Computation, Partitioned, CollectiveOp):
    """Runs its body on every device of a mesh, each with its parts of the operands.

    Operands and results are whole tensors. Along the `manual_axes` each device takes its own part, as `in_shardings`
    say; along the other axes of the mesh parts stay whole. At the end those that differ only along the manual axes
    meet, and put the parts of the results together as `out_shardings` say. Device `k` of the mesh is process `k`.
    """

    name = "sdy.manual_computation"
    short_form = "custom manual_computation"
    runtime_variables = ManualComputationRuntimeVariables()

    in_shardings: ShardingPerValue | None = None
    out_shardings: ShardingPerValue | None = None
    manual_axes: ManualAxes | None = None
    meshes: Meshes | None = field(default=None, metadata={"settled": True}, compare=False, repr=False)
    """The meshes of the module."""

    def link(self, module: Module) -> ManualComputation:
        return replace(self, meshes=meshes_of(module))

    def constraints(self) -> Iterator[Constraint]:
        found = region_type(self.body)
        counts = (len(found.inputs), len(found.results))
        wanted = (len(self.operands), len(self.results))
        sentence = "the body must take as many values as there are operands, and give the results"
        yield "", counts == wanted, sentence
        for side, shardings, count in (
            ("in", self.in_shardings, len(self.operands)),
            ("out", self.out_shardings, len(self.results)),
        ):
            stated = len(shardings.shardings) if shardings else 0
            yield "", stated == count, f"{side}_shardings has {stated} shardings for {count} values"
        if self.meshes is not None:
            for problem in self._problems(self.meshes):
                yield "", False, problem
        for axis in self._taken_inside():
            message = f'a manual computation in the body takes axis "{axis}", which is manual here already'
            yield "", False, message

    def _problems(self, meshes: Meshes) -> Iterator[str]:
        try:
            manual_parts(meshes, self.manual_axes, *self._shardings)
        except ValueError as error:
            yield str(error)
            return
        body = region_type(self.body)
        ins, outs = self._shardings
        yield from side_problems(meshes, self.manual_axes, "in", ins, self.operands, body.inputs)
        yield from side_problems(meshes, self.manual_axes, "out", outs, self.results, body.results)

    def _taken_inside(self) -> Iterator[str]:
        for operation in walk(self.body):
            stated = operation.attribute("manual_axes")
            if operation.name == self.name and stated is not None and self.manual_axes:
                try:
                    axes = ManualAxes.from_attribute(stated).axes
                except ValueError:  # which is said of that operation
                    continue
                yield from (axis for axis in axes if axis in self.manual_axes.axes)

    @property
    def _shardings(self) -> Any:
        sides = (self.in_shardings, self.out_shardings)
        return tuple(side.shardings if side else () for side in sides)

    @cached_property
    def parts(self) -> ManualParts:
        """The parts of each process; `RunError` if the shardings contradict each other."""
        try:
            return manual_parts(self.meshes or {}, self.manual_axes, *self._shardings)
        except ValueError as error:
            raise RunError(str(error)) from None

    @property
    def deferrable(self) -> bool:
        return False  # the body comes first

    def peers(self, place: GridPosition) -> Peers:
        return self.parts.peers(place)

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return Ask(operands, Where())

    def resume(self, state: Any, answer: Any) -> Ask | tuple[Array, ...]:
        match answer:
            case GridPosition():
                return Ask(None, RunRegion(0, self.parts.cut(state, answer)))
            case PeerValues():
                return self.outputs(answer)
        return Ask(None, ExecuteCollective(answer))

    def cut_maps(self, *, inverse: bool = False) -> Iterator[OperandMap]:
        return self.parts.cut_maps(self.operands, self.first_auxiliary, inverse=inverse)

    def join_maps(self, *, inverse: bool = False) -> Iterator[OperandMap]:
        first = self.first_auxiliary + len(self.operands) * len(CUT_NAMES)
        return self.parts.join_maps(self.results, first, inverse=inverse)

    def holder_table(self, result: int) -> int:
        """The number of the table that says who has each part of a result."""
        return self.first_auxiliary + len(self.operands) * len(CUT_NAMES) + result * len(JOINED_NAMES)

    def start_table(self, operand: int, result: int) -> int:
        """The number of the table that says where the parts of an operand begin of who has each part of a result."""
        before = len(self.operands) * len(CUT_NAMES) + len(self.results) * len(JOINED_NAMES)
        return self.first_auxiliary + before + result * len(self.operands) + operand

    def compose_cut(self, index_map: IndexMap, place: Runtime, operand: int, table: int) -> IndexMap:
        """A map to the part of an operand that the process at `place` has, on to the operand itself."""
        whole = self.operands[operand]
        assert isinstance(whole, TensorType)
        return compose_cut(self.parts.ins[operand], whole.sizes, index_map, place, table)

    def outputs(self, peer_values: PeerValues) -> Arrays:
        return self.parts.join(peer_values)

    def pieces(self, peer_values: PeerValues) -> Iterator[Piece]:
        return self.parts.pieces(peer_values)
