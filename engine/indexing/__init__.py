"""Index maps: formulas that relate elements of one tensor to elements of another.

    core          the data model: variables, domain, constraints
    simplifier    simplification rules
    evaluation    maps applied to arrays of indices
    transforms    composing maps, eliminating variables, substituting known offsets
    op_maps       the maps of each family of ops, in both directions
    texts         both printed styles, maps in English
    elements      exact sets of elements and their images, fast
    relations     maps as integer relations, with isl
    measures      statistics of maps: reads, memory accesses of a warp
    tiles         sizes of tiles

This package exports the calculus. Import `relations` and `measures` separately: they load isl, which is slow.
"""

from .core.expressions import (
    CeilDivide,
    Constant,
    Dim,
    Expression,
    FloorDivide,
    Maximum,
    Minimum,
    Modulo,
    Product,
    QuotientBy,
    Range,
    RemainderBy,
    Runtime,
    Sum,
    add,
    ceil_divide,
    dims,
    floor_divide,
    maximum,
    minimum,
    modulo,
    multiply,
    substitute,
    variables_of,
)
from .core.index_map import KNOWN_EMPTY, UNDEFINED, IndexMap, Kind, OperandMap, RuntimeVariable, by_pair
from .core.interval import EVERYTHING, INT64_MAX, INT64_MIN, Interval, box
from .core.linearization import divide, interval_of, linearize, remainder
from .evaluation.bound_map import BoundMap, evaluate
from .op_maps.collective_maps import (
    Group,
    PlacedMap,
    all_gather_map,
    all_reduce_map,
    all_to_all_map,
    broadcast_map,
    inverse_all_gather_map,
    inverse_all_to_all_map,
    inverse_broadcast_map,
    open_all_to_all_map,
    permute_map,
)
from .op_maps.contraction_maps import dot_general_maps, inverse_labelled_maps, labelled_maps, reduce_maps
from .op_maps.convolution_maps import ConvolutionIndexing
from .op_maps.data_movement_maps import (
    broadcast_in_dim_maps,
    concatenate_maps,
    elementwise_maps,
    pad_maps,
    reshape_maps,
    reverse_maps,
    slice_maps,
    transpose_maps,
)
from .op_maps.dynamic_slice_maps import GatherIndexing, dynamic_slice_maps, dynamic_update_slice_maps
from .op_maps.scan_maps import ScanIndexing, ScanValue, runs_of
from .op_maps.scatter_maps import CellReads, ScatterIndexing
from .op_maps.shared_dimension_maps import (
    feature_map,
    inverse_feature_map,
    line_map,
    permutation_map,
    same_feature_map,
    selection_maps,
    shared_dimensions_map,
)
from .op_maps.window_maps import WindowIndexing
from .simplifier import RULES, simplification, simplify
from .texts.map_printing import (
    Style,
    print_expression,
    print_map,
    print_operand_map,
    print_operand_maps,
    print_rewrite,
)
from .transforms.composition import compose
from .transforms.runtime_folding import ReadValue, fold_runtimes
from .transforms.variables import ranges_to_dimensions, remove_unused_symbols
