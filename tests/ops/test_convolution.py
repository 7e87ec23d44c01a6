"""convolution and dynamic_conv against the specification's formula as loops; every way of computing them; layouts."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine.errors import RunError
from hloscope.engine.indexing import UNDEFINED
from hloscope.engine.indexing.evaluation.bound_map import BoundMap
from hloscope.engine.ir.element_types import ELEMENT_TYPES, QuantizedType
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.contractions import convolution_sums
from hloscope.engine.ops.contractions.convolution import Convolution, ConvolutionOp, DynamicConv
from hloscope.engine.ops.contractions.convolution_rules import ConvolutionDimensionNumbers
from hloscope.engine.ops.core.op import Array
from tests.each import for_each
from tests.oracle.generators.convolutions import convolution_ops

from .cases.convolutions import result_sizes
from .quantized import quantized
from .running import broken, run, tensor

NHWC = ConvolutionDimensionNumbers(0, 3, 2, 3, 0, 3, (1, 2), (0, 1), (1, 2))
NCHW = ConvolutionDimensionNumbers(0, 1, 1, 0, 0, 1, (2, 3), (2, 3), (2, 3))
LINE = ConvolutionDimensionNumbers(0, 1, 1, 0, 0, 1, (2,), (2,), (2,))
EXAMPLE = Convolution(
    tensor((1, 4, 4, 1), "i64"), tensor((3, 3, 1, 1), "i64"), NHWC, 1, 1,
    window_strides=(4, 4), lhs_dilation=(2, 2), rhs_dilation=(1, 1), window_reversal=(False, False),
    padding=((0, 0), (0, 0)),
)  # fmt: skip
PICTURE = np.array([[1, 2, 5, 6], [3, 4, 7, 8], [10, 11, 14, 15], [12, 13, 16, 17]]).reshape(1, 4, 4, 1)
ONES = np.ones((3, 3, 1, 1), np.int64)


def by_the_formula(op: ConvolutionOp, padding: Any, lhs: Array, rhs: Array) -> Array:
    """Element by element, in Python's own numbers; padding and holes count for nothing."""
    n, sizes = op.dimension_numbers, result_sizes(op, padding)
    result = np.zeros(sizes, object)
    features = op.rhs.sizes[n.kernel_output_feature_dimension]
    channels = op.rhs.sizes[n.kernel_input_feature_dimension]
    batches = lhs.shape[n.input_batch_dimension] // op.batch_group_count
    windows = [op.rhs.sizes[at] for at in n.kernel_spatial_dimensions]
    for index in np.ndindex(*sizes):
        feature = index[n.output_feature_dimension]
        by_feature = feature // (features // op.feature_group_count) * channels
        by_batch = feature // (features // op.batch_group_count) * batches
        for channel, *window in product(range(channels), *map(range, windows)):
            here, there = [0] * lhs.ndim, [0] * lhs.ndim
            here[n.input_batch_dimension] = by_batch + index[n.output_batch_dimension]
            here[n.input_feature_dimension] = by_feature + channel
            there[n.kernel_input_feature_dimension] = channel
            there[n.kernel_output_feature_dimension] = feature
            inside = True
            for k, place in enumerate(window):
                at = index[n.output_spatial_dimensions[k]] * op.strides[k] + place * op.window_dilations[k]
                element, off = divmod(at - padding[k][0], op.base_dilations[k])
                size = lhs.shape[n.input_spatial_dimensions[k]]
                inside = inside and off == 0 and 0 <= element < size
                here[n.input_spatial_dimensions[k]] = element
                there[n.kernel_spatial_dimensions[k]] = windows[k] - 1 - place if op.reversals[k] else place
            if inside:
                result[index] += lhs.item(*here) * rhs.item(*there)
    return result


def padding_of(op: Convolution) -> Any:
    return op.padding or ((0, 0),) * op.spatial_count


def with_types(op: Any, element_type: str, result: str | None = None) -> Any:
    """The op on other elements."""
    found = ELEMENT_TYPES[element_type]
    op = replace(op, lhs=op.lhs.with_element_type(found), rhs=op.rhs.with_element_type(found), result=None)
    return replace(op, result=op.infer().with_element_type(ELEMENT_TYPES[result or element_type]))


