"""Evaluate expressions: a walk over the syntax tree that checks a budget before each node."""

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import ExpressionError
from ..ops.core.values import is_tuple
from .functions import FUNCTIONS, UNDEFINED_FOR_EMPTY, Function
from .parser import Parsed
from .tree import Binary, Both, Call, Field, Item, Literal, Named, Node, Range, Rest, Unary, Variable, Within

Array = NDArray[Any]
Value = bool | int | float | complex | str | Array
"""Scalars are Python numbers and never overflow."""
MAX_ELEMENTS = 1 << 26
"""Maximum number of elements that all nodes of an expression process together."""
MAX_BITS = 4096
"""Maximum bit length of an integer."""


class Scope(Protocol):
    """Names in scope; its methods raise `ExpressionError` without a position, or `KeyError`."""

    def value(self, name: str, process: int | None) -> Array:
        """The array of a program value in this scope; `KeyError` if it has not been computed."""

    def variable(self, name: str, number: int) -> Any:
        """One of `VARIABLES`; `KeyError` if it has no value in this scope."""


def evaluate(parsed: Parsed, scope: Scope) -> Value:
    """The value of an expression; `ExpressionError` if it is invalid for these operands."""
    with np.errstate(all="ignore"):
        return _Walk(scope).result(parsed.tree)


def truth(parsed: Parsed, scope: Scope) -> bool:
    """Whether a condition holds: a single boolean, or a single nonzero number."""
    return _truth(evaluate(parsed, scope), parsed.tree)


def _truth(found: Value, node: Node) -> bool:
    if isinstance(found, np.ndarray):
        what = "booleans" if found.dtype.kind == "b" else "numbers"
        raise ExpressionError(
            f"this is a tensor of {found.size:,} {what}, not one", node.span, hint="Write any(…) or all(…)."
        )
    if isinstance(found, str):
        raise ExpressionError("this is a string, not a boolean", node.span)
    return bool(found)


