"""all-gather, all-reduce and collective-permute in two parts: one starts, one waits for the end.

At the start the process arrives and continues; the other part gets the outcome. An op that cannot be finished elsewhere
(an all-reduce that has to run its computation) waits at the start.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

from ...indexing import OperandMap
from ...ir.types import TensorType, TupleType, Type, leaf_count, parts
from ..collectives.collective_reductions import AllReduce
from ..collectives.collective_rules import CHANNEL, COMBINER, WHOLE_GROUPS, ChannelHandle, CollectiveOp
from ..collectives.collectives import AllGather
from ..core.bases import identity_maps
from ..core.exchanges import (
    Arrays,
    ExecuteCollective,
    FetchPeers,
    GridPosition,
    Peers,
    PeerValues,
    Piece,
    no_peers,
)
from ..core.facets import Explanation, HloSpelling, Part, RuntimeVariables, Section, Storage
from ..core.facets.findings import Findings
from ..core.op import Array, Ask, Constraint, Cost, Op
from ..core.process_groups import Grid, IdTable, ReplicaGroups
from .hlo_identities import Identity
from .in_place_permute import CollectivePermuteInPlace
from .several_operands import CollectivePermutes
from .starts_and_ends import (
    GIVEN,
    OUTPUT,
    START_RULE,
    Awaiting,
    Taking,
    Values,
    output_constraint,
    start_constraints,
    start_tuple,
)


class CollectiveStartRuntimeVariables(RuntimeVariables["CollectiveStart"]):
    def names_of(self, op: CollectiveStart) -> tuple[str, ...]:
        return op.twin.runtime_variables.names_of(op.twin)

    def process_values(
        self, op: CollectiveStart, place: GridPosition, fetch_peers: FetchPeers = no_peers
    ) -> tuple[Array | None, ...]:
        return op.twin.runtime_variables.process_values(op.twin, place, fetch_peers)


class CollectiveStartStorage(Storage["CollectiveStart"]):
    def shared_part(self, op: CollectiveStart, result: int, path: tuple[int, ...] = ()) -> Part | None:
        if path[:1] != (GIVEN,):
            return None
        return (path[1], path[2:]) if Values(op.given, op.result.types[GIVEN]).is_tuple else (0, path[1:])


@dataclass(frozen=True)
class CollectiveStart(CollectiveOp):
    """Base of the starts whose result is a tuple of operands and outputs."""

    findings = Findings(moves_elements=True)
    explanation = Explanation(gives_placeholders=True, outcome_path=(OUTPUT,))
    runtime_variables = CollectiveStartRuntimeVariables()
    storage = CollectiveStartStorage()

    operands: tuple[Type, ...]
    result: TupleType

    @cached_property
    def twin(self) -> CollectiveOp:
        """The whole op on the operands, whose types `operand_constraints` checks."""
        raise NotImplementedError

    def operand_constraints(self) -> Iterator[Constraint]:
        """The constraint that the operands have a twin."""
        yield "", len(self.operands) > 0, "needs at least one operand"
        for number, found in enumerate(self.operands):
            yield "", isinstance(found, TensorType), f"operand {number} must be a tensor, not {found}"

    @property
    def given(self) -> tuple[Type, ...]:
        """The types of the tuple's first element."""
        return self.operands

    @property
    def output_types(self) -> tuple[Type, ...]:
        """The types of the outputs."""
        found = self.twin.infer()
        assert found is not None
        return found if isinstance(found, tuple) else (found,)

    def constraints(self) -> Iterator[Constraint]:
        yield from self.operand_constraints()
        yield from start_constraints(self.given, self.result)
        for _, fits, sentence in self.twin.constraints():
            yield "", fits, sentence
        yield output_constraint(self.output_types, self.result)

    @property
    def channel(self) -> int:
        return self.twin.channel

    def peers(self, place: GridPosition) -> Peers | None:
        return self.twin.peers(place)

    def placeholders(self) -> Arrays:
        return self.twin.placeholders()

    def begin(self, operands: Arrays) -> Ask:
        placeholders = self.placeholders()
        return Ask((operands, placeholders), ExecuteCollective(operands, placeholders))

    def resume(self, state: Any, answer: Any) -> Arrays:
        """The start's tuple, with the outputs if they are there already, as in a process that takes no part."""
        operands, outputs = state
        if answer is None:
            outputs = self.twin.resume(operands, None)
        elif isinstance(answer, PeerValues):
            outputs = self.outputs(answer)
        return (self._start_tuple(operands, outputs),)

    def _start_tuple(self, operands: Arrays, outputs: Arrays) -> Array:
        return start_tuple(
            Values(self.given, self.result.types[GIVEN]).pack(operands[: len(self.given)]),
            Values(self.output_types, self.result.types[OUTPUT]).pack(outputs),
            self.result,
        )

    def outputs(self, peer_values: PeerValues) -> Arrays:
        """The outputs of the op that is started."""
        return self.twin.outputs(peer_values)

    def pieces(self, peer_values: PeerValues) -> Iterator[Piece]:
        return self.twin.pieces(peer_values)

    @property
    def whole(self) -> Op:
        return self.twin.whole

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """Tensors in the tuple are counted from 0: the operands, then the outputs."""
        maps = self.twin.inverse_index_maps() if inverse else self.twin.index_maps()
        yield from identity_maps(self.given)
        first_output = sum(map(leaf_count, self.given))
        for each in maps:
            yield replace(each, result=first_output + each.result)

    def on_grid(self, grid: Grid) -> Op:
        """The op with the groups that the started op has on `grid`."""
        twin = self.twin.on_grid(grid)
        stated = {each.name for each in fields(self)} & {"replica_groups", "use_global_device_ids"}
        return replace(self, **{name: getattr(twin, name) for name in stated})

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """The cost of the op that is started."""
        return self.twin.cost(operand_types, self.output_types)


