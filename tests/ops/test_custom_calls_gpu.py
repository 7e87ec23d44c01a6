"""custom_call: the libraries that XLA calls on GPUs, against their definitions."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from hloscope.engine.errors import RunError
from hloscope.engine.ir.attributes import DictionaryAttribute, StringAttribute
from hloscope.engine.ir.types import TupleType, Type
from hloscope.engine.ops.contractions.convolution_rules import ConvolutionDimensionNumbers
from hloscope.engine.ops.core.op import Array, Ask
from hloscope.engine.ops.custom_calls import CustomCall
from hloscope.engine.ops.custom_calls.gemm import GemmConfiguration
from tests.each import for_each

from .call_attributes import attributes_of
from .running import broken, tensor, type_of

WORKSPACE = tensor((16,), "i8")
Results = tuple[Array, ...]


def made(
    target: str, operands: list[Array], results: Sequence[Type], config: Any = None, **window: Any
) -> CustomCall:
    """The call as HLO text has it: one tuple, the configuration as JSON."""
    text = None if config is None else StringAttribute(json.dumps(config))
    types = tuple(map(type_of, operands))
    attributes = attributes_of(**window)
    return CustomCall(types, target, (TupleType(tuple(results)),), backend_config=text, attributes=attributes)


def run(
    target: str, operands: list[Array], results: Sequence[Type], config: Any = None, **window: Any
) -> Results:
    """The elements of the tuple that it gives."""
    return begun(made(target, operands, results, config, **window), operands)


def begun(op: CustomCall, operands: list[Array]) -> Results:
    assert broken(op) is None
    found = op.begin(tuple(operands))
    assert not isinstance(found, Ask)
    (whole,) = found
    assert whole.dtype == object
    elements = tuple(whole)
    assert not any(element.flags.writeable for element in elements)
    return elements


def normal(*shape: int, seed: int = 0, dtype: Any = np.float32) -> Array:
    found: Array = np.random.default_rng(seed).standard_normal(shape)
    return found.astype(dtype)


def gemm_config(lhs: Any = 1, rhs: int = 0, batch: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    numbers = {
        "lhs_contracting_dimensions": [str(lhs)],
        "rhs_contracting_dimensions": [str(rhs)],
        "lhs_batch_dimensions": list(batch),
        "rhs_batch_dimensions": list(batch),
    }
    found = {
        "alpha_real": 1,
        "alpha_imag": 0,
        "beta": 0,
        "dot_dimension_numbers": numbers,
        "epilogue": "DEFAULT",
    }
    return {"operation_queue_id": "0", "gemm_backend_config": {**found, **more}}


@pytest.mark.parametrize("target", ["__cublas$gemm", "__cublas$lt$matmul"])
@pytest.mark.parametrize(("lhs", "rhs"), [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_gemm_contracts_scales_and_adds(target: str, lhs: int, rhs: int) -> None:
    a, b, c = normal(4, 4), normal(4, 4, seed=1), normal(4, 4, seed=2)
    config = gemm_config(lhs, rhs, alpha_real=2.5, beta=0.5)
    found, workspace = run(target, [a, b, c], [type_of(c), WORKSPACE], config)
    wanted = 2.5 * np.tensordot(a, b, (lhs, rhs)) + 0.5 * c
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
    assert workspace.shape == (16,)
    assert not workspace.any()


def test_gemm_gives_one_tensor_where_one_is_stated() -> None:
    a, b = normal(2, 3), normal(3, 4, seed=1)
    stated = gemm_config()["gemm_backend_config"]  # as older programs have it
    op = CustomCall(
        (type_of(a), type_of(b)),
        "__cublas$gemm",
        (tensor((2, 4)),),
        backend_config=StringAttribute(json.dumps(stated)),
    )
    found = op.begin((a, b))
    assert not isinstance(found, Ask)
    np.testing.assert_allclose(found[0], a @ b, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float64, np.complex64, np.int8])
def test_gemm_of_batches_and_other_types(dtype: Any) -> None:
    scale = 40 if dtype is np.int8 else 1
    a, b = (scale * normal(3, 2, 5)).astype(dtype), (scale * normal(3, 5, 2, seed=1)).astype(dtype)
    if dtype is np.complex64:
        a, b = a * (1 + 2j), b * (2 - 1j)
    wide = {np.int8: np.int64, np.complex64: np.complex128}.get(dtype, np.float64)
    out = np.int32 if dtype is np.int8 else dtype
    config = gemm_config(2, 1, batch=("0",), alpha_real=1, alpha_imag=1 if dtype is np.complex64 else 0)
    found, _ = run("__cublas$gemm", [a, b], [type_of(np.zeros((3, 2, 2), out)), WORKSPACE], config)
    wanted = a.astype(wide) @ b.astype(wide) * (1 + 1j if dtype is np.complex64 else 1)
    exact = wanted.astype(out)
    tolerance = 0 if dtype is np.int8 else 1e-2 if np.dtype(dtype).itemsize == 2 else 1e-5
    np.testing.assert_allclose(found.astype(wide), exact.astype(wide), rtol=tolerance, atol=tolerance)


def _gelu(x: Array) -> Array:
    found: Array = x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
    return found


EPILOGUES: Mapping[str, Callable[[Array], Any]] = {
    "RELU": lambda x: np.maximum(x, 0),
    "GELU": _gelu,
    "SILU": lambda x: x / (1 + np.exp(-x)),
    "DEFAULT": lambda x: x,
}


@for_each("activation", sorted(EPILOGUES))
@for_each("has_bias", [False, True])
@for_each("beta", [0, 2])
@for_each("auxiliary", [False, True])
def test_epilogues(activation: str, has_bias: bool, beta: int, auxiliary: bool) -> None:
    a, b, c, bias = normal(3, 4), normal(4, 5, seed=1), normal(3, 5, seed=2), normal(5, seed=3)
    name = "_".join(["BIAS"] * has_bias + [activation] * (activation != "DEFAULT" or not has_bias))
    name += "_AUX" * auxiliary
    operands = [a, b, *[c] * bool(beta), *[bias] * has_bias]
    results: Sequence[Type] = [type_of(c)] * (1 + auxiliary) + [WORKSPACE]
    found, *rest = run("__cublas$lt$matmul", operands, results, gemm_config(beta=beta, epilogue=name))
    before = a @ b + beta * c + has_bias * bias
    np.testing.assert_allclose(found, EPILOGUES[activation](before), rtol=1e-4, atol=1e-5)
    if auxiliary:
        np.testing.assert_allclose(rest[0], before, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("scales", [2, 3, 4])
def test_scales_of_eight_bit_floats(scales: int) -> None:
    a, b = (normal(16, 16, seed=k).astype(ml_dtypes.float8_e4m3fn) for k in (0, 1))
    c = normal(16, 16, seed=2, dtype=ml_dtypes.bfloat16)
    given = [np.array(factor, np.float32) for factor in (2, 0.5, 3, 400)[: scales - 1]]
    given = [*given, np.array(400, np.float32)] if scales > 2 else [np.float32(2), np.float32(0.5)]  # type: ignore[list-item]
    out = ml_dtypes.float8_e4m3fn if scales > 2 else ml_dtypes.bfloat16
    operands = [a, b, c, *map(np.asarray, given)]
    results = [type_of(np.zeros((16, 16), out)), WORKSPACE]
    found, _ = run("__cublas$lt$matmul$f8", operands, results, gemm_config(beta=1))
    added = c.astype(np.float64) * (3 if scales == 4 else 1)
    wanted = a.astype(np.float64) @ b.astype(np.float64) + added
    wanted = np.clip(400 * wanted, -448, 448) if scales > 2 else wanted  # never NaN
    np.testing.assert_allclose(found.astype(np.float64), wanted, rtol=0.07, atol=0.07)


def test_the_greatest_magnitude_is_a_result() -> None:
    a, b = normal(4, 4).astype(ml_dtypes.float8_e5m2), normal(4, 4, seed=1).astype(ml_dtypes.float8_e5m2)
    one, two = np.array(1, np.float32), np.array(2, np.float32)
    results = [type_of(np.zeros((4, 4), ml_dtypes.float8_e5m2)), tensor(()), WORKSPACE]
    config = gemm_config(damax_output=True)
    _, largest, _ = run("__cublas$lt$matmul$f8", [a, b, one, one, two], results, config)
    np.testing.assert_allclose(largest, np.abs(a.astype(np.float32) @ b.astype(np.float32)).max(), rtol=1e-6)


@for_each(
    ("shapes", "config", "message"),
    [
        ([(2, 3)], gemm_config(), "takes 2 operands or more, not 1"),
        ([(2, 3), (3, 2)], None, "its configuration has no dot_dimension_numbers"),
        ([(2, 3), (3, 2)], gemm_config(rhs=1), "are contracted but differ"),
        (
            [(2, 3), (3, 2)],
            gemm_config(epilogue="DRELU"),
            r"epilogue must be one of DEFAULT, .*GELU.*, not .DRELU",
        ),
        ([(2, 3), (3, 2)], gemm_config(epilogue="BIAS"), "0 biases for the epilogue BIAS"),
        ([(2, 3), (3, 2)], gemm_config(beta=1), "beta needs a third operand"),
        ([(2, 3), (3, 2)], gemm_config(alpha_real="x"), r"config\.alpha_real must be a number, not .x"),
        ([(2, 3), (3, 2)], gemm_config(alpha_real=True), "alpha_real must be a number, not true"),
        ([(2, 3), (3, 2)], gemm_config(alpha_real=10**400), "alpha_real must be a number, not 1000"),
        ([(2, 3), (3, 2)], gemm_config(damax_output="yes"), "damax_output must be true or false, not .yes"),
        (
            [(2, 3), (3, 2)],
            gemm_config(dot_dimension_numbers=[1]),
            r"config\.dot_dimension_numbers must be settings by name, not \[1\]",
        ),
        (
            [(2, 3), (3, 2)],
            {"gemm_backend_config": "x"},
            "gemm_backend_config must be settings by name, not .x",
        ),
        ([(2, 3), (3, 2), (3,)], gemm_config(epilogue="BIAS"), r"bias of shape \(3,\) does not fit \(2, 2\)"),
        ([(2, 3), (3, 2), (2, 3)], gemm_config(beta=1), r"\(2, 3\) cannot be added to \(2, 2\)"),
        ([(2, 3), (3, 2), (2,)], gemm_config(), "1 biases for the epilogue DEFAULT"),
        ([(2, 3), (3, 2), *[()] * 5], gemm_config(), "5 scales are too many"),
        (
            [(2, 3), (3, 2)],
            gemm_config(lhs="x"),
            r"rs\.lhs_contracting_dimensions must be a list of dimensions, not \[.x.\]",
        ),
        ([(4, 3), (3, 2)], gemm_config(), "result 0 of @__cublas.gemm is"),
    ],
)
def test_products_that_make_no_sense_stop_the_run(shapes: list[Any], config: Any, message: str) -> None:
    operands: list[Array] = [np.ones(shape, np.float32) for shape in shapes]
    with pytest.raises(RunError, match=message):
        run("__cublas$gemm", operands, [tensor((2, 2)), WORKSPACE], config)


NHWC = ConvolutionDimensionNumbers(0, 3, 2, 3, 0, 3, (1, 2), (0, 1), (1, 2))
"""`b01f_01io->b01f`."""
NCHW = ConvolutionDimensionNumbers(0, 1, 1, 0, 0, 1, (2, 3), (2, 3), (2, 3))
"""`bf01_oi01->bf01`."""


def _sums(window: dict[str, Any], source: Array, kernel: Array, out: Array) -> Any:
    """Each place of input, kernel and result whose product is summed; views in one order, [b f …], [i o …], [b f …]."""
    groups = window.get("feature_group_count", 1)
    for at in product(*map(range, kernel.shape[2:])):
        for place in product(*map(range, out.shape[2:])):
            here = _place(window, at, place, kernel.shape[2:])
            inside = all(0 <= k < size for k, size in zip(here, source.shape[2:], strict=True))
            for group in range(groups if inside else 0):
                channels, features = source.shape[1] // groups, out.shape[1] // groups
                yield (
                    (slice(None), slice(group * channels, (group + 1) * channels), *here),
                    (slice(None), slice(group * features, (group + 1) * features), *at),
                    (slice(None), slice(group * features, (group + 1) * features), *place),
                )


def _place(window: dict[str, Any], at: Any, place: Any, sizes: Any) -> tuple[int, ...]:
    strides, dilations = window.get("window_strides", (1, 1)), window.get("rhs_dilation", (1, 1))
    padding, turned = window.get("padding", ((0, 0),) * 2), window.get("window_reversal", (False, False))
    return tuple(
        place[k] * strides[k] + (sizes[k] - 1 - at[k] if turned[k] else at[k]) * dilations[k] - padding[k][0]
        for k in range(2)
    )


WINDOWS: list[dict[str, Any]] = [
    {},
    {"window_strides": (2, 3), "padding": ((1, 2), (0, 1))},
    {"rhs_dilation": (2, 1), "padding": ((2, 1), (2, 2)), "window_dimensions": (3, 2)},
    {"window_strides": (2, 1), "rhs_dilation": (1, 2), "window_reversal": (True, True)},
    {"window_strides": (1, 2), "window_reversal": (True, False), "padding": ((-1, 1), (0, 0))},
    {"feature_group_count": 2, "window_strides": (2, 2), "padding": ((1, 1), (1, 1))},
]


@for_each("window", WINDOWS)
@for_each("n", [NHWC, NCHW], ids=["NHWC", "NCHW"])
def test_convolutions_and_their_gradients(window: dict[str, Any], n: ConvolutionDimensionNumbers) -> None:
    """The three are one sum of products, seen from each of its tensors."""
    groups = window.get("feature_group_count", 1)
    source, kernel = normal(2, 4, 7, 8), normal(4 // groups, 6, 3, 2, seed=1)
    out = np.zeros((2, 6, *_sizes(window, source, kernel)), np.float32)
    gradient = normal(*out.shape, seed=2)
    source_gradient, kernel_gradient = np.zeros_like(source), np.zeros_like(kernel)
    for i, k, o in _sums(window, source, kernel, out):
        out[o] += np.einsum("bi,io->bo", source[i], kernel[k])
        source_gradient[i] += np.einsum("bo,io->bi", gradient[o], kernel[k])
        kernel_gradient[k] += np.einsum("bi,bo->io", source[i], gradient[o])
    arrays = {
        "x": source,
        "dx": source_gradient,
        "w": kernel,
        "dw": kernel_gradient,
        "y": out,
        "dy": gradient,
    }
    laid = {name: _laid(array, name, n) for name, array in arrays.items()}
    for name, first, second, result in (
        ("Forward", "x", "w", "y"),
        ("BackwardInput", "dy", "w", "dx"),
        ("BackwardFilter", "x", "dy", "dw"),
    ):
        operands = [laid[first], laid[second]]
        results = [type_of(laid[result]), tensor((0,), "ui8")]
        call = made(f"__cudnn$conv{name}", operands, results, dimension_numbers=n, **window)
        found, workspace = begun(call, operands)
        np.testing.assert_allclose(found, laid[result], rtol=1e-4, atol=1e-4)
        assert workspace.size == 0
        assert {found.operand for found in call.index_maps()} == {0, 1}
        assert {found.operand for found in call.inverse_index_maps()} == {0, 1}
        assert call.cost(call.inputs, call.results).flops >= out.size


def _sizes(window: dict[str, Any], source: Array, kernel: Array) -> tuple[int, ...]:
    strides, dilations = window.get("window_strides", (1, 1)), window.get("rhs_dilation", (1, 1))
    padding = window.get("padding", ((0, 0),) * 2)
    return tuple(
        (sum(padding[k]) + source.shape[2 + k] - (kernel.shape[2 + k] - 1) * dilations[k] - 1) // strides[k]
        + 1
        for k in range(2)
    )


def _laid(array: Array, name: str, n: ConvolutionDimensionNumbers) -> Array:
    """[batch, feature, places…] or [in, out, places…] as the call has it."""
    first, second, spatial = {
        "x": (n.input_batch_dimension, n.input_feature_dimension, n.input_spatial_dimensions),
        "w": (
            n.kernel_input_feature_dimension,
            n.kernel_output_feature_dimension,
            n.kernel_spatial_dimensions,
        ),
        "y": (n.output_batch_dimension, n.output_feature_dimension, n.output_spatial_dimensions),
    }[name[-1]]
    return np.ascontiguousarray(np.moveaxis(array, range(4), (first, second, *spatial)))


ACTIVATIONS: Mapping[str, Callable[[Array], Any]] = {
    "kNone": lambda x: x,
    "kRelu": lambda x: np.maximum(x, 0),
    "kRelu6": lambda x: np.clip(x, 0, 6),
    "kElu": lambda x: np.where(x > 0, x, np.exp(x) - 1),
    "kLeakyRelu": lambda x: np.where(x > 0, x, 0.25 * x),
    "kTanh": np.tanh,
    "kSigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "2": lambda x: np.maximum(x, 0),
}


@for_each("mode", sorted(ACTIVATIONS))
@for_each("has_side_input", [False, True])
def test_convolution_with_bias_and_activation(mode: str, has_side_input: bool) -> None:
    x, w, bias, side = (
        normal(1, 5, 5, 2),
        normal(3, 3, 2, 4, seed=1),
        normal(4, seed=2),
        normal(1, 3, 3, 4, seed=3),
    )
    settings = {
        "conv_result_scale": 0.5,
        "activation_mode": mode,
        "side_input_scale": 2,
        "leakyrelu_alpha": 0.25,
    }
    operands = [x, w, bias, *[side] * has_side_input]
    results: Sequence[Type] = [type_of(side), tensor((8,), "ui8")]
    config = {"cudnn_conv_backend_config": settings, "operation_queue_id": "0"}
    target = "__cudnn$convBiasActivationForward"
    found, _ = run(target, operands, results, config, dimension_numbers=NHWC)
    patches = np.lib.stride_tricks.sliding_window_view(x[0], (3, 3), (0, 1))
    plain = np.einsum("yxcij,ijco->yxo", patches, w)[None]
    wanted = ACTIVATIONS[mode](0.5 * plain + 2 * has_side_input * side + bias)
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("out", [np.float32, np.int8])
def test_convolution_of_bytes(out: Any) -> None:
    x, w = np.full((1, 3, 3, 2), 5, np.int8), np.full((2, 2, 2, 3), 3, np.int8)
    stated: Sequence[Type] = [type_of(np.zeros((1, 2, 2, 3), out)), tensor((0,), "ui8")]
    (found, _) = run("__cudnn$convForward", [x, w], stated, dimension_numbers=NHWC)
    assert np.unique(found).tolist() == [120]


@pytest.mark.parametrize(
    ("target", "operands", "fields", "message"),
    [
        ("Forward", [(1, 5, 5, 2)], {}, "takes 2 operands"),
        ("Forward", [(1, 5, 5, 2), (3, 3, 2, 4)], {"dimension_numbers": None}, "needs dim_labels"),
        ("Forward", [(1, 5, 5, 2), (3, 3, 3, 4)], {}, "is not as large as each of the 1 feature groups"),
        ("Forward", [(1, 5, 5, 2), (3, 3, 2, 4)], {"window_strides": (1,)}, "window_strides needs 2"),
        ("BackwardInput", [(1, 9, 9, 2), (3, 3, 4, 2)], {}, "a gradient of shape .1, 9, 9, 2. for a conv"),
        ("BackwardFilter", [(1, 9, 9, 4)], {}, "takes 2 operands"),
        ("BiasActivationForward", [(1, 5, 5, 2), (3, 3, 2, 4)], {}, "takes 3 or 4 operands, not 2"),
        (
            "BiasActivationForward",
            [(1, 5, 5, 2), (3, 3, 2, 4), (3,)],
            {},
            r"bias of shape \(3,\) for 4 features",
        ),
        (
            "BiasActivationForward",
            [(1, 5, 5, 2), (3, 3, 2, 4), (4,), (4,)],
            {},
            r"the side input \(4,\) does not fit",
        ),
    ],
)
def test_convolutions_that_make_no_sense_stop_the_run(
    target: str, operands: list[Any], fields: dict[str, Any], message: str
) -> None:
    arrays: list[Array] = [np.ones(shape, np.float32) for shape in operands]
    call = made(
        f"__cudnn$conv{target}", arrays, [tensor((1, 3, 3, 4))], **{"dimension_numbers": NHWC, **fields}
    )
    with pytest.raises(RunError, match=message):
        call.begin(tuple(arrays))


@pytest.mark.parametrize("mode", ["kBandPass", "77", "kNothing"])
def test_unknown_activations_stop_the_run(mode: str) -> None:
    arrays: list[Array] = [np.ones(shape, np.float32) for shape in ((1, 3, 3, 2), (3, 3, 2, 4), (4,))]
    with pytest.raises(RunError, match=f"activation_mode must be one of kNone, 0, .*, not .{mode}"):
        run(
            "__cudnn$convBiasActivationForward",
            arrays,
            [tensor((1, 1, 1, 4))],
            {"cudnn_conv_backend_config": {"activation_mode": mode}},
            dimension_numbers=NHWC,
        )


@pytest.mark.parametrize("name", ["conv_result_scale", "side_input_scale", "leakyrelu_alpha"])
def test_factors_of_convolutions_are_numbers(name: str) -> None:
    arrays: list[Array] = [np.ones(shape, np.float32) for shape in ((1, 3, 3, 2), (3, 3, 2, 4), (4,))]
    config = {"cudnn_conv_backend_config": {name: "2"}}
    target = "__cudnn$convBiasActivationForward"
    with pytest.raises(RunError, match=f'cudnn_conv_backend_config.{name} must be a number, not "2"'):
        run(target, arrays, [tensor((1, 1, 1, 4))], config, dimension_numbers=NHWC)


@pytest.mark.parametrize(
    ("target", "config", "message"),
    [
        ("__cub$DeviceRadixSort", {"descending": 1}, "descending must be true or false, not 1"),
        ("__cublas$triangularSolve", {"transpose_a": "T"}, 'must be one of NO_TRANSPOSE, .*, not "T"'),
        ("__cublas$triangularSolve", {"lower": "L"}, 'lower must be true or false, not "L"'),
        ("__cusolver$cholesky", {"lower": "L"}, 'lower must be true or false, not "L"'),
        ("cusolver_gesvd_ffi", {"compute_uv": 1}, "compute_uv must be true or false, not 1"),
        ("cusolver_geev_ffi", {"left": "V"}, 'left must be true or false, not "V"'),
    ],
)
def test_settings_that_make_no_sense_stop_the_run(target: str, config: Any, message: str) -> None:
    a = np.eye(3, dtype=np.float32)
    operands = [a, a] if target == "__cublas$triangularSolve" else [a]
    with pytest.raises(RunError, match=f"{re.escape(target)}: .*{message}"):
        run(target, operands, [type_of(a), WORKSPACE, WORKSPACE, WORKSPACE, WORKSPACE], config)


def test_settings_are_read_once() -> None:
    op = made("__cublas$gemm", [np.ones((2, 3)), np.ones((3, 2))], [tensor((2, 2))], gemm_config())
    assert op.configuration(GemmConfiguration) is op.configuration(GemmConfiguration)


@for_each("descending", [False, True])
@for_each("dtype", [np.float32, np.float16, ml_dtypes.bfloat16, np.int32, np.uint8, np.int64])
@for_each("has_values", [False, True])
def test_radix_sort(descending: bool, dtype: Any, has_values: bool) -> None:
    keys = (
        np.random.default_rng(0).integers(-5 if np.dtype(dtype).kind != "u" else 0, 5, (3, 40)).astype(dtype)
    )
    values = np.broadcast_to(np.arange(40, dtype=np.int32), keys.shape)
    operands = [keys, values] if has_values else [keys]
    results: Sequence[Type] = [*map(type_of, operands), tensor((1024,), "ui8")]
    found, *rest = run("__cub$DeviceRadixSort", operands, results, {"descending": descending})
    wide = keys.astype(np.float64)
    order = np.argsort(-wide if descending else wide, axis=-1, kind="stable")
    np.testing.assert_array_equal(found, np.take_along_axis(keys, order, -1))
    if has_values:
        np.testing.assert_array_equal(rest[0], order)


def test_radix_sort_of_zeros_and_nan() -> None:
    keys = np.array([np.nan, 0.0, -0.0, np.inf, -np.nan, -1, 0.0], np.float32)
    places = np.arange(7, dtype=np.uint32)
    results: Sequence[Type] = [type_of(keys), type_of(places), tensor((1,), "ui8")]
    _, order, _ = run("__cub$DeviceRadixSort", [keys, places], results, {"descending": False})
    assert order.tolist() == [4, 5, 1, 2, 6, 3, 0]


def test_radix_sort_says_what_is_wrong() -> None:
    for operands, message in (
        ([np.ones(3), np.ones(4)], "keys and values have different shapes"),
        ([np.ones(3, np.complex64)], "takes real keys, not complex64"),
        ([np.ones(())], "sorts tensors of rank 1 or more"),
        ([np.ones(3)] * 3, "not 3 operands"),
    ):
        with pytest.raises(RunError, match=message):
            run("__cub$DeviceRadixSort", list(operands), [tensor((3,), "f64")], {"descending": True})


@pytest.mark.parametrize("lower", [True, False])
def test_cusolver_cholesky(lower: bool) -> None:
    half = normal(2, 3, 3)
    a = half @ half.swapaxes(-1, -2) + np.eye(3, dtype=np.float32)
    results: Sequence[Type] = [type_of(a), tensor((12,)), tensor((2,), "i32")]
    factor, _, info = run("__cusolver$cholesky", [a], results, {"lower": True} if lower else {})
    triangle = np.tril(factor) if lower else np.triu(factor).swapaxes(-1, -2)
    np.testing.assert_allclose(triangle @ triangle.swapaxes(-1, -2), a, rtol=1e-4, atol=1e-5)
    assert not info.any()
    with pytest.raises(RunError, match="gives 3 results, but 2 are stated"):
        run("__cusolver$cholesky", [a], results[:2])


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("how", ["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"])
def test_cublas_triangular_solve(left: bool, how: str) -> None:
    a, b = np.tril(normal(2, 3, 3)) + 3 * np.eye(3, dtype=np.float32), normal(2, 3, 3, seed=1)
    config = {"left_side": left, "lower": True, "unit_diagonal": False, "transpose_a": how}
    x, _ = run("__cublas$triangularSolve", [a, b], [type_of(b), WORKSPACE], config)
    turned = a if how == "NO_TRANSPOSE" else a.swapaxes(-1, -2)
    np.testing.assert_allclose(turned @ x if left else x @ turned, b, rtol=1e-4, atol=1e-4)


def _typed(**settings: Any) -> dict[str, Any]:
    """A foreign call's settings, as XLA for GPUs wraps them."""
    text = ", ".join(f"{name} = {json.dumps(value)}" for name, value in settings.items())
    return {"operation_queue_id": "0", "custom_call_backend_config": {"attributes": f"{{{text}}}"}}


