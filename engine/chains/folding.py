"""Runtime variables determined by the program: constants, iotas, and integers computed from them.

Rules: docs/index-maps.md, "Folding runtime variables". Values are computed as the program does: integers wrap
around, and reads are clamped as in the op.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

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
    modulo,
    remove_unused_symbols,
    simplify,
)
from ..ir.element_types import ElementType
from ..ir.types import TensorType
from ..ops.core.integer_folding import Bounds, Comparison, Index
from ..program import BoundOperation
from .bodies import bodies, runs_once
from .forwarding import forwarded_leaf
from .leaves import Leaf, leaf_shape, leaf_type
from .sources import Sources, ValueSource

MAX_DEPTH = 24
"""Maximum number of ops through which a value is traced."""
Found = TypeVar("Found")


@dataclass(frozen=True)
class Known:
    """Facts about values that no op computes: arguments of the bodies of loops."""

    limits: Mapping[Leaf, Interval] = field(default_factory=dict)
    """Limits of scalar integers."""
    same: Mapping[Leaf, Leaf] = field(default_factory=dict)
    """Leaves that equal other leaves."""


NOTHING_KNOWN = Known()


def fold(sources: Sources, index_map: IndexMap, known: Known = NOTHING_KNOWN) -> IndexMap:
    """Substitute the runtime variables that the program determines, and simplify if any was."""
    if index_map.kind is not Kind.NORMAL or not index_map.runtimes:
        return index_map

    def value(variable: RuntimeVariable) -> ReadValue | None:
        source = sources.source(variable.operand)
        frames = _frames_of(sources, source.calls)
        if source.leaf is None or frames is None:
            return None
        try:
            follower = ValueFollower(sources, variable.operand, known, _frames=frames)
            return follower.value(source.leaf, variable.map)
        except _InFunction:
            return None

    found = fold_runtimes(index_map, value)
    return index_map if found == index_map else remove_unused_symbols(simplify(found))


def _frames_of(sources: Sources, calls: tuple[int, ...]) -> list[Mapping[Leaf, Leaf]] | None:
    """Operands of the called functions' arguments, outermost first; `None` if they are not unchanged."""
    callers = [sources.program.ops[number] for number in calls]
    if not all(map(runs_once, callers)):
        return None
    return [dict(body.arguments) for bound in callers for body in bodies(sources.program, bound)]


class _InFunction(Exception):
    """A runtime value inside a function, which has no name outside."""


