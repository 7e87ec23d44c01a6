"""Shardings stated in a program: attributes of arguments, results and operations, as tilings.

They are `sdy.sharding`, `mhlo.sharding`, HLO's `sharding=`, and Shardy's shardings in XLA's frontend
attributes.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from ...ir.attributes import (
    Attribute,
    DictionaryAttribute,
    IntegerAttribute,
    OpaqueAttribute,
    StringAttribute,
)
from ...ir.module import Function, Module, Operation, Value
from ...ir.types import TensorType, TupleType, Type
from .attribute_text import Text, read_whole
from .device_meshes import DeviceMesh
from .hlo_shardings import Sharding, sharding_of
from .shardy import ShardingPerValue, ShardySharding, mesh_of, meshes_of_text
from .tilings import Tiling, tilings_of

_KEY = re.compile(r"[A-Za-z_][\w.$-]*+")
_FRONTEND = ("mhlo.frontend_attributes", "frontend_attributes")
_PER_VALUE = "#sdy.sharding_per_value"
Attributes = Mapping[str, Attribute]


def meshes_of(module: Module) -> dict[str, DeviceMesh]:
    """The meshes of a module, by name; invalid ones are ignored."""
    found: dict[str, DeviceMesh] = {}
    kept = frontend_attributes(module.attributes).get("xla.sdy.meshes")
    try:
        found = meshes_of_text(kept) if kept else {}
        for operation in module.operations:
            name, mesh = operation.attribute("sym_name"), operation.attribute("mesh")
            if operation.name == "sdy.mesh" and isinstance(name, StringAttribute) and mesh is not None:
                found[name.value] = mesh_of(mesh)
    except ValueError:
        return found
    return found


def frontend_attributes(attributes: Attributes) -> dict[str, str]:
    """XLA's frontend attributes, by name, as text; empty if they are invalid."""
    for name in _FRONTEND:
        stated = attributes.get(name)
        if isinstance(stated, DictionaryAttribute):
            return {
                key: value.value
                for key, value in stated.entries.items()
                if isinstance(value, StringAttribute)
            }
        if isinstance(stated, OpaqueAttribute):
            try:
                return read_whole(stated.text, _read_frontend_attributes)
            except ValueError:
                return {}
    return {}


def _read_frontend_attributes(text: Text) -> dict[str, str]:
    found = {}
    for _ in text.each("{"):
        key = text.match(_KEY)
        if key is None:
            text.fail_expecting("a name")
        text.expect("=")
        found[key[0]] = text.read_balanced("{") if text.peek("{") else text.string()
    return found


def leaf_types(types: Sequence[Type]) -> Iterator[Type]:
    """The types of all values that are not tuples, in order."""
    waiting = list(reversed(types))
    while waiting:
        found = waiting.pop()
        if isinstance(found, TupleType):
            waiting.extend(reversed(found.types))
        else:
            yield found


Tilings = tuple[Tiling, ...]


