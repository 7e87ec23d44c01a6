"""ragged-all-to-all: processes send each other slices of sizes that they compute."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from ...errors import RunError
from ...indexing import OperandMap
from ...ir.types import TensorType
from ..collectives.collective_rules import (
    WHOLE_GROUPS,
    ChannelHandle,
    GroupedCollective,
    whole_box,
)
from ..core.exchanges import (
    Array,
    Arrays,
    Box,
    ExecuteCollective,
    FetchPeers,
    GridPosition,
    PeerValues,
    Piece,
    no_peers,
)
from ..core.facets import HloSpelling, RuntimeVariables, Section, Traffic, UpdatingStorage
from ..core.kinds import INTEGER, TENSOR, holds
from ..core.op import Ask, Constraint, shapes_agree
from ..core.process_groups import ReplicaGroups
from ..core.rules import format_list
from .all_to_all import Exchange
from .ragged_maps import AUXILIARY_NAMES, RaggedIndexing, auxiliary_vectors, no_vectors

_OUTPUT, _EXPECTED = 1, 5
"""The numbers of operands `output` and `recv_sizes`."""
_PLACES = ("input_offsets", "send_sizes", "output_offsets", "recv_sizes")


class RaggedAllToAllRuntimeVariables(RuntimeVariables["RaggedAllToAll"]):
    def process_values(
        self, op: RaggedAllToAll, place: GridPosition, fetch_peers: FetchPeers = no_peers
    ) -> tuple[Array | None, ...]:
        """The rows that are received, sent and kept, which depend on the sizes of the other processes."""
        own, size = GroupedCollective.runtime_variables.process_values(op, place, fetch_peers)
        rows, count = op.output.sizes[0], op.input_offsets.element_count
        if op.peers(place) is None:
            return own, size, *no_vectors(rows, count)
        peer_values = fetch_peers()
        if peer_values is None:
            return own, size, *(None for _ in AUXILIARY_NAMES)

        def slices_of(at: int) -> Iterator[tuple[int, int, int, int]]:
            return op._slices(PeerValues(peer_values.brought, at))

        return (
            own,
            size,
            *auxiliary_vectors(peer_values.position, len(peer_values.brought), rows, count, slices_of),
        )


@dataclass(frozen=True)
class RaggedAllToAll(Exchange):
    """Sends slices of `input` along dimension 0, some to each process of a group, which writes them over `output`.

    The four vectors have as many elements for each process of the group, in its order; or a row for each. Element i
    states what is sent to its process: `send_sizes[i]` elements of `input` from `input_offsets[i]` on, which that
    process writes into its own `output` from `output_offsets[i]` on. Its own `recv_sizes` states how many elements it
    expects from here. Other elements of `output` keep their values. Slices that do not fit, or that are not expected,
    end the run. Groups are of replicas; with a channel they are of partitions. XLA operation semantics:
    RaggedAllToAll.
    """

    name = "hlo.ragged_all_to_all"
    storage = UpdatingStorage(first_updated=1)
    traffic = Traffic(operand_passes=1, sent_operands=1)
    hlo = HloSpelling("ragged-all-to-all", "RaggedAllToAll")
    section = Section(
        rules=(
            "`input` and `output` have at least one dimension, and differ in the size of dimension 0 only.",
            "The four vectors hold integers, are of one shape, and of rank 1 or 2.",
            (
                "The number of slices can be divided by the number of processes in a group; of rank 2 there "
                "is a row for each process."
            ),
            *WHOLE_GROUPS,
            "At run time every slice lies within `input` and `output`, and has the size that its target expects.",
            "The result's type is that of `output`.",
        ),
    )
    may_leave_out = True
    deciding_operands: ClassVar = (2, 3, 4, 5)

    input: TensorType
    output: TensorType
    input_offsets: TensorType
    send_sizes: TensorType
    output_offsets: TensorType
    recv_sizes: TensorType
    replica_groups: ReplicaGroups
    channel_handle: ChannelHandle | None = None

    def constraints(self) -> Iterator[Constraint]:
        given, made = self.input, self.output
        for name, found in (("input", given), ("output", made)):
            yield holds("", name, found, TENSOR)
            yield "", found.rank > 0, f"{name} has no dimension: its rank must be at least 1"
        sentence = f"input is {given}, output {made}: they may differ in dimension 0 only"
        fits = given.element_type == made.element_type and shapes_agree(given.shape[1:], made.shape[1:])
        yield "", fits, sentence
        for name, found in zip(_PLACES, self._places, strict=True):
            yield holds("", name, found, INTEGER)
            yield "", found.rank in (1, 2), f"{name} must have rank 1 or 2, not {found.rank}"
            sentence = f"input_offsets has shape {format_list(self.input_offsets.shape)}, {name} {format_list(found.shape)}"
            yield "", shapes_agree(found.shape, self.input_offsets.shape), f"{sentence}: they must be equal"
        yield from self.exchange_constraints()

    def fits(self, members: int) -> Constraint:
        """The constraint that each process of a group has the same number of slices."""
        count = self.input_offsets.shape[0]
        if self.input_offsets.rank == 1:
            sentence = f"{count} slices cannot be shared out among {members} processes"
            return "", count is None or count % max(members, 1) == 0, sentence
        return (
            "",
            count in (None, members),
            f"there are slices for {count} processes, but the group has {members}",
        )

    @property
    def _places(self) -> tuple[TensorType, ...]:
        return self.input_offsets, self.send_sizes, self.output_offsets, self.recv_sizes

    def infer(self) -> TensorType:
        return self.output

    def begin(self, operands: Arrays) -> Ask:
        return Ask(operands, ExecuteCollective(operands))

    def resume(self, state: Any, answer: Any) -> Ask | Arrays:
        """A process that is in no group keeps its `output`."""
        return state[_OUTPUT : _OUTPUT + 1] if answer is None else self.outputs(answer)

    def outputs(self, peer_values: PeerValues) -> Arrays:
        result = peer_values.brought[peer_values.position][_OUTPUT].copy()
        for sender, start, size, target in self._slices(peer_values):
            result[target : target + size] = peer_values.brought[sender][0][start : start + size]
        return (result,)

    def _slices(self, peer_values: PeerValues) -> Iterator[tuple[int, int, int, int]]:
        """The slices that this process receives: sender, first row there, number of rows, first row here."""
        members = len(peer_values.brought)
        result, expected = (peer_values.brought[peer_values.position][k] for k in (_OUTPUT, _EXPECTED))
        expected = expected.reshape(members, -1)
        for sender, (given, _, *vectors, _) in enumerate(peer_values.brought):
            rows = [vector.reshape(members, -1)[peer_values.position].tolist() for vector in vectors]
            for start, size, target, wanted in zip(*rows, expected[sender].tolist(), strict=True):
                self._check(sender, size, wanted, (start, len(given)), (target, len(result)))
                yield sender, start, size, target

    def pieces(self, peer_values: PeerValues) -> Iterator[Piece]:
        """The pieces of the result: the whole of `output`, then the slices written over it."""
        kept = peer_values.brought[peer_values.position][_OUTPUT]
        yield Piece(peer_values.position, _OUTPUT, whole_box(kept), 0, whole_box(kept))
        beside = kept.shape[1:]
        for sender, start, size, target in self._slices(peer_values):
            read, written = (Box((at, *(0 for _ in beside)), (size, *beside)) for at in (start, target))
            yield Piece(sender, 0, read, 0, written)

    def _check(
        self, sender: int, size: int, wanted: int, source: tuple[int, int], target: tuple[int, int]
    ) -> None:
        """`RunError` if a slice is outside `input`, not expected, or outside `output`."""
        if size != wanted:
            message = f"process {sender} of the group sends {size} elements where recv_sizes expects {wanted}"
            raise RunError(message)
        for name, (start, whole) in (("input", source), ("output", target)):
            if min(start, size) < 0 or start + size > whole:
                inside = f"{name}, which has {whole} along dimension 0"
                raise RunError(f"process {sender} of the group sends {size} elements at {start} of {inside}")

    runtime_variables = RaggedAllToAllRuntimeVariables(
        names=(*GroupedCollective.runtime_variables.names, *AUXILIARY_NAMES)
    )

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        return self._indexing.maps(inverse=inverse)

    @property
    def _indexing(self) -> RaggedIndexing:
        return RaggedIndexing(self.input.sizes, self.output.sizes, self.input_offsets.sizes, self.group)
