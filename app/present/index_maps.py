"""The maps of one op as JSON: the formulas, what they are read from, and what a picture has to know of the op."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from engine.indexing import (
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
    Range,
    Runtime,
    RuntimeVariable,
    Style,
    Sum,
    print_map,
    simplification,
)
from engine.indexing.index_map import Kind
from engine.ir.module import Language
from engine.ir.types import TensorType, TupleType, Type
from engine.ops.op import Op
from engine.ops.packed import Packed
from engine.program import BoundOperation

from .index_parts import parts_json
from .types import type_text

JSON = dict[str, Any]
_KINDS = {Kind.NORMAL: "normal", Kind.UNDEFINED: "undefined", Kind.KNOWN_EMPTY: "empty"}
_DIRECTIONS = ("output-to-input", "input-to-output")


@dataclass(frozen=True)
class MappedTensor:
    """An operand or a result that maps speak of: a value of the program, or a part of one that is a tuple."""

    name: str
    type: Type
    value: int | None = None
    """The value's number in the program."""
    path: tuple[int, ...] = ()

    def json(self, language: Language) -> JSON:
        """`shape` is `None` for what has no elements, and where sizes are open."""
        sizes = self.type.sizes if isinstance(self.type, TensorType) and self.type.is_static else None
        element = str(self.type.element_type) if isinstance(self.type, TensorType) else None
        return {
            "name": self.name,
            "type": type_text(self.type, language, layouts=False),
            "shape": None if sizes is None else list(sizes),
            "elementType": element,
            "value": self.value,
            "path": list(self.path),
        }


@dataclass(frozen=True)
class OpMaps:
    """The maps of an op, both ways, and what their numbers stand for."""

    op: Op
    operands: Sequence[MappedTensor]
    results: Sequence[MappedTensor]
    found: Sequence[str]
    """What to call what the op finds out in a run; runtime variables read it behind the operands."""
    maps: Sequence[OperandMap]
    inverse: Sequence[OperandMap]

    def name_of(self, operand: int) -> str:
        """What a runtime variable is read from."""
        names = [*(tensor.name for tensor in self.operands), *self.found]
        return names[operand] if operand < len(names) else f"operand {operand}"


def maps_of(bound: BoundOperation) -> OpMaps:
    """The maps that an op has by itself; none where its sizes are open."""
    op = bound.op.twin if isinstance(bound.op, Packed) else bound.op
    values = bound.operation.operands
    operands = list(_leaves((value.name for value in values), bound.operands, op.operand_types))
    results = list(
        _leaves((value.name for value in bound.operation.results), bound.results, _result_types(bound))
    )
    is_open = any(isinstance(found.type, TensorType) and not found.type.is_static for found in operands)
    forward = () if is_open else tuple(op.index_maps())
    return OpMaps(
        op, operands, results, op.found_out, forward, () if is_open else tuple(op.inverse_index_maps())
    )


def maps_json(described: OpMaps, language: Language = "stablehlo") -> JSON:
    """The whole answer: operands, results, maps of both directions, their texts, roles of dimensions, parts."""
    names = ("operands", "results")
    roles = described.op.dimension_roles()
    return {
        "op": described.op.name,
        "operands": [tensor.json(language) for tensor in described.operands],
        "found": list(described.found),
        "results": [tensor.json(language) for tensor in described.results],
        "maps": [operand_map_json(item) for item in described.maps],
        "inverse": [operand_map_json(item) for item in described.inverse],
        "texts": list(_texts(described)),
        "roles": {name: [list(tensor) for tensor in found] for name, found in zip(names, roles, strict=True)},
        "parts": parts_json(described.op),
    }


def operand_map_json(item: OperandMap) -> JSON:
    """One map with what it leads from and to."""
    place = None if item.place is None else expression_json(item.place)
    return {
        "operand": item.operand,
        "result": item.result,
        "map": map_json(item.map),
        "place": place,
        "enclosing": item.enclosing,
    }


def map_json(found: IndexMap) -> JSON:
    """A map with its domain."""
    return {
        "kind": _KINDS[found.kind],
        "results": [expression_json(result) for result in found.results],
        "dimensions": [_interval(interval) for interval in found.dimensions],
        "ranges": [_interval(interval) for interval in found.ranges],
        "runtimes": [_runtime(variable) for variable in found.runtimes],
        "constraints": [[expression_json(part), _interval(interval)] for part, interval in found.constraints],
    }


def expression_json(expression: Expression) -> Any:
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
        case Modulo(dividend, divisor):
            return ["mod", expression_json(dividend), divisor]
        case Minimum(left, right):
            return ["min", expression_json(left), expression_json(right)]
        case Maximum(left, right):
            return ["max", expression_json(left), expression_json(right)]
    raise TypeError(f"not an expression: {expression!r}")


def _interval(interval: Interval) -> list[int]:
    return [interval.lower, interval.upper]


def _runtime(variable: RuntimeVariable) -> JSON:
    return {
        "interval": _interval(variable.interval),
        "operand": variable.operand,
        "map": map_json(variable.map),
        "clamped": variable.clamped,
    }


# Texts.


def _texts(described: OpMaps) -> Iterator[JSON]:
    """For each direction and pair of operand and result the union of its maps, simplified, in both styles."""
    for direction, maps in zip(_DIRECTIONS, (described.maps, described.inverse), strict=True):
        groups: dict[tuple[int, int], list[OperandMap]] = {}
        for item in maps:
            groups.setdefault((item.operand, item.result), []).append(item)
        for (operand, result), group in sorted(groups.items()):
            yield {"direction": direction, "operand": operand, "result": result} | _written(described, group)


def _written(described: OpMaps, group: list[OperandMap]) -> JSON:
    steps = [simplification(item.placed) for item in group]
    simple = [item.with_placed(step.map) for item, step in zip(group, steps, strict=True)]
    return {
        "xla": _printed(described, simple, Style.CURRENT),
        "seed": _printed(described, simple, Style.SEED_2024),
        "rewrites": [],
        "enclosing": any(item.enclosing for item in group),
    }


def _printed(described: OpMaps, group: Iterable[OperandMap], style: Style) -> str:
    written = partial(print_map, style=style, describe=described.name_of)
    return "\n".join(dict.fromkeys(written(item.map) for item in group))


# Tuples count as their parts.


def _leaves(names: Iterable[str], values: Sequence[int], types: Sequence[Type]) -> Iterator[MappedTensor]:
    for name, value, type in zip(names, values, types, strict=True):
        for path, leaf in _parts(type):
            yield MappedTensor(name + (f"{{{','.join(map(str, path))}}}" if path else ""), leaf, value, path)


def _parts(found: Type) -> Iterator[tuple[tuple[int, ...], Type]]:
    if not isinstance(found, TupleType):
        yield (), found
        return
    for number, part in enumerate(found.types):
        yield from (((number, *path), leaf) for path, leaf in _parts(part))


def _result_types(bound: BoundOperation) -> tuple[Type, ...]:
    inferred = bound.op.infer()
    if inferred is None:
        return tuple(value.type for value in bound.operation.results)
    return inferred if isinstance(inferred, tuple) else (inferred,)