def drawn(op: ConvolutionOp, seed: int = 0) -> tuple[Array, Array]:
    """Whole numbers of which every type has each."""
    random = np.random.default_rng(seed)
    found = [random.integers(-3, 4, x.sizes).astype(x.element_type.dtype) for x in (op.lhs, op.rhs)]
    return found[0], found[1]


@given(convolution_ops())
def test_any_convolution_follows_the_formula(op: Convolution) -> None:
    op = with_types(op, "i64")
    assert broken(op) is None
    lhs, rhs = drawn(op)
    (found,) = run(op, lhs, rhs)
    assert found.shape == op.infer().sizes == tuple(result_sizes(op, padding_of(op)))
    assert found.tolist() == by_the_formula(op, padding_of(op), lhs, rhs).tolist()


@given(convolution_ops(1), st.sampled_from(["f32", "bf16", "i8", "ui64", "complex<f32>", "f64"]), st.data())
def test_blocks_and_layouts_change_nothing(op: Convolution, element_type: str, data: st.DataObject) -> None:
    op = with_types(op, element_type)
    lhs, rhs = drawn(op)
    (whole,) = run(op, lhs, rhs)
    memory = [data.draw(st.permutations(range(lhs.ndim))) for _ in range(2)]
    lhs, rhs = (
        x.transpose(m).copy().transpose(np.argsort(m)) for x, m in zip((lhs, rhs), memory, strict=True)
    )
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(convolution_sums, "BLOCK_BYTES", data.draw(st.sampled_from([1, 64, 256])))
        patched.setattr(convolution_sums, "_DEPTH", data.draw(st.sampled_from([1, 4])))
        patched.setattr(convolution_sums, "_SHIFTED_ELEMENTS", data.draw(st.sampled_from([1, 5])))
        patched.setattr(convolution_sums, "_PLACES_PER_SHIFT", data.draw(st.sampled_from([0, 1 << 30])))
        (found,) = run(op, lhs, rhs)
    # Whether a sum begins with 0 or with the first product is open, and with it the sign of a zero.
    assert (found + found.dtype.type(0)).tobytes() == (whole + whole.dtype.type(0)).tobytes()


def test_a_window_without_elements_has_the_sum_0() -> None:
    op = Convolution(tensor((1, 2, 3)), tensor((4, 2, 0)), LINE, 1, 1)
    assert broken(op, tensor((1, 4, 4))) is None
    assert run(op, np.ones((1, 2, 3), np.float32), np.ones((4, 2, 0), np.float32))[0].tolist() == [
        [[0] * 4] * 4
    ]
    without_channels = Convolution(tensor((1, 0, 3), "i1"), tensor((4, 0, 1), "i1"), LINE, 1, 1)
    assert not run(without_channels, np.ones((1, 0, 3), np.bool_), np.ones((4, 0, 1), np.bool_))[0].any()


PLAIN = Convolution(tensor((2, 6, 5, 3)), tensor((3, 2, 3, 4)), NHWC, 1, 1, padding=((1, 1), (0, 1)))


@pytest.mark.parametrize(
    ("operands", "result"),
    [("i8", "i8"), ("i8", "i32"), ("ui8", "ui32"), ("i32", "i32"), ("i32", "i64"), ("i64", "i64"), ("ui64", "ui64"),
     ("i32", "i16"), ("i4", "i4"), ("i4", "i8"), ("ui2", "ui2")],
)  # fmt: skip
def test_integers_are_exact_and_wrap_in_the_result_s_type(operands: str, result: str) -> None:
    op = with_types(PLAIN, operands, result)
    assert broken(op) is None
    bits, signed = ELEMENT_TYPES[operands].bits, ELEMENT_TYPES[operands].kind == "signed"
    low = -(1 << bits - 1) if signed else 0
    random = np.random.default_rng(0)
    lhs, rhs = (
        random.integers(low, low + (1 << bits) - 1, x.sizes, np.int64 if signed else np.uint64, endpoint=True)
        for x in (op.lhs, op.rhs)
    )
    exact = by_the_formula(op, op.padding, lhs, rhs)
    (found,) = run(op, lhs.astype(op.lhs.element_type.dtype), rhs.astype(op.rhs.element_type.dtype))
    assert found.dtype == ELEMENT_TYPES[result].dtype
    modulus = 1 << ELEMENT_TYPES[result].bits
    whole = found.astype(np.int64 if ELEMENT_TYPES[result].kind == "signed" else np.uint64).astype(object)
    assert (whole % modulus).tolist() == (exact % modulus).tolist()


