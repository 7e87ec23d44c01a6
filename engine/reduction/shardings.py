"""Simpler shardings of a program on several devices: fewer of them, smaller meshes, fewer replicas."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from math import prod

from ..ir.attributes import Attribute, IntegerAttribute, OpaqueAttribute
from ..ir.module import Function, Module, Operation, walk
from .case import SHARDINGS, Case
from .editing import map_operations
from .resizing import smaller_sizes

_AXIS = re.compile(r'"((?:[^"\\]|\\.)*)"=(\d+)')
_REPLICAS, _PARTITIONS = "mhlo.num_replicas", "mhlo.num_partitions"


def fewer_shardings(case: Case) -> Iterator[Case]:
    """The case without one of its shardings; then without meshes that none of them names."""
    entry = case.entry
    for name in ("argument_attributes", "result_attributes"):
        given: tuple[Mapping[str, Attribute], ...] = getattr(entry, name)
        for number, attributes in enumerate(given):
            if SHARDINGS & attributes.keys():
                changed = (*given[:number], _without(attributes), *given[number + 1 :])
                yield _with_entry(case, lambda found, n=name, c=changed: replace(found, **{n: c}))  # type: ignore[misc]
    operations = (
        [found for found in walk(entry.body) if SHARDINGS & found.attributes.keys()] if entry.body else []
    )
    for wanted in operations:
        yield _with_entry(case, lambda found, wanted=wanted: map_operations(found, _bare(wanted)))  # type: ignore[misc]
    for number, mesh in enumerate(case.module.operations):
        name = str(getattr(mesh.properties.get("sym_name"), "value", ""))
        if mesh.name == "sdy.mesh" and case.text.count(f"@{name}") == 1:
            rest = (*case.module.operations[:number], *case.module.operations[number + 1 :])
            yield Case(replace(case.module, operations=rest), case.inputs)


def fewer_devices(case: Case) -> Iterator[Case]:
    """The case with one replica, and with a smaller axis of its meshes."""
    module = case.module
    if _count(module, _REPLICAS) > 1:
        yield Case(_with_count(module, _REPLICAS, 1), case.inputs)
    if _count(module, _PARTITIONS) > 1 and not any(found.name == "sdy.mesh" for found in module.operations):
        yield Case(_with_count(module, _PARTITIONS, 1), case.inputs)
    axes = {name: size for mesh in module.operations for name, size in _axes(mesh).items()}
    for name, size in axes.items():
        for smaller in smaller_sizes(size):
            operations = tuple(_with_axis(found, name, smaller) for found in module.operations)
            devices = max(prod(_axes(found).values()) for found in operations if _axes(found))
            yield Case(_with_count(replace(module, operations=operations), _PARTITIONS, devices), case.inputs)


def _with_entry(case: Case, change: Callable[[Function], Function]) -> Case:
    functions = tuple(change(found) if found is case.entry else found for found in case.module.functions)
    return Case(replace(case.module, functions=functions), case.inputs)


def _without(attributes: Mapping[str, Attribute]) -> dict[str, Attribute]:
    return {name: value for name, value in attributes.items() if name not in SHARDINGS}


def _bare(wanted: Operation) -> Callable[[Operation], Operation]:
    def change(found: Operation) -> Operation:
        return replace(found, attributes=_without(found.attributes)) if found is wanted else found

    return change


def _axes(mesh: Operation) -> dict[str, int]:
    attribute = mesh.properties.get("mesh") if mesh.name == "sdy.mesh" else None
    if not isinstance(attribute, OpaqueAttribute):
        return {}
    return {name: int(size) for name, size in _AXIS.findall(attribute.text)}


def _with_axis(mesh: Operation, name: str, size: int) -> Operation:
    attribute = mesh.properties.get("mesh")
    if name not in _axes(mesh) or not isinstance(attribute, OpaqueAttribute):
        return mesh
    text = _AXIS.sub(lambda found: f'"{name}"={size}' if found[1] == name else found[0], attribute.text)
    return replace(mesh, properties={**mesh.properties, "mesh": OpaqueAttribute(text)})


def _count(module: Module, name: str) -> int:
    found = module.attributes.get(name)
    return found.value if isinstance(found, IntegerAttribute) else 1


def _with_count(module: Module, name: str, count: int) -> Module:
    found = module.attributes.get(name)
    if not isinstance(found, IntegerAttribute):
        return module
    return replace(module, attributes={**module.attributes, name: replace(found, value=count)})
