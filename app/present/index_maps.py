"""The maps of one op as JSON: formulas, their sources, and the op's properties for pictures."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from hloscope.engine.chains import Chains, Leaf, leaf_name, map_sources, operation_maps, result_leaves
from hloscope.engine.chains.leaves import leaf_type
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
    Style,
    Sum,
    print_operand_map,
    print_rewrite,
    simplification,
)
from hloscope.engine.indexing.core.index_map import Kind
from hloscope.engine.indexing.simplifier import Rewrite
from hloscope.engine.indexing.texts.description import describe_union
from hloscope.engine.ir.module import Language
from hloscope.engine.ir.types import TensorType, Type
from hloscope.engine.ops.core.facets import MovedWindow, Shown, SlidingWindows
from hloscope.engine.ops.core.op import Op
from hloscope.engine.program import BoundOperation, BoundProgram

from ..wire import maps as wire
from ..wire.encoding import encoded
from .map_texts import as_xla_prints, reservations
from .types import type_text

_DIRECTIONS: tuple[wire.MapDirection, wire.MapDirection] = ("output-to-input", "input-to-output")


@dataclass(frozen=True)
class MappedTensor:
    """An operand or a result of a map: a value of the program, or a part of a tuple."""

    name: str
    type: Type
    value: int | None = None
    """The number of the value in the program."""
    path: tuple[int, ...] = ()

    @property
    def has_open_sizes(self) -> bool:
        """Whether a run may determine sizes that are not known yet."""
        return isinstance(self.type, TensorType) and not self.type.is_static

    @property
    def sizes(self) -> tuple[int, ...] | None:
        """The sizes; `None` without elements, and where sizes are open."""
        return self.type.sizes if isinstance(self.type, TensorType) and self.type.is_static else None

    def json(self, language: Language) -> wire.MappedTensorInfo:
        """The tensor as JSON for the browser."""
        sizes = self.sizes
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
    """The maps of an op in both directions, and the meaning of their numbers."""

    op: Op
    operands: Sequence[MappedTensor]
    """The operands, including values around the op that its regions read."""
    results: Sequence[MappedTensor]
    found: Sequence[str]
    """Names of a run's auxiliary values for runtime variables; numbered after the operands."""
    maps: Sequence[OperandMap]
    inverse: Sequence[OperandMap]
    values: tuple[Sequence[OperandMap], Sequence[OperandMap]] | None = None
    """The maps of moved values, where values come from fewer elements than they depend on."""

    def name_of(self, operand: int) -> str:
        """The name of a runtime variable's source."""
        return self._names[operand] if operand < len(self._names) else f"operand {operand}"

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return (*(tensor.name for tensor in self.operands), *self.found)


def maps_of(bound: BoundOperation, program: BoundProgram, chains: Chains | None = None) -> OpMaps:
    """The maps of an operation: its own, or composed of the ops that it runs.

    `bound` has its final sizes, on the grid of its run.
    """
    chains = chains or Chains(program, lambda number: bound if number == bound.id else program.ops[number])
    sources = map_sources(program, bound.id, static_form=chains.operation, chains=chains)
    forward, inverse = (
        operation_maps(program, bound.id, inverse=backward, static_form=chains.operation, chains=chains)
        for backward in (False, True)
    )
    types = dict(zip(bound.operands, bound.op.operand_types, strict=False))
    operands = [
        _tensor_of(program, source.leaf, types)
        for source in sources
        if source.leaf and source.role != "found"
    ]
    results = [_tensor_of(program, leaf, {}) for leaf in result_leaves(program, bound)]
    found = [source.name for source in sources if source.role == "found"]
    op = bound.op.unpacked
    own = _own_values(op, forward, inverse)
    return OpMaps(op, operands, _with_sizes(op, results), found, forward, inverse, own)


def _own_values(
    op: Op, forward: Sequence[OperandMap], inverse: Sequence[OperandMap]
) -> tuple[Sequence[OperandMap], Sequence[OperandMap]] | None:
    """The value maps both ways, for ops that choose what they move; `None` if no different."""
    # An op with open sizes has no maps, and must not be queried for them.
    if any(item.map.is_undefined for item in forward) or tuple(op.index_maps()) != tuple(forward):
        return None
    values = tuple(op.value_maps()), tuple(op.value_maps(inverse=True))
    return None if values == (tuple(forward), tuple(inverse)) else values


def _tensor_of(program: BoundProgram, leaf: Leaf, types: Mapping[int, Type]) -> MappedTensor:
    found = leaf_type(program, leaf)
    if not leaf.path:
        found = types.get(leaf.value, found)
    return MappedTensor(leaf_name(program, leaf), found, leaf.value, leaf.path)


def _with_sizes(op: Op, results: Sequence[MappedTensor]) -> list[MappedTensor]:
    """Results with open sizes get the sizes known to the op, if within the program's bounds."""
    known = op.known_results
    if len(known) != len(results):
        return list(results)
    return [_with_size(item, found) for item, found in zip(results, known, strict=True)]


def _with_size(item: MappedTensor, known: Type) -> MappedTensor:
    stated = item.type
    if item.sizes is not None or not isinstance(stated, TensorType) or not isinstance(known, TensorType):
        return item
    return replace(item, type=replace(known, layout=stated.layout))


def maps_json(described: OpMaps, language: Language = "stablehlo") -> wire.OpMapsInfo:
    """The whole answer: operands, results, maps both ways, texts, dimension roles, parts."""
    operands, results = described.op.drawing.dimension_roles(described.op)
    return {
        "op": described.op.name,
        "operands": [tensor.json(language) for tensor in described.operands],
        "found": list(described.found),
        "results": [tensor.json(language) for tensor in described.results],
        **_both_ways(described, described.maps, described.inverse),
        "roles": {"operands": list(map(list, operands)), "results": list(map(list, results))},
        "parts": parts_json(described.op),
        "values": None if described.values is None else _both_ways(described, *described.values),
    }


