"""What runtime variables are read from, where the program says it: constants, iotas, and integers made of them.

Reference: reference/indexing.md, section 3.3, which has what XLA did in 2024. Here a value counts as the program
computes it: integers that would wrap around do, and what is read is clamped as the op clamps it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from ..indexing import (
    EVERYTHING,
    Constant,
    Dim,
    Expression,
    IndexMap,
    Interval,
    Kind,
    ReadValue,
    Runtime,
    RuntimeVariable,
    add,
    fold_runtimes,
    interval_of,
    maximum,
    minimum,
    modulo,
    multiply,
    remove_unused_symbols,
    simplify,
    substitute,
    variables_of,
)
from ..ir.element_types import ElementType
from ..ir.types import TensorType
from ..ops import comparisons, creation, data_movement
from ..ops.hlo.bitcast import Bitcast
from ..program import BoundOperation
from .bodies import bodies, runs_once
from .integers import ARITHMETIC, Comparison
from .leaves import Leaf, leaf_shape, leaf_type
from .ordinary import moved_leaves
from .sources import Sources, ValueSource

MOST_DEEP = 24
"""Ops behind one another through which a value is followed."""
MOST_ELEMENTS = 1 << 16
"""Elements of a constant that are looked at for a rule behind them."""
_MOVES = (
    data_movement.BroadcastInDim,
    data_movement.Reshape,
    data_movement.Reverse,
    data_movement.Slice,
    data_movement.Transpose,
)
Index = tuple[Expression, ...]
Found = TypeVar("Found")


@dataclass(frozen=True)
class Known:
    """What is known of values that nothing in the program says: arguments of the bodies of loops."""

    limits: Mapping[Leaf, Interval] = field(default_factory=dict)
    """Between which integers a scalar always is."""
    same: Mapping[Leaf, Leaf] = field(default_factory=dict)
    """Leaves that are others, as they are."""


NOTHING_KNOWN = Known()


def folded(sources: Sources, index_map: IndexMap, known: Known = NOTHING_KNOWN) -> IndexMap:
    """The map with the runtime variables that the program determines written out, and simplified if any is."""
    if index_map.kind is not Kind.NORMAL or not index_map.runtimes:
        return index_map

    def value(variable: RuntimeVariable) -> ReadValue | None:
        source = sources.source(variable.operand)
        frames = _frames_of(sources, source.calls)
        if source.leaf is None or frames is None:
            return None
        try:
            following = Following(sources, variable.operand, known, _frames=frames)
            return following.value(source.leaf, variable.map)
        except _InFunction:
            return None

    found = fold_runtimes(index_map, value)
    return index_map if found == index_map else remove_unused_symbols(simplify(found))


def _frames_of(sources: Sources, calls: tuple[int, ...]) -> list[Mapping[Leaf, Leaf]] | None:
    """What the arguments of called functions are, from outside in; `None` where they are not handed in as they are."""
    called = [sources.program.ops[number] for number in calls]
    if not all(map(runs_once, called)):
        return None
    return [dict(body.arguments) for bound in called for body in bodies(sources.program, bound)]


class _InFunction(Exception):
    """A value in a function that only a run knows: it has no name outside."""


@dataclass
class Following:
    """Follows one value back through the ops that made it.

    Expressions have Dim(j) for coordinate j of the element that is read of it, and Runtime(k) for values further
    back that only a run knows.
    """

    sources: Sources
    number: int
    """The source's."""
    known: Known = NOTHING_KNOWN
    runtimes: list[RuntimeVariable] = field(default_factory=list)
    bounds: dict[Expression, Interval] = field(default_factory=dict)
    _frames: list[Mapping[Leaf, Leaf]] = field(default_factory=list)
    """Of the functions that a value is followed into, the operands that their arguments are."""
    _shape: tuple[int, ...] = ()

    def value(self, leaf: Leaf, read: IndexMap) -> ReadValue | None:
        """The value as an expression; `None` where it is nothing but itself."""
        shape = leaf_shape(self.sources.program, leaf)
        if shape is None or len(read.results) != len(shape):
            return None
        self.bounds |= {Dim(k): Interval(0, size - 1) for k, size in enumerate(shape)}
        self._shape = shape
        index = tuple(
            result if isinstance(result, Constant) else Dim(k) for k, result in enumerate(read.results)
        )
        found = self._read(leaf, index, 0)
        if isinstance(found, Runtime) and self.runtimes[found.number].operand == self.number:
            return None
        return ReadValue(found, tuple(self.runtimes))

    def _read(self, leaf: Leaf, index: Index, depth: int) -> Expression:
        """An element of a value; a runtime variable where there is nothing behind it to say."""
        leaf, before = self.known.same.get(leaf, leaf), len(self.runtimes)
        made = self.sources.program.makers.get(leaf.value)
        if self._frames and leaf in self._frames[-1]:
            return self._handed_in(leaf, index, depth)
        element_type = self._element_type(leaf)
        if element_type is not None and made is not None and made.op is not None and depth < MOST_DEEP:
            found = self._computed(self.sources.program.ops[made.op], leaf, index, depth)
            if found is not None:
                return self._wrapped(found, element_type) or self._unknown(leaf, index, before)
        if element_type is not None and depth < MOST_DEEP:
            return self._in_all_calls(leaf, index, depth) or self._unknown(leaf, index, before)
        return self._unknown(leaf, index, before)

    def _element_type(self, leaf: Leaf) -> ElementType | None:
        found = leaf_type(self.sources.program, leaf)
        if not isinstance(found, TensorType) or not found.is_static:
            return None
        element_type = found.element_type
        return element_type if isinstance(element_type, ElementType) and element_type.is_integer else None

    def _unknown(self, leaf: Leaf, index: Index, before: int) -> Expression:
        """What the run has there; what was found behind it since then is not needed."""
        if self._frames:
            raise _InFunction
        del self.runtimes[before:]
        element_type = self._element_type(leaf)
        interval = _values(element_type) if element_type is not None else EVERYTHING
        interval = self.known.limits.get(leaf, interval)
        variable = RuntimeVariable(
            interval, self.sources.number(ValueSource(leaf)), IndexMap.of(index, self._shape)
        )
        if variable in self.runtimes:
            return Runtime(self.runtimes.index(variable))
        self.runtimes.append(variable)
        found = Runtime(len(self.runtimes) - 1)
        self.bounds[found] = interval
        return found

    def _computed(self, bound: BoundOperation, leaf: Leaf, index: Index, depth: int) -> Expression | None:
        op = bound.op
        moved = moved_leaves(self.sources.program, bound)
        if moved is not None:
            origin = next((pair.operand for pair in moved if pair.result == leaf), None)
            return None if origin is None else self._read(origin, index, depth + 1)
        if runs_once(bound):
            return self._within(bound, leaf, lambda inner: self._read(inner, index, depth + 1))
        operands = [Leaf(value) for value in bound.operands]
        if isinstance(op, _MOVES):
            return self._moved(bound, operands[0], index, depth)
        match op:
            case creation.Constant():
                return None if op.outside is not None else _constant(op.evaluate(), index)
            case creation.Iota():
                return index[op.iota_dimension]
            case Bitcast():
                return self._moved(bound, operands[0], index, depth) if self._keeps_type(bound) else None
            case comparisons.Convert():
                source = self._element_type(operands[0])
                return None if source is None else self._read(operands[0], index, depth + 1)
            case comparisons.Clamp():
                scalars = [index if leaf_shape(self.sources.program, each) else () for each in operands]
                low, value, high = (
                    self._read(each, at, depth + 1) for each, at in zip(operands, scalars, strict=True)
                )
                if _is_unknown(low) or _is_unknown(high):
                    return None
                return minimum(maximum(value, low), high)
            case comparisons.Select():
                chosen = self._chosen(operands, index, depth)
                return None if chosen is None else self._read(chosen, index, depth + 1)
        return self._arithmetic(bound, operands, index, depth)

    def _chosen(self, operands: list[Leaf], index: Index, depth: int) -> Leaf | None:
        """The side of a select that is always taken."""
        predicate, *sides = operands
        at = index if leaf_shape(self.sources.program, predicate) else ()
        compared = self.comparison(predicate, at, depth + 1)
        decided = None if compared is None else compared.decided(self.bounds)
        return None if decided is None else sides[0 if decided else 1]

    def comparison(self, predicate: Leaf, index: Index = (), depth: int = 0) -> Comparison | None:
        """What is compared with what; `None` where a truth value is made in another way, or not of integers."""
        made = self.sources.program.makers.get(predicate.value)
        if made is None or made.op is None or depth >= MOST_DEEP:
            return None
        bound = self.sources.program.ops[made.op]
        moved = moved_leaves(self.sources.program, bound)
        if moved is not None:
            origin = next((pair.operand for pair in moved if pair.result == predicate), None)
            return None if origin is None else self.comparison(origin, index, depth + 1)
        if runs_once(bound):
            return self._within(bound, predicate, lambda inner: self.comparison(inner, index, depth + 1))
        op = bound.op
        if not isinstance(op, comparisons.Compare) or self._element_type(Leaf(bound.operands[0])) is None:
            return None
        left, right = (self._read(Leaf(value), index, depth + 1) for value in bound.operands)
        return Comparison(op.comparison_direction, add(left, -right))

    def _within(
        self, bound: BoundOperation, leaf: Leaf, read: Callable[[Leaf], Found | None]
    ) -> Found | None:
        """What is read of a leaf that a function gives, if it hangs on what the function is given alone."""
        (body,) = bodies(self.sources.program, bound)
        inner = next((inner for inner, outer in body.results if outer == leaf), None)
        if inner is None:
            return None
        self._frames.append(dict(body.arguments))
        try:
            return read(inner)
        except _InFunction:
            return None
        finally:
            self._frames.pop()

    def _handed_in(self, leaf: Leaf, index: Index, depth: int) -> Expression:
        """An argument of a function, read where the function is called."""
        frame = self._frames.pop()
        try:
            return self._read(frame[leaf], index, depth + 1)
        finally:
            self._frames.append(frame)

    def _in_all_calls(self, argument: Leaf, index: Index, depth: int) -> Constant | None:
        """An argument of a function that is one number in all calls of it.

        What else it may be has no name where the function is looked at alone.
        """
        given = self.sources.handed_in(argument)
        if not given or self.known.limits.get(argument) is not None:
            return None
        values = {self._read(each, index, depth + 1) for each in given}
        found = values.pop()
        return found if isinstance(found, Constant) and not values else None

    def _keeps_type(self, bound: BoundOperation) -> bool:
        return self._element_type(Leaf(bound.operands[0])) == self._element_type(Leaf(bound.results[0]))

    def _moved(self, bound: BoundOperation, operand: Leaf, index: Index, depth: int) -> Expression | None:
        """Through an op that only moves elements: the element of the operand that this one is."""
        maps = list(bound.op.index_maps())
        if len(maps) != 1 or maps[0].map.kind is not Kind.NORMAL or maps[0].map.ranges:
            return None
        places: dict[Expression, Expression] = {Dim(k): each for k, each in enumerate(index)}
        within = tuple(substitute(result, places) for result in maps[0].map.results)
        return self._read(operand, within, depth + 1)

    def _arithmetic(
        self, bound: BoundOperation, operands: list[Leaf], index: Index, depth: int
    ) -> Expression | None:
        combined = ARITHMETIC.get(type(bound.op))
        if combined is None:
            return None
        values = [self._read(each, index, depth + 1) for each in operands]
        # Of two values that only the run knows, the one computed from them says more than both.
        if len(values) == 2 and all(map(_is_unknown, values)):
            return None
        return combined(values, self.bounds)

    def _wrapped(self, value: Expression, element_type: ElementType) -> Expression | None:
        """The value as integers of its type hold it: beyond their ends they begin at the other one."""
        limits = _values(element_type)
        if limits.covers(interval_of(value, self.bounds)):
            return value
        if element_type.bits > 32:
            return None  # too large for what evaluates expressions
        return add(modulo(add(value, -limits.lower), 1 << element_type.bits), limits.lower)


