"""collective_broadcast: what one process of a group has, all of it get."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ...errors import RunError
from ...indexing import OperandMap, broadcast_map, inverse_broadcast_map
from ...indexing.op_maps.collective_maps import inverse_root_map, inverse_rooted_map, root_map, rooted_map
from ...ir.element_types import I32
from ...ir.types import TensorType
from ..core.exchanges import Arrays, GridPosition, Peers, PeerValues, Piece
from ..core.facets import HloSpelling, Section, Traffic
from ..core.facets.findings import Findings
from ..core.kinds import TENSOR_OR_PER_TENSOR, holds
from ..core.op import Constraint, Op
from ..core.process_groups import Grid, ReplicaGroups
from .collective_rules import (
    ChannelHandle,
    GroupedCollective,
    group_constraints,
    placed_map,
    whole_box,
    zeros,
)


class Broadcast(GroupedCollective):
    """Common base of collective_broadcast and its form with several operands."""

    findings = Findings(moves_elements=True)
    traffic = Traffic(is_direct=True)

    may_leave_out = True
    channel_handle: ChannelHandle | None

    def peers(self, place: GridPosition) -> Peers | None:
        """The processes of the group; `None` without any group, when no process takes part."""
        return super().peers(place) if self.replica_groups.ids else None

    def results_outside_groups(self) -> Arrays:
        return tuple(zeros(found) for found in self.operand_types if isinstance(found, TensorType))

    def outputs(self, peer_values: PeerValues) -> Arrays:
        return peer_values.brought[0]

    def pieces(self, peer_values: PeerValues) -> Iterator[Piece]:
        for number, value in enumerate(peer_values.brought[0]):
            yield Piece(0, number, whole_box(value), number, whole_box(value))

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """The elements of the group's first process; without any group, none."""
        make = inverse_broadcast_map if inverse else broadcast_map
        for number, found in enumerate(self.operand_types if self.replica_groups.ids else ()):
            if isinstance(found, TensorType):
                yield placed_map(number, make(found.sizes, self.group), number)

    def on_grid(self, grid: Grid) -> Op:
        """The op on `grid`; without a group no process takes part, on any grid."""
        return self


@dataclass(frozen=True)
class CollectiveBroadcast(Broadcast):
    """Gives every process of a group the operand of the group's first process; zeros to processes of no group.

    With `has_dynamic_root` there may be several operands, and behind them one more: for each of them the place in the
    group of the process that has it, about which all must agree. The groups are those of cross_replica, with a
    channel of cross_partition. A quantized zero is the integer that stands for it. Specification:
    collective_broadcast, which knows nothing of roots yet.
    """

    name = "stablehlo.collective_broadcast"
    hlo = HloSpelling("collective-broadcast", "CollectiveBroadcast", packs_results=True)
    section = Section(
        input_labels={"operand": "I1", "replica_groups": "I2", "channel_handle": "I3"},
        result_labels={"shape": "C3", "element_type": "C3"},
    )
    group_labels: ClassVar = ("C1", "", "C2")

    operand: TensorType
    replica_groups: ReplicaGroups
    channel_handle: ChannelHandle | None = None
    others: tuple[TensorType, ...] = ()
    """With `has_dynamic_root` further operands, and the roots."""
    has_dynamic_root: bool = False

    @property
    def data(self) -> tuple[TensorType, ...]:
        """The types of the operands that are broadcast."""
        return (self.operand, *self.others[:-1])

    def constraints(self) -> Iterator[Constraint]:
        if not self.has_dynamic_root:
            count = 1 + len(self.others)
            yield "", count == 1, f"takes one operand without has_dynamic_root, not {count}"
        else:
            yield from self._root_constraints()
        for number, found in enumerate(self.data):
            yield holds("I1", f"operand {number}" if number else "operand", found, TENSOR_OR_PER_TENSOR)
        yield from group_constraints(self, covering=False)

    def _root_constraints(self) -> Iterator[Constraint]:
        yield "", len(self.others) > 0, "has_dynamic_root asks for the roots behind the operands"
        roots, count = self.others[-1], len(self.data)
        fits = roots.element_type == I32 and roots.rank == 1 and roots.shape[0] in (None, count)
        yield "", fits, f"the roots must be tensor<{count}xi32>, one for each operand, not {roots}"

    def infer(self) -> TensorType | tuple[TensorType, ...]:
        return self.data[0] if len(self.data) == 1 else self.data

    def results_outside_groups(self) -> Arrays:
        return tuple(map(zeros, self.data))

    def _roots(self, peer_values: PeerValues) -> list[int]:
        """For each operand the place of its root in the group; `RunError` unless all members agree."""
        if not self.has_dynamic_root:
            return [0]
        found: list[int] = peer_values.brought[peer_values.position][-1].tolist()
        for member, (*_, roots) in enumerate(peer_values.brought):
            if roots.tolist() != found:
                sentence = f"the roots are {found} at place {peer_values.position} of the group and {roots.tolist()} at place {member}"
                raise RunError(f"{sentence}: all must agree")
        size = len(peer_values.brought)
        if any(not 0 <= root < size for root in found):
            raise RunError(f"the roots {found} must be places in the group, from 0 to {size - 1}")
        return found

    def outputs(self, peer_values: PeerValues) -> Arrays:
        return tuple(
            peer_values.brought[root][number] for number, root in enumerate(self._roots(peer_values))
        )

    def pieces(self, peer_values: PeerValues) -> Iterator[Piece]:
        for number, root in enumerate(self._roots(peer_values)):
            value = peer_values.brought[root][number]
            yield Piece(root, number, whole_box(value), number, whole_box(value))

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """The elements of the root's operand; every element is there because of its root's number."""
        maps = self._maps if self.has_dynamic_root else super().directed_maps
        return maps(inverse=inverse)

    def _maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        roots = len(self.data)
        for number, found in enumerate(self.data if self.replica_groups.ids else ()):
            make = inverse_rooted_map if inverse else rooted_map
            yield placed_map(number, make(found.sizes, self.group, roots, number), number)
            of_root = (
                inverse_root_map(found.sizes, self.group, number, roots)
                if inverse
                else root_map(found.sizes, self.group, number)
            )
            yield OperandMap(roots, of_root, number)
