"""Scalar loops: many iterations of a `while` over scalars at once, as lists of functions.

Values and numbers of steps and frames are the same; only the bookkeeping of each step is saved. In HLO text the
scalars are elements of a tuple: each has a slot, and the tuple is built on access.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from time import perf_counter
from typing import Any

import numpy as np

from .ir.types import TensorType, TupleType
from .ops.core.op import Array
from .ops.core.quiet import quiet
from .ops.core.values import is_tuple, tuple_of
from .program import BoundBlock, BoundOperation

_PATIENCE = 4096
"""Iterations between checks of the clock."""
_STEPS_BETWEEN_STARTS = 16_384
"""Steps of a batch: a value of a loop is computed again from the start of its batch, within some milliseconds."""

Instruction = tuple[Callable[..., Any], tuple[int, ...], int]
Slots = int | tuple[int, ...]
"""The slot of a scalar, or the slots of a tuple's elements."""
Rows = tuple[tuple[Any, ...], ...]
Columns = Mapping[int, Array]
"""The values of a slot in each iteration, by slot."""


@dataclass(frozen=True)
class Outcome:
    """The state of a loop after some iterations."""

    values: tuple[Array, ...]
    scalars: tuple[Any, ...]
    """The same, one for each slot."""
    iterations: int
    rows: Rows
    """All slots of each iteration, if requested."""