def _is_unknown(value: Expression) -> bool:
    return any(isinstance(met, Runtime) for met in variables_of(value))


def _values(element_type: ElementType) -> Interval:
    """What integers of a type can be, as int64 holds it."""
    if element_type.kind == "unsigned":
        return Interval(0, min((1 << element_type.bits) - 1, 2**63 - 1))
    return Interval(-(1 << (element_type.bits - 1)), (1 << (element_type.bits - 1)) - 1)


def _constant(values: np.ndarray[tuple[int, ...], np.dtype[np.generic]], index: Index) -> Expression | None:
    """An element of a constant: where all are equal, where its index is known, or where a rule gives them all."""
    if values.size == 0:
        return None
    if values.strides and any(step == 0 for step in values.strides):
        corner = tuple(slice(0, 1) if step == 0 else slice(None) for step in values.strides)
        values = values[corner]
        index = tuple(
            Constant(0) if size == 1 else each for size, each in zip(values.shape, index, strict=True)
        )
    known = [each.value if isinstance(each, Constant) else None for each in index]
    values = values[tuple(slice(None) if at is None else slice(at, at + 1) for at in known)]
    if values.size == 0 or values.size > MOST_ELEMENTS:
        return None
    first = int(values.flat[0])
    found: Expression = Constant(first)
    expected = np.full(values.shape, first, object)
    for dimension, each in enumerate(index):
        if values.shape[dimension] < 2:
            continue
        second = int(values[tuple(1 if k == dimension else 0 for k in range(values.ndim))])
        step = second - first
        found = add(found, multiply(each, step))
        along = [1] * values.ndim
        along[dimension] = -1
        expected = expected + (np.arange(values.shape[dimension]).astype(object) * step).reshape(along)
    return found if bool(np.all(values.astype(object) == expected)) else None
