"""Base of the collective ops: constraints of their fields, their participants, and their results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from ...errors import RunError
from ...indexing import UNDEFINED, Group, OperandMap, PlacedMap, all_gather_map, inverse_all_gather_map
from ...indexing.op_maps.collective_maps import GROUP_SIZE, OWN_PLACE
from ...ir.attribute_values import ROW_PADDING
from ...ir.element_types import QuantizedType
from ...ir.types import Dimension, TensorType, TupleType, Type
from ..core.exchanges import (
    Arrays,
    Box,
    ExecuteCollective,
    FetchPeers,
    GridPosition,
    Peers,
    PeerValues,
    Piece,
    no_peers,
)
from ..core.facets import Rounding, RuntimeVariables
from ..core.facets.rounding import GreatestErrorRounding
from ..core.op import Array, Ask, AskingOp, Constraint, Cost, Op, merged_shape, shapes_agree
from ..core.process_groups import (
    Grid,
    Groups,
    IdTable,
    ProcessId,
    ReplicaGroups,
    Strategy,
    replicas_or_partitions,
    spell_count,
)
from ..core.quantization import quantize
from ..core.rules import format_list, is_unique
from ..core.values import read_only, token, tuple_of
from .mismatches import mismatch_of

# Constraints as sentences for pages, where several collectives share them that have no section in the specification.


CHANNEL = "With `use_global_device_ids` there is a channel with a positive number, and `replica_groups` is not empty."
WHOLE_GROUPS = (
    "No id appears twice in `replica_groups`.",
    "The ids in `replica_groups` are those from 0 on, without a gap; a run must have exactly as many processes.",
)
"""Rules for ops in which every process takes part."""
SOME_GROUPS = (
    "No id appears twice in `replica_groups`, and none is negative; not every process needs to be in a group."
)
"""Rules for ops in which some processes may not take part."""
COMBINER = "`computation` takes two scalars and returns one, all of a type to which the operands' elements can be promoted."


MOST_MEMBERS = 256
"""As many processes as a group may have where nothing but the grid says how many it has: the default limit of a run."""


@dataclass(frozen=True)
class ChannelHandle:
    """`#stablehlo.channel_handle<handle = …, type = …>`: the channel's id, and which ends it has."""

    mnemonic: ClassVar[str] = "channel_handle"

    handle: int
    type: int


def channel_id(handle: ChannelHandle | None) -> int:
    """The channel's id; 0, which is none, where nothing is stated."""
    return handle.handle if handle else 0


class CollectiveOp(AskingOp):
    """An op that several processes execute together: each contributes its operands and receives its results."""

    rounding: ClassVar[Rounding[Any]] = GreatestErrorRounding()
    deciding_operands: ClassVar[tuple[int, ...]] = ()
    """The operands whose values decide which elements move; `pieces` reads them."""

    @property
    def channel(self) -> int:
        """The channel's id; 0 for none."""
        return channel_id(getattr(self, "channel_handle", None))

    def peers(self, place: GridPosition) -> Peers | None:
        """The peers of the process, or `None` if it takes no part; `RunError` for ids of no process."""
        raise NotImplementedError

    def results_outside_groups(self) -> Arrays:
        """The results of a process that takes no part."""
        raise NotImplementedError(f"all processes take part in {self.name}")

    def outputs(self, peer_values: PeerValues) -> Arrays:
        """The results of this process, from the values of all that it waits for."""
        raise NotImplementedError

    def placeholders(self) -> Arrays:
        """New arrays that stand for the results."""
        found = self.infer() or ()
        inferred = found if isinstance(found, tuple) else (found,)
        result = getattr(self, "result", None)
        stated = getattr(self, "results", ()) or (result and (result,)) or inferred
        return tuple(blank_value(_merge_sizes(*pair)).view() for pair in zip(inferred, stated, strict=True))

    @property
    def deferrable(self) -> bool:
        """Whether it can be started now and finished later: whether `outputs` is all that is left to do then."""
        return True

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return Ask(None, ExecuteCollective(operands))

    def resume(self, state: Any, answer: Any) -> Ask | tuple[Array, ...]:
        return self.results_outside_groups() if answer is None else self.outputs(answer)

    def pieces(self, peer_values: PeerValues) -> Iterator[Piece]:
        """The pieces of this process's `outputs`: which box of whose operand becomes which box; later ones
        overwrite earlier.
        """
        return iter(())

    @property
    def whole(self) -> Op:
        """The op that peers compare with theirs."""
        return self

    def mismatch(self, other: CollectiveOp) -> str | None:
        """The difference from the op of a peer, as the end of a sentence; `None` if the two match.

        "Here" is this op, "there" the other: `operand 0 is tensor<4xf32> here and tensor<8xf32> there`.
        """
        return mismatch_of(self.whole, other.whole)


