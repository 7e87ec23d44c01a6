"""collective-permute of slices, which are put into buffers that are there already."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...indexing import OperandMap
from ...ir.types import TensorType, TupleType, Type, parts
from ..collectives.collective_rules import ChannelHandle, pair_constraints, whole_box
from ..collectives.permutes import Permute
from ..core.exchanges import (
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
from ..core.op import Array, Ask, Constraint, Cost
from ..core.process_groups import IdTable
from ..core.rules import format_list
from ..core.values import is_tuple, read_only, tuple_of
from .in_place_maps import (
    InPlaceIndexing,
    Window,
    auxiliary_names,
    slices_in_buffers,
    start_table,
    visible_elements,
)

_OUTPUT = 1
"""The number of operand `output`."""
_MOST_RANK = 64
"""Maximum rank of a NumPy array."""


class CollectivePermuteInPlaceRuntimeVariables(RuntimeVariables["CollectivePermuteInPlace"]):
    def names_of(self, op: CollectivePermuteInPlace) -> tuple[str, ...]:
        return (*self.names, *auxiliary_names(len(parts(op.output)), len(op.slice_sizes)))

    def process_values(
        self, op: CollectivePermuteInPlace, place: GridPosition, fetch_peers: FetchPeers = no_peers
    ) -> tuple[Array | None, ...]:
        """The starts of slices in the other processes and which elements of them are visible, as the others
        brought them.
        """
        ends = Permute.runtime_variables.process_values(op, place, fetch_peers)
        peer_values = fetch_peers() if op.peers(place) else None
        if peer_values is None:
            alone = slices_in_buffers(_sizes(op.output), ())
            unknown = op.peers(place) is not None
            found = [op._starts([]), op._starts([])]
            masks = [np.zeros(_sizes(op.input)[buffer]) for buffer, _ in op._slices]
            return *ends, *(None if unknown else each for each in (*found, *alone, *alone, *masks))
        source, target = (None if end is None or end < 0 else peer_values.brought[int(end)] for end in ends)
        own_taken, own_put = op._taken_and_put(peer_values.brought[peer_values.position])
        come = op._taken_and_put(source)[0] if source else []
        put_there = op._taken_and_put(target)[1] if target else []
        here = slices_in_buffers(_sizes(op.output), own_put if source else ())
        there = slices_in_buffers(_sizes(op.output), put_there)
        masks = visible_elements(_sizes(op.input), own_taken if target else (), put_there, there)
        masks = masks or [np.zeros(_sizes(op.input)[buffer]) for buffer, _ in op._slices]
        return *ends, op._starts(come), op._starts(put_there), *here, *there, *masks


@dataclass(frozen=True)
class CollectivePermuteInPlace(Permute):
    """Sends slices of `input` from the source to the target of each pair, which puts them into its `output`.

    Slice number k has the sizes `slice_sizes[k]`. It begins at the indices that `input_start_indices` have for it,
    a tuple of one i32 for each dimension, and is put where `output_start_indices` say; of several slices there is
    a tuple of such tuples. `input` and `output` may be tuples of tensors: then both operands of indices have such
    a value for each of them, and the slices of the first come first. A process that is no target keeps its
    `output`. Indices are clamped so that slices lie within the tensors, as those of dynamic-slice are. XLA
    operation semantics: CollectivePermute, `inplace`.
    """

    name = "hlo.collective_permute_in_place"
    storage = UpdatingStorage(first_updated=1)
    traffic = Traffic(is_direct=True, sent_operands=1)
    hlo = HloSpelling("collective-permute", "CollectivePermute")
    section = Section(
        rules=(
            (
                "`input` and `output` are tensors of known sizes, or tuples of as many; those in the same "
                "place hold elements of one type."
            ),
            "`input_start_indices` and `output_start_indices` have an integer for each dimension of each slice.",
            "There are as many rows in `slice_sizes` as slices, and each slice fits into its tensors.",
            "Each row of `source_target_pairs` is a pair of ids, none of which is negative.",
            "No process is a source twice, and none a target twice.",
            "The result's type is that of `output`.",
        )
    )
    runtime_variables = CollectivePermuteInPlaceRuntimeVariables(names=Permute.runtime_variables.names)

    input: Type
    output: Type
    input_start_indices: TupleType
    output_start_indices: TupleType
    source_target_pairs: IdTable
    slice_sizes: tuple[tuple[int, ...], ...]
    channel_handle: ChannelHandle | None = None

    def constraints(self) -> Iterator[Constraint]:
        yield from self._buffer_constraints()
        for name, start_indices, buffers in (
            ("input_start_indices", self.input_start_indices, parts(self.input)),
            ("output_start_indices", self.output_start_indices, parts(self.output)),
        ):
            yield from self._index_constraints(name, start_indices, buffers)
        for _, fits, sentence in pair_constraints(self.source_target_pairs):
            yield "", fits, sentence

    def _buffer_constraints(self) -> Iterator[Constraint]:
        for name, found in (("input", self.input), ("output", self.output)):
            for buffer in parts(found):
                known = isinstance(buffer, TensorType) and buffer.is_static
                yield "", known, f"{name} must be of tensors of known sizes, not {found}"
        given, made = parts(self.input), parts(self.output)
        alike = isinstance(self.input, TupleType) == isinstance(self.output, TupleType)
        sentence = f"input and output must be as many tensors, not {self.input} and {self.output}"
        yield "", alike and len(given) == len(made), sentence
        for source, target in zip(given, made, strict=True):
            assert isinstance(source, TensorType)
            assert isinstance(target, TensorType)
            sentence = f"output holds {target.element_type}, the input for it {source.element_type}"
            yield "", source.element_type == target.element_type, sentence

    def _index_constraints(
        self, name: str, start_indices: TupleType, buffers: Sequence[Type]
    ) -> Iterator[Constraint]:
        per_buffer = start_indices.types if isinstance(self.input, TupleType) else (start_indices,)
        count = len(buffers)
        sentence = f"{name} must be a tuple of {count} tuples, one for each tensor, not {start_indices}"
        tuples = all(isinstance(found, TupleType) for found in per_buffer)
        yield "", len(per_buffer) == count and tuples, sentence
        slices = [
            (buffer, found)
            for buffer, given in zip(buffers, per_buffer, strict=True)
            for found in _slices(given)
        ]
        count = len(self.slice_sizes)
        yield "", len(slices) == count, f"{name} has {len(slices)} slices, but slice_sizes {count}"
        for sizes, (buffer, indices) in zip(self.slice_sizes, slices, strict=True):
            assert isinstance(buffer, TensorType)
            scalars = all(isinstance(found, TensorType) and _is_index(found) for found in indices)
            sentence = (
                f"{name} must be integers, one for each dimension of {buffer}, not {format_list(indices)}"
            )
            yield "", scalars and len(indices) == buffer.rank, sentence
            fits = len(sizes) == buffer.rank and all(
                0 <= size <= whole for size, whole in zip(sizes, buffer.sizes, strict=True)
            )
            yield "", fits, f"a slice of {format_list(sizes)} does not fit into {buffer}"

    def infer(self) -> Type:
        return self.output

    def begin(self, operands: Arrays) -> Ask:
        return Ask(operands, ExecuteCollective(operands))

    def resume(self, state: Any, answer: Any) -> Ask | Arrays:
        """A process that is in no pair keeps its `output`."""
        return state[_OUTPUT : _OUTPUT + 1] if answer is None else self.outputs(answer)

    def outputs(self, peer_values: PeerValues) -> Arrays:
        _, kept, _, put_at = peer_values.brought[peer_values.position]
        source = self.source(peer_values)
        if source is None:
            return (kept,)
        given, _, taken_from, _ = peer_values.brought[source]
        return (self.write_slices(kept, put_at, self.read_slices(given, taken_from)),)

    def pieces(self, peer_values: PeerValues) -> Iterator[Piece]:
        """The pieces of the existing output, and those put over it; tensors in tuples count from 0."""
        _, kept, _, put_at = peer_values.brought[peer_values.position]
        buffers, source = _buffers(kept), self.source(peer_values)
        for number, buffer in enumerate(buffers):
            yield Piece(
                peer_values.position, len(buffers) + number, whole_box(buffer), number, whole_box(buffer)
            )
        if source is not None:
            given, _, taken_from, _ = peer_values.brought[source]
            reads = self._windows(_buffers(given), taken_from)
            for (read_from, read), (written_to, written) in zip(
                reads, self._windows(buffers, put_at), strict=True
            ):
                yield Piece(source, read_from, _box(read), written_to, _box(written))

    def read_slices(self, given: Array, start_indices: Array) -> list[Array]:
        """The slices that a process sends."""
        buffers = _buffers(given)
        return [buffers[number][window] for number, window in self._windows(buffers, start_indices)]

    def write_slices(self, kept: Array, start_indices: Array, slices: Sequence[Array]) -> Array:
        """`output` with the slices that a process receives."""
        buffers = [buffer.copy() for buffer in _buffers(kept)]
        windows = self._windows(buffers, start_indices)
        for (number, window), part in zip(windows, slices, strict=True):
            buffers[number][window] = part
        return tuple_of(list(map(read_only, buffers))) if is_tuple(kept) else buffers[0]

    def _windows(self, buffers: Sequence[Array], start_indices: Array) -> Iterator[tuple[int, Window]]:
        """For each slice the number of its buffer, and its window there."""
        sizes = iter(self.slice_sizes)
        per_buffer = start_indices if isinstance(self.input, TupleType) else (start_indices,)
        for number, (buffer, found) in enumerate(zip(buffers, per_buffer, strict=True)):
            several = len(found) > 0 and is_tuple(found[0])
            for indices in found if several else (found,):
                yield number, _window(buffer.shape, indices, next(sizes))

    def _starts(self, windows: Sequence[tuple[int, Window]]) -> Array:
        return start_table(windows) if windows else np.zeros((len(self.slice_sizes), _MOST_RANK), np.int64)

    def _taken_and_put(self, brought: Arrays) -> tuple[list[tuple[int, Window]], list[tuple[int, Window]]]:
        """The windows of the slices that a process sends, and the windows that it puts received ones into."""
        given, kept, taken_from, put_at = brought
        return (list(self._windows(_buffers(given), taken_from)), list(self._windows(_buffers(kept), put_at)))

    @property
    def _slices(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """For each slice the number of its buffer, and its sizes."""
        per_buffer = (
            self.input_start_indices.types
            if isinstance(self.input, TupleType)
            else (self.input_start_indices,)
        )
        buffers = [number for number, found in enumerate(per_buffer) for _ in _slices(found)]
        return tuple(zip(buffers, self.slice_sizes, strict=True))

    @property
    def _indexing(self) -> InPlaceIndexing:
        return InPlaceIndexing(_sizes(self.input), _sizes(self.output), self._slices, self.source_operand)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """Tensors and indices in tuples are counted one by one."""
        return self._indexing.maps(inverse=inverse)

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """The outputs are copied."""
        return Cost(0, sum(found.byte_count for found in parts(self.output) if isinstance(found, TensorType)))


def _slices(found: Type) -> list[tuple[Type, ...]]:
    """The types of the indices of each slice of one tensor."""
    inner = parts(found)
    several = len(inner) > 0 and all(isinstance(item, TupleType) for item in inner)
    return [parts(item) for item in inner] if several else [inner]


def _sizes(found: Type) -> tuple[tuple[int, ...], ...]:
    return tuple(part.sizes for part in parts(found) if isinstance(part, TensorType))


def _is_index(found: TensorType) -> bool:
    return found.rank == 0 and found.element_type.is_integer


def _buffers(value: Array) -> list[Array]:
    return list(value) if is_tuple(value) else [value]


def _window(shape: Sequence[int], indices: Array, sizes: Sequence[int]) -> Window:
    starts = (
        int(np.clip(int(index), 0, whole - size))
        for index, whole, size in zip(indices, shape, sizes, strict=True)
    )
    return tuple(slice(start, start + size) for start, size in zip(starts, sizes, strict=True))


def _box(window: Window) -> Box:
    return Box(tuple(found.start for found in window), tuple(found.stop - found.start for found in window))
