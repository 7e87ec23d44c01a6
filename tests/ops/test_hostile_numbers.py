"""Whatever numbers a program states, constraints answer by a label, never by a Python exception."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine.ir.attributes import DenseArrayAttribute, IntegerAttribute, StructAttribute
from hloscope.engine.ir.element_types import I64
from hloscope.engine.ir.module import Operation, Value
from hloscope.engine.ir.types import ScalarType, TensorType
from hloscope.engine.ops import op_table
from hloscope.engine.ops.contractions.dot_general import DotDimensionNumbers, DotGeneral
from hloscope.engine.ops.contractions.ragged_dot import RaggedDot, RaggedDotDimensionNumbers
from hloscope.engine.ops.core.binding import bind
from hloscope.engine.ops.core.dynamic_op import DynamicForm
from hloscope.engine.ops.core.process_groups import ReplicaGroups
from hloscope.engine.ops.data_movement.data_movement import (
    BroadcastInDim,
    Concatenate,
    Reshape,
    Reverse,
    Slice,
    Transpose,
)
from hloscope.engine.ops.data_movement.dynamic_shapes import (
    DynamicBroadcastInDim,
    DynamicIota,
    DynamicReshape,
    GetDimensionSize,
    SetDimensionSize,
)
from hloscope.engine.ops.data_movement.dynamic_slices import DynamicSlice, DynamicUpdateSlice
from hloscope.engine.ops.data_movement.pad import Pad
from hloscope.engine.ops.hlo.chlo_forms import HloRaggedDot, HloScan, HloTopK
from hloscope.engine.ops.hlo.dynamic_forms import (
    DynamicSliceByVector,
    DynamicUpdateSliceByVector,
    HloDynamicReshape,
)
from hloscope.engine.ops.hlo.hlo_random_numbers import HloRng, RngGetAndUpdateState, StochasticConvert
from hloscope.engine.ops.hlo.ragged_all_to_all import RaggedAllToAll
from hloscope.engine.ops.hlo.scaled_dot import ScaledDot
from hloscope.engine.ops.indexed.dynamic_indexing import DynamicGather, DynamicPad, RealDynamicSlice
from hloscope.engine.ops.indexed.gather import Gather, GatherDimensionNumbers
from hloscope.engine.ops.indexed.scatter import Scatter, ScatterDimensionNumbers
from hloscope.engine.ops.random_numbers.random_numbers import (
    Rng,
    RngAlgorithm,
    RngBitGenerator,
    RngDistribution,
)
from hloscope.engine.ops.reductions.map_op import Map
from hloscope.engine.ops.reductions.reduce import Reduce
from hloscope.engine.ops.reductions.reduce_window import ReduceWindow
from hloscope.engine.ops.reductions.scan import Scan
from hloscope.engine.ops.reductions.select_and_scatter import SelectAndScatter
from hloscope.engine.ops.sorting.sort import Sort
from hloscope.engine.ops.transforms.batch_norm import BatchNormGrad, BatchNormInference, BatchNormTraining
from hloscope.engine.ops.transforms.fft import Fft, FftType
from hloscope.engine.ops.transforms.linear_algebra import Cholesky, TriangularSolve
from hloscope.engine.ops.transforms.linear_algebra import Transpose as TransposeOfA

from .building import QUANTIZED
from .cases.windowed import selecting
from .comparators import by_one
from .running import body_of, broken, tensor

numbers = st.lists(st.integers(-2, 4), max_size=4).map(tuple)
sizes = st.lists(st.one_of(st.none(), st.integers(0, 3)), max_size=4)
tensors = st.builds(tensor, sizes, st.sampled_from(["f32", "i64"]))
ranked_quantized = st.builds(
    tensor,
    st.lists(st.integers(1, 3), min_size=2, max_size=3),
    st.sampled_from([QUANTIZED["a8"], QUANTIZED["q8"]]),
)
anything = st.one_of(tensors, ranked_quantized)
transformable = st.builds(tensor, sizes, st.sampled_from(["f32", "f64", "f16", "complex<f64>"]))
integers = st.builds(tensor, sizes, st.just("i64"))
lists = st.builds(tensor, st.tuples(st.one_of(st.none(), st.integers(0, 3))), st.just("i64"))
lists = st.one_of(lists, lists, integers)
indices = st.lists(st.one_of(st.just(tensor((), "i64")), tensors), max_size=4).map(tuple)
small = st.integers(-2, 5)

asking = st.sampled_from([selecting("GE", "f32"), body_of("stablehlo.add", "f32")])
rows = st.none() | st.lists(numbers, max_size=4).map(tuple)

gather_numbers = st.builds(GatherDimensionNumbers, numbers, numbers, numbers, numbers, numbers, small)
scatter_numbers = st.builds(ScatterDimensionNumbers, numbers, numbers, numbers, numbers, numbers, small)
dot_numbers = st.builds(DotDimensionNumbers, numbers, numbers, numbers, numbers)
groups = st.lists(tensors, max_size=3).map(tuple)
ragged_numbers = st.builds(RaggedDotDimensionNumbers, *[numbers] * 6)
processes = st.sampled_from([ReplicaGroups.of([0]), ReplicaGroups.of([0, 1]), ReplicaGroups.of()])
scalars = st.lists(st.one_of(st.just(tensor((), "i32")), tensors), max_size=4).map(tuple)
bodies = st.sampled_from([body_of("stablehlo.add", "f32"), body_of("stablehlo.add", "i64", "i64")])


def dynamic(op_class: type[DynamicForm], *fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """The op before a run, and with numbers in its dynamic operands; static types, as a run has them."""
    early = st.builds(op_class, *fields, result=anything)
    return st.one_of(early, early.flatmap(_shown))


def _shown(op: DynamicForm) -> st.SearchStrategy[DynamicForm]:
    if not all(found.is_static for found in op.operand_types if isinstance(found, TensorType)):
        return st.just(op)
    counts = [getattr(op, name).element_count for name in op.dynamic_fields]
    shown = st.tuples(*(st.lists(small, min_size=count, max_size=count).map(tuple) for count in counts))
    return shown.map(lambda found: replace(op, numbers=found))


comparators = st.sampled_from([by_one("LT", "f32"), by_one("GT", "i64", "i64", key=1)])

OPS: st.SearchStrategy[Any] = st.one_of(
    st.builds(BroadcastInDim, anything, numbers, anything),
    st.builds(Concatenate, groups, small),
    st.builds(Reshape, anything, anything),
    st.builds(DynamicSlice, anything, indices, numbers),
    st.builds(DynamicUpdateSlice, anything, anything, indices),
    dynamic(DynamicBroadcastInDim, anything, lists, numbers, numbers, numbers),
    dynamic(DynamicReshape, anything, lists),
    dynamic(DynamicIota, lists, small),
    dynamic(DynamicPad, tensors, tensors, lists, lists, lists),
    dynamic(RealDynamicSlice, tensors, lists, lists, lists),
    dynamic(DynamicGather, tensors, integers, lists, gather_numbers),
    dynamic(SetDimensionSize, anything, st.just(tensor((), "i32")), small),
    st.builds(GetDimensionSize, anything, small),
    st.builds(Pad, anything, anything, numbers, numbers, numbers),
    st.builds(Reverse, anything, numbers),
    st.builds(Slice, tensors, numbers, numbers, numbers),
    st.builds(Transpose, anything, numbers, st.one_of(st.none(), anything)),
    st.builds(DotGeneral, anything, anything, dot_numbers, result=st.one_of(st.none(), anything)),
    st.builds(Gather, tensors, integers, gather_numbers, numbers),
    st.builds(Scatter, groups, integers, groups, scatter_numbers, bodies),
    st.builds(BatchNormTraining, anything, anything, anything, st.just(0.0), small),
    st.builds(BatchNormInference, *[anything] * 5, st.just(0.0), small, st.one_of(st.none(), anything)),
    st.builds(BatchNormGrad, *[anything] * 5, st.just(0.0), small),
    st.builds(Fft, transformable, st.sampled_from(list(FftType)), numbers),
    st.builds(Cholesky, anything, st.booleans()),
    st.builds(TriangularSolve, anything, anything, *[st.booleans()] * 3, st.sampled_from(list(TransposeOfA))),
    st.builds(RngBitGenerator, st.sampled_from(list(RngAlgorithm)), integers, groups),
    st.builds(Rng, tensors, tensors, integers, st.sampled_from(list(RngDistribution)), anything),
    st.builds(Sort, groups, st.one_of(bodies, comparators), small),
    st.builds(Map, groups, numbers, bodies),
    st.builds(Reduce, groups, st.lists(tensors, max_size=3).map(tuple), numbers, bodies),
    st.builds(ReduceWindow, groups, st.lists(tensors, max_size=3).map(tuple), bodies, *[numbers] * 4, rows),
    st.builds(SelectAndScatter, anything, anything, anything, asking, bodies, numbers, numbers, rows),
    st.builds(HloTopK, anything, small, st.booleans()),
    st.builds(HloRng, tensors, tensors, st.sampled_from(list(RngDistribution)), tensors),
    st.builds(RngGetAndUpdateState, st.integers()),
    st.builds(StochasticConvert, tensors, st.builds(tensor, sizes, st.just("ui32")), tensors),
    st.builds(RaggedDot, tensors, tensors, integers, ragged_numbers),
    st.builds(HloRaggedDot, tensors, tensors, integers, dot_numbers, numbers, numbers),
    st.builds(ScaledDot, *[tensors] * 4, dot_numbers),
    st.builds(
        Scan, groups, small, numbers, numbers, bodies, groups, st.booleans(), st.booleans(), st.none() | small
    ),
    st.builds(HloScan, groups, small, small, bodies, groups, st.booleans()),
    st.builds(DynamicSliceByVector, tensors, lists, numbers),
    st.builds(DynamicUpdateSliceByVector, tensors, tensors, lists),
    st.builds(HloDynamicReshape, tensors, scalars, result=tensors),
    st.builds(RaggedAllToAll, tensors, tensors, *[integers] * 4, processes),
)


@given(OPS)
def test_constraints_never_raise(op: Any) -> None:
    label = broken(op)
    assert label is None or isinstance(label, str)
    if label is None:
        op.infer()


def _list(*values: int) -> DenseArrayAttribute:
    return DenseArrayAttribute(I64, values)


def test_dimension_numbers_are_bound_from_their_struct() -> None:
    parameters = {
        "offset_dims": _list(1),
        "start_index_map": _list(0),
        "index_vector_dim": IntegerAttribute(1, ScalarType(I64)),
    }
    properties = {
        "dimension_numbers": StructAttribute("stablehlo", "gather", parameters),
        "slice_sizes": _list(2),
    }
    types = (tensor((5,)), tensor((3, 1), "i64"), tensor((3, 2)))
    values = [Value(f"%{k}", found) for k, found in enumerate(types)]
    operation = Operation("stablehlo.gather", tuple(values[:2]), (values[2],), properties)
    op = bind(op_table()[operation.name], operation)
    assert op == Gather(
        types[0], types[1], GatherDimensionNumbers((1,), start_index_map=(0,), index_vector_dim=1), (2,)
    )
    assert broken(op, types[2]) is None
    assert op.infer() == TensorType((3, 2), types[0].element_type)
