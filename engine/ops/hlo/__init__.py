"""Ops of HLO text that StableHLO does not have."""

from ..core.registry import Family, ops_in
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
    Family("HLO text alone", "other", ops_in(tuple_values)),
    Family("HLO text alone", "movement", ops_in(copies, hlo_bitcast, dynamic_forms)),
    Family(
        "HLO text alone",
        "control",
        (*ops_in(hlo_identities, computations, async_computations), chlo_forms.HloScan),
    ),
    Family(
        "HLO text alone",
        "collective",
        ops_in(
            all_to_all, several_operands, in_place_permute, collective_starts, transfers, ragged_all_to_all
        ),
    ),
    Family("HLO text alone", "contraction", (chlo_forms.HloRaggedDot, *ops_in(scaled_dot))),
    Family("HLO text alone", "reduction", (chlo_forms.HloTopK,)),
    Family("HLO text alone", "other", ops_in(hlo_random_numbers)),
)
