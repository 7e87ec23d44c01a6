"""Ops that read and write slices at places that a tensor of indices holds."""

from ..core.registry import Family, ops_in
from . import dynamic_indexing, gather, scatter

FAMILIES = (
    Family("Gathering and scattering", "movement", ops_in(gather, scatter)),
    Family("Sizes that are values", "movement", ops_in(dynamic_indexing)),
)
