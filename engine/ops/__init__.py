"""The ops of the dialects, by family; `op_table` finds one by the name that a program uses."""

from __future__ import annotations

from functools import cache

from . import (
    arithmetic,
    asynchronous,
    batch_norm,
    bitcast,
    bits,
    checks,
    chlo,
    collective_reductions,
    collectives,
    comparisons,
    complex_parts,
    composite,
    control_flow,
    convolution,
    creation,
    custom_calls,
    data_movement,
    dot_general,
    dynamic_shapes,
    dynamic_slices,
    dynamic_windows,
    fft,
    floating_point,
    functions,
    gather,
    interpreter_dialect,
    linear_algebra,
    map_op,
    old_contractions,
    pad,
    point_to_point,
    processes,
    quantize_ops,
    random_numbers,
    reduce,
    reduce_window,
    scatter,
    sort,
    tokens,
    tuples,
)
from .op import Op

OPS: tuple[type[Op], ...] = (
    *creation.OPS,
    *arithmetic.OPS,
    *comparisons.OPS,
    *bits.OPS,
    *floating_point.OPS,
    *complex_parts.OPS,
    *quantize_ops.OPS,
    *bitcast.OPS,
    *data_movement.OPS,
    *pad.OPS,
    *dynamic_slices.OPS,
    *dynamic_shapes.OPS,
    *dynamic_windows.OPS,
    *dot_general.OPS,
    *convolution.OPS,
    *old_contractions.OPS,
    *reduce.OPS,
    *reduce_window.OPS,
    *gather.OPS,
    *scatter.OPS,
    *sort.OPS,
    *map_op.OPS,
    *batch_norm.OPS,
    *fft.OPS,
    *linear_algebra.OPS,
    *random_numbers.OPS,
    *control_flow.OPS,
    *composite.OPS,
    *custom_calls.OPS,
    *functions.OPS,
    *tuples.OPS,
    *tokens.OPS,
    *processes.OPS,
    *collectives.OPS,
    *collective_reductions.OPS,
    *point_to_point.OPS,
    *asynchronous.OPS,
    *chlo.OPS,
    *checks.OPS,
    *interpreter_dialect.OPS,
)
"""Every op, family by family."""


@cache
def op_table() -> dict[str, type[Op]]:
    """Each op class under its name and its aliases."""
    return {name: op_class for op_class in OPS for name in (op_class.name, *op_class.aliases)}