class StatedShardings:
    """The stated tilings of a module's values; invalid or unfitting ones are ignored."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self._of_operations: dict[int, Tilings | None] = {}

    @cached_property
    def meshes(self) -> dict[str, DeviceMesh]:
        """The module's meshes."""
        return meshes_of(self.module)

    def of_argument(self, function: Function, number: int) -> Tilings | None:
        """The tilings of an argument's leaves; `None` if none are stated."""
        attributes = function.argument_attributes
        stated = attributes[number] if number < len(attributes) else {}
        return self.read(stated, [function.arguments[number].type])

    def of_result(self, function: Function, number: int) -> Tilings | None:
        """The tilings of a result's leaves; in HLO text the root states them."""
        attributes = function.result_attributes
        kind = function.result_types[number]
        found = self.read(attributes[number] if number < len(attributes) else {}, [kind])
        if found is not None or not function.body or not function.body.block.operations:
            return found
        last = function.body.block.operations[-1]
        return self.of_value(last.operands[number]) if number < len(last.operands) else None

    def of_operation(self, operation: Operation) -> Tilings | None:
        """The tilings of the leaves of an operation's results; cached."""
        if id(operation) not in self._of_operations:
            self._of_operations[id(operation)] = self._of_operation(operation)
        return self._of_operations[id(operation)]

    def _of_operation(self, operation: Operation) -> Tilings | None:
        sharding = operation.attribute("out_sharding") or operation.attribute("sharding")
        if operation.name.startswith("sdy.") and sharding is not None:
            return self.read({"sdy.sharding": sharding}, [value.type for value in operation.results])
        return self.read(operation.attributes, [value.type for value in operation.results])

    def of_value(self, value: Value) -> Tilings | None:
        """The tilings of a value's leaves, from the operation or argument that defines it."""
        place = self.module.definitions.get(id(value))
        if place is None:
            return None
        owner, number = place
        if isinstance(owner, Function):
            return self.of_argument(owner, number)
        found = self.of_operation(owner)
        return None if found is None else found[_leaves_of_result(owner, number)]

    def in_hlo(self, value: Value) -> tuple[Sharding, ...]:
        """The shardings of a value's leaves as HLO's `sharding=` has them; none if it states none."""
        owner, number = self.module.definitions.get(id(value), (None, 0))
        if isinstance(owner, Operation):
            stated = _in_hlo(owner.attributes)[_leaves_of_result(owner, number)]
            return stated or self._of_element(owner)
        arguments = owner.argument_attributes if owner else ()
        return _in_hlo(arguments[number]) if number < len(arguments) else ()

    def _of_element(self, operation: Operation) -> tuple[Sharding, ...]:
        """The shardings of the element of a tuple that a `get-tuple-element` without its own takes."""
        index = operation.attribute("index")
        if operation.name != "stablehlo.get_tuple_element" or not isinstance(index, IntegerAttribute):
            return ()
        (whole,) = operation.operands
        types = whole.type.types if isinstance(whole.type, TupleType) else ()
        first = len(list(leaf_types(types[: index.value])))
        return self.in_hlo(whole)[first : first + len(list(leaf_types(types[index.value : index.value + 1])))]

    def read(self, attributes: Attributes, types: Sequence[Type]) -> Tilings | None:
        """The tilings that attributes state for the leaves of values of the given types."""
        leaves = list(leaf_types(types))
        try:
            found = self._read(attributes, len(leaves))
            for tiling, leaf in zip(found or (), leaves, strict=bool(found)):
                tiling.check(leaf.shape if isinstance(leaf, TensorType) else ())
        except ValueError:
            return None
        return found

    def _read(self, attributes: Attributes, count: int) -> Tilings | None:
        for stated in self._shardy(attributes):
            found = self.shardy(stated, count)
            if found is not None:
                return found
        for name in ("mhlo.sharding", "sharding"):
            text = _text(attributes.get(name))
            if text.startswith("{"):
                return tilings_of(sharding_of(text), count)
            if text.startswith("#sdy"):
                return self.shardy(text, count)
        return None

    def _shardy(self, attributes: Attributes) -> Iterator[str]:
        yield _text(attributes.get("sdy.sharding"))
        yield frontend_attributes(attributes).get("xla.sdy.sharding", "")

    def shardy(self, text: str, count: int) -> Tilings | None:
        """The tilings of `count` values, from a sharding of Shardy or one for each value."""
        if text.startswith(_PER_VALUE):
            stated = ShardingPerValue.from_text(text.removeprefix(_PER_VALUE)).shardings
        elif text.startswith("#sdy.sharding<"):
            stated = (ShardySharding.from_attribute(OpaqueAttribute(text)),) * count
        else:
            return None
        if len(stated) != count:
            raise ValueError(f"{len(stated)} shardings for {count} values")
        return tuple(sharding.tiling(self.meshes) for sharding in stated)


def _leaves_of_result(operation: Operation, number: int) -> slice:
    counts = [len(list(leaf_types([result.type]))) for result in operation.results]
    first = sum(counts[:number])
    return slice(first, first + counts[number])


def _in_hlo(attributes: Attributes) -> tuple[Sharding, ...]:
    text = _text(attributes.get("sharding"))
    try:
        found = sharding_of(text) if text.startswith("{") else Sharding("tuple")
    except ValueError:
        return ()
    return found.elements if found.kind == "tuple" else (found,)


def _text(attribute: Attribute | None) -> str:
    match attribute:
        case OpaqueAttribute(text):
            return text
        case StringAttribute(text, _):
            return text
    return ""