@pytest.mark.parametrize("shape", [(4, 3), (3, 4)])
@pytest.mark.parametrize("full", [True, False])
def test_singular_values_of_cusolver(shape: tuple[int, int], full: bool) -> None:
    a, (m, n), few = normal(2, *shape), shape, 3
    settings = {"full_matrices": full, "compute_uv": True}
    u, vt, v = (
        tensor((2, m, m if full else few)),
        tensor((2, n if full else few, n)),
        tensor((2, n, n if full else few)),
    )
    s, info = tensor((2, few)), tensor((2,), "i32")
    for target, second, third, transposed in (
        ("gesvd", u, vt, False),
        ("gesvd", vt, u, True),
        ("gesvdj", u, v, False),
    ):
        config = _typed(**settings, transposed=transposed)
        _, *found, code = run(f"cusolver_{target}_ffi", [a], [type_of(a), s, second, third, info], config)
        left, right = (found[2], found[1]) if transposed else (found[1], found[2])
        right = right.swapaxes(-1, -2) if target == "gesvdj" else right
        np.testing.assert_allclose(
            (left[..., :few] * found[0][:, None]) @ right[:, :few], a, rtol=1e-4, atol=1e-5
        )
        assert not code.any()
    nothing = _typed(full_matrices=full, compute_uv=False, transposed=False)
    results: Sequence[Type] = [type_of(a), s, tensor(()), tensor(()), info]
    _, values, none, *_ = run("cusolver_gesvd_ffi", [a], results, nothing)
    np.testing.assert_allclose(values, np.linalg.svd(a, compute_uv=False), rtol=1e-4)
    assert none.shape == ()