def _merge_sizes(inferred: Type, stated: Type) -> Type:
    """The inferred type with sizes that only the stated one knows; a size that neither knows is 0, for a
    placeholder.
    """
    if not isinstance(inferred, TensorType) or not isinstance(stated, TensorType):
        return inferred
    shape = merged_shape(inferred.shape, stated.shape)
    return TensorType(tuple(size or 0 for size in shape), inferred.element_type)


class GroupedCollectiveRuntimeVariables(RuntimeVariables["GroupedCollective"]):
    def process_values(
        self, op: GroupedCollective, place: GridPosition, fetch_peers: FetchPeers = no_peers
    ) -> tuple[Array | None, ...]:
        """The place of the process in its group, -1 in none, and how many processes that has."""
        peers = op.peers(place)
        own, size = (peers.group.index(place.process), len(peers.group)) if peers else (-1, 0)
        return np.array(own), np.array(size)


class GroupedCollective(CollectiveOp):
    """Base of the collective ops with process groups."""

    replica_groups: ReplicaGroups
    group_labels: ClassVar[tuple[str, str, str]]
    """Labels of three constraints: ids are unique, all ids are listed, and each id exists."""
    may_leave_out: ClassVar[bool] = False
    """Whether a process may be in no group."""
    runtime_variables: ClassVar[RuntimeVariables[Any]] = GroupedCollectiveRuntimeVariables(
        names=(OWN_PLACE, GROUP_SIZE)
    )

    @property
    def strategy(self) -> Strategy:
        """The strategy that makes process groups from `replica_groups`: of partitions with a channel, else of replicas."""
        return replicas_or_partitions(self.channel)

    @property
    def members(self) -> int | None:
        """The size of a group, unless it depends on the grid."""
        depends = self.strategy.takes_all_partitions or not self.replica_groups.ids
        return None if depends else self.replica_groups.width

    def peers(self, place: GridPosition) -> Peers | None:
        found = _peers(self.replica_groups, self.strategy, place.grid, self.group_labels)
        peers = found.get(place.process)
        if peers is not None:
            self.check_members(len(peers.group))
        elif not self.may_leave_out:
            raise RunError(_left_out(place.process), label=self.group_labels[1])
        return peers

    def check_members(self, members: int) -> None:
        """Raise `RunError` if a group of that many processes cannot execute the op."""

    def process_groups(self, grid: Grid) -> Groups:
        """The groups on `grid`; `RunError` if there are no such processes, or others as well."""
        return _groups(self.replica_groups, self.strategy, grid, self.group_labels)

    @property
    def group(self) -> Group:
        """The group in the words of index maps."""
        padded = any(ROW_PADDING in row for row in self.replica_groups.rows)
        own = self.first_auxiliary
        fixed = self.members is not None and not padded
        return Group(self.members or MOST_MEMBERS, own, fixed, self.may_leave_out)

    def on_grid(self, grid: Grid) -> Op:
        """The op with all groups stated in full, where they depend on the grid."""
        if self.members is not None:
            return self
        if not self.strategy.takes_all_partitions:
            return replace(self, replica_groups=self._all_of(grid))  # type: ignore[type-var]
        count = grid.num_partitions
        rows = [
            [found.replica_id * count + found.partition_id for found in group]
            for group in self.process_groups(grid)
        ]
        width = max(map(len, rows), default=0)
        padded = [[*row, *[ROW_PADDING] * (width - len(row))] for row in rows]
        groups = ReplicaGroups.of(*padded)
        return replace(self, replica_groups=groups, use_global_device_ids=True)  # type: ignore[type-var]

    def _all_of(self, grid: Grid) -> ReplicaGroups:
        return ReplicaGroups.of(range(self.strategy.id_count(grid)))

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """Elements are moved; nothing is computed."""
        return Cost(0, super().cost(operand_types, result_types).result_bytes)


def placed_map(operand: int, found: PlacedMap, result: int = 0) -> OperandMap:
    """The map between an operand and a result, with the place of the process that it leads to."""
    index_map, place = found
    return OperandMap(operand, index_map, result, place)