def test_depthwise_integers_wrap_as_well() -> None:
    op = Convolution(tensor((1, 9, 9, 2), "i64"), tensor((2, 2, 1, 4), "i64"), NHWC, 2, 1)
    random = np.random.default_rng(1)
    least, most = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    lhs, rhs = (random.integers(least, most, x.sizes, endpoint=True) for x in (op.lhs, op.rhs))
    exact = by_the_formula(op, padding_of(op), lhs, rhs) % (1 << 64)
    assert (run(op, lhs, rhs)[0].astype(object) % (1 << 64)).tolist() == exact.tolist()


@pytest.mark.parametrize("name", ["bf16", "f16", "f8E4M3FN", "f8E5M2"])
def test_small_floats_are_summed_wide_and_rounded_once(name: str) -> None:
    op = with_types(PLAIN, name)
    random = np.random.default_rng(0)
    lhs, rhs = (random.standard_normal(x.sizes).astype(x.element_type.dtype) for x in (op.lhs, op.rhs))
    wide = run(with_types(PLAIN, "f32"), lhs.astype(np.float32), rhs.astype(np.float32))[0]
    assert run(op, lhs, rhs)[0].tobytes() == wide.astype(lhs.dtype).tobytes()
    assert run(with_types(PLAIN, name, "f32"), lhs, rhs)[0].tobytes() == wide.tobytes()


def test_results_of_another_kind() -> None:
    lhs, rhs = drawn(with_types(PLAIN, "f32"))
    lhs = lhs / 2
    whole = run(with_types(PLAIN, "f32"), lhs, rhs)[0]
    assert run(with_types(PLAIN, "f32", "i32"), lhs, rhs)[0].tolist() == np.trunc(whole).tolist()
    assert run(with_types(PLAIN, "f32", "f64"), lhs, rhs)[0].tolist() == whole.tolist()
    assert (
        run(with_types(PLAIN, "f32", "complex<f32>"), lhs, rhs)[0].tolist() == whole.astype(complex).tolist()
    )
    assert run(with_types(PLAIN, "f32", "i1"), lhs, rhs)[0].tolist() == (whole != 0).tolist()


def test_booleans_are_the_or_of_ands() -> None:
    op = with_types(PLAIN, "i1")
    random = np.random.default_rng(0)
    lhs, rhs = (random.random(x.sizes) < 0.3 for x in (op.lhs, op.rhs))
    assert run(op, lhs, rhs)[0].tolist() == (by_the_formula(op, op.padding, lhs, rhs) > 0).tolist()


def test_padding_times_infinity_is_no_number() -> None:
    op = Convolution(tensor((1, 1, 2)), tensor((1, 1, 2)), LINE, 1, 1, padding=((1, 0),))
    (found,) = run(op, np.ones((1, 1, 2), np.float32), np.array([[[np.inf, 1]]], np.float32))
    assert np.isnan(found[0, 0, 0])
    assert found[0, 0, 1] == np.inf


@given(convolution_ops(), st.sampled_from([np.inf, -np.inf, np.nan]), st.integers(0, 100))
def test_padding_skipped_as_in_hlo_text(op: Convolution, worst: float, seed: int) -> None:
    op = replace(with_types(op, "f64"), skips_padding=True)
    lhs, rhs = drawn(op, seed)
    rhs[np.random.default_rng(seed).random(rhs.shape) < 0.3] = worst
    (found,) = run(op, lhs, rhs)
    np.testing.assert_array_equal(found, by_the_formula(op, padding_of(op), lhs, rhs).astype(np.float64))


