"""Facets of ops: one small file for each concern besides the specification's parts. See `op.py`."""

from .hlo_spelling import HloSpelling
from .section import Section
from .traits import Category, Traits

__all__ = ["Category", "HloSpelling", "Section", "Traits"]