class _Walk:
    def __init__(self, scope: Scope) -> None:
        self._scope, self._left = scope, MAX_ELEMENTS

    def of(self, node: Node) -> Value:
        """The value of an operand."""
        found = self.result(node)
        # NumPy's arrays keep their type only beside a float that is no subclass.
        return float(found) if isinstance(found, _Float32) else found

    def result(self, node: Node) -> Value:
        """The value of a node, whose text has the digits of its type."""
        method: Callable[[Any], Value] = _METHODS[type(node)].__get__(self)
        return method(node)

    def _spend(self, elements: int, node: Node) -> None:
        self._left -= elements
        if self._left < 0:
            raise ExpressionError(
                f"the expression touches more than {MAX_ELEMENTS:,} elements",
                node.span,
                hint="Take a part: %x[0].",
            )

    def _literal(self, node: Literal) -> Value:
        return node.value

    def _named(self, node: Named) -> Value:
        try:
            return self._recorded(self._scope.value(node.name, node.process), node)
        except KeyError:
            raise ExpressionError(f"%{node.name} has no value here", node.span) from None

    def _variable(self, node: Variable) -> Value:
        try:
            found = self._scope.variable(node.name, node.number)
        except KeyError:
            raise ExpressionError(f"there is no {node.name} here", node.span) from None
        return self._recorded(found, node) if isinstance(found, np.ndarray) else found

    def _recorded(self, found: Array, node: Node) -> Value:
        """Convert a value of the run: narrow floats become f32 and narrow integers i32."""
        if is_tuple(found):
            raise ExpressionError("this is a tuple or a token, which has no number", node.span)
        self._spend(found.size, node)
        if found.dtype.kind in "bc" or (found.dtype.kind in "iuf" and found.dtype.itemsize >= 4):
            return _plain(found)
        is_whole = found.dtype.kind in "iu" or "int" in found.dtype.name
        return _plain(found.astype(np.int32 if is_whole else np.float32))

    def _both(self, node: Both) -> Value:
        left = self.of(node.left)
        if isinstance(left, np.ndarray):
            return self._binary(Binary(node.span, node.operator, node.left, node.right), left)
        if _truth(left, node.left) is (node.operator == "or"):
            return node.operator == "or"
        right = self.of(node.right)
        return right != 0 if isinstance(right, np.ndarray) else _truth(right, node.right)

    def _unary(self, node: Unary) -> Value:
        found = self._number(self.of(node.operand), node.operand)
        if node.operator == "not":
            return found == 0 if isinstance(found, np.ndarray) else not found
        self._spend(_size(found), node)
        array = np.asarray(found)
        if node.operator == "~" and array.dtype.kind not in "biuO":
            raise ExpressionError("'~' takes integers", node.span)
        if array.dtype.kind == "b":
            return _plain(~array if node.operator == "~" else -array.astype(np.int32))
        negated: Value = -found if node.operator == "-" else ~found
        return negated

    def _binary(self, node: Binary, left: Value | None = None) -> Value:
        left = self.of(node.left) if left is None else left
        right = self.of(node.right)
        if isinstance(left, str) or isinstance(right, str):
            return self._strings(node, left, right)
        self._spend(_broadcast_size((left, right), node), node)
        if not isinstance(left, np.ndarray) and not isinstance(right, np.ndarray):
            return self._scalars(node, left, right)
        try:
            return _plain(np.asarray(_ARRAYS[node.operator](left, right)))
        except (TypeError, OverflowError, ValueError) as error:
            raise ExpressionError(f"'{node.operator}' cannot be computed: {error}", node.span) from None

    def _strings(self, node: Binary, left: Value, right: Value) -> Value:
        if node.operator not in ("==", "!=") or not (isinstance(left, str) and isinstance(right, str)):
            raise ExpressionError("strings can only be compared with strings, by == and !=", node.span)
        return (left == right) is (node.operator == "==")

    def _scalars(self, node: Binary, left: Any, right: Any) -> Value:
        if isinstance(left, int) and isinstance(right, int):
            _check_bits(node, left, right)
        try:
            if node.operator == "/" or (node.operator == "**" and isinstance(right, int) and right < 0):
                # As for tensors, a division by zero is infinite.
                left, right = (x if isinstance(x, complex) else float(x) for x in (left, right))
                return _plain(np.asarray(_ARRAYS[node.operator](np.asarray(left), np.asarray(right))))
            found = _SCALARS[node.operator](left, right)
        except ZeroDivisionError:
            raise ExpressionError("the right side is zero", node.right.span) from None
        except (TypeError, OverflowError) as error:
            raise ExpressionError(f"'{node.operator}' cannot be computed: {error}", node.span) from None
        return found if isinstance(found, bool | int | float | complex) else bool(found)

    def _within(self, node: Within) -> Value:
        found, low, high = (self._number(self.of(x), x) for x in (node.operand, node.low, node.high))
        self._spend(_broadcast_size((found, low, high), node), node)
        if any(_kind(x) == "c" for x in (found, low, high)):
            raise ExpressionError("complex numbers are not ordered", node.span)
        return _plain(np.asarray((np.asarray(found) >= low) & (np.asarray(found) <= high)))

    def _call(self, node: Call) -> Value:
        function = FUNCTIONS[node.function]
        named = dict(node.named)
        if not function.least <= len(node.arguments) <= function.most + function.reduces:
            many = (
                f"{function.least}"
                if function.least == function.most
                else f"{function.least} to {function.most}"
            )
            raise ExpressionError(
                f"{node.function} takes {many} arguments, not {len(node.arguments)}", node.span
            )
        if unknown := [name for name in named if name != "axis" or not function.reduces]:
            raise ExpressionError(f"{node.function} has no argument '{unknown[0]}'", node.span)
        values = [self._number(self.of(argument), argument) for argument in node.arguments]
        axis = self.of(named["axis"]) if named else values.pop() if len(values) > function.most else None
        arrays = [np.asarray(value) for value in values]
        elements = sum(x.size for x in arrays) if function.reduces else _broadcast_size(values, node)
        self._spend(elements * (32 if function.sorts else 1), node)
        return self._apply(
            node, function, arrays, {"axis": self._axis(axis, arrays[0], node)} if function.reduces else {}
        )

    def _axis(self, axis: Any, array: Array, node: Node) -> int | None:
        if axis is None:
            return None
        if not isinstance(axis, int) or not -array.ndim <= axis < array.ndim:
            shape = "×".join(map(str, array.shape)) or "a scalar"
            raise ExpressionError(f"there is no axis {axis}: the value is {shape}", node.span)
        return axis

    def _apply(self, node: Call, function: Function, arrays: list[Array], named: Mapping[str, Any]) -> Value:
        if not arrays[0].size and node.function in UNDEFINED_FOR_EMPTY:
            raise ExpressionError(f"{node.function} of no elements has no value", node.span)
        if function.truths:
            arrays = [array != 0 for array in arrays]
        try:
            return _plain(np.asarray(function.compute(*arrays, **named)))
        except (TypeError, ValueError, IndexError) as error:
            raise ExpressionError(f"{node.function} cannot be computed: {error}", node.span) from None

    def _field(self, node: Field) -> Value:
        found = np.asarray(self._number(self.of(node.operand), node.operand))
        match node.name:
            case "shape":
                return np.array(found.shape, np.int64)
            case "dtype":
                return found.dtype.name
            case "size" | "rank":
                return found.size if node.name == "size" else found.ndim
            case "T":
                return _plain(found.T)
        return _plain(found.real if node.name == "real" else found.imag)

    def _item(self, node: Item) -> Value:
        found = np.asarray(self._number(self.of(node.operand), node.operand))
        if any(isinstance(index, Rest) for index in node.indices[1:]) and isinstance(node.indices[0], Rest):
            raise ExpressionError("'...' can appear only once", node.span)
        try:
            return _plain(np.asarray(found[tuple(self._index(index) for index in node.indices)]))
        except (IndexError, ValueError, TypeError) as error:
            shape = "×".join(map(str, found.shape)) or "a scalar"
            raise ExpressionError(f"{error}: the value is {shape}", node.span) from None

    def _index(self, node: Node) -> Any:
        if isinstance(node, Rest):
            return Ellipsis
        if isinstance(node, Range):
            return slice(*(None if part is None else self._whole(part) for part in node.parts))
        return self._whole(node)

    def _whole(self, node: Node) -> int:
        found = self.of(node)
        if isinstance(found, bool) or not isinstance(found, int):
            raise ExpressionError("an index is a whole number", node.span)
        return found

    def _number(self, found: Value, node: Node) -> Any:
        if isinstance(found, str):
            raise ExpressionError("this is a string, not a number", node.span)
        return found


