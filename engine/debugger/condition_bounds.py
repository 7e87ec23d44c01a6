"""Decide a condition at many steps by the statistics of values: their bounds, and whether some element is NaN.

Each part of the condition is bounded at all steps together. Steps that the bounds do not decide remain for
`engine/expressions`, as do parts that can raise an error.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..expressions import Parsed
from ..expressions.tree import Binary, Both, Call, Literal, Named, Node, Unary, Variable, Within
from ..ir.types import TensorType
from ..ops.core.scalars import as_tensor
from ..program import BoundProgram
from .run_location import values_by_name
from .track import NONE, Track
from .value_columns import COMPLEX, NAN, UNKNOWN, Rows
from .value_search import ValueSearch

Mask = NDArray[np.bool_]
Steps = NDArray[np.intp]
Floats = NDArray[np.float64]
_EXACT = float(1 << 53)
"""Integers up to this one are exact in f64."""


class Undecided(Exception):
    """The statistics do not bound a part of the condition."""


@dataclass(frozen=True)
class Numbers:
    """Bounds of the elements of a value at each step; an empty range if all are NaN.

    `has_low` and `has_high`: some element equals the bound. `nan`: some element is NaN.
    """

    low: Floats
    high: Floats
    has_low: Mask
    has_high: Mask
    nan: Mask
    known: Mask
    is_single: bool
    """Whether the value is one number, which Python computes with, instead of a tensor."""
    dtype: np.dtype[Any] | None = None
    """Of the elements of a tensor."""

    @property
    def points(self) -> Mask:
        """The steps at which the number is known exactly."""
        found: Mask = self.known & (self.low == self.high) & ~self.nan
        return found if self.is_single else np.zeros_like(found)


@dataclass(frozen=True)
class Booleans:
    """What is certain of the elements of a boolean value at each step."""

    is_single: bool
    all_true: Mask
    all_false: Mask
    some_true: Mask
    some_false: Mask

    def inverted(self) -> Booleans:
        """The negation."""
        return Booleans(self.is_single, self.all_false, self.all_true, self.some_false, self.some_true)


Bounds = Numbers | Booleans


@dataclass(frozen=True)
class Decision:
    """The steps at which a condition holds, and those at which it does not; the others are undecided."""

    holds: Mask
    fails: Mask


class ConditionBounds:
    """The statistics of a recording, to decide conditions at steps of one process."""

    def __init__(self, search: ValueSearch, process: int, made: Mapping[int, int], deadline: float) -> None:
        """`made`: for an op, the number of the value that `value` names. New statistics are computed until `deadline`."""
        self._search, self._process, self._made, self._deadline = search, process, made, deadline
        self._program: BoundProgram = search.recording.program
        self._track: Track = search.recording.tracks[process]
        self._executions: dict[int, Steps] = {}

    @cached_property
    def ops(self) -> NDArray[np.uint32]:
        """The op of each step."""
        return self._track.op_column

    @cached_property
    def _frame_column(self) -> NDArray[np.uint32]:
        return self._track.frame_column

    @cached_property
    def _openers(self) -> NDArray[np.uint32]:
        return self._track.frame_opener

    @cached_property
    def _iterations(self) -> NDArray[np.uint32]:
        return self._track.frame_iteration

    def decide(self, condition: Parsed, op: int, steps: Steps) -> Decision:
        """Decide `condition` at steps of one op."""
        with np.errstate(all="ignore"):
            try:
                found = _booleans(_Walk(self, op, steps).of(condition.tree))
            except Undecided:
                return Decision(*np.zeros((2, len(steps)), np.bool_))
        if not found.is_single:
            return Decision(*np.zeros((2, len(steps)), np.bool_))
        return Decision(found.all_true, found.all_false)

    def variable(self, node: Variable, op: int, steps: Steps) -> Numbers:
        """The bounds of a variable."""
        results = self._program.ops[op].results
        match node.name:
            case "step":
                return _points(steps)
            case "iteration":
                return _points(self._iterations[self._frames(steps)])
            case "process":
                return _points(np.full(len(steps), self._process))
            case "line":
                return _points(np.full(len(steps), self._program.line_of(op)))
            case "result" if node.number < len(results):
                return self._of_result(op, node.number, steps)
            case "value" if self._made.get(op) in results:
                return self._of_result(op, results.index(self._made[op]), steps)
            case "value" if op in self._made:
                return self.value(self._made[op], op, steps)
            case "before" if self._made.get(op) in results:
                return self._of_previous(op, results.index(self._made[op]), steps)
        raise Undecided

    def _of_previous(self, op: int, index: int, steps: Steps) -> Numbers:
        """The bounds of a result at the previous execution of the op, if there is one."""
        executions = self._executions_of(op)
        places = np.searchsorted(executions, steps) - 1
        found = self._of_result(op, index, executions[np.maximum(places, 0)])
        return replace(found, known=found.known & (places >= 0))

    def named(self, name: str, op: int, steps: Steps) -> Numbers:
        """The bounds of the value that a condition at an op names; see `StopScope.value`."""
        program = self._program
        values = program.derive(values_by_name)[name]
        own = [value for value in program.ops[op].results if value in values]
        if own:
            return self._of_result(op, program.ops[op].results.index(own[0]), steps)
        while True:
            for value in values:
                if self._is_visible(value, op):
                    return self.value(value, op, steps)
            steps = self._openers[self._frames(steps)].astype(np.intp)
            if (steps == NONE).any() or len(ops := np.unique(self.ops[steps])) != 1:
                raise Undecided
            op = int(ops[0])

    def _is_visible(self, value: int, op: int) -> bool:
        """Whether a block has a value where its op begins."""
        program, made = self._program, self._program.makers[value]
        before = made.op is None or program.positions[made.op] < program.positions[op]
        return made.block == program.ops[op].block and before

    def value(self, value: int, op: int, steps: Steps) -> Numbers:
        """The bounds of a value of the op's block, or of a block around it."""
        made = self._program.makers[value]
        if not self._is_visible(value, op):
            raise Undecided
        frames = self._frames(steps)
        if made.op is not None:
            return self._of_result(made.op, made.index, self._steps_of(made.op, frames))
        distinct, inverse = np.unique(frames, return_inverse=True)
        rows = self._search.argument_rows(self._process, made.index, distinct, self._deadline)
        return self._numbers(value, frames, rows, inverse)

    def _frames(self, steps: Steps) -> Steps:
        return self._frame_column[steps].astype(np.intp)

    def _executions_of(self, op: int) -> Steps:
        if op not in self._executions:
            self._executions[op] = np.flatnonzero(self.ops == op)
        return self._executions[op]

    def _steps_of(self, op: int, frames: Steps) -> Steps:
        """The step that ran an op in each frame."""
        steps = self._executions_of(op)
        places = np.searchsorted(self._frames(steps), frames)
        if (places >= len(steps)).any() or (self._frames(steps[places]) != frames).any():
            raise Undecided
        return steps[places]

    def _of_result(self, op: int, index: int, steps: Steps) -> Numbers:
        values = self._program.ops[op].results
        types = [as_tensor(self._program.values[value].type) for value in values[:index]]
        if not all(isinstance(found, TensorType) for found in types):
            raise Undecided  # a tuple has several rows
        distinct, inverse = np.unique(steps, return_inverse=True)
        rows = self._search.rows_of(self._process, op, index, distinct, self._deadline)
        return self._numbers(values[index], self._frames(steps), rows, inverse)

    def _numbers(self, value: int, frames: Steps, rows: Rows, inverse: Steps) -> Numbers:
        type = as_tensor(self._program.values[value].type)
        if not isinstance(type, TensorType) or type.element_type.dtype.itemsize > 8:
            raise Undecided
        sizes = [size for size in type.shape if size is not None]
        if len(sizes) < len(type.shape) or prod(sizes) == 0:
            raise Undecided
        lifted = self._track.frame_lanes
        if lifted and np.isin(frames, list(lifted)).any():
            raise Undecided
        return _numbers(rows, inverse, is_single=not sizes, dtype=type.element_type.dtype)