@for_each("numbers", [NHWC, NCHW])
@for_each(
    ("channels", "features", "groups", "size", "window", "step"),
    [(1, 3, 1, 6, 3, 1), (8, 8, 8, 12, 3, 1), (8, 16, 8, 12, 2, 2), (8, 8, 4, 6, 3, 2), (5, 7, 1, 6, 1, 1), (5, 7, 1, 6, 1, 2), (6, 4, 2, 6, 1, 1)],
)  # fmt: skip
def test_layers_of_networks(
    numbers: Any, channels: int, features: int, groups: int, size: int, window: int, step: int
) -> None:
    """Pointwise, depthwise and grouped: each has a way of its own."""
    last = numbers is NHWC
    shapes = ((2, size, size, channels), (window, window, channels // groups, features))
    if not last:
        shapes = ((2, channels, size, size), (features, channels // groups, window, window))
    op = Convolution(tensor(shapes[0]), tensor(shapes[1]), numbers, groups, 1, window_strides=(step, step))
    lhs, rhs = drawn(op)
    exact = by_the_formula(op, padding_of(op), lhs, rhs).tolist()
    assert run(op, lhs, rhs)[0].tolist() == exact
    assert run(op, lhs[::-1][::-1], np.asfortranarray(rhs))[0].tolist() == exact
    splat = np.broadcast_to(np.float32(2), op.lhs.sizes)
    assert run(op, splat, rhs)[0].tolist() == run(op, splat.copy(), rhs)[0].tolist()
    kernel = np.broadcast_to(np.float32(2), op.rhs.sizes)
    assert run(op, lhs, kernel)[0].tolist() == run(op, lhs, kernel.copy())[0].tolist()


QUANTIZED = quantized((0.5,), (1,))
PER_AXIS = quantized((0.5, 0.25, 2.0, 1.0), (0, 1, -1, 2), axis=3)


def dequantize(stored: Array, found: QuantizedType) -> Array:
    whole = stored.astype(np.float32) - np.array(found.zero_points, np.float32)
    return np.asarray(whole * np.array(found.scales, np.float32))


@pytest.mark.parametrize("kernel", [QUANTIZED, PER_AXIS])
def test_quantized_operands_are_dequantized_and_the_result_quantized(kernel: QuantizedType) -> None:
    op = replace(PLAIN, lhs=TensorType(PLAIN.lhs.shape, QUANTIZED), rhs=TensorType(PLAIN.rhs.shape, kernel))
    lhs, rhs = drawn(op)
    floats = run(
        PLAIN, dequantize(lhs, QUANTIZED).astype(np.float32), dequantize(rhs, kernel).astype(np.float32)
    )[0]
    results = [
        quantized((0.125,), (3,)),
        *([quantized((0.5, 1, 2, 4), (0, 1, 2, 3), 3)] if kernel is PER_AXIS else []),
    ]
    for found in results:
        whole = replace(op, result=PLAIN.infer().with_element_type(found))
        assert broken(whole, whole.infer()) is None
        wanted = np.clip(np.rint(floats / np.array(found.scales) + np.array(found.zero_points)), -128, 127)
        assert run(whole, lhs, rhs)[0].tolist() == wanted.tolist()
    hybrid = replace(op, lhs=PLAIN.lhs, result=PLAIN.infer())
    assert broken(hybrid, PLAIN.infer()) is None
    assert run(hybrid, dequantize(lhs, QUANTIZED).astype(np.float32), rhs)[0].tolist() == floats.tolist()


def dynamic(op: Convolution, result: TensorType | None = None) -> DynamicConv:
    """The same with its padding as an operand."""
    values = {
        each.name: getattr(op, each.name) for each in fields(op) if each.name not in ("padding", "result")
    }
    return DynamicConv(**values, result=result, padding=tensor((op.spatial_count, 2), "i64"))


@given(convolution_ops())
def test_dynamic_conv_is_convolution_with_padding_known_late(op: Convolution) -> None:
    op = with_types(op, "i32")
    lhs, rhs = drawn(op)
    padding = np.array(padding_of(op), np.int64).reshape(-1, 2)
    late = dynamic(op, op.infer())
    assert broken(late, op.infer()) is None
    assert run(late, lhs, rhs, padding)[0].tobytes() == run(op, lhs, rhs)[0].tobytes()
    for early, found in (
        (op.index_maps(), late.index_maps()),
        (op.inverse_index_maps(), late.inverse_index_maps()),
    ):
        sizes = op.infer().sizes
        shapes = (sizes, sizes) if early.__name__ == "index_maps" else (op.lhs.sizes, op.rhs.sizes)  # type: ignore[attr-defined]
        for here, there, shape in zip(early, found, shapes, strict=False):
            for index in np.ndindex(*shape):
                known = BoundMap(there.map, (None, None, padding)).elements(index)
                assert known.indices.tolist() == BoundMap(here.map, ()).elements(index).indices.tolist()


def test_every_result_reads_the_low_padding() -> None:
    op = dynamic(EXAMPLE, tensor((1, 2, 2, 1), "i64"))
    *_, there = op.index_maps()
    assert (there.operand, BoundMap(there.map, ()).elements((0, 1, 1, 0)).indices.tolist()) == (
        2,
        [[0, 0], [1, 0]],
    )
    *_, back = op.inverse_index_maps()
    assert len(BoundMap(back.map, ()).elements((0, 0)).indices) == 4
    assert len(BoundMap(back.map, ()).elements((0, 1)).indices) == 0


def test_sizes_that_only_a_run_knows() -> None:
    op = dynamic(EXAMPLE)
    assert op.infer() == tensor((1, None, None, 1), "i64")
    assert [each.map for each in op.index_maps()] == [UNDEFINED, UNDEFINED]
    assert [each.map for each in op.inverse_index_maps()] == [UNDEFINED, UNDEFINED]
    unknown = replace(EXAMPLE, lhs=tensor((None, 4, None, 1), "i64"))
    assert broken(unknown, tensor((5, 2, 7, 1), "i64")) is None
    assert unknown.infer() == tensor((None, 2, None, 1), "i64")
    assert broken(replace(EXAMPLE, rhs=tensor((3, 3, None, None), "i64"))) is None


def test_padding_that_no_machine_has_room_for() -> None:
    op = dynamic(EXAMPLE)
    with pytest.raises(
        RunError, match=r"^padding \[\[0, 0\], \[0, 4611686018427387904\]\] makes lhs one of sizes"
    ):
        run(op, PICTURE, ONES, np.array([[0, 0], [0, 1 << 62]]))


def test_cost_counts_products_and_the_padded_input() -> None:
    cost = PLAIN.cost((), ())
    assert cost.flops == 2 * (2 * 6 * 5 * 4) * (3 * 2 * 3)
    assert cost.result_bytes == 4 * 2 * 6 * 5 * 4
    far = replace(PLAIN, window_strides=(1 << 20, 1), padding=((0, 1 << 21), (0, 0)))
    assert far.infer().sizes[1] == 3
    assert far.cost((), ()).scratch_bytes > 4 * 2 * 3 * 5 << 21
    assert dynamic(EXAMPLE).cost((), ()).flops == 0


@pytest.mark.parametrize("numbers", [NHWC, NCHW])
def test_evaluation_keeps_to_its_cost(numbers: Any) -> None:
    import tracemalloc

    shapes = ((2, 40, 40, 64), (3, 3, 64, 64)) if numbers is NHWC else ((2, 64, 40, 40), (64, 64, 3, 3))
    for name in ("f32", "bf16", "i64"):
        op = Convolution(tensor(shapes[0]), tensor(shapes[1]), numbers, 1, 1, padding=((1, 1), (1, 1)))
        op = with_types(op, name)
        lhs, rhs = (x << 40 if name == "i64" else x for x in drawn(op))
        tracemalloc.start()
        op.evaluate(lhs, rhs)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        cost = op.cost((), ())
        assert peak <= cost.result_bytes + cost.scratch_bytes
