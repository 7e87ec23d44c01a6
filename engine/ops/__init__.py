"""The ops of the dialects, by family; `op_table` finds one by the name that a program uses."""

from collections.abc import Mapping
from functools import cache

from . import (
    chlo,
    collectives,
    contractions,
    control_flow,
    custom_calls,
    data_movement,
    dialects,
    elementwise,
    hlo,
    indexed,
    random_numbers,
    reductions,
    sharding,
    sorting,
    transforms,
)
from .core.facets import Category
from .core.op import Op
from .core.registry import Family, fill_op_table, op_table, ops_of
from .dialects.mhlo_dialect import OtherName, mhlo_names

FAMILIES: tuple[Family, ...] = (
    *data_movement.FAMILIES,
    *elementwise.FAMILIES,
    *indexed.FAMILIES,
    *contractions.FAMILIES,
    *reductions.FAMILIES,
    *sorting.FAMILIES,
    *transforms.FAMILIES,
    *random_numbers.FAMILIES,
    *control_flow.FAMILIES,
    *custom_calls.FAMILIES,
    *collectives.FAMILIES,
    *sharding.FAMILIES,
    *chlo.FAMILIES,
    *hlo.FAMILIES,
    *dialects.FAMILIES,
)
"""Every family, in the order in which a reader looks for them. Several may share a title."""
OPS: tuple[type[Op], ...] = ops_of(FAMILIES)
"""Every op, family by family."""
fill_op_table(OPS)


_FAMILY = {op: family for family in FAMILIES for op in family.ops}


def family_of(op: type[Op]) -> Family:
    """The family of an op."""
    return _FAMILY[op]


def category_of(op: type[Op]) -> Category:
    """The category that determines the op's mark in the browser."""
    return op.traits.category or family_of(op).category


@cache
def reading_table() -> Mapping[str, type[Op] | OtherName]:
    """`op_table`, and the ops of MHLO: what MLIR text may hold. What is read has the ops' own names."""
    return {**op_table(), **mhlo_names(OPS)}
