"""The worked examples of XLA's operation semantics, in the order of their names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hloscope.engine.builder import (
    BuilderError,
    DotDimensionNumbers,
    GatherDimensionNumbers,
    ScatterDimensionNumbers,
    XlaBuilder,
    XlaOp,
)
from hloscope.engine.ir.attributes import DenseAttribute

from .running import built, close, run, same

V = [
    [[10, 11, 12], [15, 16, 17]],
    [[20, 21, 22], [25, 26, 27]],
    [[30, 31, 32], [35, 36, 37]],
    [[40, 41, 42], [45, 46, 47]],
]
"""v = f32[4,2,3], the array of many of the examples."""
FLAT = np.ravel(V)


def add(x: XlaOp, y: XlaOp) -> XlaOp:
    return x + y


def test_all_gather_alone() -> None:
    same(run(lambda b: b.all_gather(b.constant([1.0, 2.5]), 0, 1)), [1.0, 2.5])


def test_all_gather_of_two() -> None:
    """The shape of the result is `shard_count` times that of the operand."""
    program = built(lambda b: b.all_gather(b.parameter(0, "f32[2]"), 0, 2, [[0, 1]]))
    assert str(program.result_type) == "tensor<4xf32>"


def test_all_to_all_shapes() -> None:
    """Example 1: f32[4,16], split along 1, joined along 0, 4 cores."""
    program = built(lambda b: b.all_to_all(b.parameter(0, "f32[4,16]", "x"), 1, 0, 4, [[0, 1, 2, 3]]))
    assert str(program.result_type) == "tensor<16x4xf32>"
    opcodes = [op.opcode for op in program.function.body.block.operations]  # type: ignore[union-attr]
    assert opcodes == ["all-to-all", "reshape", "transpose", "reshape", "ROOT"]


def test_cross_replica_sum_by_ids() -> None:
    program = built(lambda b: b.cross_replica_sum(b.parameter(0, "f32[2]"), [0, 1, 2, 3, 0, 1, 2, 3]))
    (operation, _) = program.function.body.block.operations  # type: ignore[union-attr]
    groups = operation.properties["replica_groups"]
    assert isinstance(groups, DenseAttribute)
    same(groups.data, [[0, 4], [1, 5], [2, 6], [3, 7]])
    with pytest.raises(BuilderError, match="different sizes"):
        built(lambda b: b.cross_replica_sum(b.parameter(0, "f32[2]"), [0, 1, 2, 0]))


@pytest.mark.parametrize(
    ("given", "to", "wanted"),
    [
        ("f32[10]", "f16", "tensor<10x2xf16>"),
        ("f32[]", "f16", "tensor<2xf16>"),
        ("f16[10,2]", "f32", "tensor<10xf32>"),
        ("s32[]", "s8", "tensor<4xi8>"),
        ("s32[3]", "f32", "tensor<3xf32>"),
    ],
)
def test_bitcast_convert_shapes(given: str, to: str, wanted: str) -> None:
    program = built(lambda b: b.bitcast_convert_type(b.parameter(0, given), to))
    assert str(program.result_type) == wanted


def test_broadcast() -> None:
    same(run(lambda b: b.broadcast(b.constant(2.0), [2, 3])), np.full((2, 3), 2.0))
    same(run(lambda b: b.broadcast(b.constant([1, 2]), [2])), [[1, 2], [1, 2]])


def test_clamp() -> None:
    same(run(lambda b: b.clamp(0, b.constant([-1, 5, 9]), 6)), [0, 5, 6])


@pytest.mark.parametrize(
    ("dimensions", "wanted"),
    [([0, 1, 2], FLAT), ([0, 1], FLAT.reshape(8, 3)), ([1, 2], FLAT.reshape(4, 6)), ([1], V), ([], V)],
)
def test_collapse(dimensions: list[int], wanted: Any) -> None:
    same(run(lambda b: b.collapse(b.parameter(0, "f32[4,2,3]"), dimensions), V), wanted)


def test_concatenate() -> None:
    same(
        run(lambda b: b.concat_in_dim([b.constant(x) for x in ([2, 3], [4, 5], [6, 7])], 0)),
        [2, 3, 4, 5, 6, 7],
    )
    a, c = [[1, 2], [3, 4], [5, 6]], [[7, 8]]
    same(run(lambda b: b.concatenate([b.constant(a), b.constant(c)], 0)), [*a, *c])


def test_convert() -> None:
    found = run(lambda b: b.convert_element_type(b.constant([0, 1, 2]), "f32"))
    assert found.dtype == np.float32
    same(found, [0, 1, 2])


def test_composite_call() -> None:
    attributes = "{n = 1 : i32, tensor = dense<1> : tensor<i32>}"

    def build(b: XlaBuilder) -> XlaOp:
        return b.composite_call(lambda x: x * 2.0, [b.constant(3.0)], "foo.bar", attributes, 1)

    same(run(build), 6.0)
    text = built(build).as_stablehlo_text()
    assert 'stablehlo.composite "foo.bar"' in text
    assert "version = 1 : i32" in text


def test_custom_call_stops() -> None:
    """Of code that nobody knows only the type is known."""
    x, y = "f32[2]", "f32[2,3]"
    program = built(lambda b: b.custom_call("myfunc", [b.parameter(0, x), b.parameter(1, y)], "f32[3,3]"))
    assert str(program.result_type) == "tensor<3x3xf32>"
    with pytest.raises(Exception, match="myfunc"):
        program.run(np.zeros(2, np.float32), np.zeros((2, 3), np.float32))


def test_dot_general_contracting() -> None:
    numbers = DotDimensionNumbers(lhs_contracting_dimensions=(1,), rhs_contracting_dimensions=(1,))
    lhs, rhs = [[1.0, 2, 3], [4, 5, 6]], [[1.0, 1, 1], [2, 2, 2]]
    same(run(lambda b: b.dot_general(b.constant(lhs), b.constant(rhs), numbers)), [[6, 12], [15, 30]])


def test_dot_general_batch() -> None:
    numbers = DotDimensionNumbers((0,), (0,), (2,), (1,))
    lhs = [[[1.0, 2], [3, 4]], [[5, 6], [7, 8]]]
    same(run(lambda b: b.dot_general(b.constant(lhs), b.constant([np.eye(2).tolist()] * 2), numbers)), lhs)


@pytest.mark.parametrize(
    ("lhs", "rhs", "wanted"),
    [
        ([1.0, 2], [3.0, 4], 11),
        ([[1.0, 2], [3, 4]], [5.0, 6], [17, 39]),
        ([[1.0, 2]], [[3.0, 4, 5], [6, 7, 8]], [[15, 18, 21]]),
    ],
)
def test_dot(lhs: Any, rhs: Any, wanted: Any) -> None:
    same(run(lambda b: b.dot(b.constant(lhs), b.constant(rhs))), wanted)


GRID = np.arange(12.0).reshape(4, 3).tolist()


def test_dynamic_slice() -> None:
    same(run(lambda b: b.dynamic_slice(b.constant([0.0, 1, 2, 3, 4]), [2], [2])), [2, 3])
    same(run(lambda b: b.dynamic_slice(b.constant(GRID), [2, 1], [2, 2])), [[7, 8], [10, 11]])
    # As in older XLA, with one vector of indices.
    same(run(lambda b: b.dynamic_slice(b.constant(GRID), b.constant([2, 1]), [2, 2])), [[7, 8], [10, 11]])


def test_dynamic_slice_stays_inside() -> None:
    five = [0, 1, 2, 3, 4]
    same(run(lambda b: b.dynamic_slice(b.constant(five), [b.constant(9)], [2])), [3, 4])
    same(run(lambda b: b.dynamic_slice(b.constant(five), [b.constant(-3)], [2])), [0, 1])


def test_dynamic_update_slice() -> None:
    five = [0.0, 1, 2, 3, 4]
    same(run(lambda b: b.dynamic_update_slice(b.constant(five), b.constant([5.0, 6]), [2])), [0, 1, 5, 6, 4])
    update = [[12.0, 13], [14, 15], [16, 17]]
    wanted = [[0, 1, 2], [3, 12, 13], [6, 14, 15], [9, 16, 17]]
    same(run(lambda b: b.dynamic_update_slice(b.constant(GRID), b.constant(update), [1, 1])), wanted)
    same(
        run(lambda b: b.dynamic_update_slice(b.constant(GRID), b.constant(update), b.constant([1, 1]))),
        wanted,
    )


@pytest.mark.parametrize("length", [16, 17])
def test_fft_lengths(length: int) -> None:
    program = built(lambda b: b.fft(b.parameter(0, f"f32[{length}]"), "RFFT", [length]))
    assert str(program.result_type) == "tensor<9xcomplex<f32>>"


@pytest.mark.parametrize(
    ("indices", "numbers", "slices", "wanted"),
    [
        ("s32[5,2]", GatherDimensionNumbers((1, 2), (), (), (), (0, 1), 1), [8, 6], "5x8x6"),
        ("s32[4,5,2]", GatherDimensionNumbers((2, 3), (), (), (), (0, 1), 2), [8, 6], "4x5x8x6"),
        ("s32[4,5]", GatherDimensionNumbers((2,), (0,), (), (), (0,), 2), [1, 11], "4x5x11"),
    ],
)
def test_gather_shapes(indices: str, numbers: GatherDimensionNumbers, slices: list[int], wanted: str) -> None:
    program = built(
        lambda b: b.gather(b.parameter(0, "f32[16,11]"), b.parameter(1, indices), numbers, slices)
    )
    assert str(program.result_type) == f"tensor<{wanted}xf32>"


def test_gather_of_places() -> None:
    operand = np.arange(16.0 * 11).reshape(16, 11)
    places = [[0, 0], [3, 2], [8, 5]]
    numbers = GatherDimensionNumbers((1, 2), (), (), (), (0, 1), 1)
    found = run(
        lambda b: b.gather(b.parameter(0, "f32[16,11]"), b.parameter(1, "s32[3,2]"), numbers, [8, 6]),
        operand,
        places,
    )
    same(found, [operand[i : i + 8, j : j + 6] for i, j in places])


def test_tuple() -> None:
    def build(b: XlaBuilder) -> XlaOp:
        t = b.tuple([b.iota("f32", 10), b.constant(5)])
        return b.get_tuple_element(t, 1)

    same(run(build), 5)


def test_iota() -> None:
    same(run(lambda b: b.iota("s32[4,8]", 0)), np.repeat(np.arange(4), 8).reshape(4, 8))
    same(run(lambda b: b.iota("s32[4,8]", 1)), np.tile(np.arange(8), (4, 1)))
    same(run(lambda b: b.iota("s32", 3)), [0, 1, 2])


def test_reduce_in_both_orders() -> None:
    same(run(lambda b: b.reduce(b.constant([10.0, 11, 12, 13]), 0.0, add, [0])), 46)


@pytest.mark.parametrize(
    ("dimensions", "wanted"),
    [
        ([0], [[4, 8, 12], [16, 20, 24]]),
        ([2], [[6, 15]] * 4),
        ([0, 1], [20, 28, 36]),
        ([0, 1, 2], 84),
    ],
)
def test_reduce_of_three_dimensions(dimensions: list[int], wanted: Any) -> None:
    values = [[[1.0, 2, 3], [4, 5, 6]]] * 4
    same(run(lambda b: b.reduce(b.constant(values), 0.0, add, dimensions)), wanted)


def test_reduce_matrix_and_all() -> None:
    values = [[1.0, 2, 3], [4, 5, 6]]
    same(run(lambda b: b.reduce(b.constant(values), 0.0, add, [0])), [5, 7, 9])
    same(run(lambda b: b.reduce(b.constant(values), 0.0, add, [1])), [6, 15])
    same(run(lambda b: b.reduce_all(b.constant(values), 0.0, add)), 21)


def argmax(best: XlaOp, at: XlaOp, value: XlaOp, place: XlaOp) -> tuple[XlaOp, XlaOp]:
    b = best.builder
    later = value >= best
    return b.select(later, value, best), b.select(later, place, at)


def test_variadic_reduce() -> None:
    def build(b: XlaBuilder) -> XlaOp:
        x = b.constant([1.0, 7, 3, 7, 2])
        return b.reduce([x, b.iota("s32[5]", 0)], [-np.inf, 0], argmax, [0])

    value, place = run(build)
    assert (value, place) == (7, 3)


@pytest.mark.parametrize(
    ("padding", "wanted"), [("valid", [100, 1]), ("kSame", [1000, 10, 1]), ("SAME", [1000, 10, 1])]
)
def test_reduce_window_min(padding: str, wanted: Any) -> None:
    values, most = [10000.0, 1000, 100, 10, 1], float(np.finfo(np.float32).max)
    same(
        run(
            lambda b: b.reduce_window(
                b.constant(values), most, lambda x, y: x.builder.min(x, y), [3], [2], padding
            )
        ),
        wanted,
    )


def test_reduce_window_max_of_blocks() -> None:
    values = np.arange(24.0).reshape(4, 6)
    found = run(
        lambda b: b.reduce_window(
            b.parameter(0, "f32[4,6]"), -np.inf, lambda x, y: x.builder.max(x, y), [2, 3], [2, 3], "VALID"
        ),
        values,
    )
    same(found, [[8, 11], [20, 23]])


def test_reduce_window_with_holes() -> None:
    """Example 2: base dilation, padding, window dilation and strides."""
    found = run(
        lambda b: b.reduce_window_with_general_padding(
            b.constant([[1, 2], [3, 4], [5, 6]]),
            0,
            add,
            [2, 1],
            [4, 1],
            [2, 1],
            [3, 1],
            [(2, 1), (0, 0)],
        )
    )
    same(found, [[0, 0], [3, 4]])


@pytest.mark.parametrize("shape", [(24,), (8, 3)])
def test_reshape(shape: tuple[int, ...]) -> None:
    same(run(lambda b: b.reshape(b.parameter(0, "f32[4,2,3]"), shape), V), FLAT.reshape(shape))
    sizes = ",".join(map(str, shape))
    same(run(lambda b: b.reshape(f"f32[{sizes}]", b.parameter(0, "f32[4,2,3]")), V), FLAT.reshape(shape))


def test_reshape_of_one_element() -> None:
    assert run(lambda b: b.reshape(b.constant([[5.0]]), [])) == 5
    same(run(lambda b: b.reshape(b.constant(5.0), [1, 1])), [[5]])
    assert run(lambda b: b.reshape(b.constant([[5.0]]), [0, 1], [])) == 5
    same(run(lambda b: b.reshape(b.constant(5.0), [], [1, 1])), [[5]])


@pytest.mark.parametrize(
    ("sizes", "wanted"),
    [
        ([8, 3], None),
        (
            [24],
            [10, 20, 30, 40, 11, 21, 31, 41, 12, 22, 32, 42, 15, 25, 35, 45, 16, 26, 36, 46, 17, 27, 37, 47],
        ),
        ([2, 6, 2], None),
    ],
)
def test_reshape_in_an_order(sizes: list[int], wanted: Any) -> None:
    """The older form: elements in the order of dimensions {1,2,0}."""
    flat = np.transpose(V, (1, 2, 0)).ravel()
    if wanted is not None:
        same(flat, wanted)
    same(run(lambda b: b.reshape(b.parameter(0, "f32[4,2,3]"), [1, 2, 0], sizes), V), flat.reshape(sizes))


def test_rev() -> None:
    same(run(lambda b: b.rev(b.constant([[1, 2, 3], [4, 5, 6]]), [1])), [[3, 2, 1], [6, 5, 4]])


def test_scatter_example() -> None:
    operand = np.arange(1, 49).reshape(2, 3, 4, 2)
    indices = [
        [[[0, 0], [1, 0], [2, 1]], [[0, 1], [1, 1], [0, 9]]],
        [[[0, 0], [2, 1], [2, 2]], [[1, 2], [0, 1], [1, 0]]],
    ]
    numbers = ScatterDimensionNumbers((3, 4), (1,), (0,), (1,), (2, 1), 3)
    wanted = [
        [
            [[3, 4], [6, 7], [6, 7], [7, 8]],
            [[9, 10], [11, 12], [15, 16], [17, 18]],
            [[17, 18], [19, 20], [22, 23], [24, 25]],
        ],
        [
            [[25, 26], [28, 29], [30, 31], [31, 32]],
            [[35, 36], [38, 39], [38, 39], [39, 40]],
            [[41, 42], [44, 45], [46, 47], [47, 48]],
        ],
    ]
    found = run(
        lambda b: b.scatter(
            b.parameter(0, "s64[2,3,4,2]"),
            b.parameter(1, "s64[2,2,3,2]"),
            b.parameter(2, "s64[2,2,3,2,2]"),
            add,
            numbers,
        ),
        operand,
        indices,
        np.ones((2, 2, 3, 2, 2), np.int64),
    )
    same(found, wanted)


def test_select() -> None:
    on_true, on_false = [1, 2, 3, 4], [100, 200, 300, 400]

    def chosen(pred: Any) -> Any:
        return run(lambda b: b.select(b.constant(pred), b.constant(on_true), b.constant(on_false)))

    same(chosen([True, False, False, True]), [1, 200, 300, 4])
    same(chosen(True), on_true)


FIGURES: list[tuple[Any, ...]] = [
    (
        [[7, 2, 5, 3, 10, 2], [3, 8, 9, 3, 4, 2], [1, 5, 7, 5, 6, 1], [0, 6, 2, 7, 2, 8]],
        [[2, 6], [3, 1]],
        (2, 3),
        (2, 3),
        "VALID",
        [[0, 0, 0, 0, 6, 0], [0, 0, 2, 0, 0, 0], [0, 0, 3, 0, 0, 0], [0, 0, 0, 0, 0, 1]],
    ),
    (
        [[7, 2, 5, 3, 8], [3, 8, 9, 3, 4], [1, 5, 7, 5, 6], [0, 6, 2, 10, 2]],
        [[2, 6], [3, 1]],
        (2, 3),
        (2, 2),
        "VALID",
        [[0, 0, 0, 0, 0], [0, 0, 8, 0, 0], [0, 0, 3, 0, 0], [0, 0, 0, 1, 0]],
    ),
    (
        [[7, 2, 5, 3, 8], [3, 8, 9, 3, 4]],
        [[2, 6, 4]],
        (2, 3),
        (1, 1),
        "VALID",
        [[0, 0, 0, 0, 0], [0, 0, 12, 0, 0]],
    ),
    (
        [[7, 2, 5, 3, 8], [3, 8, 9, 3, 4]],
        [[2, 6, 4]],
        (2, 2),
        (2, 2),
        "SAME",
        [[0, 0, 0, 0, 4], [0, 2, 6, 0, 0]],
    ),
]


@pytest.mark.parametrize(("operand", "source", "window", "strides", "padding", "wanted"), FIGURES)
def test_select_and_scatter(
    operand: Any, source: Any, window: Any, strides: Any, padding: str, wanted: Any
) -> None:
    def build(b: XlaBuilder) -> XlaOp:
        return b.select_and_scatter(
            b.constant(operand, "f32"),
            lambda kept, new: kept >= new,
            window,
            strides,
            padding,
            b.constant(source, "f32"),
            0.0,
            add,
        )

    same(run(build), wanted)


@pytest.mark.parametrize(("size", "total", "product"), [(5, 15, 120), (6, 21, 720)])
def test_set_dimension_size(size: int, total: int, product: int) -> None:
    """Reductions leave the rest out."""

    def build(b: XlaBuilder) -> list[XlaOp]:
        cut = b.set_dimension_size(b.parameter(0, "f32[10]"), b.constant(size), 0)
        assert cut.shape == (None,)
        return [b.reduce_all(cut, 0.0, add), b.reduce_all(cut, 1.0, lambda x, y: x * y)]

    same(run(build, np.arange(1.0, 11)), (total, product))


def test_slice() -> None:
    same(run(lambda b: b.slice(b.constant([0.0, 1, 2, 3, 4]), [2], [4])), [2, 3])
    same(run(lambda b: b.slice(b.constant(GRID), [2, 1], [4, 3])), [[7, 8], [10, 11]])
    same(run(lambda b: b.slice(b.constant([0, 1, 2, 3, 4]), [0], [5], [2])), [0, 2, 4])


def test_sort_by_keys() -> None:
    def build(b: XlaBuilder) -> XlaOp:
        operands = [b.constant(x) for x in ([3, 1], [42, 50], [-3.0, 1.1])]
        return b.sort(operands, lambda x, y, *others: x < y)

    first, second, third = run(build)
    same(first, [1, 3])
    same(second, [50, 42])
    close(third, [1.1, -3.0])


def test_older_forms_of_sort() -> None:
    same(run(lambda b: b.sort(b.constant([3, 1, 2]))), [1, 2, 3])
    same(run(lambda b: b.sort(b.constant([[3, 1], [2, 4]]), 0)), [[2, 1], [3, 4]])
    keys, values = run(lambda b: b.sort(b.constant([3, 1]), b.constant([42, 50])))
    same(keys, [1, 3])
    same(values, [50, 42])


def test_while() -> None:
    def build(b: XlaBuilder) -> XlaOp:
        step = [float(k) for k in range(10)]
        start = [b.constant(0), b.zeros("f32[10]")]
        return b.while_(lambda s: s[0] < 1000, lambda s: (s[0] + 1, s[1] + np.array(step)), start)

    count, total = run(build)
    assert count == 1000
    same(total, 1000 * np.arange(10))


def test_batch_norm() -> None:
    x = np.arange(8.0).reshape(2, 2, 2)

    def build(b: XlaBuilder) -> XlaOp:
        return b.batch_norm_training(
            b.parameter(0, "f32[2,2,2]"), b.constant([1.0, 2]), b.constant([0.0, 1]), 1e-3, 2
        )

    output, mean, variance = run(build, x)
    close(mean, [3, 4])
    close(variance, [5, 5])
    close(output[0, 0], [-1.3415067, -1.6830134])
    close(output[1, 1], [1.3415067, 3.6830134])


def test_sign() -> None:
    found = run(lambda b: b.sign(b.constant([-2.0, -0.0, 0.0, 3.0, np.nan])))
    same(found, [-1, 0, 0, 1, np.nan])
    assert np.signbit(found[1])
    assert not np.signbit(found[2])


def test_total_order() -> None:
    """-NaN < -inf < finite < -0 < +0 < finite < +inf < +NaN."""
    chain = np.array([-np.nan, -np.inf, -1, -0.0, 0.0, 1, np.inf, np.nan], np.float32)
    chain[0] = np.copysign(np.float32(np.nan), np.float32(-1))
    found = run(lambda b: b.lt_total_order(b.constant(chain[:-1]), b.constant(chain[1:])))
    assert found.all()


def test_convolution_by_hand() -> None:
    """The pseudo-code: one spatial dimension, padding (2, 3), stride 2."""
    lhs, rhs = np.arange(1.0, 6).reshape(1, 1, 5), np.array([1.0, 10]).reshape(1, 1, 2)
    padded = np.pad(lhs[0, 0], (2, 3))
    wanted = [padded[k] + 10 * padded[k + 1] for k in range(0, 9, 2)]
    found = run(
        lambda b: b.conv_with_general_padding(
            b.parameter(0, "f32[1,1,5]"), b.parameter(1, "f32[1,1,2]"), [2], [(2, 3)]
        ),
        lhs,
        rhs,
    )
    same(found, [[wanted]])
