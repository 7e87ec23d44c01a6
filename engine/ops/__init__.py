"""The ops of the dialects, by family; `op_table` finds one by the name that a program uses."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from . import (
    arith_dialect,
    arithmetic,
    asynchronous,
    batch_norm,
    bitcast,
    bits,
    checks,
    chlo,
    collective_broadcast,
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
    hlo,
    interpreter_dialect,
    linear_algebra,
    manual_computation,
    map_op,
    old_contractions,
    pad,
    point_to_point,
    processes,
    quantize_ops,
    ragged_dot,
    random_numbers,
    reduce,
    reduce_window,
    scan,
    scatter,
    select_and_scatter,
    shape_dialect,
    shape_witnesses,
    sharding,
    sort,
    tensor_dialect,
    tokens,
    tuples,
)
from .mhlo_dialect import OtherName, mhlo_names
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
    *ragged_dot.OPS,
    *convolution.OPS,
    *old_contractions.OPS,
    *reduce.OPS,
    *reduce_window.OPS,
    *scan.OPS,
    *gather.OPS,
    *scatter.OPS,
    *select_and_scatter.OPS,
    *sort.OPS,
    *map_op.OPS,
    *batch_norm.OPS,
    *fft.OPS,
    *linear_algebra.OPS,
    *random_numbers.OPS,
    *control_flow.OPS,
    *composite.OPS,
    *custom_calls.OPS,
    *sharding.OPS,
    *manual_computation.OPS,
    *functions.OPS,
    *tuples.OPS,
    *tokens.OPS,
    *processes.OPS,
    *collectives.OPS,
    *collective_broadcast.OPS,
    *collective_reductions.OPS,
    *point_to_point.OPS,
    *asynchronous.OPS,
    *chlo.OPS,
    *shape_dialect.OPS,
    *shape_witnesses.OPS,
    *tensor_dialect.OPS,
    *arith_dialect.OPS,
    *checks.OPS,
    *interpreter_dialect.OPS,
    *hlo.OPS,
)
"""Every op, family by family."""


@cache
def op_table() -> dict[str, type[Op]]:
    """Each op class under its name and its aliases."""
    return {name: op_class for op_class in OPS for name in (op_class.name, *op_class.aliases)}


@cache
def reading_table() -> Mapping[str, type[Op] | OtherName]:
    """The same, and the ops of MHLO: what MLIR text may hold. What is read has the ops' own names."""
    return {**op_table(), **mhlo_names(OPS)}
