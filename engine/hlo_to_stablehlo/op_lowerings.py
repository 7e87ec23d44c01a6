"""Lowerings of instructions that keep their operation, and of those that only forward values."""

from collections.abc import Mapping
from dataclasses import replace

from ..ir.attribute_values import integer
from ..ir.attributes import (
    ArrayAttribute,
    Attribute,
    BoolAttribute,
    DenseAttribute,
    OpaqueAttribute,
    StringAttribute,
    StructAttribute,
    SymbolAttribute,
)
from ..ir.module import Operation, Value
from ..ir.types import TokenType, TupleType, Type
from ..ops import op_table
from .scope import Lowering, Scope, Tree, as_tree, bare, properties_of, type_leaves


def plain(operation: Operation, here: Scope) -> Tree:
    """Write the same operation on the same values."""
    return here.write(operation, attributes=kept_attributes(operation.attributes))


def kept_attributes(attributes: Mapping[str, Attribute]) -> dict[str, Attribute]:
    """Notes of an instruction or a module that change no value, as text of the dialect mhlo."""
    return {
        f"mhlo.{name}": StringAttribute(found.text)
        for name, found in attributes.items()
        if name in _KEPT and isinstance(found, OpaqueAttribute)
    }


_KEPT = ("sharding", "original_value", "origin", "statistics", "input_output_alias", "buffer_donor")


def element(number: int) -> Lowering:
    """Lowering to element `number` of the first operand, a tuple."""

    def take(operation: Operation, here: Scope) -> Tree:
        found = here.tree(operation.operands[0])
        assert isinstance(found, tuple)
        return found[number]

    return take


def _get_tuple_element(operation: Operation, here: Scope) -> Tree:
    index = operation.properties["index"].value  # type: ignore[attr-defined]
    return element(index)(operation, here)


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


def rename(name: str) -> Lowering:
    """Lowering to the operation `name` on the same values."""
    return lambda operation, here: here.write(operation, name)


DEVICE_TO_HOST, HOST_TO_DEVICE = 2, 3
"""Channel types of transfers with the host."""


def _channel(operation: Operation, kind: int) -> dict[str, Attribute]:
    """The properties of a transfer; `is_host_transfer` becomes `kind`, the type of the channel."""
    properties = properties_of(operation)
    handle = properties.get("channel_handle")
    if properties.get("is_host_transfer") == BoolAttribute(True) and isinstance(handle, StructAttribute):
        parameters = {**handle.parameters, "type": integer(kind)}
        properties["channel_handle"] = replace(handle, parameters=parameters)
    return properties


def _send(operation: Operation, here: Scope) -> Tree:
    """Write send, whose result is the token alone; HLO adds the data and a context number."""
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
    """Write recv, whose results are data and token; HLO adds a context number."""
    data = _part(operation, 0)
    types = [*map(bare, type_leaves(data)), TokenType()]
    properties = _channel(operation, HOST_TO_DEVICE)
    made = here.add(
        "stablehlo.recv", here.leaves(*operation.operands), types, properties, base=operation.results[0].name
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


_ONE = integer(1)
"""The group counts that HLO text leaves out."""


def _custom_call(operation: Operation, here: Scope) -> Tree:
    """Write custom_call with several results; tuple operands stay tuples, because the target unpacks them.

    Properties that only the target reads become ordinary attributes.
    """
    properties = properties_of(operation)
    config = properties.pop("hlo_backend_config", None)
    if config is not None:
        properties["backend_config"] = config
    called = properties.get("called_computations")
    if isinstance(called, ArrayAttribute):
        names = [found.root for found in called.elements if isinstance(found, SymbolAttribute)]
        symbols = tuple(SymbolAttribute(here.writer.call(name)) for name in names)
        properties["called_computations"] = ArrayAttribute(symbols)
    inherent = op_table()[operation.name].inherent_attributes()
    others = {name: properties.pop(name) for name in list(properties) if name not in inherent}
    others = {name: found for name, found in others.items() if found != _ONE}
    return here.write(
        operation,
        operands=[pack(here.tree(value), here) for value in operation.operands],
        properties=properties,
        attributes={**kept_attributes(operation.attributes), **others},
    )


def pack(tree: Tree, here: Scope) -> Value:
    """The tree as one value: writes `tuple` for each tuple in it."""
    if isinstance(tree, tuple):
        parts = [pack(item, here) for item in tree]
        return here.one("stablehlo.tuple", parts, TupleType(tuple(part.type for part in parts)))
    return tree


def _barrier(operation: Operation, here: Scope) -> Tree:
    values = here.leaves(*operation.operands)
    types = [value.type for value in values]
    made = here.add(operation.name, values, types, base=operation.results[0].name) if values else ()
    return as_tree(operation.results[0].type, iter(made))


LOWERINGS: dict[str, Lowering] = {
    **dict.fromkeys(
        ("hlo.copy", "hlo.domain", "hlo.add_dependency", "hlo.async_update", "hlo.all_reduce_done"),
        lambda operation, here: here.tree(operation.operands[0]),
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
    "hlo.infeed": rename("stablehlo.infeed"),
    "hlo.outfeed": rename("stablehlo.outfeed"),
    "hlo.constant": lambda operation, here: _literal(operation.properties["value"], here),
    "hlo.tuple_select": _tuple_select,
    "stablehlo.tuple": lambda operation, here: tuple(map(here.tree, operation.operands)),
    "stablehlo.get_tuple_element": _get_tuple_element,
    "stablehlo.optimization_barrier": _barrier,
    "stablehlo.after_all": lambda operation, here: here.one(
        "stablehlo.after_all", here.leaves(*operation.operands), TokenType()
    ),
    "stablehlo.custom_call": _custom_call,
}
"""Lowerings by the name of the op."""
