"""scatter: writes, or combines, slices into a tensor at places that another tensor holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, ClassVar

import numpy as np

from ..indexing import CellReads, OperandMap, ScatterIndexing
from ..ir.element_types import ElementType
from ..ir.module import Region
from ..ir.types import Dimension, TensorType, Type, is_quantized
from .bodies import (
    UFUNCS,
    Combiner,
    accumulated_types,
    body_constraints,
    combiners,
    operation_count,
    to_destination_type,
)
from .body_reads import accumulations
from .dimension_roles import Roles, named
from .kinds import INTEGER, TENSOR_OR_PER_TENSOR, holds
from .numeric import rounded, widened
from .op import Array, Ask, AskingOp, Constraint, Cost, Op, RunRegion, shapes_agree
from .quiet import quiet
from .rules import agree, at_most, is_sorted, is_unique, listed, merged, within, without
from .scatter_rounds import Rounds, in_rounds, written
from .windows import IndexVectors

Arrays = tuple[Array, ...]


@dataclass(frozen=True)
class ScatterDimensionNumbers:
    """`#stablehlo.scatter<…>`: how dimensions of inputs, scatter_indices and updates belong together."""

    mnemonic: ClassVar[str] = "scatter"

    update_window_dims: tuple[int, ...] = ()
    inserted_window_dims: tuple[int, ...] = ()
    input_batching_dims: tuple[int, ...] = ()
    scatter_indices_batching_dims: tuple[int, ...] = ()
    scatter_dims_to_operand_dims: tuple[int, ...] = ()
    index_vector_dim: int = 0


@dataclass(frozen=True)
class Scatter(AskingOp):
    """Copies of `inputs` in which each element of `updates` is combined with what is at its place.

    Windows of `updates` are placed by the index vectors along `index_vector_dim` of `scatter_indices`.
    `update_computation(current, update)` gives the new value. An element that falls outside is dropped; with
    `drops_whole_windows`, as in HLO text, all of its window is. Where several updates meet, they are applied in
    row-major order of `updates`. Bodies that NumPy has a routine for combine floats below f32 in f32 and round
    once. Specification: scatter.
    """

    name = "stablehlo.scatter"
    found_out: ClassVar[tuple[str, ...]] = ("which update each cell keeps", "which updates stay")
    hlo_opcode = "scatter"
    hlo_note = (
        "An update window that lies partly outside of the input is dropped as a whole; StableHLO drops only "
        "its elements outside."
    )
    xla_name = "Scatter"
    hlo_packs = True
    input_labels: ClassVar = {
        "inputs": "I1",
        "scatter_indices": "I2",
        "updates": "I3",
        "update_window_dims": "I4",
        "inserted_window_dims": "I5",
        "input_batching_dims": "I6",
        "scatter_indices_batching_dims": "I7",
        "scatter_dims_to_operand_dims": "I8",
        "index_vector_dim": "I9",
        "indices_are_sorted": "I10",
        "unique_indices": "I11",
        "update_computation": "I12",
    }
    result_labels: ClassVar = {"shape": "C24", "element_type": "C25"}

    inputs: tuple[TensorType, ...]
    scatter_indices: TensorType
    updates: tuple[TensorType, ...]
    scatter_dimension_numbers: ScatterDimensionNumbers
    update_computation: Region
    indices_are_sorted: bool = False
    unique_indices: bool = False
    drops_whole_windows: bool = False

    def constraints(self) -> Iterator[Constraint]:
        sentence = (
            f"needs as many inputs as updates, at least one, not {len(self.inputs)} and {len(self.updates)}"
        )
        yield "C5", 0 < len(self.inputs) == len(self.updates), sentence
        for number, tensor in enumerate(self.inputs):
            yield holds("I1", f"input {number}", tensor, TENSOR_OR_PER_TENSOR)
        yield holds("I2", "scatter_indices", self.scatter_indices, INTEGER)
        for number, tensor in enumerate(self.updates):
            yield holds("I3", f"update {number}", tensor, TENSOR_OR_PER_TENSOR)
        yield from self._operand_constraints()
        yield from self._window_constraints()
        yield from self._batching_constraints()
        yield from self._index_constraints()
        sentence = f"updates have shape {listed(self._update_shape)}, which {self._update_shape_problem}"
        yield "C4", self._update_shape_problem is None, sentence
        types = [x.element_type for x in self.inputs]
        yield from body_constraints("C23", "update_computation", self.update_computation, types)

    def _operand_constraints(self) -> Iterator[Constraint]:
        shapes = ", ".join(listed(x.shape) for x in self.inputs)
        yield "C1", shapes_agree(*(x.shape for x in self.inputs)), f"inputs differ in shape: {shapes}"
        shapes = ", ".join(listed(x.shape) for x in self.updates)
        yield "C3", shapes_agree(*(x.shape for x in self.updates)), f"updates differ in shape: {shapes}"
        for number, (tensor, update) in enumerate(zip(self.inputs, self.updates, strict=True)):
            sentence = f"input {number} holds {tensor.element_type}, its update {update.element_type}"
            yield "C6", tensor.element_type == update.element_type, sentence

    def _window_constraints(self) -> Iterator[Constraint]:
        n, rank = self.scatter_dimension_numbers, self.inputs[0].rank
        window, inserted, batching = n.update_window_dims, n.inserted_window_dims, n.input_batching_dims
        counts = [len(window), len(inserted), len(batching)]
        sentence = (
            f"inputs have rank {rank}, but update_window_dims, inserted_window_dims and "
            f"input_batching_dims have {listed(counts)} elements"
        )
        yield "C2", rank == sum(counts), sentence
        sentence = f"update_window_dims {listed(window)} must be in increasing order, none twice"
        yield "C7", is_unique(window) and is_sorted(window), sentence
        update_rank = len(self._update_shape)
        sentence = f"update_window_dims {listed(window)} go outside the updates' rank {update_rank}"
        yield "C8", within(window, update_rank), sentence
        sentence = f"inserted_window_dims and input_batching_dims {listed(inserted + batching)} name a dimension twice"
        yield "C9", is_unique(inserted + batching), sentence
        yield (
            "C10",
            is_sorted(inserted),
            f"inserted_window_dims {listed(inserted)} must be in increasing order",
        )
        sentence = f"inserted_window_dims {listed(inserted)} go outside the inputs' rank {rank}"
        yield "C11", within(inserted, rank), sentence
        yield (
            "C12",
            is_sorted(batching),
            f"input_batching_dims {listed(batching)} must be in increasing order",
        )
        yield (
            "C13",
            within(batching, rank),
            f"input_batching_dims {listed(batching)} go outside the inputs' rank {rank}",
        )

    def _batching_constraints(self) -> Iterator[Constraint]:
        n, rank = self.scatter_dimension_numbers, self.scatter_indices.rank
        batching = n.scatter_indices_batching_dims
        sentence = f"scatter_indices_batching_dims {listed(batching)} name a dimension twice"
        yield "C14", is_unique(batching), sentence
        sentence = f"scatter_indices_batching_dims {listed(batching)} go outside scatter_indices' rank {rank}"
        yield "C15", within(batching, rank), sentence
        sentence = f"index_vector_dim {n.index_vector_dim} is one of scatter_indices_batching_dims {listed(batching)}"
        yield "C16", n.index_vector_dim not in batching, sentence
        sentence = f"inputs and scatter_indices differ in batching dimensions: {listed(n.input_batching_dims)} and {listed(batching)}"
        yield "C17", len(n.input_batching_dims) == len(batching), sentence
        for here, there in zip(n.input_batching_dims, batching, strict=True):
            sizes = self.inputs[0].shape[here], self.scatter_indices.shape[there]
            sentence = f"dimension {here} of inputs (size {sizes[0]}) and dimension {there} of scatter_indices (size {sizes[1]}) are batched but differ"
            yield "C18", agree(*sizes), sentence

    def _index_constraints(self) -> Iterator[Constraint]:
        n, rank = self.scatter_dimension_numbers, self.scatter_indices.rank
        sentence = (
            f"index_vector_dim {n.index_vector_dim} is outside [0, {rank}], scatter_indices' rank included"
        )
        yield "C22", 0 <= n.index_vector_dim <= rank, sentence
        size = self.scatter_indices.shape[n.index_vector_dim] if n.index_vector_dim < rank else 1
        dimensions = n.scatter_dims_to_operand_dims
        sentence = (
            f"scatter_dims_to_operand_dims has {len(dimensions)} elements, but an index vector has {size}"
        )
        yield "C19", agree(size, len(dimensions)), sentence
        placed = dimensions + n.input_batching_dims
        sentence = (
            f"scatter_dims_to_operand_dims and input_batching_dims {listed(placed)} name a dimension twice"
        )
        yield "C20", is_unique(placed), sentence
        sentence = f"scatter_dims_to_operand_dims {listed(dimensions)} goes outside the inputs' rank {self.inputs[0].rank}"
        yield "C21", within(dimensions, self.inputs[0].rank), sentence

    @cached_property
    def _update_shape(self) -> tuple[Dimension, ...]:
        return merged(x.shape for x in self.updates)

    @cached_property
    def _update_shape_problem(self) -> str | None:
        n = self.scatter_dimension_numbers
        scattered = without(self._update_shape, *n.update_window_dims)
        wanted = without(self.scatter_indices.shape, n.index_vector_dim)
        if not shapes_agree(scattered, wanted):
            return f"outside update_window_dims is {listed(scattered)}, not scatter_indices' {listed(wanted)}"
        window = tuple(self._update_shape[d] for d in n.update_window_dims)
        limits = without(merged(x.shape for x in self.inputs), *self._dropped)
        if not all(map(at_most, window, limits)):
            return f"has windows of {listed(window)}, larger than the inputs' {listed(limits)}"
        return None

    @cached_property
    def _dropped(self) -> tuple[int, ...]:
        """The inputs' dimensions that a window has in the updates no more."""
        n = self.scatter_dimension_numbers
        return n.inserted_window_dims + n.input_batching_dims

    def infer(self) -> tuple[TensorType, ...]:
        shape = merged(x.shape for x in self.inputs)
        return tuple(TensorType(shape, element_type) for element_type in self._element_types)

    @cached_property
    def _element_types(self) -> tuple[ElementType, ...]:
        return accumulated_types(self.update_computation)

    @cached_property
    def _combiners(self) -> tuple[Combiner, ...] | None:
        found = combiners(self.update_computation)
        if any(map(is_quantized, self.inputs)) and set(found or ()) != {Combiner.REPLACE}:
            return None  # bodies over quantized values round after each op, so these are run as they are
        return found

    def begin(self, operands: Arrays) -> Ask | Arrays:
        count = len(self.inputs)
        inputs = self._converted(operands[:count], self.inputs)
        updates = self._converted(operands[count + 1 :], self.updates)
        cells, kept = self._cells(operands[count], inputs[0].shape, updates[0].shape)
        applied = tuple(
            update.reshape(-1) if kept is None else update.reshape(-1)[kept] for update in updates
        )
        if self._combiners is not None:
            parts = zip(self._combiners, inputs, applied, self._element_types, strict=True)
            return tuple(_scatter(what, x, cells, update, to) for what, x, update, to in parts)
        return _ask(in_rounds(inputs, cells, applied)) if cells.size else inputs

    def _converted(self, values: Arrays, types: tuple[TensorType, ...]) -> Arrays:
        """As elements of the accumulators' types."""
        parts = zip(values, types, self._element_types, strict=True)
        return tuple(to_destination_type(value, source.element_type, to) for value, source, to in parts)

    def _cells(
        self, scatter_indices: Array, shape: tuple[int, ...], update_shape: tuple[int, ...]
    ) -> tuple[Array, Array | None]:
        """For each update that is not dropped, in row-major order, its flat position in an input; and, where
        some are dropped, which are not.
        """
        n = self.scatter_dimension_numbers
        window_sizes = self._window_sizes(update_shape)
        cells = np.zeros([1] * len(update_shape), np.int64)
        kept = np.ones([1] * len(update_shape), np.bool_)
        for dimension, start in enumerate(self._vectors.starts(scatter_indices, len(shape))):
            size, window = shape[dimension], window_sizes[dimension]
            # Beyond this every element is outside anyway, and sums cannot overflow.
            near = np.clip(start, -window, size)
            base = _spread(near, n.update_window_dims, len(update_shape))
            position = base + self._window_offsets(dimension, window, len(update_shape))
            if dimension in n.scatter_dims_to_operand_dims:
                first, last = (base, base + window - 1) if self.drops_whole_windows else (position, position)
                kept = kept & (first >= 0) & (last < size)
            cells = cells + position * prod(shape[dimension + 1 :])
        everywhere = bool(kept.all())
        cells, kept = np.broadcast_to(cells, update_shape), np.broadcast_to(kept, update_shape)
        flat = cells.reshape(-1)
        return (flat, None) if everywhere else (flat[kept.reshape(-1)], kept.reshape(-1))

    def _window_sizes(self, update_shape: tuple[int, ...]) -> list[int]:
        """The window's size for each dimension of the inputs."""
        window = iter(update_shape[d] for d in self.scatter_dimension_numbers.update_window_dims)
        return [1 if d in self._dropped else next(window) for d in range(self.inputs[0].rank)]

    def _window_offsets(self, dimension: int, size: int, update_rank: int) -> Array:
        """Coordinates within the window, laid along the updates' dimension for them."""
        shape = [1] * update_rank
        if dimension not in self._dropped:
            kept = [d for d in range(self.inputs[0].rank) if d not in self._dropped]
            shape[self.scatter_dimension_numbers.update_window_dims[kept.index(dimension)]] = size
        return np.arange(size).reshape(shape)

    @cached_property
    def _vectors(self) -> IndexVectors:
        n = self.scatter_dimension_numbers
        return IndexVectors(
            n.index_vector_dim,
            n.scatter_dims_to_operand_dims,
            n.input_batching_dims,
            n.scatter_indices_batching_dims,
        )

    def resume(self, state: Any, answer: Arrays) -> Ask | Arrays:
        assert isinstance(state, Rounds)
        following = state.after(answer)
        return _ask(following) if isinstance(following, Rounds) else following

    def dimension_roles(self) -> Roles:
        n, rank, count = self.scatter_dimension_numbers, self.inputs[0].rank, len(self.inputs)
        lists = {
            "inserted_window_dims": n.inserted_window_dims,
            "input_batching_dims": n.input_batching_dims,
            "window": [d for d in range(rank) if d not in self._dropped],
            "scatter_dims_to_operand_dims[]": n.scatter_dims_to_operand_dims,
        }
        inputs = (named(rank, lists),) * count
        batching = {"scatter_indices_batching_dims": n.scatter_indices_batching_dims}
        indices = self._vectors.roles(self.scatter_indices.rank, batching, "scatter")
        window = {"update_window_dims": n.update_window_dims}
        updates = named(self.updates[0].rank, window, "update_scatter_dims")
        return (*inputs, indices, *[updates] * count), inputs

    @cached_property
    def indexing(self) -> ScatterIndexing:
        """How elements of the operands and results belong together."""
        n = self.scatter_dimension_numbers
        return ScatterIndexing(
            self.inputs[0].sizes,
            self.scatter_indices.sizes,
            self.updates[0].sizes,
            n.update_window_dims,
            n.inserted_window_dims,
            n.input_batching_dims,
            n.scatter_indices_batching_dims,
            n.scatter_dims_to_operand_dims,
            n.index_vector_dim,
            len(self.inputs),
            self.drops_whole_windows,
            self._reads,
        )

    @cached_property
    def _reads(self) -> tuple[CellReads, ...]:
        """What each result is made of, at a cell that updates came to."""
        return tuple(CellReads(*found) for found in accumulations(self.update_computation))

    def map_operands(self, operands: Arrays) -> Arrays:
        """And, unless each result adds to its own old values, which update each cell keeps, and which stay."""
        if all(read.inputs == {number} for number, read in enumerate(self._reads)):
            return operands
        count, update_shape = len(self.inputs), operands[-1].shape
        cells, kept = self._cells(operands[count], operands[0].shape, update_shape)
        numbers = np.arange(prod(update_shape)) if kept is None else np.flatnonzero(kept)
        last = np.full(operands[0].size, -1, np.int64)
        np.maximum.at(last, cells, numbers)
        stays = np.zeros(prod(update_shape), np.int64)
        stays[last[last >= 0]] = 1
        return (*operands, last.reshape(operands[0].shape), stays.reshape(update_shape))

    def index_maps(self) -> Iterator[OperandMap]:
        return self.indexing.index_maps()

    def inverse_index_maps(self) -> Iterator[OperandMap]:
        return self.indexing.inverse_index_maps()

    def value_maps(self, *, inverse: bool = False) -> Iterator[OperandMap]:
        return self.indexing.value_maps(inverse=inverse)

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """A copy of the inputs, and one run of the body for each update; positions and lanes besides."""
        updates = self.updates[0].element_count
        operations = operation_count(self.update_computation)
        base = super().cost(operand_types, result_types)
        return Cost(base.flops + updates * operations, base.result_bytes, updates * 8 * (4 + operations))


def _ask(rounds: Rounds) -> Ask:
    arguments = rounds.arguments()
    return Ask(rounds, RunRegion(0, arguments, rounds.number, arguments[0].shape))


def _spread(batch: Array, update_window_dims: tuple[int, ...], update_rank: int) -> Array:
    """An array over the batch as one over the updates: of size 1 along the windows' dimensions."""
    sizes = iter(batch.shape)
    return batch.reshape([1 if d in update_window_dims else next(sizes) for d in range(update_rank)])


def _scatter(
    combiner: Combiner, operand: Array, cells: Array, updates: Array, element_type: ElementType
) -> Array:
    """A copy of `operand` with all updates combined in order, in a wide type, each cell rounded once."""
    if combiner is Combiner.REPLACE:
        return written(operand, cells, updates)
    wide = widened(operand)
    flat = wide.flatten()
    with quiet():
        UFUNCS[combiner].at(flat, cells, widened(updates))
        if wide.dtype == operand.dtype and element_type.name != "tf32":
            return flat.reshape(operand.shape)
        return written(operand, cells, rounded(flat[cells], element_type))


OPS: tuple[type[Op], ...] = (Scatter,)
