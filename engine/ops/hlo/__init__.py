"""Ops of HLO text that StableHLO does not have."""

from __future__ import annotations

from ..core.registry import Family
from . import (
    all_to_all,
    async_computations,
    chlo_forms,
    collective_starts,
    computations,
    copies,
    dynamic_forms,
    hlo_bitcast,
    hlo_identities,
    hlo_random_numbers,
    in_place_permute,
    ragged_all_to_all,
    scaled_dot,
    several_operands,
    transfers,
    tuple_values,
)

FAMILIES = (
    Family("HLO text alone", "other", (*tuple_values.OPS,)),
    Family(
        "HLO text alone",
        "movement",
        (
            *copies.OPS,
            *hlo_bitcast.OPS,
            *dynamic_forms.OPS,
        ),
    ),
    Family(
        "HLO text alone",
        "control",
        (
            *hlo_identities.OPS,
            *computations.OPS,
            *async_computations.OPS,
            chlo_forms.HloScan,
        ),
    ),
    Family(
        "HLO text alone",
        "collective",
        (
            *all_to_all.OPS,
            *several_operands.OPS,
            *in_place_permute.OPS,
            *collective_starts.OPS,
            *transfers.OPS,
            *ragged_all_to_all.OPS,
        ),
    ),
    Family(
        "HLO text alone",
        "contraction",
        (
            chlo_forms.HloRaggedDot,
            *scaled_dot.OPS,
        ),
    ),
    Family("HLO text alone", "reduction", (chlo_forms.HloTopK,)),
    Family("HLO text alone", "other", (*hlo_random_numbers.OPS,)),
)
