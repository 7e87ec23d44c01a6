"""Until engine/process_grid/sharded_inputs.py is there."""

from __future__ import annotations

from typing import Any

from engine.ir.attributes import IntegerAttribute
from engine.ops.process_groups import Grid


def needed_grid(program: Any, function: Any) -> Grid:
    a = program.module.attributes

    def n(name: str) -> int:
        v = a.get(name)
        return v.value if isinstance(v, IntegerAttribute) else 1

    return Grid(n("mhlo.num_replicas"), n("mhlo.num_partitions"))


def whole_types(program: Any, function: Any, grid: Any) -> Any:
    return tuple(v.type for v in function.function.arguments)


def whole_result_types(program: Any, function: Any, grid: Any) -> Any:
    return tuple(function.function.result_types)


def cut_input(program: Any, function: Any, grid: Any, argument: int, whole: Any) -> Any:
    return (whole,) * grid.num_processes


def joined_results(program: Any, function: Any, grid: Any, results: Any) -> Any:
    return None


def is_partitioned(program: Any, function: Any) -> bool:
    return False
