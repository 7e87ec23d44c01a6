"""Ops of HLO text that StableHLO does not have."""

from __future__ import annotations

from ..op import Op
from . import (
    all_to_all,
    asynchronous,
    bitcast,
    collective_starts,
    computations,
    copies,
    identities,
    in_place_permute,
    several_operands,
    transfers,
    tuple_values,
)

OPS: tuple[type[Op], ...] = (
    *tuple_values.OPS,
    *identities.OPS,
    *copies.OPS,
    *bitcast.OPS,
    *computations.OPS,
    *asynchronous.OPS,
    *all_to_all.OPS,
    *several_operands.OPS,
    *in_place_permute.OPS,
    *collective_starts.OPS,
    *transfers.OPS,
)
"""Every op of the package, module by module."""
