"""The words of short forms that denote types."""

from collections.abc import Callable, Sequence

from ...ir.element_types import ELEMENT_TYPES, I1, INDEX
from ...ir.module import Operation, Value
from ...ir.types import OpaqueType, ScalarType, TensorType, Type
from ..attributes.read_types import read_result_types
from .operation_draft import Draft
from .scopes import UNKNOWN


def _element_of_first(operands: Sequence[Value]) -> Type:
    found = operands[0].type if operands else None
    if found is UNKNOWN:
        return UNKNOWN
    return ScalarType(found.element_type) if isinstance(found, TensorType) else ScalarType(INDEX)


def _truth_of_first(operands: Sequence[Value]) -> Type:
    found = operands[0].type if operands else None
    if found is UNKNOWN:
        return UNKNOWN
    return found.with_element_type(I1) if isinstance(found, TensorType) else ScalarType(I1)


IMPLIED: dict[str, Callable[[Sequence[Value]], Type]] = {
    "result:element": _element_of_first,
    "result:truth": _truth_of_first,
    "result:index": lambda _: ScalarType(INDEX),
    "result:shape": lambda _: OpaqueType("!shape.shape"),
    "result:size": lambda _: OpaqueType("!shape.size"),
    "result:witness": lambda _: OpaqueType("!shape.witness"),
    "result:state": lambda _: TensorType((2,), ELEMENT_TYPES["ui64"]),
}
"""Words for a result type that the text omits because the operands determine it."""

_FUNCTIONAL = ("functional-type", "same-type", "select-type", "result-type")
"""Words that also accept a functional type in full."""


def read_types(draft: Draft, word: str) -> None:
    """Read the types that `word` denotes."""
    reader = draft.reader
    start = reader.position
    if word in _FUNCTIONAL and reader.peek("("):
        draft.functional_type()
    elif (implied := IMPLIED.get(word)) is not None:
        draft.result_types = [implied(draft.operands)]
    else:
        _READERS[word](draft)
        draft.types_span = reader.span_from(start)


def _read_functional(draft: Draft) -> None:
    draft.reader.fail_expecting(
        "'(' and the types of the operands", hint="the types look like (tensor<2xf32>) -> tensor<2xf32>"
    )


def _read_same(draft: Draft) -> None:
    found = draft.reader.read_type()
    draft.operand_types = [found] * len(draft.operands)
    draft.result_types = [found] * (1 if draft.result_count is None else draft.result_count)


def _list(draft: Draft) -> list[Type]:
    types = [draft.reader.read_type()]
    while draft.reader.accept(","):
        types.append(draft.reader.read_type())
    return types


def _read_pairwise(draft: Draft) -> None:
    draft.operand_types = _list(draft)
    draft.result_types = list(draft.operand_types)


def _read_operand(draft: Draft) -> None:
    types = _list(draft)
    draft.operand_types = types * len(draft.operands) if len(types) == 1 else types


def _read_operands(draft: Draft) -> None:
    draft.operand_types = _list(draft)


def _read_first(draft: Draft) -> None:
    draft.operand_types = [draft.reader.read_type(), *(value.type for value in draft.operands[1:])]


def _read_result(draft: Draft) -> None:
    draft.result_types = [draft.reader.read_type()]


def _read_results(draft: Draft) -> None:
    draft.result_types = list(read_result_types(draft.reader))


def _read_select(draft: Draft) -> None:
    predicate = draft.reader.read_type()
    draft.reader.expect(",", " and the type of the values")
    chosen = draft.reader.read_type()
    draft.operand_types = [predicate] + [chosen] * max(0, len(draft.operands) - 1)
    draft.result_types = [chosen]


def write_types(operation: Operation, word: str) -> str | None:
    """The types that `word` denotes; `None` if it cannot express them."""
    operands = [value.type for value in operation.operands]
    results = [value.type for value in operation.results]
    listed = ", ".join(map(str, operands))
    match word:
        case "functional-type":
            return str(operation.function_type)
        case "same-type":
            return (
                str(results[0]) if results and _all(operands + results, results[0]) else _function(operation)
            )
        case "select-type":
            short = len(operands) == 3 and len(results) == 1 and _all(operands[1:], results[0])
            return f"{operands[0]}, {results[0]}" if short else _function(operation)
        case "pairwise-types":
            return listed if operands and operands == results else None
        case "operand-type":
            return str(operands[0]) if operands and _all(operands, operands[0]) else None
        case "operand-types":
            return listed if operands else None
        case "first-type":
            return str(operands[0]) if operands else None
        case "result-type":
            return str(results[0]) if len(results) == 1 else None
        case _ if word in IMPLIED:
            return "" if results == [IMPLIED[word](operation.operands)] else None
        case _:
            _, _, arrow = str(operation.function_type).partition(" -> ")
            return str(results[0]) if len(results) == 1 else arrow


def _all(types: list[Type], wanted: Type) -> bool:
    return all(found == wanted for found in types)


def _function(operation: Operation) -> str:
    return str(operation.function_type)


_READERS: dict[str, Callable[[Draft], None]] = {
    "functional-type": _read_functional,
    "same-type": _read_same,
    "select-type": _read_select,
    "pairwise-types": _read_pairwise,
    "operand-type": _read_operand,
    "operand-types": _read_operands,
    "first-type": _read_first,
    "result-type": _read_result,
    "result-types": _read_results,
}

TYPE_WORDS = frozenset([*_READERS, *IMPLIED])

RESULT_WORDS = TYPE_WORDS - {"operand-type", "operand-types", "first-type"}
"""Words that determine the result types."""
