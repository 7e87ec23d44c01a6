"""The roles of dimensions: one for each dimension of each operand and result, in the specification's words."""

from __future__ import annotations

from hloscope.engine.ops.contractions.convolution import Convolution
from hloscope.engine.ops.contractions.convolution_rules import ConvolutionDimensionNumbers
from hloscope.engine.ops.contractions.dot_general import DotDimensionNumbers, DotGeneral
from hloscope.engine.ops.data_movement.data_movement import BroadcastInDim
from hloscope.engine.ops.indexed.gather import Gather, GatherDimensionNumbers
from hloscope.engine.ops.indexed.scatter import Scatter, ScatterDimensionNumbers

from .running import second_of, tensor


def test_gather_names_its_dimensions_as_the_specification_does() -> None:
    numbers = GatherDimensionNumbers((3,), (1,), (0,), (1,), (2, 1), 3)
    op = Gather(tensor((2, 4, 5)), tensor((7, 2, 3, 2), "i32"), numbers, (1, 1, 2))
    operands, results = op.drawing.dimension_roles(op)
    assert operands[0] == (
        "operand_batching_dims",
        "collapsed_slice_dims, start_index_map[1]",
        "offset, start_index_map[0]",
    )
    assert operands[1] == ("batch", "start_indices_batching_dims", "batch", "index_vector_dim")
    assert results == (("batch dim", "batch dim", "batch dim", "offset dim"),)


def test_scatter_names_its_dimensions_as_the_specification_does() -> None:
    numbers = ScatterDimensionNumbers((1,), (0,), (), (), (0,), 1)
    op = Scatter((tensor((4, 3)),), tensor((2,), "i32"), (tensor((2, 3)),), numbers, second_of("f32"))
    operands, results = op.drawing.dimension_roles(op)
    assert operands == (
        ("inserted_window_dims, scatter_dims_to_operand_dims[0]", "window"),
        ("scatter",),
        ("update_scatter_dims", "update_window_dims"),
    )
    assert results == operands[:1]


def test_what_is_contracted_together_has_one_number() -> None:
    op = DotGeneral(
        tensor((2, 3, 4, 5)), tensor((5, 6, 4, 2)), DotDimensionNumbers((0,), (3,), (2, 3), (2, 0))
    )
    (lhs, rhs), (result,) = op.drawing.dimension_roles(op)
    assert lhs == (
        "lhs_batching_dimensions[0]",
        "lhs free",
        "lhs_contracting_dimensions[0]",
        "lhs_contracting_dimensions[1]",
    )
    assert rhs[:2] == ("rhs_contracting_dimensions[1]", "rhs free")
    assert result == ("batching[0]", "lhs free", "rhs free")


def test_convolution_and_broadcast() -> None:
    numbers = ConvolutionDimensionNumbers(0, 2, 1, 2, 0, 2, (1,), (0,), (1,))
    op = Convolution(tensor((1, 8, 3)), tensor((3, 3, 5)), numbers, 1, 1)
    (lhs, rhs), (result,) = op.drawing.dimension_roles(op)
    assert lhs == ("input_batch_dimension", "input_spatial_dimensions[0]", "input_feature_dimension")
    assert rhs[0] == "kernel_spatial_dimensions[0]"
    assert result[2] == "output_feature_dimension"
    spread = BroadcastInDim(tensor((1, 3)), (2, 0), tensor((3, 2, 4)))
    assert spread.drawing.dimension_roles(spread) == ((("expanded", ""),), (("", "new", "expanded"),))
