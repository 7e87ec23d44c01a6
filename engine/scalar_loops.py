"""`while` over scalars, many iterations at once: its regions run as lists of plain functions.

Same values, same numbers of steps and frames; what is saved is the bookkeeping around each of them.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np

from .ir.types import TensorType
from .ops.comparisons import Select
from .ops.creation import Constant
from .ops.elementwise import Elementwise
from .ops.op import Array, Op
from .program import BoundBlock, BoundOperation

_OPERATORS: Mapping[Callable[..., Any], Callable[..., Any]] = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.bitwise_and: operator.and_,
    np.bitwise_or: operator.or_,
    np.bitwise_xor: operator.xor,
    np.equal: operator.eq,
    np.not_equal: operator.ne,
    np.less: operator.lt,
    np.less_equal: operator.le,
    np.greater: operator.gt,
    np.greater_equal: operator.ge,
}
"""What NumPy's scalars do faster than its functions."""
_PATIENCE = 4096
"""Iterations between two looks at the clock."""

Instruction = tuple[Callable[..., Any], tuple[int, ...], int]


@dataclass(frozen=True)
class Outcome:
    """Where a loop is after some iterations."""

    values: tuple[Array, ...]
    iterations: int
    rows: tuple[tuple[Any, ...], ...]
    """For each iteration every slot, if that was asked for."""


@dataclass(frozen=True)
class ScalarLoop:
    """The two regions of a `while`, every value in a slot of a list."""

    outer: tuple[tuple[int, int], ...]
    """Values of enclosing blocks that the regions read, and their slots."""
    constants: tuple[tuple[int, Any], ...]
    slots: int
    condition: tuple[Instruction, ...]
    condition_arguments: tuple[int, ...]
    holds: int
    body: tuple[Instruction, ...]
    body_arguments: tuple[int, ...]
    answers: tuple[int, ...]
    condition_results: tuple[int, ...]
    """The slot of each operation's result, constants among them, the end of the region left out."""
    body_results: tuple[int, ...]
    ops: tuple[int, ...]
    """The number of each operation of an iteration, the ends of the regions included."""
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
        """Iterates from `values` until the condition is false, `iterations` are done or the time is over.

        The condition that is false is not counted, it remains to be run. With `keep` every value is kept.
        """
        slots = self._filled(outer)
        current: Sequence[Any] = [value[()] for value in values]
        rows: list[tuple[Any, ...]] = []
        done = 0
        while done < iterations:
            if done % _PATIENCE == _PATIENCE - 1 and perf_counter() >= deadline:
                break
            for slot, value in zip(self.condition_arguments, current, strict=True):
                slots[slot] = value
            _execute(self.condition, slots)
            if not slots[self.holds]:
                break
            for slot, value in zip(self.body_arguments, current, strict=True):
                slots[slot] = value
            _execute(self.body, slots)
            current = [slots[slot] for slot in self.answers]
            done += 1
            if keep:
                rows.append(tuple(slots))
        return Outcome(tuple(map(np.asarray, current)), done, tuple(rows))

    def _filled(self, outer: Mapping[int, Array]) -> list[Any]:
        slots: list[Any] = [None] * self.slots
        for number, slot in self.outer:
            slots[slot] = outer[number][()]
        for slot, value in self.constants:
            slots[slot] = value
        return slots

    @cached_property
    def result_slots(self) -> tuple[int | None, ...]:
        """For each step of an iteration the slot of its result; `None` for the ends of the regions."""
        return (*self.condition_results, None, *self.body_results, None)


def _execute(instructions: tuple[Instruction, ...], slots: list[Any]) -> None:
    for function, operands, result in instructions:
        if len(operands) == 2:
            slots[result] = function(slots[operands[0]], slots[operands[1]])
        else:
            slots[result] = function(*[slots[number] for number in operands])


def scalar_loop(condition: BoundBlock, body: BoundBlock, arguments: Sequence[Any]) -> ScalarLoop | None:
    """The loop of two regions over `arguments`' types, if they hold nothing but elementwise ops on scalars."""
    if not (condition.liftable and body.liftable and all(map(_is_scalar, arguments))):
        return None
    numbers = _Slots()
    compiled = [tuple(numbers.instructions(block)) for block in (condition, body)]
    taken = [tuple(map(numbers.slot, block.arguments)) for block in (condition, body)]
    given = [tuple(map(numbers.slot, block.operations[-1].operands)) for block in (condition, body)]
    made = {number for block in (condition, body) for number in _made_in(block)}
    return ScalarLoop(
        tuple((number, slot) for number, slot in numbers.slots.items() if number not in made),
        tuple(numbers.constants),
        len(numbers.slots),
        compiled[0],
        taken[0],
        given[0][0],
        compiled[1],
        taken[1],
        given[1],
        tuple(numbers.slot(bound.results[0]) for bound in condition.operations[:-1]),
        tuple(numbers.slot(bound.results[0]) for bound in body.operations[:-1]),
        tuple(bound.id for block in (condition, body) for bound in block.operations),
        (condition.id, body.id),
    )


def _is_scalar(found: object) -> bool:
    return isinstance(found, TensorType) and found.rank == 0


def _made_in(block: BoundBlock) -> Iterator[int]:
    yield from block.arguments
    for bound in block.operations:
        yield from bound.results


class _Slots:
    """Gives each value of the program that is met a slot."""

    def __init__(self) -> None:
        self.slots: dict[int, int] = {}
        self.constants: list[tuple[int, Any]] = []

    def slot(self, number: int) -> int:
        """The slot of a value."""
        return self.slots.setdefault(number, len(self.slots))

    def instructions(self, block: BoundBlock) -> Iterator[Instruction]:
        """What the block executes; constants are put into their slots beforehand."""
        for bound in block.operations[:-1]:
            if not bound.operands and isinstance(bound.op, Constant):
                self.constants.append((self.slot(bound.results[0]), bound.op.evaluate()[()]))
            else:
                yield self._instruction(bound)

    def _instruction(self, bound: BoundOperation) -> Instruction:
        operands = tuple(map(self.slot, bound.operands))
        return scalar_function(bound.op), operands, self.slot(bound.results[0])


def scalar_function(op: Op) -> Callable[..., Any]:
    """What `op` does to NumPy's scalars."""
    if isinstance(op, Select):
        return lambda pred, on_true, on_false: on_true if pred else on_false
    direct = op.direct if isinstance(op, Elementwise) else None
    if direct is None:
        return lambda *operands: np.asarray(op.evaluate(*map(np.asarray, operands)))[()]
    # On booleans NumPy's scalars have other ideas of arithmetic.
    numbers = all(found.element_type.kind != "boolean" for found in op.inputs)  # type: ignore[attr-defined]
    return _OPERATORS.get(direct, direct) if numbers else direct