def _numbers(rows: Rows, inverse: Steps, *, is_single: bool, dtype: Any) -> Numbers:
    low, high, flags = rows.low[inverse], rows.high[inverse], rows.flags[inverse]
    empty = np.isnan(low)
    is_float = dtype.kind == "f" or (dtype.kind == "V" and "int" not in dtype.name)
    exact = (np.abs(low) <= _EXACT) & (np.abs(high) <= _EXACT) | is_float
    known = (flags & (UNKNOWN | COMPLEX)) == 0
    return Numbers(
        np.where(empty, inf, low),
        np.where(empty, -inf, high),
        exact & ~empty,
        exact & ~empty,
        (flags & NAN) != 0,
        known & (exact | empty),
        is_single,
        dtype if dtype.itemsize >= 4 or dtype.kind == "b" else np.dtype(np.float32 if is_float else np.int32),
    )


def _points(numbers: Any) -> Numbers:
    """Numbers that are known exactly."""
    wide = np.asarray(numbers).astype(np.float64)
    yes = np.ones(wide.shape, np.bool_)
    return Numbers(wide, wide, yes, yes, np.isnan(wide), np.abs(wide) <= _EXACT, True)


class _Walk:
    """The bounds of each node at steps of one op."""

    def __init__(self, bounds: ConditionBounds, op: int, steps: Steps) -> None:
        self._bounds, self._op, self._steps = bounds, op, steps

    def of(self, node: Node) -> Bounds:
        match node:
            case Literal(value=bool() | int() | float() as number) if (
                abs(number) <= _EXACT or abs(number) == inf
            ):
                return _points(np.full(len(self._steps), float(number)))
            case Named(process=None):
                return self._bounds.named(node.name, self._op, self._steps)
            case Variable():
                return self._bounds.variable(node, self._op, self._steps)
            case Unary(operator="not"):
                return _booleans(self.of(node.operand)).inverted()
            case Unary(operator="-"):
                return _negated(_as_numbers(self.of(node.operand)))
            case Both():
                return self._both(node)
            case Within():
                tests = (
                    Binary(node.span, ">=", node.operand, node.low),
                    Binary(node.span, "<=", node.operand, node.high),
                )
                low, high = (self._binary(test) for test in tests)
                return _joined(_booleans(low), _booleans(high))
            case Binary():
                return self._binary(node)
            case Call(arguments=(operand,), named=()) if node.function in _CALLS:
                return _CALLS[node.function](self.of(operand))
        raise Undecided

    def _both(self, node: Both) -> Booleans:
        left = _booleans(self.of(node.left))
        flipped = node.operator == "or"
        try:
            right = _booleans(self.of(node.right))
        except Undecided:
            nothing = np.zeros(len(self._steps), np.bool_)
            right = Booleans(True, nothing, nothing, nothing, nothing)
        if flipped:
            left, right = left.inverted(), right.inverted()
        if left.is_single:
            # Where the left side is undecided, it may raise an error.
            sure = left.all_true | left.all_false
            right = Booleans(right.is_single, *(mask & sure for mask in _masks(right)))
        found = _joined(left, right)
        return found.inverted() if flipped else found

    def _binary(self, node: Binary) -> Bounds:
        left, right = (_as_numbers(self.of(side)) for side in (node.left, node.right))
        if compare := _COMPARISONS.get(node.operator):
            return compare(left, right)
        if compute := _ARITHMETIC.get(node.operator):
            sure = left.points & right.points & np.isfinite(left.low) & np.isfinite(right.low)
            if node.operator in "/%":
                sure &= right.low != 0
            found = _points(compute(left.low, np.where(sure, right.low, 1.0)))
            return replace(found, known=found.known & sure & np.isfinite(found.low))
        raise Undecided


