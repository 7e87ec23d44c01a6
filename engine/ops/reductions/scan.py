"""scan: a body that is run for each slice of some inputs, and hands values on from one slice to the next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ...indexing import OperandMap, ScanIndexing, ScanValue, runs_of
from ...ir.module import Region
from ...ir.types import Dimension, TensorType, Type
from ..core.bodies import operation_count
from ..core.body_reads import arguments_read, goes_element_by_element
from ..core.facets import (
    DimensionNames,
    Drawing,
    HloSpelling,
    Roles,
    Section,
    Traits,
    name_dimensions,
    no_names,
)
from ..core.op import Array, Ask, AskingOp, Constraint, Cost, RunRegion, merged_shape
from ..core.regions import region_type, types_agree
from ..core.rules import agree, drop_dimensions, format_list

Arrays = tuple[Array, ...]
Made = tuple[Any, ...]
"""Results of the slices so far, as (those before, the last): a chain, so that adding one copies nothing."""


@dataclass(frozen=True)
class _Slice:
    """The state of a scan: the slice that the body runs on, and the values carried to the next one."""

    inputs: Arrays
    iteration: int
    made: Made


class ScanningDrawing(Drawing["Scanning"]):
    def dimension_roles(self, op: Scanning) -> Roles:
        def of(types: tuple[TensorType, ...], sliced: int) -> tuple[DimensionNames, ...]:
            names = (name_dimensions(found.rank, {"dimension": [op.dimension]}) for found in types[:sliced])
            return (*names, *no_names(*types[sliced:]))

        return of(op.operands, len(op.inputs)), of(op.infer(), len(op.outputs))


class Scanning(AskingOp):
    """Base of CHLO's op and HLO's, which state the carried operands in different ways."""

    hlo = HloSpelling("scan", packs_results=True)
    drawing = ScanningDrawing()

    operands: tuple[TensorType, ...]
    dimension: int
    body: Region
    results: tuple[TensorType, ...]
    is_reverse: bool

    @property
    def carried(self) -> int:
        """The number of carried values."""
        raise NotImplementedError

    @property
    def stated_count(self) -> Dimension:
        """The number of slices, if an attribute states it."""
        return None

    def constraints(self) -> Iterator[Constraint]:
        count = self.carried
        sentence = f"carries {count} values, but has {len(self.operands)} operands"
        yield "", 0 <= count <= len(self.operands), sentence
        rank_of = {f"input {number}": found.rank for number, found in enumerate(self.inputs)}
        given = region_type(self.body).results
        sentence = f"the body must give {count} values to carry on at least, not {len(given)}"
        yield "", len(given) >= count, sentence
        outputs = given[: len(given) - count]
        for number, found in enumerate(given):
            yield (
                "",
                isinstance(found, TensorType),
                f"result {number} of the body must be a tensor, not {found}",
            )
        rank_of |= {f"output {k}": t.rank + 1 for k, t in enumerate(outputs) if isinstance(t, TensorType)}
        for noun, rank in rank_of.items():
            sentence = f"dimension {self.dimension} is outside rank {rank} of {noun}"
            yield "", 0 <= self.dimension < rank, sentence
        yield from self._count_constraints()
        taken = tuple(found.with_shape(drop_dimensions(found.shape, self.dimension)) for found in self.inputs)
        yield _type_constraint("take", (*taken, *self.inits), region_type(self.body).inputs)
        yield _type_constraint("give", (*outputs, *self.inits), given)

    def _count_constraints(self) -> Iterator[Constraint]:
        """Constraint: all sliced values have the same number of slices."""
        counts = self._counts
        yield "", self._is_sliced, "needs at least one input or output, which is scanned"
        known = [count for count in counts if count is not None]
        sentence = f"inputs and outputs have different numbers of slices: {format_list(counts)}"
        yield "", all(agree(known[0], count) and count >= 0 for count in known), sentence

    @property
    def _is_sliced(self) -> bool:
        return len(self.inputs) > 0 or len(region_type(self.body).results) > self.carried

    @cached_property
    def _counts(self) -> list[Dimension]:
        """The numbers of slices by inputs, outputs and attributes."""
        sliced = (*self.inputs, *self.results[: max(0, len(self.results) - self.carried)])
        counts = [found.shape[self.dimension] for found in sliced if self.dimension < found.rank]
        return counts if self.stated_count is None else [*counts, self.stated_count]

    @cached_property
    def _count(self) -> Dimension:
        return merged_shape(*((count,) for count in self._counts))[0] if self._counts else None

    @property
    def inputs(self) -> tuple[TensorType, ...]:
        """The types of the tensors that are read slice by slice."""
        return self.operands[: len(self.operands) - self.carried]

    @property
    def inits(self) -> tuple[TensorType, ...]:
        """The types of the initial carried values."""
        return self.operands[len(self.operands) - self.carried :]

    @cached_property
    def outputs(self) -> tuple[TensorType, ...]:
        """The types of the tensors that are written slice by slice."""
        given = region_type(self.body).results
        slices = [t for t in given[: len(given) - self.carried] if isinstance(t, TensorType)]
        return tuple(found.with_shape(self._stacked_shape(found.shape)) for found in slices)

    def _stacked_shape(self, shape: Sequence[Dimension]) -> tuple[Dimension, ...]:
        return (*shape[: self.dimension], self._count, *shape[self.dimension :])

    def infer(self) -> tuple[TensorType, ...]:
        return (*self.outputs, *self.inits)

    def begin(self, operands: Arrays) -> Ask | Arrays:
        count = len(self.inputs)
        return self._next_request(operands[:count], operands[count:], 0, ())

    def resume(self, state: Any, answer: Arrays) -> Ask | Arrays:
        assert isinstance(state, _Slice)
        count = len(self.outputs)
        return self._next_request(
            state.inputs, answer[count:], state.iteration + 1, (state.made, answer[:count])
        )

    def _next_request(self, inputs: Arrays, carried: Arrays, iteration: int, made: Made) -> Ask | Arrays:
        total = inputs[0].shape[self.dimension] if inputs else self._count
        assert total is not None
        if iteration == total:
            return (*self._outputs(made), *carried)
        place = total - 1 - iteration if self.is_reverse else iteration
        index = (*(slice(None),) * self.dimension, place, ...)
        slices = (operand[index] for operand in inputs)
        return Ask(_Slice(inputs, iteration, made), RunRegion(0, (*slices, *carried), iteration))

    def _outputs(self, made: Made) -> Iterator[Array]:
        """The outputs, from the slices that the body has made."""
        slices: list[Arrays] = []
        while made:
            made, last = made
            slices.append(last)
        if not slices:
            for found in self.outputs:
                yield np.zeros([size or 0 for size in found.shape], found.element_type.dtype)
            return
        in_order = slices if self.is_reverse else slices[::-1]
        yield from (np.stack(column, axis=self.dimension) for column in zip(*in_order, strict=True))

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """A slice reads the slices whose carried values reach it, and initial values that reach it."""
        count = self._count
        if count is None:
            return
        how = ScanIndexing(self.dimension, count, self.is_reverse, self._is_elementwise)
        values = [
            [ScanValue(found.sizes, number < sliced) for number, found in enumerate(types)]
            for types, sliced in ((self.operands, len(self.inputs)), (self.infer(), len(self.outputs)))
        ]
        for result, found in enumerate(values[1]):
            ages = self._ages(result, count)
            for number, operand in enumerate(values[0]):
                for run in runs_of(ages[number]):
                    yield OperandMap(number, how.map(operand, found, run, inverse), result)

    def _ages(self, result: int, count: int) -> list[list[int]]:
        """For each operand, how many iterations before the one of a result it is read."""
        inputs, outputs = len(self.inputs), len(self.outputs)
        reads = arguments_read(self.body)
        ages: list[list[int]] = [[] for _ in self.operands]
        is_carried = result >= outputs
        found = frozenset([inputs + result - outputs]) if is_carried else reads[result]
        for age in range(count + 1 if is_carried else count):
            for number in found:
                ages[number].append(age)
            carried = (reads[outputs + number - inputs] for number in found if number >= inputs)
            found = frozenset().union(*carried)
        return ages

    @cached_property
    def _is_elementwise(self) -> bool:
        """Whether the body computes each element of a slice from those of the same place alone."""
        return goes_element_by_element(self.body)

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """The outputs are put together from slices; the ops that compute them have their costs."""
        size = sum(found.byte_count for found in self.outputs if found.is_static)
        return Cost(operation_count(self.body), size, size)

    def unrunnable(self) -> str | None:
        return None if self._count is not None or self.inputs else "nothing says how many slices there are"


def _type_constraint(verb: str, wanted: tuple[Type, ...], found: tuple[Type, ...]) -> Constraint:
    """Constraint: the body takes, or returns, values of these types."""
    return (
        "",
        types_agree(wanted, found),
        f"body must {verb} {_format_types(wanted)}, not {_format_types(found)}",
    )


def _format_types(types: tuple[Type, ...]) -> str:
    return f"({', '.join(map(str, types))})"


@dataclass(frozen=True)
class Scan(Scanning):
    """Runs `body` on each slice of the inputs along `dimension`, in order, or from the last on with `is_reverse`.

    The body takes a slice of each input and the carried values; it returns a slice of each output and the next
    carried values. Operands are the inputs, then the initial carried values; results are the outputs, whose slices are
    in the places of the inputs', then the last carried values: `operandSegmentSizes` and `resultSegmentSizes` state
    their numbers. `is_associative` is a promise that changes nothing here. `scan_dim_size` is the number of slices. CHLO: scan.
    """

    name = "chlo.scan"
    traits = Traits(category="control", is_isolated=True)
    short_form = "custom scan"
    section = Section(
        rules=(
            "Inputs and outputs have the dimension `dimension`, and all the same size along it.",
            "An input, an output or `scan_dim_size` determines the number of slices.",
            (
                "`body` takes a slice of each input, then the carried values; it returns a slice of each output, "
                "then values of the types of the carried ones."
            ),
        ),
    )

    operands: tuple[TensorType, ...]
    dimension: int
    operand_segment_sizes: tuple[int, ...] = field(metadata={"attribute": "operandSegmentSizes"})
    result_segment_sizes: tuple[int, ...] = field(metadata={"attribute": "resultSegmentSizes"})
    body: Region
    results: tuple[TensorType, ...]
    is_reverse: bool = False
    is_associative: bool = False
    scan_dim_size: int | None = None

    @property
    def carried(self) -> int:
        return self.operand_segment_sizes[1]

    @property
    def stated_count(self) -> Dimension:
        return self.scan_dim_size

    def constraints(self) -> Iterator[Constraint]:
        yield _segments("operandSegmentSizes", self.operand_segment_sizes, "operands", len(self.operands))
        yield _segments("resultSegmentSizes", self.result_segment_sizes, "results", len(self.results))
        first, last = self.operand_segment_sizes[1], self.result_segment_sizes[1]
        yield "", first == last, f"{first} values are carried at first, {last} at last"
        yield from super().constraints()


def _segments(name: str, sizes: tuple[int, ...], noun: str, count: int) -> Constraint:
    fits = len(sizes) == 2 and min(sizes) >= 0 and sum(sizes) == count
    return "", fits, f"{name} must have two numbers that add up to {count} {noun}, not {format_list(sizes)}"
