"""Parse index maps and expressions in both printed styles (docs/index-maps.md, "Printed forms")."""

from .expression_parser import parse_expression
from .map_parser import parse_map

__all__ = ["parse_expression", "parse_map"]