def _masks(found: Booleans) -> tuple[Mask, Mask, Mask, Mask]:
    return found.all_true, found.all_false, found.some_true, found.some_false


def _joined(left: Booleans, right: Booleans) -> Booleans:
    """`left and right`, element by element."""
    return Booleans(
        left.is_single and right.is_single,
        left.all_true & right.all_true,
        left.all_false | right.all_false,
        (left.some_true & right.all_true) | (left.all_true & right.some_true),
        left.some_false | right.some_false,
    )


def _booleans(found: Bounds) -> Booleans:
    """Whether elements are not zero."""
    if isinstance(found, Booleans):
        return found
    return _equal(found, _points(np.zeros(found.low.shape))).inverted()


def _as_numbers(found: Bounds) -> Numbers:
    if isinstance(found, Booleans):
        raise Undecided
    return found


def _negated(found: Numbers) -> Numbers:
    if not found.is_single and (found.dtype is None or found.dtype.kind not in "fV"):
        raise Undecided  # the smallest integer is its own negation
    return replace(found, low=-found.high, high=-found.low, has_low=found.has_high, has_high=found.has_low)


def _absolute(value: Bounds) -> Numbers:
    found = _as_numbers(value)
    if found.dtype is not None and found.dtype.kind == "i":
        found = replace(found, known=found.known & (found.low > np.iinfo(found.dtype).min))
    negative, positive = found.high <= 0, found.low >= 0
    far_low = -found.low >= found.high
    low = np.where(positive, found.low, np.where(negative, -found.high, 0.0))
    high = np.where(far_low, -found.low, found.high)
    has_low = np.where(positive, found.has_low, negative & found.has_high)
    return replace(
        found, low=low, high=high, has_low=has_low, has_high=np.where(far_low, found.has_low, found.has_high)
    )


def _extreme(is_high: bool) -> Callable[[Bounds], Numbers]:
    """`max` or `min`, which are NaN if any element is."""

    def compute(value: Bounds) -> Numbers:
        found = _as_numbers(value)
        bound, has = (found.high, found.has_high) if is_high else (found.low, found.has_low)
        low = np.where(found.nan, inf, bound)
        high = np.where(found.nan, -inf, bound)
        return Numbers(
            low, high, has & ~found.nan, has & ~found.nan, found.nan, found.known & (has | found.nan), True
        )

    return compute


