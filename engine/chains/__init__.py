"""Index maps through whole programs, by composition: of ops with bodies, and between any values."""

from .between import Reach, ValueMap, maps_between, maps_of_function
from .bodies import run_blocks
from .chains import Chains
from .leaves import Leaf, leaf_name, leaf_shape, leaf_type, leaves, operand_leaves, result_leaves
from .operations import MapSource, map_sources, operation_maps
from .sources import Sources, ValueSource, sources_of
from .unions import MAX_MAPS, Link, Union

__all__ = [
    "MAX_MAPS",
    "Chains",
    "Leaf",
    "Link",
    "MapSource",
    "Reach",
    "Sources",
    "Union",
    "ValueMap",
    "ValueSource",
    "leaf_name",
    "leaf_shape",
    "leaf_type",
    "leaves",
    "map_sources",
    "maps_between",
    "maps_of_function",
    "operand_leaves",
    "operation_maps",
    "result_leaves",
    "run_blocks",
    "sources_of",
]