def test_other_routines_of_cusolver() -> None:
    a = normal(4, 4)
    vectors: Sequence[Type] = [
        type_of(a),
        tensor((4,), "complex<f32>"),
        type_of(a),
        type_of(a),
        tensor((), "i32"),
    ]
    _, w, *_ = run("cusolver_geev_ffi", [a], vectors, _typed(left=False, right=True))
    np.testing.assert_allclose(
        np.sort_complex(w), np.sort_complex(np.linalg.eigvals(a)), rtol=1e-3, atol=1e-4
    )
    symmetric = a + a.T
    for lower in (True, False):
        results: Sequence[Type] = [type_of(a), tensor((4,)), tensor((), "i32")]
        given = np.tril(symmetric) if lower else np.triu(symmetric)
        _, values, _ = run("cusolver_syevd_ffi", [given], results, _typed(lower=lower, algorithm=0))
        np.testing.assert_allclose(values, np.linalg.eigvalsh(symmetric), rtol=1e-4, atol=1e-5)
    diagonals = [normal(5, seed=k) + (4 if k == 1 else 0) for k in range(3)]
    b = normal(5, 2, seed=9)
    (x,) = run("cusparse_gtsv2_ffi", [*diagonals, b], [type_of(b)])
    matrix = np.diag(diagonals[1]) + np.diag(diagonals[0][1:], -1) + np.diag(diagonals[2][:-1], 1)
    np.testing.assert_allclose(matrix @ x, b, rtol=1e-4, atol=1e-5)


