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
    dynamic,
    identities,
    in_place_permute,
    ragged_all_to_all,
    ragged_dot,
    random_numbers,
    scaled_dot,
    scan,
    several_operands,
    top_k,
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
    *dynamic.OPS,
    *ragged_all_to_all.OPS,
    *ragged_dot.OPS,
    *random_numbers.OPS,
    *scaled_dot.OPS,
    *scan.OPS,
    *top_k.OPS,
)
"""Every op of the package, module by module."""
