"""Lowerings of collectives whose HLO form StableHLO does not have."""

from dataclasses import replace

from ..ir.attribute_values import integer, table
from ..ir.attributes import Attribute, BoolAttribute, DenseAttribute, StructAttribute
from ..ir.module import Operation, Value
from ..ops.core.process_groups import Grid, ReplicaGroups, Strategy
from ..sharding.notation.mesh_axes import MAX_IDS
from .op_lowerings import plain, rename
from .scope import (
    Lowering,
    NotStablehlo,
    Scope,
    Tree,
    as_tree,
    bare,
    leaves,
    properties_of,
    tensor,
    type_leaves,
)


def _in_order(lowering: Lowering) -> Lowering:
    """`lowering`, with groups of replicas in all partitions stated as groups of devices.

    HLO orders the members of such a group replica by replica, StableHLO partition by partition. The device ids
    follow from the numbers of replicas and partitions in the module's header; a module without them keeps its
    groups, and with them StableHLO's order.
    """

    def write(operation: Operation, here: Scope) -> Tree:
        properties = {**operation.properties, **_by_devices(operation, here.writer.grid)}
        return lowering(replace(operation, properties=properties), here)

    return write


def _by_devices(operation: Operation, grid: Grid) -> dict[str, Attribute]:
    """Properties that restate groups of replicas as groups of devices; empty where both mean the same."""
    properties = operation.properties
    channel = properties.get("channel_handle")
    number = getattr(channel.parameters["handle"], "value", 0) if isinstance(channel, StructAttribute) else 0
    are_devices = properties.get("use_global_device_ids") == BoolAttribute(True)
    if number <= 0 or are_devices or 1 in (grid.num_replicas, grid.num_partitions):
        return {}
    groups = ReplicaGroups.from_attribute(properties["replica_groups"])
    if (len(groups.ids) or grid.num_replicas) * grid.num_partitions > MAX_IDS:
        message = f"StableHLO lists the devices of each group, at most {MAX_IDS:,} in all; {grid} have more"
        raise NotStablehlo(message, op=operation.spelled)
    rows = [
        [replica * grid.num_partitions + partition for replica, partition in group]
        for group in groups.on(Strategy.REPLICA_BY_REPLICA, grid)
    ]
    return {"replica_groups": table(rows), "use_global_device_ids": BoolAttribute(True)}


def _start(name: str) -> Lowering:
    """Lowering to the collective itself; its value is HLO's tuple of operands, results and context numbers."""

    def write(operation: Operation, here: Scope) -> Tree:
        _, output, *others = operation.results[0].type.types  # type: ignore[attr-defined]
        given = [here.tree(value) for value in operation.operands]
        types = [bare(found) for found in type_leaves(output)]
        values = [leaf for tree in given for leaf in leaves(tree)]
        properties = properties_of(operation)
        made = here.add(name, values, types, properties, base=operation.results[0].name)
        first = given[0] if len(given) == 1 else tuple(given)
        return (first, as_tree(output, iter(made)), *map(here.blank, others))

    return write


def _each(name: str) -> Lowering:
    """Lowering to one operation per operand."""

    def write(operation: Operation, here: Scope) -> Tree:
        result = operation.results[0]
        types = [bare(found) for found in type_leaves(result.type)]
        made = []
        for value, found in zip(here.leaves(*operation.operands), types, strict=True):
            regions = [here.region(region) for region in operation.regions]
            properties = properties_of(operation)
            made.append(here.one(name, (value,), found, properties, regions=regions, base=result.name))
        return as_tree(result.type, iter(made))

    return write


def _all_to_all(operation: Operation, here: Scope) -> Tree:
    """Write all_to_all with one dimension as both split and concat dimension."""
    properties = properties_of(operation)
    dimension, value = properties.pop("dimension"), here.only(operation.operands[0])
    return _exchange(operation, here, value, dimension, _members(operation))


def _all_to_all_tuple(operation: Operation, here: Scope) -> Tree:
    """Write all_to_all of the operands joined along a new dimension; its slices are the results."""
    values = here.leaves(*operation.operands)
    wide = [here.reshape(value, (1, *tensor(value).sizes)) for value in values]
    first = tensor(wide[0])
    joined = first.with_shape((len(wide), *first.shape[1:]))
    dimension = integer(0)
    whole = here.one("stablehlo.concatenate", wide, joined, {"dimension": dimension})
    mixed = _exchange(operation, here, whole, dimension, len(values))
    ends, limits = [0] * (joined.rank - 1), list(joined.sizes[1:])
    parts = [here.slice(mixed, [number, *ends], [number + 1, *limits]) for number in range(len(values))]
    sizes = tensor(values[0]).sizes
    return as_tree(operation.results[0].type, iter([here.reshape(part, sizes) for part in parts]))


def _exchange(operation: Operation, here: Scope, value: Value, dimension: Attribute, count: int) -> Value:
    properties = properties_of(operation)
    properties.pop("dimension", None)
    properties |= {"split_dimension": dimension, "concat_dimension": dimension, "split_count": integer(count)}
    base = operation.results[0].name
    return here.one("stablehlo.all_to_all", (value,), value.type, properties, base=base)


def _members(operation: Operation) -> int:
    """The size of a group; `NotStablehlo` if it depends on the number of processes."""
    groups = operation.properties.get("replica_groups")
    if isinstance(groups, DenseAttribute) and groups.data.size:
        return int(groups.data.shape[1])
    message = "StableHLO states the number of parts, which needs replica_groups"
    raise NotStablehlo(message, op=operation.spelled)


LOWERINGS: dict[str, Lowering] = {
    "stablehlo.all_gather": _in_order(plain),
    "stablehlo.all_reduce": _in_order(plain),
    "stablehlo.reduce_scatter": _in_order(plain),
    "stablehlo.collective_reduce": _in_order(plain),
    "hlo.all_gather_start": _in_order(_start("stablehlo.all_gather")),
    "hlo.collective_permute_start": _start("stablehlo.collective_permute"),
    "hlo.all_reduce_start": _in_order(rename("stablehlo.all_reduce")),
    "hlo.collective_permute": _each("stablehlo.collective_permute"),
    "hlo.collective_broadcast": _each("stablehlo.collective_broadcast"),
    "hlo.reduce_scatter": _in_order(_each("stablehlo.reduce_scatter")),
    "hlo.all_to_all": _all_to_all,
    "hlo.all_to_all_tuple": _all_to_all_tuple,
}
"""Lowerings by the name of the op."""
