"""Index maps as JSON, as the browser reads them."""

from __future__ import annotations

from typing import Literal

from hloscope.engine.indexing import (
    CeilDivide,
    Constant,
    Dim,
    Expression,
    FloorDivide,
    IndexMap,
    Interval,
    Maximum,
    Minimum,
    Modulo,
    OperandMap,
    Product,
    QuotientBy,
    Range,
    RemainderBy,
    Runtime,
    RuntimeVariable,
    Sum,
)
from hloscope.engine.indexing.core.index_map import Kind

from ..wire.maps import ExpressionJson, MapInfo, OperandMapInfo, RuntimeInfo

_KINDS: dict[Kind, Literal["normal", "undefined", "empty"]] = {
    Kind.NORMAL: "normal",
    Kind.UNDEFINED: "undefined",
    Kind.KNOWN_EMPTY: "empty",
}


def operand_map_json(item: OperandMap) -> OperandMapInfo:
    """One map with its operand and its result."""
    place = None if item.place is None else expression_json(item.place)
    return {
        "operand": item.operand,
        "result": item.result,
        "map": map_json(item.map),
        "place": place,
        "enclosing": item.enclosing,
        "undecided": item.undecided,
    }


def map_json(found: IndexMap) -> MapInfo:
    """A map with its domain."""
    return {
        "kind": _KINDS[found.kind],
        "results": [expression_json(result) for result in found.results],
        "dimensions": [_interval(interval) for interval in found.dimensions],
        "ranges": [_interval(interval) for interval in found.ranges],
        "runtimes": [_runtime(variable) for variable in found.runtimes],
        "constraints": [(expression_json(part), _interval(interval)) for part, interval in found.constraints],
    }


def expression_json(expression: Expression) -> ExpressionJson:
    """A number, the name of a variable, or a list that begins with the operation."""
    match expression:
        case Constant(value):
            return value
        case Dim(number):
            return f"d{number}"
        case Range(number):
            return f"s{number}"
        case Runtime(number):
            return f"rt{number}"
        case Sum(parts):
            return ["+", *map(expression_json, parts)]
        case Product(parts):
            return ["*", *map(expression_json, parts)]
        case FloorDivide(dividend, divisor):
            return ["floordiv", expression_json(dividend), divisor]
        case CeilDivide(dividend, divisor):
            return ["ceildiv", expression_json(dividend), divisor]
        case Modulo(dividend, divisor):
            return ["mod", expression_json(dividend), divisor]
        case QuotientBy(dividend, by):
            return ["floordiv", expression_json(dividend), expression_json(by)]
        case RemainderBy(dividend, by):
            return ["mod", expression_json(dividend), expression_json(by)]
        case Minimum(left, right):
            return ["min", expression_json(left), expression_json(right)]
        case Maximum(left, right):
            return ["max", expression_json(left), expression_json(right)]
    raise TypeError(f"not an expression: {expression!r}")


def _interval(interval: Interval) -> tuple[int, int]:
    return interval.lower, interval.upper


def _runtime(variable: RuntimeVariable) -> RuntimeInfo:
    return {
        "interval": _interval(variable.interval),
        "operand": variable.operand,
        "map": map_json(variable.map),
        "clamped": variable.clamped,
    }
