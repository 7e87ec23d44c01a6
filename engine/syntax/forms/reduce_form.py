"""Short form of reduce: with a `reducer` region, or with the op that it `applies`."""

from typing import Any

from ...errors import ParseError
from ...ir.attribute_values import integers
from ...ir.attributes import DenseArrayAttribute
from ...ir.element_types import I64
from ...ir.module import Block, Operation, Region, Value
from ...ir.types import TensorType, Type
from ...source import Span
from ..attributes.print_attributes import print_dictionary
from ..text.trampoline import Steps
from .control_forms import read_argument
from .operation_draft import Draft
from .print_pieces import Body, Pieces, Scribe
from .scopes import Scope

COMMUTATIVE = frozenset(
    f"stablehlo.{name}" for name in ("add", "and", "maximum", "minimum", "multiply", "or", "xor")
)
"""Ops that MLIR reads and prints with `applies`."""
APPLIED_NAMES = ("%lhs", "%rhs", "%applied")
"""Names of the arguments and the result of an applied op, which the text omits."""


def read_reduce(draft: Draft, read_region: Any) -> Steps[None]:
    """Read `(%0 init: %1), … applies op across dimensions = […] {…} : …`, or with `reducer(…) {…}`."""
    reader = draft.reader
    _read_pairs(draft)
    applied: tuple[str, Span] | None = None
    start = reader.position
    if reader.accept_word("applies"):
        start = reader.position
        applied = reader.word("the op that is applied, such as stablehlo.add"), reader.span_from(start)
    reader.expect_word("across")
    reader.expect_word("dimensions")
    reader.expect("=")
    draft.property("dimensions", integers(reader.list_of("[", reader.integer)))
    draft.attribute_dictionary()
    reader.expect(":", " and the types of operands and results")
    draft.functional_type()
    if applied:
        draft.regions.append(_applied_region(draft, *applied))
        draft.applies = True
        return
    reader.expect_word("reducer", " and the reducer's arguments")
    arguments = _read_reducer_arguments(draft)
    draft.regions.append((yield read_region(draft, arguments)))


def _read_pairs(draft: Draft) -> None:
    reader = draft.reader
    values: list[tuple[Value, Span]] = []
    inits: list[tuple[Value, Span]] = []
    while True:
        reader.enter("(")
        values.append(draft.scope.use(reader))
        reader.expect_word("init", " and the initial value")
        reader.expect(":", " and the initial value")
        inits.append(draft.scope.use(reader))
        reader.leave()
        if not reader.accept(","):
            break
    draft.operands = [value for value, _ in values + inits]
    draft.operand_spans = [span for _, span in values + inits]


def _read_reducer_arguments(draft: Draft) -> tuple[Value, ...]:
    """Read pairs of arguments; the block takes the first of all pairs, then the second of all."""
    pairs: list[list[Value]] = []
    while draft.reader.peek("("):
        start = draft.reader.position
        pair = draft.reader.list_of("(", lambda: read_argument(draft))
        if len(pair) != 2:
            draft.reader.fail(f"a reducer takes pairs of arguments, not {len(pair)}", start)
        pairs.append(pair)
    return tuple(argument for side in (0, 1) for argument in (pair[side] for pair in pairs))


def _applied_region(draft: Draft, name: str, span: Span) -> Region:
    spelled, name = name, draft.reader.op_name(name) or ""
    if not name:
        raise ParseError(f"unknown op '{spelled}'", span, op=draft.name)
    if name not in COMMUTATIVE:
        known = ", ".join(sorted(COMMUTATIVE))
        hint = f"write the reducer as a region: reducer(%a: …, %b: …) {{…}}; 'applies' takes {known}"
        raise ParseError(f"'applies' takes commutative ops, not {name}", span, op=draft.name, hint=hint)
    if len(draft.operands) != 2:
        hint = "write the reducer as a region: reducer(%a: …, %b: …) {…}"
        raise ParseError("'applies' reduces one value at a time", span, op=draft.name, hint=hint)
    return applied_region(name, _element(draft), span, draft.scope)


def applied_region(name: str, element: Type, span: Span, scope: Scope) -> Region:
    """The region that applies the op `name`, written at `span`, to two values of type `element`."""
    lhs, rhs, result = [Value(scope.free_name(free), element, span) for free in APPLIED_NAMES]
    inner = Operation(name, (lhs, rhs), (result,), span=span, name_span=span, operand_spans=(span, span))
    ending = Operation("stablehlo.return", (result,), (), span=span, name_span=span, operand_spans=(span,))
    return Region((Block((lhs, rhs), (inner, ending), span=span),), span)


def _element(draft: Draft) -> Type:
    types = draft.operand_types or [value.type for value in draft.operands]
    first, initial = types[0], types[-1]
    found = TensorType((), first.element_type) if isinstance(first, TensorType) else first
    # Operations whose types are the same objects are verified once.
    return initial if found == initial else found


def write_reduce(operation: Operation, scribe: Scribe) -> Pieces | None:
    """Print the text after the op's name; `None` if the form cannot express the operation."""
    dimensions = operation.properties.get("dimensions")
    count = len(operation.operands) // 2
    if not isinstance(dimensions, DenseArrayAttribute) or dimensions.element_type != I64 or not count:
        return None
    if len(operation.operands) % 2 or len(operation.regions) != 1 or len(operation.regions[0].blocks) != 1:
        return None
    names = [value.name for value in operation.operands]
    pairs = zip(names[:count], names[count:], strict=True)
    head = ", ".join([f"({value} init: {init})" for value, init in pairs])
    entries = {name: value for name, value in operation.properties.items() if name != "dimensions"}
    entries |= operation.attributes
    rest = f" {print_dictionary(entries)}" if entries else ""
    tail = f" across dimensions = {list(dimensions.values)}{rest} : {operation.function_type}"
    block = operation.regions[0].block
    if is_applied(operation, block, scribe):
        return [f"{head} applies {block.operations[0].name}{tail}"]
    if len(block.arguments) != 2 * count:
        return None
    arguments = zip(block.arguments[:count], block.arguments[count:], strict=True)
    listed = " ".join([f"({a.name}: {a.type}, {b.name}: {b.type})" for a, b in arguments])
    body = Body(operation.regions[0], with_arguments=False)
    return [f"{head}{tail}\n{scribe.indent()} reducer{listed}  ", body]


def is_applied(operation: Operation, block: Block, scribe: Scribe) -> bool:
    """Whether `applies` builds this region: MLIR's condition, plus the names that the reader chooses."""
    if len(operation.operands) != 2 or len(block.operations) != 2 or len(block.arguments) != 2:
        return False
    inner, ending = block.operations
    if inner.name not in COMMUTATIVE or inner.properties or inner.attributes or inner.regions:
        return False
    if ending.name != "stablehlo.return" or ending.properties or ending.attributes:
        return False
    if inner.operands != block.arguments or ending.operands != inner.results or len(inner.results) != 1:
        return False
    first = operation.operands[0].type
    values = (*block.arguments, *inner.results)
    if not isinstance(first, TensorType) or any(v.type != TensorType((), first.element_type) for v in values):
        return False
    return [value.name for value in values] == [_free_name(name, scribe) for name in APPLIED_NAMES]


def _free_name(name: str, scribe: Scribe) -> str:
    number, free = 0, name
    while scribe.is_visible(free):
        free, number = f"{name}_{number}", number + 1
    return free