def _both_ways(described: OpMaps, maps: Sequence[OperandMap], inverse: Sequence[OperandMap]) -> wire.BothWays:
    return {
        "maps": [operand_map_json(item) for item in maps],
        "inverse": [operand_map_json(item) for item in inverse],
        "texts": list(_texts(described, maps, inverse)),
    }


# Texts.


def _texts(
    described: OpMaps, maps: Sequence[OperandMap], inverse: Sequence[OperandMap]
) -> Iterator[wire.MapTexts]:
    """The simplified union of maps for each direction and pair, as text in both styles."""
    for direction, items in zip(_DIRECTIONS, (maps, inverse), strict=True):
        groups: dict[tuple[int, int], list[OperandMap]] = {}
        for item in items:
            groups.setdefault((item.operand, item.result), []).append(item)
        for _, group in sorted(groups.items()):
            yield _map_texts(described, group, direction)


def _map_texts(described: OpMaps, group: list[OperandMap], direction: wire.MapDirection) -> wire.MapTexts:
    keeps_points = described.op.drawing.keeps_points
    steps = [simplification(item.placed, keep_points=keeps_points) for item in group]
    simple = [item.with_placed(step.map) for item, step in zip(group, steps, strict=True)]
    return {
        "direction": direction,
        "operand": group[0].operand,
        "result": group[0].result,
        "words": _words(described, simple, inverse=direction == _DIRECTIONS[1]),
        "xla": _print(described, as_xla_prints(group), Style.CURRENT),
        "xla-2024": _print(described, simple, Style.XLA_2024),
        "rewrites": [
            _rewrite(rewrite, len(item.map.ranges))
            for item, step in zip(group, steps, strict=True)
            for rewrite in step.rewrites
        ],
        "hedges": list(dict.fromkeys(hedge for item in group for hedge in reservations(item))),
    }


def _words(described: OpMaps, group: Sequence[OperandMap], *, inverse: bool) -> str:
    operand, result = described.operands[group[0].operand], described.results[group[0].result]
    return describe_union(
        group,
        inverse=inverse,
        operand=operand.name,
        result=result.name,
        named=described.name_of,
        shapes=(operand.sizes, result.sizes),
    )


def _rewrite(rewrite: Rewrite, ranges: int) -> wire.RewriteText:
    before, after = print_rewrite(rewrite)
    return {
        "rule": rewrite.rule.name,
        "sentence": rewrite.rule.sentence,
        "where": rewrite.where,
        "before": before,
        "after": after,
        "xla-2024": list(print_rewrite(rewrite, Style.XLA_2024, ranges)),
    }


def _print(described: OpMaps, group: Iterable[OperandMap], style: Style) -> str:
    return "\n".join(dict.fromkeys(print_operand_map(item, style, described.name_of) for item in group))


def parts_json(op: Op) -> wire.PictureParts:
    """The picture parts: `window` dimensions, and the `target` tensor that the window lies over.

    `indices` is the operand with the window's position. `windowPositions`: windows that may extend beyond the
    edges of a tensor, and between its elements.
    """
    picture = op.drawing.picture(op)
    match picture:
        case MovedWindow():
            return {
                "kind": picture.kind,
                "window": {**_tensor_side(picture.source), "dimensions": list(picture.dimensions)},
                "target": _tensor_side(picture.target),
                "indices": picture.indices,
            }
        case SlidingWindows():
            return {"kind": picture.kind, "windowPositions": _positions(picture)}
    return {"kind": picture.kind if picture else "other"}


def _positions(windows: SlidingWindows) -> wire.WindowPositions:
    found: wire.WindowPositions = {
        "of": _tensor_side(windows.source),
        "over": list(map(_tensor_side, windows.over)),
        "base": list(windows.dilations),
        "map": map_json(windows.positions),
    }
    if windows.partner:
        shown, kernel = windows.partner
        found["partner"] = {**_tensor_side(shown), "map": map_json(kernel)}
    return found


def _tensor_side(shown: Shown) -> wire.TensorSide:
    return {"side": shown.side, "number": shown.number}


_KINDS: dict[Kind, Literal["normal", "undefined", "empty"]] = {
    Kind.NORMAL: "normal",
    Kind.UNDEFINED: "undefined",
    Kind.KNOWN_EMPTY: "empty",
}


def operand_map_json(item: OperandMap) -> wire.OperandMapInfo:
    """One map with its operand and its result."""
    place = None if item.place is None else expression_json(item.place)
    return encoded(wire.OperandMapInfo, item, map=map_json(item.map), place=place)


def map_json(found: IndexMap) -> wire.MapInfo:
    """A map with its domain."""
    return {
        "kind": _KINDS[found.kind],
        "results": [expression_json(result) for result in found.results],
        "dimensions": [_interval(interval) for interval in found.dimensions],
        "ranges": [_interval(interval) for interval in found.ranges],
        "runtimes": [_runtime(variable) for variable in found.runtimes],
        "constraints": [(expression_json(part), _interval(interval)) for part, interval in found.constraints],
    }


def expression_json(expression: Expression) -> wire.ExpressionJson:
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


def _runtime(variable: RuntimeVariable) -> wire.RuntimeInfo:
    return {
        "interval": _interval(variable.interval),
        "operand": variable.operand,
        "map": map_json(variable.map),
        "clamped": variable.clamped,
    }