_SCALARS: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_ARRAYS: Mapping[str, Callable[[Any, Any], Any]] = {
    **_SCALARS,
    "/": operator.truediv,
    "and": lambda x, y: (np.asarray(x) != 0) & (np.asarray(y) != 0),
    "or": lambda x, y: (np.asarray(x) != 0) | (np.asarray(y) != 0),
}
_METHODS: Mapping[type[Node], Any] = {
    Literal: _Walk._literal,
    Named: _Walk._named,
    Variable: _Walk._variable,
    Unary: _Walk._unary,
    Binary: _Walk._binary,
    Both: _Walk._both,
    Within: _Walk._within,
    Call: _Walk._call,
    Field: _Walk._field,
    Item: _Walk._item,
}


class _Float32(float):
    """A float that is an f32: its text has the fewest digits that distinguish it among those."""

    def __str__(self) -> str:
        return str(np.float32(self))


def _plain(found: Array) -> Value:
    """The array; of rank 0, a Python number."""
    if found.ndim:
        return found
    if found.dtype == np.float32:
        return _Float32(found)
    item: bool | int | float | complex = found.item()
    return item


def _kind(found: Value) -> str:
    return np.asarray(found).dtype.kind if not isinstance(found, int) or isinstance(found, bool) else "i"


def _size(found: Value) -> int:
    return found.size if isinstance(found, np.ndarray) else 1


def _broadcast_size(values: Sequence[Any], node: Node) -> int:
    shapes = [value.shape for value in values if isinstance(value, np.ndarray)]
    try:
        sizes = np.broadcast_shapes(*shapes)
    except ValueError:
        spelled = " and ".join("×".join(map(str, shape)) for shape in shapes)
        raise ExpressionError(f"the shapes {spelled} do not broadcast", node.span) from None
    return int(np.prod(sizes, dtype=np.float64)) if sizes else 1


def _check_bits(node: Binary, left: int, right: int) -> None:
    """Reject integers that products and powers would make too long."""
    bits = abs(left).bit_length() * max(0, right) if node.operator == "**" else 0
    if node.operator == "*":
        bits = abs(left).bit_length() + abs(right).bit_length()
    if bits > MAX_BITS and abs(left) > 1:
        raise ExpressionError(f"the number has more than {MAX_BITS:,} bits", node.span)