@dataclass
class ValueFollower:
    """Traces one value back through the ops that compute it.

    In expressions, Dim(j) is coordinate j of the element read, and Runtime(k) an earlier value known only in
    a run.
    """

    sources: Sources
    number: int
    """Number of the source."""
    known: Known = NOTHING_KNOWN
    runtimes: list[RuntimeVariable] = field(default_factory=list)
    bounds: dict[Expression, Interval] = field(default_factory=dict)
    _frames: list[Mapping[Leaf, Leaf]] = field(default_factory=list)
    """For each function entered, the operands of its arguments."""
    _shape: tuple[int, ...] = ()

    def value(self, leaf: Leaf, read: IndexMap) -> ReadValue | None:
        """The value as an expression; `None` if it is only itself."""
        shape = leaf_shape(self.sources.program, leaf)
        if shape is None or len(read.results) != len(shape):
            return None
        self.bounds |= {Dim(k): Interval(0, size - 1) for k, size in enumerate(shape)}
        self._shape = shape
        index = tuple(
            result if isinstance(result, Constant) else Dim(k) for k, result in enumerate(read.results)
        )
        found = self.read(leaf, index, 0)
        if isinstance(found, Runtime) and self.runtimes[found.number].operand == self.number:
            return None
        return ReadValue(found, tuple(self.runtimes))

    def read(self, leaf: Leaf, index: Index, depth: int) -> Expression:
        """An element of a value as an expression; a runtime variable if it is unknown."""
        leaf, before = self.known.same.get(leaf, leaf), len(self.runtimes)
        made = self.sources.program.makers.get(leaf.value)
        if self._frames and leaf in self._frames[-1]:
            return self._read_argument(leaf, index, depth)
        element_type = self.element_type(leaf)
        if element_type is not None and made is not None and made.op is not None and depth < MAX_DEPTH:
            found = self._read_result(self.sources.program.ops[made.op], leaf, index, depth)
            if found is not None:
                return self._wrap(found, element_type) or self._runtime_variable(leaf, index, before)
        if element_type is not None and depth < MAX_DEPTH:
            return self._common_constant(leaf, index, depth) or self._runtime_variable(leaf, index, before)
        return self._runtime_variable(leaf, index, before)

    def element_type(self, leaf: Leaf) -> ElementType | None:
        """The integer element type of a static tensor; `None` for other values."""
        found = leaf_type(self.sources.program, leaf)
        if not isinstance(found, TensorType) or not found.is_static:
            return None
        element_type = found.element_type
        return element_type if isinstance(element_type, ElementType) and element_type.is_integer else None

    def _runtime_variable(self, leaf: Leaf, index: Index, before: int) -> Expression:
        """A runtime variable for the element; drops those added since `before`."""
        if self._frames:
            raise _InFunction
        del self.runtimes[before:]
        element_type = self.element_type(leaf)
        interval = _type_interval(element_type) if element_type is not None else EVERYTHING
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

    def _read_result(self, bound: BoundOperation, leaf: Leaf, index: Index, depth: int) -> Expression | None:
        forwarded = forwarded_leaf(self.sources.program, bound, leaf)
        if forwarded is not None:
            return self.read(forwarded, index, depth + 1)
        if runs_once(bound):
            return self._read_body(bound, leaf, lambda inner: self.read(inner, index, depth + 1))
        return bound.op.folding.element(bound.op, index, _Operands(self, bound, depth))

    def comparison(self, predicate: Leaf, index: Index = (), depth: int = 0) -> Comparison | None:
        """The compared integers; `None` if the predicate is computed in another way."""
        made = self.sources.program.makers.get(predicate.value)
        if made is None or made.op is None or depth >= MAX_DEPTH:
            return None
        bound = self.sources.program.ops[made.op]
        forwarded = forwarded_leaf(self.sources.program, bound, predicate)
        if forwarded is not None:
            return self.comparison(forwarded, index, depth + 1)
        if runs_once(bound):
            return self._read_body(bound, predicate, lambda inner: self.comparison(inner, index, depth + 1))
        return bound.op.folding.comparison(bound.op, index, _Operands(self, bound, depth))

    def _read_body(
        self, bound: BoundOperation, leaf: Leaf, read: Callable[[Leaf], Found | None]
    ) -> Found | None:
        """Read a leaf that a function returns, if it depends only on the function's arguments."""
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

    def _read_argument(self, leaf: Leaf, index: Index, depth: int) -> Expression:
        """Read an argument of a function at its call."""
        frame = self._frames.pop()
        try:
            return self.read(frame[leaf], index, depth + 1)
        finally:
            self._frames.append(frame)

    def _common_constant(self, argument: Leaf, index: Index, depth: int) -> Constant | None:
        """The constant that an argument of a function has in all calls.

        Inside the function, no other value has a name.
        """
        operands = self.sources.call_arguments(argument)
        if not operands or self.known.limits.get(argument) is not None:
            return None
        values = {self.read(each, index, depth + 1) for each in operands}
        found = values.pop()
        return found if isinstance(found, Constant) and not values else None

    def _wrap(self, value: Expression, element_type: ElementType) -> Expression | None:
        """The value wrapped around to its type; `None` if that exceeds the expression evaluator."""
        limits = _type_interval(element_type)
        if limits.covers(interval_of(value, self.bounds)):
            return value
        if element_type.bits > 32:
            return None  # too large for the expression evaluator
        return add(modulo(add(value, -limits.lower), 1 << element_type.bits), limits.lower)


@dataclass(frozen=True)
class _Operands:
    """The operands of one op through which a value is traced: `OperandElements`."""

    follower: ValueFollower
    bound: BoundOperation
    depth: int

    @property
    def bounds(self) -> Bounds:
        return self.follower.bounds

    def has_integers(self, operand: int) -> bool:
        return self.follower.element_type(Leaf(self.bound.operands[operand])) is not None

    def read(self, operand: int, index: Index) -> Expression:
        return self.follower.read(Leaf(self.bound.operands[operand]), index, self.depth + 1)

    def compare(self, operand: int, index: Index) -> Comparison | None:
        return self.follower.comparison(Leaf(self.bound.operands[operand]), index, self.depth + 1)


def _type_interval(element_type: ElementType) -> Interval:
    """Range of an integer type, within int64."""
    if element_type.kind == "unsigned":
        return Interval(0, min((1 << element_type.bits) - 1, 2**63 - 1))
    return Interval(-(1 << (element_type.bits - 1)), (1 << (element_type.bits - 1)) - 1)