def _isnan(value: Bounds) -> Booleans:
    found = _as_numbers(value)
    numbers = found.low <= found.high
    return _known(found, found.nan & ~numbers, ~found.nan, found.nan, numbers)


def _isinf(value: Bounds) -> Booleans:
    found = _as_numbers(value)
    low, high = np.isinf(found.low) & found.has_low, np.isinf(found.high) & found.has_high
    same = low & (found.low == found.high) & ~found.nan
    finite = np.isfinite(found.low) & np.isfinite(found.high)
    return _known(found, same, finite | (found.low > found.high), low | high, finite | found.nan)


def _isfinite(value: Bounds) -> Booleans:
    found = _as_numbers(value)
    infinite = (np.isinf(found.low) & found.has_low) | (np.isinf(found.high) & found.has_high)
    finite = np.isfinite(found.low) & np.isfinite(found.high)
    none = (found.low > found.high) | (infinite & (found.low == found.high))
    return _known(found, finite & ~found.nan, none, finite, infinite | found.nan)


def _known(of: Numbers, *masks: Mask) -> Booleans:
    return Booleans(of.is_single, *(mask & of.known for mask in masks))


def _cast(number: Numbers, other: Numbers) -> Numbers:
    """A single number as NumPy compares it with a tensor: in the tensor's type, if that is a float."""
    if not number.is_single or other.is_single or other.dtype is None or other.dtype.kind not in "fV":
        return number
    cast = np.dtype(np.float32) if other.dtype.itemsize <= 4 else np.dtype(np.float64)
    low, high = (bound.astype(cast).astype(np.float64) for bound in (number.low, number.high))
    return replace(number, low=low, high=high)


def _pair(left: Numbers, right: Numbers) -> tuple[Numbers, Numbers, Mask]:
    """Both sides as they are compared, and where they are known; two tensors need not have one shape."""
    if not left.is_single and not right.is_single:
        raise Undecided
    return _cast(left, right), _cast(right, left), left.known & right.known


def _less(strict: bool) -> Callable[[Numbers, Numbers], Booleans]:
    """`<` or `<=`."""
    before, not_before = (operator.lt, operator.ge) if strict else (operator.le, operator.gt)

    def compare(left: Numbers, right: Numbers) -> Booleans:
        x, y, known = _pair(left, right)
        nan, some = x.nan | y.nan, x.points | y.points
        some_true = some & before(x.low, y.high) & x.has_low & y.has_high
        some_false = nan | (some & not_before(x.high, y.low) & x.has_high & y.has_low)
        masks = (before(x.high, y.low) & ~nan, not_before(x.low, y.high), some_true, some_false)
        return Booleans(left.is_single and right.is_single, *(mask & known for mask in masks))

    return compare


def _equal(left: Numbers, right: Numbers) -> Booleans:
    x, y, known = _pair(left, right)
    if y.is_single and not x.is_single:
        x, y = y, x
    # x is a single number, which elements of y equal or not.
    point = x.points
    same = point & (y.low == y.high) & (y.low == x.low) & ~y.nan
    apart = (y.high < x.low) | (y.low > x.high)
    some = point & ((y.has_low & (y.low == x.low)) | (y.has_high & (y.high == x.low)))
    some_not = x.nan | y.nan | (point & ((y.has_low & (y.low != x.low)) | (y.has_high & (y.high != x.low))))
    return Booleans(
        left.is_single and right.is_single, *(mask & known for mask in (same, apart, some, some_not))
    )


def _any(value: Bounds) -> Booleans:
    found = _booleans(value)
    true = found.some_true | found.all_true
    return Booleans(True, true, found.all_false, true, found.all_false)


_CALLS: Mapping[str, Callable[[Bounds], Bounds]] = {
    "abs": _absolute,
    "max": _extreme(True),
    "min": _extreme(False),
    "any": _any,
    "all": lambda value: _any(_booleans(value).inverted()).inverted(),
    "isnan": _isnan,
    "isinf": _isinf,
    "isfinite": _isfinite,
}
_COMPARISONS: Mapping[str, Callable[[Numbers, Numbers], Booleans]] = {
    "<": _less(True),
    "<=": _less(False),
    ">": lambda x, y: _less(True)(y, x),
    ">=": lambda x, y: _less(False)(y, x),
    "==": _equal,
    "!=": lambda x, y: _equal(x, y).inverted(),
}
_ARITHMETIC: Mapping[str, Callable[[Floats, Floats], Floats]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "%": operator.mod,
}
