"""The grid of processes that a program's text asks for."""

from __future__ import annotations

from collections.abc import Mapping

from engine.ir.attributes import Attribute, IntegerAttribute, OpaqueAttribute
from engine.ir.module import Module
from engine.ops.process_groups import Grid


def stated_grid(module: Module) -> Grid:
    """What `mhlo.num_replicas` and `mhlo.num_partitions` say, or the first line of HLO text."""
    found = module.attributes
    return Grid(
        _number(found, "mhlo.num_replicas", "replica_count"),
        _number(found, "mhlo.num_partitions", "num_partitions"),
    )


def _number(attributes: Mapping[str, Attribute], *names: str) -> int:
    for name in names:
        found = attributes.get(name)
        if isinstance(found, IntegerAttribute):
            return found.value
        if isinstance(found, OpaqueAttribute):
            return int(found.text)
    return 1
