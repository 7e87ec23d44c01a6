"""Index maps of modelled custom calls, proved as those of other ops: by disturbing every element of every operand."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from hloscope.engine.indexing.evaluation.bound_map import BoundMap
from hloscope.engine.ir.attributes import StringAttribute
from hloscope.engine.ir.types import Type
from hloscope.engine.ops.contractions.convolution_rules import ConvolutionDimensionNumbers
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.custom_calls.custom_call import CustomCall

from ..indexing.proofs import assert_simplifies_equal, is_inverse
from .call_attributes import attributes_of
from .cases import Case
from .disturbing import Disturbing
from .mapping import groups
from .running import tensor, type_of
from .test_custom_calls_gpu import gemm_config, normal
from .test_fused_attention import BATCH, HEADS, ROWS, WIDTH
from .test_fused_attention import CALLS as ATTENTIONS

NHWC = ConvolutionDimensionNumbers(0, 3, 2, 3, 0, 3, (1, 2), (0, 1), (1, 2))


def called(
    target: str, operands: list[Array], results: list[Type], config: Any = None, **stated: Any
) -> Case:
    text = None if config is None else StringAttribute(json.dumps(config))
    types = tuple(map(type_of, operands))
    attributes = attributes_of(**stated)
    op = CustomCall(types, target, tuple(results), backend_config=text, attributes=attributes)
    return Case(op, tuple(operands))


def words(seed: int) -> Array:
    return np.random.default_rng(seed).integers(0, 1 << 32, (2, 2), np.uint32)


def convolved(kind: str, *operands: Array, to: tuple[int, ...], config: Any = None, **window: Any) -> Case:
    results: list[Type] = [tensor(to)]
    return called(f"__cudnn$conv{kind}", list(operands), results, config, dimension_numbers=NHWC, **window)


GROUPED = {"feature_group_count": 2, "window_strides": (2, 1), "padding": ((1, 1), (0, 1))}
TURNED = {"window_reversal": (True, False), "padding": ((0, 1), (1, 0))}
ATTENTION = ATTENTIONS["bias of one head"]
A, B, C = normal(2, 3), normal(3, 4, seed=1), normal(2, 4, seed=2)
CASES = {
    "LU": lambda: called(
        "lapack_dgetrf_ffi",
        [normal(2, 3, 3, dtype=np.float64)],
        [tensor((2, 3, 3), "f64"), tensor((2, 3), "i32"), tensor((2,), "i32")],
    ),
    "QR": lambda: called(
        "lapack_dgeqrf_ffi", [normal(3, 2, dtype=np.float64)], [tensor((3, 2), "f64"), tensor((2,), "f64")]
    ),
    "threefry": lambda: called(
        "cu_threefry2x32_ffi", [words(k) for k in range(4)], [tensor((2, 2), "ui32")] * 2
    ),
    "radix sort": lambda: called(
        "__cub$DeviceRadixSort",
        [
            normal(2, 3),
        ],
        [tensor((2, 3))],
        {"descending": True},
    ),
    "dynamic top k": lambda: called(
        "stablehlo.dynamic_top_k",
        [normal(2, 3), np.array(2, np.int32)],
        [tensor((2, 2)), tensor((2, 2), "i32")],
    ),
    "gemm": lambda: called("__cublas$gemm", [A, B, C], [tensor((2, 4))], gemm_config(beta=0.5)),
    "gemm with bias": lambda: called(
        "__cublas$lt$matmul",
        [A, B, normal(4, seed=3)],
        [tensor((2, 4)), tensor((2, 4))],
        gemm_config(epilogue="BIAS_GELU_AUX"),
    ),
    "forward": lambda: convolved(
        "Forward", normal(1, 3, 3, 4), normal(2, 2, 2, 4, seed=1), to=(1, 2, 3, 4), **GROUPED
    ),
    "input": lambda: convolved(
        "BackwardInput", normal(1, 2, 3, 4), normal(2, 2, 2, 4, seed=1), to=(1, 3, 3, 4), **GROUPED
    ),
    "input, turned": lambda: convolved(
        "BackwardInput", normal(1, 3, 3, 2), normal(2, 2, 1, 2, seed=1), to=(1, 3, 3, 1), **TURNED
    ),
    "kernel": lambda: convolved(
        "BackwardFilter", normal(1, 3, 3, 4), normal(1, 2, 3, 4, seed=1), to=(2, 2, 2, 4), **GROUPED
    ),
    "kernel, turned": lambda: convolved(
        "BackwardFilter", normal(1, 3, 3, 1), normal(1, 3, 3, 2, seed=1), to=(2, 2, 1, 2), **TURNED
    ),
    "bias": lambda: convolved(
        "BiasActivationForward",
        *(normal(1, 2, 2, 1), normal(1, 1, 1, 2, seed=1), normal(2, seed=2), normal(1, 2, 2, 2, seed=3)),
        to=(1, 2, 2, 2),
        config={"conv_result_scale": 1, "side_input_scale": 2, "activation_mode": "kNone"},
    ),
    "attention": lambda: ATTENTION.forward_case(*ATTENTION.operands),
    "gradients of attention": lambda: ATTENTION.backward_case(
        *ATTENTION.operands, normal(BATCH, HEADS, ROWS, WIDTH, seed=9, dtype=np.float64)
    ),
}
SETTLING = {"dynamic top k": (1,)}
"""Operands that say what shape results have."""
UNMOVED = {"LU": (0,)}
"""Operands that not every result depends on for every value: pivots move when another row has the largest element."""


@pytest.mark.parametrize("name", sorted(CASES))
def test_what_changes_is_what_the_maps_say(name: str) -> None:
    case = CASES[name]()
    case = Case(case.op, case.operands, SETTLING.get(name, ()))
    Disturbing(case, np.random.default_rng(0), may_rest=UNMOVED.get(name, ())).check()
    back = dict(groups(case.op, inverse=True))
    for key, maps in groups(case.op):
        assert is_inverse(maps, back[key]), key
    for item in (*case.op.index_maps(), *case.op.inverse_index_maps()):
        assert_simplifies_equal(item)


def test_values_that_are_sorted_with_keys_come_from_their_line() -> None:
    keys, values = normal(2, 3), np.arange(6, dtype=np.int32).reshape(2, 3)
    op = called("__cub$DeviceRadixSort", [keys, values], [tensor((2, 3)), tensor((2, 3), "i32")], {}).op
    assert [(x.operand, x.result, x.enclosing) for x in op.index_maps()] == [
        (0, 0, False),
        (0, 1, False),
        (1, 1, True),
    ]


@pytest.mark.parametrize(
    ("target", "results"),
    [
        ("lapack_dsyevd_ffi", [tensor((2, 3, 3), "f64"), tensor((2, 3), "f64"), tensor((2,), "i32")]),
        ("lapack_dpotrf_ffi", [tensor((2, 3, 3), "f64"), tensor((2,), "i32")]),
    ],
)
def test_routines_of_whole_matrices_say_that_they_enclose(target: str, results: list[Type]) -> None:
    """They read one triangle: what a map of all of a matrix says is more than what is read."""
    matrices = normal(2, 3, 3, dtype=np.float64)
    spd = matrices @ matrices.transpose(0, 2, 1) + 3 * np.eye(3)
    case = called(target, [spd], results)
    for item in (*case.op.index_maps(), *case.op.inverse_index_maps()):
        assert item.enclosing
    # Other matrices of the batch are not read.
    (found, *_) = case.op.index_maps()
    assert {index[0] for index in BoundMap(found.map, ()).elements((1, 0, 0)).indices.tolist()} == {1}