def gathered_map(
    op: GroupedCollective, number: int, part: TensorType, whole: TensorType, dimension: int, *, to_part: bool
) -> OperandMap:
    """The map between the part of one process along `dimension` and the whole of its group, from the whole if `to_part`."""
    if not (part.is_static and whole.is_static):  # the group's size is the grid's: see `on_grid`
        return OperandMap(number, UNDEFINED, number)
    if to_part:
        return placed_map(number, all_gather_map(part.sizes, whole.sizes, dimension), number)
    group = Group(whole.sizes[dimension] // max(1, part.sizes[dimension]), op.group.first)
    return placed_map(number, inverse_all_gather_map(part.sizes, dimension, group), number)


def _left_out(process: ProcessId) -> str:
    where = f"replica {process.replica_id}, partition {process.partition_id}"
    return f"replica_groups has no group with this process ({where}): every process of the run must be in one"


def _groups(
    replica_groups: ReplicaGroups, strategy: Strategy, grid: Grid, labels: tuple[str, str, str]
) -> Groups:
    _, covering, existing = labels
    replica_groups.check("replica_groups", strategy, grid, existing)
    count, stated = strategy.id_count(grid), len(replica_groups.ids)
    if covering and stated not in (0, count):
        raise RunError(
            f"replica_groups names {stated} of the run's {spell_count(count, strategy.noun)}", label=covering
        )
    return replica_groups.on(strategy, grid)


@lru_cache(maxsize=1024)  # all processes of a grid ask for the same again and again
def _peers(
    replica_groups: ReplicaGroups, strategy: Strategy, grid: Grid, labels: tuple[str, str, str]
) -> Mapping[ProcessId, Peers]:
    """For each process that is in a group, the processes of that group."""
    groups = _groups(replica_groups, strategy, grid, labels)
    peers = [Peers(group, group) for group in groups]
    return {process: found for found in peers for process in found.group}


def group_constraints(
    op: GroupedCollective, *, padded: bool = False, covering: bool = True
) -> Iterator[Constraint]:
    """Constraints that ids are unique and below their number; only the run knows the processes.

    With `covering`, all ids must be listed. `padded` rows may be shorter than others.
    """
    unique, all_ids, existing = op.group_labels
    ids = [found for row in op.replica_groups.rows for found in row if not (padded and found == ROW_PADDING)]
    shown = format_list(format_list(row) for row in op.replica_groups.rows[:8])
    yield unique, is_unique(ids), f"replica_groups {shown} has an id twice"
    if covering and op.strategy is Strategy.FLATTENED_IDS:
        yield all_ids, bool(ids), "replica_groups must name all processes, since use_global_device_ids is set"
    count = len(ids)
    sentence = f"replica_groups {shown} must have the ids 0 to {count - 1}, each once"
    if not covering:
        sentence = f"replica_groups {shown} must not have negative ids"
    yield existing, all(found >= 0 and (found < count or not covering) for found in ids), sentence


def global_ids_constraint(label: str, stated: bool, handle: ChannelHandle | None) -> Constraint:
    """`use_global_device_ids` asks for a channel."""
    sentence = f"use_global_device_ids needs a channel: the handle must be positive, not {channel_id(handle)}"
    return label, not stated or channel_id(handle) > 0, sentence


def check_shape(number: int, shape: Sequence[Dimension], wanted: Type, label: str) -> None:
    """`RunError` if a result has not the sizes that the text states: they depend on the grid."""
    if isinstance(wanted, TensorType) and not shapes_agree(tuple(shape), wanted.shape):
        raise RunError(
            f"result {number} has shape {format_list(shape)} in this run, not {format_list(wanted.shape)}",
            label=label,
        )


def pair_constraints(pairs: IdTable) -> Iterator[Constraint]:
    """C1 to C4 of all ops that have `source_target_pairs`; how many processes there are, the run knows."""
    shown = format_list(format_list(row) for row in pairs.rows[:8])
    yield "C1", pairs.width == 2, f"source_target_pairs must be pairs, not rows of {pairs.width}"
    yield "C2", is_unique([source for source, _ in pairs.rows]), f"a source is twice in {shown}"
    yield "C3", is_unique([target for _, target in pairs.rows]), f"a target is twice in {shown}"
    sentence = f"source_target_pairs {shown} must not have negative ids"
    yield "C4", all(found >= 0 for row in pairs.rows for found in row), sentence


def zeros(found: TensorType) -> Array:
    """Zeros of a type; of a quantized one the integers that stand for zero."""
    element_type = found.element_type
    if isinstance(element_type, QuantizedType):
        zero = quantize(np.zeros((), element_type.expressed.dtype), element_type)
    else:
        zero = np.zeros((), element_type.dtype)
    return np.broadcast_to(zero, found.sizes)


def blank_value(found: Type) -> Array:
    """A value of which only the type is known: zeros, tokens, tuples of these."""
    if isinstance(found, TupleType):
        return tuple_of([blank_value(item) for item in found.types])
    return zeros(found) if isinstance(found, TensorType) else token()


def whole_box(value: Array) -> Box:
    """The box that is all of a tensor."""
    return Box((0,) * value.ndim, value.shape)


def part_box(shape: Sequence[int], dimension: int, number: int, size: int) -> Box:
    """Part `number` of a tensor that is cut along a dimension into parts of one size."""
    start, sizes = [0] * len(shape), list(shape)
    start[dimension], sizes[dimension] = number * size, size
    return Box(tuple(start), tuple(sizes))


def cut(value: Array, box: Box) -> Array:
    """The elements in a box: a view, also of a scalar."""
    within: list[Any] = [slice(start, start + size) for start, size in zip(box.start, box.sizes, strict=True)]
    found: Array = value[(*within, ...)]
    return found


def share(values: Sequence[Array]) -> Arrays:
    """Makes values read-only, since several processes get the same arrays; gives them back."""
    return tuple(map(read_only, values))
