"""Reads index maps and expressions in both printed styles (reference/indexing.md, section 3.4)."""

from .expressions import parse_expression
from .maps import parse_map

__all__ = ["parse_expression", "parse_map"]
