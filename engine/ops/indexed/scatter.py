"""scatter: writes, or combines, slices into a tensor at places that another tensor holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np

from ...indexing import CellReads, OperandMap, ScatterIndexing
from ...indexing.evaluation.array_values import Int64Array
from ...ir.element_types import UI8, ElementType
from ...ir.module import Region
from ...ir.types import Dimension, TensorType, Type, is_quantized
from ..core.bodies import (
    Combiner,
    accumulated_types,
    any_outweighs,
    body_constraints,
    body_symbol,
    combiner_name,
    combiners,
    exact_folds,
    may_fold_wrap,
    operation_count,
    to_destination_types,
    with_element_types,
)
from ..core.body_reads import accumulations
from ..core.facets import (
    Drawing,
    ElementFormula,
    Explanation,
    Form,
    HloSpelling,
    MovedWindow,
    Picture,
    Placing,
    Role,
    Roles,
    Rounding,
    RuntimeVariables,
    Section,
    Shown,
    Tracing,
    Traits,
    UpdatingStorage,
    name_dimensions,
    numbered,
)
from ..core.facets.findings import ExactInteger, Findings, OutsideStarts, Updates
from ..core.kinds import INTEGER, TENSOR_OR_PER_TENSOR, holds
from ..core.op import Array, Ask, AskingOp, Constraint, Cost, RunRegion, merged_shape, shapes_agree
from ..core.ranks import OperandRanks, SeenRanks, worst_ranks
from ..core.rounding import ANYTHING, Errors, is_exact
from ..core.rules import (
    agree,
    at_most,
    drop_dimensions,
    format_list,
    increasing,
    inside_rank,
    is_promotable,
    is_sorted,
    is_unique,
    named_once,
    within,
)
from .indexed_windows import IndexVectors, batching_constraints, find_outside_starts
from .scatter_passes import ScatterPasses, applied_elements, combine_updates, first_scatter_pass, fold_exactly
from .update_windows import UpdateWindows, cell_bound, last_updates

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


class ScatterRounding(Rounding["Scatter"]):
    def error_bound(self, op: Scatter, operands: Arrays, errors: Errors, results: Arrays) -> Errors:
        count = len(op.inputs)
        if not is_exact(errors[count : count + 1]):
            return (ANYTHING,) * count
        if op._combiners is None:
            return super().error_bound(op, operands, errors, results)
        shape = operands[count + 1].shape
        cells, kept = op._windows.cells(operands[count], operands[0].shape, shape)
        found = []
        for number, (what, result) in enumerate(zip(op._combiners, results, strict=True)):
            pair = (operands[number], operands[count + 1 + number])
            known = (errors[number], errors[count + 1 + number])
            found.append(cell_bound(what, pair, known, (cells, kept), result))
        return tuple(found)


class ScatterTracing(Tracing["Scatter"]):
    def over_body_types(self, op: Scatter) -> Scatter:
        types = accumulated_types(op.update_computation)
        inputs, updates = with_element_types(op.inputs, types), with_element_types(op.updates, types)
        return replace(op, inputs=inputs, updates=updates)

    def operands_read(self, op: Scatter, first_region: int | None) -> frozenset[int]:
        return frozenset((len(op.inputs),))

    def lane_positions(self, op: Scatter, state: Any) -> Int64Array | None:
        return state.positions if isinstance(state, ScatterPasses) else None

    def placement(self, op: Scatter) -> Placing:
        read, shape = op.scatter_indices.sizes, op.inputs[0].sizes
        back, onward = op.indexing.choices(), op.indexing.choices(inverse=True)
        return Placing(len(op.inputs), read, shape, (back,), (onward,))


class ScatterExplanation(Explanation["Scatter"]):
    def formula(self, op: Scatter, reads: int) -> ElementFormula:
        count = len(op.inputs)
        roles = (Role("what was there", range(count)), Role("update", range(count + 1, 2 * count + 1)))
        return ElementFormula("scatter", Form.UPDATES, body_symbol(op.update_computation), roles)

    def combiner(self, op: Scatter, result: int) -> str:
        return combiner_name(op._combiners, result)


class ScatterDrawing(Drawing["Scatter"]):
    def dimension_roles(self, op: Scatter) -> Roles:
        n, rank, count = op.scatter_dimension_numbers, op.inputs[0].rank, len(op.inputs)
        lists = {
            "inserted_window_dims": n.inserted_window_dims,
            "input_batching_dims": n.input_batching_dims,
            "window": [d for d in range(rank) if d not in op._dropped],
            "scatter_dims_to_operand_dims[]": n.scatter_dims_to_operand_dims,
        }
        inputs = (name_dimensions(rank, lists),) * count
        batching = {"scatter_indices_batching_dims": n.scatter_indices_batching_dims}
        indices = op._windows.vectors.roles(op.scatter_indices.rank, batching, "scatter")
        window = {"update_window_dims": n.update_window_dims}
        updates = name_dimensions(op.updates[0].rank, window, "update_scatter_dims")
        return (*inputs, indices, *[updates] * count), inputs

    def picture(self, op: Scatter) -> Picture:
        count, window = len(op.inputs), op.scatter_dimension_numbers.update_window_dims
        return MovedWindow("scatter", Shown("operand", count + 1), window, Shown("result"), count)


class ScatterRuntimeVariables(RuntimeVariables["Scatter"]):
    def map_operands(self, op: Scatter, operands: Arrays) -> Arrays:
        """And, unless each result adds to its own old values, which update each cell keeps, and which stay."""
        if all(read.inputs == {number} for number, read in enumerate(op._reads)):
            return operands
        count, update_shape = len(op.inputs), operands[-1].shape
        cells, kept = op._windows.cells(operands[count], operands[0].shape, update_shape)
        return (*operands, *last_updates(cells, kept, operands[0].shape, update_shape))


class ScatterFindings(Findings["Scatter"]):
    def deciding_operands(self, op: Scatter) -> Iterable[int]:
        return (len(op.inputs),)

    def outweighs(self, op: Scatter) -> bool:
        return any_outweighs(op._combiners or ())

    def outside_starts(self, op: Scatter, operands: Arrays) -> OutsideStarts | None:
        count, shape = len(op.inputs), operands[0].shape
        sizes = op._windows.sizes(len(shape), operands[count + 1].shape)
        return find_outside_starts(op._windows.vectors, operands[count], shape, sizes, count, moved=False)

    def may_collide(self, op: Scatter) -> bool:
        return op.unique_indices or Combiner.REPLACE in (op._combiners or ())

    def updates(self, op: Scatter, operands: Arrays) -> Updates:
        count = len(op.inputs)
        places = operands[count], operands[0].shape, operands[count + 1].shape
        return Updates(
            values=to_destination_types(operands[count + 1 :], op.updates, op._element_types),
            adds=set(op._combiners or ()) == {Combiner.ADD},
            is_unique=op.unique_indices,
            drops_whole_windows=op.drops_whole_windows,
            may_meet=partial(op._windows.may_meet, *places),
            find_cells=partial(op._windows.cells, *places),
        )

    def may_wrap(self, op: Scatter) -> bool:
        return may_fold_wrap(op._combiners, op._element_types)

    def exact_integers(self, op: Scatter, operands: Arrays, results: Arrays) -> Iterator[ExactInteger]:
        if self.may_wrap(op):
            updates = self.updates(op, operands)
            fold = partial(fold_exactly, operands, updates.values, updates.find_cells())
            yield from exact_folds(op._combiners, op._element_types, fold, "updates to {}")

    def ranks_read(self, op: Scatter, operands: Arrays, ranks: OperandRanks, results: Arrays) -> SeenRanks:
        """The greater rank of an input's element and of the updates applied to it."""
        count = len(op.inputs)
        cells, kept = self.updates(op, operands).find_cells()
        sent = np.broadcast_to(np.uint8(worst_ranks(ranks[count + 1 :])), operands[count + 1].shape)
        there = np.broadcast_to(np.uint8(worst_ranks(ranks[:count])), operands[0].shape)
        applied = applied_elements(sent, kept)
        return (combine_updates(Combiner.MAXIMUM, there, cells, applied, UI8),) * len(results)


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
    traits = Traits(computes_alone=True)
    storage = UpdatingStorage()
    findings = ScatterFindings(scatters=True)
    rounding = ScatterRounding()
    explanation = ScatterExplanation()
    drawing = ScatterDrawing()
    runtime_variables = ScatterRuntimeVariables(
        names=("update that each cell keeps, or -1 for none", "whether each update stays")
    )
    hlo = HloSpelling(
        "scatter",
        "Scatter",
        note="An update window that lies partly outside of the input is dropped as a whole; StableHLO drops only "
        "its elements outside.",
        packs_results=True,
    )
    section = Section(
        input_labels=numbered(
            "inputs scatter_indices updates update_window_dims inserted_window_dims "
            "input_batching_dims scatter_indices_batching_dims scatter_dims_to_operand_dims "
            "index_vector_dim indices_are_sorted unique_indices update_computation"
        ),
        result_labels={"shape": "C24", "element_type": "C25"},
    )

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
        sentence = f"updates have shape {format_list(self._update_shape)}, which {self._update_shape_problem}"
        yield "C4", self._update_shape_problem is None, sentence
        types = [x.element_type for x in self.inputs]
        yield from body_constraints("C23", "update_computation", self.update_computation, types)
        for number, (update, target) in enumerate(zip(self.updates, self._element_types, strict=True)):
            sentence = f"update {number} holds {update.element_type}, which is not promotable to {target}"
            yield "C6", is_promotable(update.element_type, target), sentence

    def cautions(self) -> Iterator[Constraint]:
        for number, (tensor, update) in enumerate(zip(self.inputs, self.updates, strict=True)):
            sentence = f"input {number} holds {tensor.element_type}, its update {update.element_type}"
            yield "C6", tensor.element_type == update.element_type, sentence

    def _operand_constraints(self) -> Iterator[Constraint]:
        shapes = ", ".join(format_list(x.shape) for x in self.inputs)
        yield "C1", shapes_agree(*(x.shape for x in self.inputs)), f"inputs differ in shape: {shapes}"
        shapes = ", ".join(format_list(x.shape) for x in self.updates)
        yield "C3", shapes_agree(*(x.shape for x in self.updates)), f"updates differ in shape: {shapes}"

    def _window_constraints(self) -> Iterator[Constraint]:
        n, rank = self.scatter_dimension_numbers, self.inputs[0].rank
        window, inserted, batching = n.update_window_dims, n.inserted_window_dims, n.input_batching_dims
        counts = [len(window), len(inserted), len(batching)]
        sentence = (
            f"inputs have rank {rank}, but update_window_dims, inserted_window_dims and "
            f"input_batching_dims have {format_list(counts)} elements"
        )
        yield "C2", rank == sum(counts), sentence
        sentence = f"update_window_dims {format_list(window)} must be in increasing order, none twice"
        yield "C7", is_unique(window) and is_sorted(window), sentence
        yield inside_rank("C8", "update_window_dims", window, "the updates' ", len(self._update_shape))
        yield from self._other_dimension_constraints()

    def _other_dimension_constraints(self) -> Iterator[Constraint]:
        """The constraints for dimensions of the inputs that are no window dimensions."""
        n, rank = self.scatter_dimension_numbers, self.inputs[0].rank
        inserted, batching = n.inserted_window_dims, n.input_batching_dims
        yield named_once("C9", "inserted_window_dims and input_batching_dims", inserted + batching)
        yield increasing("C10", "inserted_window_dims", inserted)
        yield inside_rank("C11", "inserted_window_dims", inserted, "the inputs' ", rank)
        yield increasing("C12", "input_batching_dims", batching)
        yield inside_rank("C13", "input_batching_dims", batching, "the inputs' ", rank)

    def _batching_constraints(self) -> Iterator[Constraint]:
        n = self.scatter_dimension_numbers
        given = ("inputs", self.inputs[0], n.input_batching_dims)
        indices = ("scatter_indices", self.scatter_indices, n.scatter_indices_batching_dims)
        yield from batching_constraints(14, given, indices, n.index_vector_dim)

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
        yield named_once("C20", "scatter_dims_to_operand_dims and input_batching_dims", placed)
        sentence = f"scatter_dims_to_operand_dims {format_list(dimensions)} goes outside the inputs' rank {self.inputs[0].rank}"
        yield "C21", within(dimensions, self.inputs[0].rank), sentence

    @cached_property
    def _update_shape(self) -> tuple[Dimension, ...]:
        return merged_shape(*(x.shape for x in self.updates))

    @cached_property
    def _update_shape_problem(self) -> str | None:
        n = self.scatter_dimension_numbers
        scattered = drop_dimensions(self._update_shape, *n.update_window_dims)
        wanted = drop_dimensions(self.scatter_indices.shape, n.index_vector_dim)
        if not shapes_agree(scattered, wanted):
            return f"outside update_window_dims is {format_list(scattered)}, not scatter_indices' {format_list(wanted)}"
        window = tuple(self._update_shape[d] for d in n.update_window_dims)
        limits = drop_dimensions(merged_shape(*(x.shape for x in self.inputs)), *self._dropped)
        if not all(map(at_most, window, limits)):
            return f"has windows of {format_list(window)}, larger than the inputs' {format_list(limits)}"
        return None

    @cached_property
    def _dropped(self) -> tuple[int, ...]:
        """The inputs' dimensions that windows in the updates lack."""
        n = self.scatter_dimension_numbers
        return n.inserted_window_dims + n.input_batching_dims

    def infer(self) -> tuple[TensorType, ...]:
        shape = merged_shape(*(x.shape for x in self.inputs))
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
        inputs = to_destination_types(operands[:count], self.inputs, self._element_types)
        updates = to_destination_types(operands[count + 1 :], self.updates, self._element_types)
        cells, kept = self._windows.cells(operands[count], inputs[0].shape, updates[0].shape)
        applied = tuple(
            update.reshape(-1) if kept is None else update.reshape(-1)[kept] for update in updates
        )
        if self._combiners is not None:
            parts = zip(self._combiners, inputs, applied, self._element_types, strict=True)
            return tuple(combine_updates(what, x, cells, update, to) for what, x, update, to in parts)
        return _ask(first_scatter_pass(inputs, cells, applied)) if cells.size else inputs

    @cached_property
    def _windows(self) -> UpdateWindows:
        n = self.scatter_dimension_numbers
        vectors = IndexVectors(
            n.index_vector_dim,
            n.scatter_dims_to_operand_dims,
            n.input_batching_dims,
            n.scatter_indices_batching_dims,
        )
        return UpdateWindows(vectors, n.update_window_dims, self._dropped, self.drops_whole_windows)

    def resume(self, state: Any, answer: Arrays) -> Ask | Arrays:
        assert isinstance(state, ScatterPasses)
        following = state.after(answer)
        return _ask(following) if isinstance(following, ScatterPasses) else following

    @cached_property
    def indexing(self) -> ScatterIndexing:
        """The relation between elements of the operands and of the results."""
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
        """The sources of each result at an updated cell."""
        return tuple(CellReads(*found) for found in accumulations(self.update_computation))

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        return self.indexing.inverse_index_maps() if inverse else self.indexing.index_maps()

    def value_maps(self, *, inverse: bool = False) -> Iterator[OperandMap]:
        return self.indexing.value_maps(inverse=inverse)

    tracing = ScatterTracing(places_apart=True)

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """A copy of the inputs, and one run of the body for each update; positions and lanes besides."""
        updates = self.updates[0].element_count
        operations = operation_count(self.update_computation)
        base = super().cost(operand_types, result_types)
        return Cost(base.flops + updates * operations, base.result_bytes, updates * 8 * (4 + operations))


def _ask(passes: ScatterPasses) -> Ask:
    arguments = passes.arguments()
    return Ask(passes, RunRegion(0, arguments, passes.number, arguments[0].shape))