@dataclass(frozen=True)
class AllGatherStart(CollectiveStart):
    """Starts an all-gather: returns the operands, and all operands of a group joined along `all_gather_dim`.

    Of several operands the two are tuples. `all-gather-done` returns the output. XLA operation semantics:
    AllGather.
    """

    name = "hlo.all_gather_start"
    hlo = HloSpelling("all-gather-start", "AllGatherStart")
    section = Section(
        rules=(
            "There is at least one operand.",
            START_RULE,
            CHANNEL,
            *WHOLE_GROUPS,
            (
                "The output differs from an operand along `all_gather_dim` only, where it has the sizes of a "
                "whole group together."
            ),
        ),
    )

    all_gather_dim: int
    replica_groups: ReplicaGroups
    channel_handle: ChannelHandle | None = None
    use_global_device_ids: bool = False

    @cached_property
    def twin(self) -> AllGather:
        return AllGather(
            _tensors(self.operands),
            self.all_gather_dim,
            self.replica_groups,
            self.channel_handle,
            self.use_global_device_ids,
            _tensors(parts(self.result.types[OUTPUT])),
            replicas_first=True,
        )


_DONE_RULES = (
    "`operand` is a tuple of the operands and the output.",
    "The result's type is that of its element 1.",
)


@dataclass(frozen=True)
class AllGatherDone(Awaiting, Taking):
    """Waits for the all-gather that `all-gather-start` has started, and returns its output.

    XLA operation semantics: AllGather.
    """

    name = "hlo.all_gather_done"
    hlo = HloSpelling("all-gather-done", "AllGatherDone")
    section = Section(rules=_DONE_RULES)


