"""Expressions of a lesson: parsed, evaluated at a position, and formatted as on the page."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.run_location import RunLocation, values_by_name
from hloscope.engine.errors import ExpressionError
from hloscope.engine.expressions import Parsed, Value, evaluate, parse
from hloscope.engine.expressions.tree import Item, Literal, Named, Node, Unary, Variable
from hloscope.engine.ir.element_types import of_dtype
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.op import Array
from hloscope.engine.program import BoundProgram

from ..present.numbers import exact_number
from ..present.summary import value_text
from ..present.typed_answers import NumberKind
from .tree import LessonError

RUNS = "runs"
"""The name, in a check, for whether the program runs to its end."""
MOST_WRITTEN = 64
"""Maximum elements of a tensor that a text shows."""


@dataclass(frozen=True)
class Number:
    """A scalar in the page's format."""

    kind: NumberKind
    text: str


def read_expression(text: str, program: BoundProgram, line: int, more: Collection[str] = ()) -> Parsed:
    """Parse an expression over the values of a program; `LessonError`."""
    try:
        return parse(text, program.derive(values_by_name), more)
    except ExpressionError as error:
        raise in_lesson(error, text, line) from None


def in_lesson(error: ExpressionError, text: str, line: int) -> LessonError:
    """An error of an expression, with the expression."""
    return LessonError(line, f"`{text:.120}`: {error.message}", error.hint)


def value_at(parsed: Parsed, place: RunLocation, line: int) -> Value:
    """The value of an expression at a position; `LessonError`."""
    try:
        return evaluate(parsed, place)
    except ExpressionError as error:
        found = in_lesson(error, parsed.text, line)
        if error.message.endswith("has no value here"):
            found.hint = 'Say where it has one: at="%name", with iteration= in a loop.'
        raise found from None


def number_at(parsed: Parsed, place: RunLocation, line: int) -> Number:
    """A scalar; `LessonError` for a tensor, a string, a complex number."""
    found = value_at(parsed, place, line)
    if isinstance(found, bool):
        return Number("truth", "true" if found else "false")
    if isinstance(found, int):
        return Number("integer", str(found))
    if isinstance(found, float):
        return Number("float", _float_text(found, parsed.tree, place))
    what = f"a tensor of {found.size:,} elements" if isinstance(found, np.ndarray) else "a word"
    what = "a complex number" if isinstance(found, complex) else what
    hint = (
        "Write `.real` or `.imag` behind it." if isinstance(found, complex) else "Write one element: %2[1,0]."
    )
    raise LessonError(line, f"`{parsed.text}` is {what}, not one number", hint)


def truth_at(parsed: Parsed, place: RunLocation, line: int) -> bool:
    """Whether a condition holds; `LessonError` if it is not a condition."""
    found = value_at(parsed, place, line)
    if isinstance(found, np.ndarray):
        raise LessonError(line, f"`{parsed.text}` is a tensor, not one truth", "Write any(…) or all(…).")
    if isinstance(found, str):
        raise LessonError(line, f"`{parsed.text}` is a word, not a truth")
    return bool(found)


def written(parsed: Parsed, place: RunLocation, line: int) -> str:
    """A value as text: a number, a small tensor in brackets, the range of a large one."""
    found = value_at(parsed, place, line)
    if isinstance(found, str):
        return found
    if not isinstance(found, np.ndarray):
        return _float_text(found, parsed.tree, place) if isinstance(found, float) else exact_number(found)
    raw = _raw(parsed.tree, place)
    return array_text(found if raw is None or raw.shape != found.shape else raw)


def array_text(array: Array) -> str:
    """A small tensor in brackets, the range of a large one."""
    if array.size <= MOST_WRITTEN:
        return _bracket([exact_number(element) for element in array.reshape(-1)], array.shape)
    element = of_dtype(array.dtype)
    assert element is not None
    return value_text(array, TensorType(array.shape, element))


def _bracket(words: list[str], shape: tuple[int, ...]) -> str:
    if not shape:
        return words[0]
    size = len(words) // shape[0] if shape[0] else 0
    parts = [words[at * size : (at + 1) * size] for at in range(shape[0])]
    return f"[{', '.join(_bracket(part, shape[1:]) for part in parts)}]"


def _float_text(found: float, tree: Node, place: RunLocation) -> str:
    """The shortest distinguishing digits of a float.

    The type is that of the element, or else f32 if no value is wider.
    """
    raw = _raw(tree, place)
    if raw is not None and raw.ndim == 0:
        return exact_number(raw[()])
    widths = [place.value(name.name, name.process).dtype for name in names_in(tree)]
    is_small = bool(widths) and all(dtype.itemsize <= 4 or dtype.kind in "biu" for dtype in widths)
    narrow = np.float32(found) if is_small else None
    return exact_number(found if narrow is None or float(narrow) != found else narrow)


def _raw(tree: Node, place: RunLocation) -> Array | None:
    """A recorded value or part, before small floats become f32; `None` if computed."""
    if isinstance(tree, Named):
        return place.value(tree.name, tree.process)
    if isinstance(tree, Item) and isinstance(tree.operand, Named):
        index = index_of(tree)
        if index is not None:
            value = place.value(tree.operand.name, tree.operand.process)
            return np.asarray(value[index]) if len(index) == value.ndim else None
    return None


def index_of(item: Item) -> tuple[int, ...] | None:
    """The index in brackets, if it consists of plain numbers."""
    found = [_whole(index) for index in item.indices]
    return None if None in found else tuple(index for index in found if index is not None)


def _whole(node: Node) -> int | None:
    if isinstance(node, Unary) and node.operator == "-":
        inner = _whole(node.operand)
        return None if inner is None else -inner
    if isinstance(node, Literal) and isinstance(node.value, int) and not isinstance(node.value, bool):
        return node.value
    return None


def parts_of(node: Node) -> Iterator[Node]:
    """An expression and all its subexpressions."""
    yield node
    for each in fields(node):
        yield from _nodes(getattr(node, each.name))


def _nodes(found: Any) -> Iterator[Node]:
    if isinstance(found, Node):
        yield from parts_of(found)
    elif isinstance(found, tuple):
        for part in found:
            yield from _nodes(part)


def names_in(node: Node) -> list[Named]:
    """The values that an expression reads."""
    return [part for part in parts_of(node) if isinstance(part, Named)]


def reads_runs(node: Node) -> bool:
    """Whether a check itself tests whether the program ran."""
    return any(isinstance(part, Variable) and part.name == RUNS for part in parts_of(node))


@dataclass(frozen=True)
class Read:
    """A value that an expression reads: its address, and one element or all (`None`)."""

    address: Address
    index: tuple[int, ...] | None


def reads_of(parsed: Parsed, place: RunLocation) -> list[Read]:
    """The distinct reads of an expression at a position."""
    found: list[Read] = []
    inner = {id(part.operand): part for part in parts_of(parsed.tree) if isinstance(part, Item)}
    for name in names_in(parsed.tree):
        at = place if name.process in (None, place.process) else place.elsewhere(name.process or 0)
        address = at.find(name.name)
        if address is not None:
            item = inner.get(id(name))
            index = index_of(item) if item is not None else None
            found.append(Read(address, _element(index, place.recording.value(address).shape)))
    return list(dict.fromkeys(found))


def _element(index: tuple[int, ...] | None, shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """The element of an index; `None` if it selects several."""
    if not shape:
        return ()
    if index is None or len(index) != len(shape):
        return None
    return tuple(at + size if at < 0 else at for at, size in zip(index, shape, strict=True))
