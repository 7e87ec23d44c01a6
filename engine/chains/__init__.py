"""Index maps through whole programs, by composition: of ops with bodies, and between any values."""

from .between import Reach, ValueMap, maps_between, maps_of_function
from .bodies import run_blocks
from .chains import Chains
from .leaves import Leaf, leaf_name, leaf_shape, leaf_type, leaves, result_leaves
from .operations import MapSource, map_sources, operation_maps
from .unions import MAX_MAPS