@dataclass(frozen=True)
class AllReduceStart(AllReduce):
    """Starts an all-reduce, and returns its output: unlike other starts this one does not return its operands.

    `all-reduce-done` waits for it. Rules and semantics are those of StableHLO's `all_reduce`; but a
    computation for which NumPy has no routine runs here, and not while other ops run. XLA operation semantics:
    AllReduce.
    """

    name = "hlo.all_reduce_start"
    hlo = replace(AllReduce.hlo, opcode="all-reduce-start", xla_name="AllReduceStart")
    explanation = replace(AllReduce.explanation, gives_placeholders=True)
    section = replace(
        AllReduce.section,
        rules=(
            CHANNEL,
            *WHOLE_GROUPS,
            COMBINER,
            "The result's type is that of the operand; of several operands it is a tuple.",
        ),
    )

    replicas_first: bool = field(default=True, metadata={"settled": True})
    """There is no other form in HLO text."""

    def begin(self, operands: Arrays) -> Ask | Arrays:
        if not self.deferrable:
            return super().begin(operands)
        placeholders = self.placeholders()
        return Ask(placeholders, ExecuteCollective(operands, placeholders))

    def resume(self, state: Any, answer: Any) -> Ask | Arrays:
        started: Ask | Arrays = state
        return started if answer == () else super().resume(state, answer)

    @property
    def whole(self) -> Op:
        return AllReduce(**{each.name: getattr(self, each.name) for each in fields(AllReduce)})


@dataclass(frozen=True)
class AllReduceDone(Awaiting, Identity):
    """Waits for the all-reduce that `all-reduce-start` has started, and returns its output, for which `operand` stands.

    XLA operation semantics: AllReduce.
    """

    name = "hlo.all_reduce_done"
    hlo = HloSpelling("all-reduce-done", "AllReduceDone")


@dataclass(frozen=True)
class CollectivePermuteStart(CollectiveStart):
    """Starts a collective-permute: returns the operands, and the values from the source of a pair.

    Of several operands the two are tuples. With `slice_sizes` the operands are the four of the form in place, and
    the two are its `input`, and its `output` with the received slices. `collective-permute-done` returns the output.
    XLA operation semantics: CollectivePermute.
    """

    name = "hlo.collective_permute_start"
    hlo = HloSpelling("collective-permute-start", "CollectivePermuteStart")
    section = Section(
        rules=(
            "There is at least one operand; with `slice_sizes` there are the four of the form in place.",
            START_RULE,
            "Each row of `source_target_pairs` is a pair of ids, none of which is negative.",
            "No process is a source twice, and none a target twice.",
            "The output has the operands' types; with `slice_sizes` that of `output`.",
        ),
    )

    source_target_pairs: IdTable
    channel_handle: ChannelHandle | None = None
    slice_sizes: tuple[tuple[int, ...], ...] | None = None

    @cached_property
    def twin(self) -> CollectiveOp:
        if self.slice_sizes is None:
            return CollectivePermutes(_tensors(self.operands), self.source_target_pairs, self.channel_handle)
        given, kept, taken_from, put_at = self.operands
        assert isinstance(taken_from, TupleType)
        assert isinstance(put_at, TupleType)
        return CollectivePermuteInPlace(
            *(given, kept, taken_from, put_at),
            self.source_target_pairs,
            self.slice_sizes,
            self.channel_handle,
        )

    @property
    def given(self) -> tuple[Type, ...]:
        return self.operands if self.slice_sizes is None else self.operands[:1]

    def operand_constraints(self) -> Iterator[Constraint]:
        if self.slice_sizes is None:
            yield from super().operand_constraints()
            return
        count = len(self.operands)
        yield "", count == 4, f"with slice_sizes there are 4 operands, not {count}"
        for number, found in enumerate(self.operands[2:], 2):
            yield (
                "",
                isinstance(found, TupleType),
                f"operand {number} must be a tuple of indices, not {found}",
            )


@dataclass(frozen=True)
class CollectivePermuteDone(Awaiting, Taking):
    """Waits for the collective-permute that `collective-permute-start` has started, and returns its output.

    XLA operation semantics: CollectivePermute.
    """

    name = "hlo.collective_permute_done"
    hlo = HloSpelling("collective-permute-done", "CollectivePermuteDone")
    section = Section(rules=_DONE_RULES)


def _tensors(types: tuple[Type, ...]) -> tuple[TensorType, ...]:
    return tuple(found for found in types if isinstance(found, TensorType))