@dataclass(frozen=True)
class ScalarLoop:
    """The two regions of a `while`, with a slot for every value."""

    outer: tuple[tuple[int, int], ...]
    """Captured values and their slots."""
    constants: tuple[tuple[int, Any], ...]
    slots: int
    condition: tuple[Instruction, ...]
    condition_arguments: tuple[Slots, ...]
    holds: int
    body: tuple[Instruction, ...]
    body_arguments: tuple[Slots, ...]
    answers: tuple[Slots, ...]
    condition_results: tuple[Slots, ...]
    """The slots of each operation's result, including constants, without the terminator."""
    body_results: tuple[Slots, ...]
    ops: tuple[int, ...]
    """The op of each step of an iteration, including terminators."""
    blocks: tuple[int, int]

    def run(
        self,
        values: tuple[Array, ...],
        outer: Mapping[int, Array],
        iterations: int,
        deadline: float,
        *,
        keep: bool,
    ) -> Outcome:
        """Iterate until the condition is false, `iterations` are done, or the time is over.

        The final evaluation of the condition is not included and remains to be run. `keep` records every value.
        """
        current, done, rows = self.run_scalars(carried(values), outer, iterations, deadline, keep=keep)
        return Outcome(self.values(current), tuple(current), done, rows)

    def values(self, scalars: Sequence[Any]) -> tuple[Array, ...]:
        """The carried values that consist of these scalars."""
        made = dict(zip(scalar_slots(self.answers), map(np.asarray, scalars), strict=True))
        return tuple(value_at(place, made.__getitem__) for place in self.answers)

    def run_scalars(
        self,
        values: Sequence[Any],
        outer: Mapping[int, Array],
        iterations: int,
        deadline: float,
        *,
        keep: bool,
    ) -> tuple[Sequence[Any], int, Rows]:
        """The carried scalars after some iterations, the number of these, and all slots of each if `keep`."""
        slots, current = self._fill_slots(outer), values
        tested, entered, answers = map(
            scalar_slots, (self.condition_arguments, self.body_arguments, self.answers)
        )
        rows: list[tuple[Any, ...]] = []
        done = 0
        while done < iterations:
            if done % _PATIENCE == _PATIENCE - 1 and perf_counter() >= deadline:
                break
            for slot, value in zip(tested, current, strict=True):
                slots[slot] = value
            _execute(self.condition, slots)
            if not slots[self.holds]:
                break
            for slot, value in zip(entered, current, strict=True):
                slots[slot] = value
            _execute(self.body, slots)
            current = [slots[slot] for slot in answers]
            done += 1
            if keep:
                rows.append(tuple(slots))
        return current, done, tuple(rows)

    def _fill_slots(self, outer: Mapping[int, Array]) -> list[Any]:
        slots: list[Any] = [None] * self.slots
        for number, slot in self.outer:
            slots[slot] = outer[number][()]
        for slot, value in self.constants:
            slots[slot] = value
        return slots

    def columns(self, values: Sequence[Any], outer: Mapping[int, Array], iterations: int) -> Columns:
        """The values of every slot in each of these iterations, which start from the scalars `values`."""
        with quiet():
            rows = self.run_scalars(values, outer, iterations, inf, keep=True)[2]
        return columns_of(rows)

    @cached_property
    def batch(self) -> int:
        """Maximum number of iterations that one event reports."""
        return max(1, _STEPS_BETWEEN_STARTS // len(self.ops))

    @cached_property
    def result_places(self) -> tuple[Slots | None, ...]:
        """The slots of the result of each step of an iteration; `None` for terminators."""
        return (*self.condition_results, None, *self.body_results, None)


def carried(values: Sequence[Array]) -> tuple[Any, ...]:
    """The scalars of which carried values consist."""
    return tuple(value[()] for found in values for value in _elements(found))


def columns_of(rows: Rows) -> Columns:
    """The transpose of the rows of an outcome; a slot that stays empty has no column."""
    return {
        slot: _column(found) for slot, found in enumerate(zip(*rows, strict=True)) if found[0] is not None
    }


def _column(values: tuple[Any, ...]) -> Array:
    column = np.empty(len(values), np.asarray(values[0]).dtype)
    column[:] = values
    return column


def scalar_slots(places: Sequence[Slots]) -> tuple[int, ...]:
    """The slots of all scalars in these locations, in order."""
    return tuple(slot for place in places for slot in (place if isinstance(place, tuple) else (place,)))


def value_at(place: Slots, scalar: Callable[[int], Array]) -> Array:
    """Build a value from the scalars in its slots."""
    return tuple_of([scalar(slot) for slot in place]) if isinstance(place, tuple) else scalar(place)


def _elements(value: Array) -> Sequence[Array]:
    return tuple(value) if is_tuple(value) else (value,)


def _execute(instructions: tuple[Instruction, ...], slots: list[Any]) -> None:
    for function, operands, result in instructions:
        if len(operands) == 2:
            slots[result] = function(slots[operands[0]], slots[operands[1]])
        else:
            slots[result] = function(*[slots[number] for number in operands])


def scalar_loop(condition: BoundBlock, body: BoundBlock, arguments: Sequence[Any]) -> ScalarLoop | None:
    """Compile a loop whose regions only have elementwise ops on scalars; `None` otherwise."""
    if not (condition.liftable and body.liftable and all(map(_is_scalar, arguments))):
        return None
    if any(_reads_outer_tuples(block) for block in (condition, body)):
        return None
    numbers = _Slots()
    taken = [tuple(map(numbers.argument, block.arguments, arguments)) for block in (condition, body)]
    compiled = [tuple(numbers.instructions(block)) for block in (condition, body)]
    given = [tuple(map(numbers.place, block.operations[-1].operands)) for block in (condition, body)]
    holds = given[0][0]
    assert isinstance(holds, int), "a condition gives one scalar"
    made = {number for block in (condition, body) for number in _made_in(block)}
    return ScalarLoop(
        tuple((number, slot) for number, slot in numbers.slots.items() if number >= 0 and number not in made),
        tuple(numbers.constants),
        len(numbers.slots),
        compiled[0],
        taken[0],
        holds,
        compiled[1],
        taken[1],
        given[1],
        tuple(numbers.place(bound.results[0]) for bound in condition.operations[:-1]),
        tuple(numbers.place(bound.results[0]) for bound in body.operations[:-1]),
        tuple(bound.id for block in (condition, body) for bound in block.operations),
        (condition.id, body.id),
    )


def _reads_outer_tuples(block: BoundBlock) -> bool:
    made = set(_made_in(block))
    return any(
        bound.op.lanes.taken_element(bound.op) is not None and bound.operands[0] not in made
        for bound in block.operations
    )


def _is_scalar(found: object) -> bool:
    """Whether a value is a scalar or a tuple of scalars."""
    elements = found.types if isinstance(found, TupleType) else (found,)
    return all(isinstance(element, TensorType) and element.rank == 0 for element in elements)


def _made_in(block: BoundBlock) -> Iterator[int]:
    yield from block.arguments
    for bound in block.operations:
        yield from bound.results


class _Slots:
    """Allocator of slots for values of the program."""

    def __init__(self) -> None:
        self.slots: dict[int, int] = {}
        self.constants: list[tuple[int, Any]] = []
        self._places: dict[int, Slots] = {}
        """Slots of tuples and of their elements."""

    def place(self, number: int) -> Slots:
        """The slots of a value, allocated on first use."""
        found = self._places.get(number)
        return self.slots.setdefault(number, len(self.slots)) if found is None else found

    def slot(self, number: int) -> int:
        """The slot of a scalar."""
        found = self.place(number)
        assert isinstance(found, int)
        return found

    def argument(self, number: int, value_type: Any) -> Slots:
        """The slots of a block's argument, new ones for the elements of a tuple."""
        if isinstance(value_type, TupleType):
            # Values of the program have no negative numbers.
            fresh = range(len(self.slots), len(self.slots) + len(value_type.types))
            self._places[number] = tuple(self.slots.setdefault(-1 - slot, slot) for slot in fresh)
        return self.place(number)

    def instructions(self, block: BoundBlock) -> Iterator[Instruction]:
        """The instructions of a block; constants are stored beforehand, and tuples need none."""
        for bound in block.operations[:-1]:
            taken = bound.op.lanes.taken_element(bound.op)
            if taken is not None:
                elements = self.place(bound.operands[0])
                assert isinstance(elements, tuple)
                self._places[bound.results[0]] = elements[taken]
            elif bound.op.traits.regroups_tuples:
                self._places[bound.results[0]] = tuple(map(self.slot, bound.operands))
            elif not bound.operands and bound.op.traits.is_constant:
                self.constants.append((self.slot(bound.results[0]), np.asarray(bound.op.evaluate())[()]))
            else:
                yield self._instruction(bound)

    def _instruction(self, bound: BoundOperation) -> Instruction:
        operands = tuple(map(self.slot, bound.operands))
        return bound.op.lanes.scalar_function(bound.op), operands, self.slot(bound.results[0])
