"""Instructions that are the same operation in StableHLO, tuples taken apart; and those that only hand values on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from ...ir.attributes import (
    ArrayAttribute,
    Attribute,
    BoolAttribute,
    DenseAttribute,
    OpaqueAttribute,
    StringAttribute,
    StructAttribute,
    SymbolAttribute,
    UnitAttribute,
)
from ...ir.module import Operation, Value
from ...ir.types import TokenType, TupleType, Type
from ..attributes import integer
from .scope import Lowering, Scope, Tree, as_tree, bare, type_leaves

_UNITS = ("use_global_device_ids",)
"""Attributes that are there, or not, where HLO text says true or false."""


def plain(operation: Operation, here: Scope) -> Tree:
    """The same operation on the same values."""
    result = operation.results[0]
    types = [bare(found) for found in type_leaves(result.type)]
    regions = [here.region(region) for region in operation.regions]
    made = here.add(
        operation.name,
        here.leaves(*operation.operands),
        types,
        properties_of(operation),
        regions=regions,
        attributes=kept(operation.attributes),
        base=result.name,
    )
    return as_tree(result.type, iter(made))


def properties_of(operation: Operation) -> dict[str, Attribute]:
    """The properties as MLIR has them."""
    found = dict(operation.properties)
    for name in _UNITS:
        stated = found.pop(name, None)
        if stated == BoolAttribute(True):
            found[name] = UnitAttribute()
    return found


def kept(attributes: Mapping[str, Attribute]) -> dict[str, Attribute]:
    """What else an instruction says and StableHLO programs say as well: its sharding."""
    sharding = attributes.get("sharding")
    return {"mhlo.sharding": StringAttribute(sharding.text)} if isinstance(sharding, OpaqueAttribute) else {}


def _operand(operation: Operation, here: Scope) -> Tree:
    return here.tree(operation.operands[0])


def element(number: int) -> Lowering:
    """Takes an element of the first operand, which is a tuple."""

    def taken(operation: Operation, here: Scope) -> Tree:
        found = here.tree(operation.operands[0])
        assert isinstance(found, tuple)
        return found[number]

    return taken


def _tuple(operation: Operation, here: Scope) -> Tree:
    return tuple(map(here.tree, operation.operands))


def _get_tuple_element(operation: Operation, here: Scope) -> Tree:
    index = operation.properties["index"].value  # type: ignore[attr-defined]
    return element(index)(operation, here)


def _tuple_constant(operation: Operation, here: Scope) -> Tree:
    return _literal(operation.properties["value"], here)


def _literal(value: Attribute, here: Scope) -> Tree:
    if isinstance(value, ArrayAttribute):
        return tuple(_literal(item, here) for item in value.elements)
    assert isinstance(value, DenseAttribute)
    return here.one("stablehlo.constant", (), value.type, {"value": value})


def _tuple_select(operation: Operation, here: Scope) -> Tree:
    pred = here.only(operation.operands[0])
    pairs = zip(*(here.leaves(value) for value in operation.operands[1:]), strict=True)
    chosen = [here.one("stablehlo.select", (pred, left, right), left.type) for left, right in pairs]
    return as_tree(operation.results[0].type, iter(chosen))


def _copy_start(operation: Operation, here: Scope) -> Tree:
    value, result = here.tree(operation.operands[0]), operation.results[0].type
    assert isinstance(result, TupleType)
    return value, value, here.blank(result.types[2])


def _renamed(name: str) -> Lowering:
    """The same under another name."""

    def written(operation: Operation, here: Scope) -> Tree:
        result = operation.results[0]
        types = [bare(found) for found in type_leaves(result.type)]
        properties = properties_of(operation)
        made = here.add(name, here.leaves(*operation.operands), types, properties, base=result.name)
        return as_tree(result.type, iter(made))

    return written


DEVICE_TO_HOST, HOST_TO_DEVICE = 2, 3
"""Which ends a channel has, where one of them is the host."""


def _channel(operation: Operation, kind: int) -> dict[str, Attribute]:
    """The properties of a transfer; HLO says of the host elsewhere than in the channel."""
    properties = properties_of(operation)
    handle = properties.get("channel_handle")
    if properties.get("is_host_transfer") == BoolAttribute(True) and isinstance(handle, StructAttribute):
        parameters = {**handle.parameters, "type": integer("type", kind)}
        properties["channel_handle"] = replace(handle, parameters=parameters)
    return properties


def _send(operation: Operation, here: Scope) -> Tree:
    """HLO gives the data, a number and a token, StableHLO the token alone."""
    data, token = operation.operands
    properties = _channel(operation, DEVICE_TO_HOST)
    sent = here.one(
        "stablehlo.send",
        (*here.leaves(data), here.only(token)),
        TokenType(),
        properties,
        base=operation.results[0].name,
    )
    return here.tree(data), here.blank(_part(operation, 1)), sent


def _recv(operation: Operation, here: Scope) -> Tree:
    """HLO gives the data, a number and a token, StableHLO data and token."""
    data = _part(operation, 0)
    types = [*map(bare, type_leaves(data)), TokenType()]
    properties = _channel(operation, HOST_TO_DEVICE)
    made = here.add(
        "stablehlo.recv",
        here.leaves(*operation.operands),
        types,
        properties,
        base=operation.results[0].name,
    )
    return as_tree(data, iter(made[:-1])), here.blank(_part(operation, 1)), made[-1]


def _recv_done(operation: Operation, here: Scope) -> Tree:
    found = here.tree(operation.operands[0])
    assert isinstance(found, tuple)
    return found[0], found[2]


def _part(operation: Operation, number: int) -> Type:
    found = operation.results[0].type
    assert isinstance(found, TupleType)
    return found.types[number]


_OF_CALL = re.compile("window|padding|lhs_dilation|rhs_dilation|dimension_numbers|group_count")


def _custom_call(operation: Operation, here: Scope) -> Tree:
    """Results are several; operands that are tuples stay so, for it is the target that takes them apart."""
    properties = properties_of(operation)
    config = properties.pop("hlo_backend_config", None)
    if config is not None:
        properties["backend_config"] = config
    called = properties.get("called_computations")
    if isinstance(called, ArrayAttribute):
        names = [found.root for found in called.elements if isinstance(found, SymbolAttribute)]
        symbols = tuple(SymbolAttribute(here.writer.call(name)) for name in names)
        properties["called_computations"] = ArrayAttribute(symbols)
    others = {name: properties.pop(name) for name in list(properties) if _OF_CALL.search(name)}
    others = {name: found for name, found in others.items() if found != integer("count", 1)}
    result = operation.results[0]
    made = here.add(
        operation.name,
        [packed(here.tree(value), here) for value in operation.operands],
        [bare(found) for found in type_leaves(result.type)],
        properties,
        attributes={**kept(operation.attributes), **others},
        base=result.name,
    )
    return as_tree(result.type, iter(made))


def packed(tree: Tree, here: Scope) -> Value:
    """One value, a tuple where it is several."""
    if isinstance(tree, tuple):
        parts = [packed(item, here) for item in tree]
        return here.one("stablehlo.tuple", parts, TupleType(tuple(part.type for part in parts)))
    return tree


def _after_all(operation: Operation, here: Scope) -> Tree:
    return here.one("stablehlo.after_all", here.leaves(*operation.operands), TokenType())


def _barrier(operation: Operation, here: Scope) -> Tree:
    values = here.leaves(*operation.operands)
    types = [value.type for value in values]
    made = here.add(operation.name, values, types, base=operation.results[0].name) if values else ()
    return as_tree(operation.results[0].type, iter(made))


LOWERINGS: dict[str, Lowering] = {
    **dict.fromkeys(
        ("hlo.copy", "hlo.domain", "hlo.add_dependency", "hlo.async_update", "hlo.all_reduce_done"), _operand
    ),
    "hlo.copy_start": _copy_start,
    "hlo.copy_done": element(0),
    "hlo.async_done": element(1),
    "hlo.all_gather_done": element(1),
    "hlo.collective_permute_done": element(1),
    "hlo.send_done": element(2),
    "hlo.recv_done": _recv_done,
    "hlo.send": _send,
    "hlo.recv": _recv,
    "hlo.infeed": _renamed("stablehlo.infeed"),
    "hlo.outfeed": _renamed("stablehlo.outfeed"),
    "hlo.constant": _tuple_constant,
    "hlo.tuple_select": _tuple_select,
    "stablehlo.tuple": _tuple,
    "stablehlo.get_tuple_element": _get_tuple_element,
    "stablehlo.optimization_barrier": _barrier,
    "stablehlo.after_all": _after_all,
    "stablehlo.custom_call": _custom_call,
}
"""How each of these instructions is written."""