def test_results_of_lapack_and_markers_are_packed() -> None:
    a = np.eye(3, dtype=np.float32) * 4
    factor, info = run("lapack_spotrf_ffi", [a], [type_of(a), tensor((), "i32")], {"uplo": ord("L")})
    np.testing.assert_array_equal(factor, 2 * np.eye(3))
    assert info == 0
    whole = begun(made("AllocateBuffer", [], [tensor((2, 3))]), [])
    assert whole[0].shape == (2, 3)
    values, places = run("__gpu$TopK", [np.array([1, 3, 2], np.float32)], [tensor((2,)), tensor((2,), "i32")])
    assert values.tolist() == [3, 2]
    assert places.tolist() == [1, 2]
    pair = np.empty(2, object)
    pair[:] = [np.ones(2), np.zeros(3)]
    stated = TupleType((tensor((2,), "f64"), tensor((3,), "f64")))
    (handed_on,) = CustomCall((stated,), "Sharding", (stated,)).begin((pair,))  # type: ignore[misc]
    assert handed_on is pair


def test_configurations_that_are_no_settings_say_nothing() -> None:
    for text in ("", "[1]", "{", '{"custom_call_backend_config": 3}', "[" * 5000):
        op = CustomCall((), "f", (), backend_config=StringAttribute(text))
        assert op.setting("k") is None
    op = CustomCall((), "f", (), attributes={"mhlo.backend_config": DictionaryAttribute({})})
    assert not op.settings
