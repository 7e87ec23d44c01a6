"""The simplifier of index maps (reference/indexing.md, section 3)."""

from .driver import Rewrite, Simplification, simplification, simplify

__all__ = ["Rewrite", "Simplification", "simplification", "simplify"]
