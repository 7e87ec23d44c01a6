"""Ops of HLO that frameworks write as calls: they are the ops, and a call that breaks their rules says which."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from hloscope.engine.errors import RunError
from hloscope.engine.ops.core.op import Array, Op
from hloscope.engine.ops.hlo.ragged_all_to_all import RaggedAllToAll
from hloscope.engine.ops.hlo.scaled_dot import ScaledDot
from hloscope.engine.ops.packed import Packed
from tests.programs import load_program, ran

RAGGED = """
module attributes {{mhlo.num_partitions = {partitions} : i32, mhlo.num_replicas = {replicas} : i32}} {{
  func.func @main(%x: tensor<4xi32>, %out: tensor<4xi32>, %from: tensor<2xi32>, %size: tensor<2xi32>,
                  %to: tensor<2xi32>, %due: tensor<2xi32>) -> tensor<4xi32> {{
    %r = stablehlo.custom_call @ragged_all_to_all(%x, %out, %from, %size, %to, %due) {{
      api_version = 4 : i32, backend_config = {{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>{channel}}}
    }} : (tensor<4xi32>, tensor<4xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<4xi32>
    return %r : tensor<4xi32>
  }}
}}
"""
DOT = """
func.func @main(%a: tensor<2x3x64xf8E4M3FN>, %b: tensor<2x5x64xf8E4M3FN>, %s: tensor<2x3x2xf8E8M0FNU>,
                %t: tensor<2x5x2xf8E8M0FNU>) -> tensor<2x3x5xf32> {{
  %r = stablehlo.custom_call @__op$block_scaled_dot(%a, %b, %s, %t) {{backend_config = {config}}}
    : (tensor<2x3x64xf8E4M3FN>, tensor<2x5x64xf8E4M3FN>, tensor<2x3x2xf8E8M0FNU>, tensor<2x5x2xf8E8M0FNU>)
      -> tensor<2x3x5xf32>
  return %r : tensor<2x3x5xf32>
}}
"""
JAX = {"lhs_batch_dimensions": [0], "rhs_batch_dimensions": [0], "dequantize_type": "F32"}


def called(text: str) -> Op:
    """The op that a call has become."""
    program = load_program(text)
    (op,) = (found.op for found in program.ops if "custom" in found.operation.spelled)
    return op.twin if isinstance(op, Packed) else op


@pytest.mark.parametrize(
    ("replicas", "partitions", "channel"), [(2, 1, ""), (1, 2, ", channel_id = 1 : i64")]
)
def test_ragged_all_to_all_is_the_op(replicas: int, partitions: int, channel: str) -> None:
    text = RAGGED.format(replicas=replicas, partitions=partitions, channel=channel)
    op = called(text)
    assert isinstance(op, RaggedAllToAll)
    assert op.channel == (1 if channel else 0)
    assert op.strategy.name == ("CROSS_PARTITION" if channel else "CROSS_REPLICA")


def test_without_groups_it_says_what_is_missing() -> None:
    text = RAGGED.format(replicas=1, partitions=1, channel="").replace(
        "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>", ""
    )
    numbers = [np.zeros(4, np.int32)] * 2 + [np.zeros(2, np.int32)] * 4
    with pytest.raises(RunError, match="@ragged_all_to_all: needs replica_groups in its backend_config"):
        ran(text, *numbers)


def scaled(seed: int, *shape: int) -> tuple[Array, Array]:
    """Small floats and the powers of two of their blocks of 32."""
    from ml_dtypes import float8_e4m3fn, float8_e8m0fnu

    random = np.random.default_rng(seed)
    values = random.normal(size=shape).astype(float8_e4m3fn)
    scales = 2.0 ** random.integers(-2, 3, (*shape[:-1], shape[-1] // 32))
    return values, scales.astype(float8_e8m0fnu)


@pytest.mark.parametrize("config", [{"scaled_dot_backend_config": JAX}, {}])
def test_block_scaled_dot_is_the_op(config: dict[str, Any]) -> None:
    text = DOT.format(config=json.dumps(json.dumps(config)))
    assert isinstance(called(text), ScaledDot)
    (a, s), (b, t) = scaled(0, 2, 3, 64), scaled(1, 2, 5, 64)
    wide = [x.astype(np.float64) * np.repeat(y.astype(np.float64), 32, -1) for x, y in ((a, s), (b, t))]
    (found,) = ran(text, a, b, s, t)
    np.testing.assert_allclose(found, np.einsum("bmk,bnk->bmn", *wide), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("stated", "message"),
    [([1], r"must be \[0\], not \[1\]"), ("0", 'must be a list of dimensions, not "0"')],
)
def test_other_batches_than_those_in_front_end_the_run(stated: object, message: str) -> None:
    config = json.dumps(json.dumps({"scaled_dot_backend_config": {"lhs_batch_dimensions": stated}}))
    (a, s), (b, t) = scaled(0, 2, 3, 64), scaled(1, 2, 5, 64)
    with pytest.raises(RunError, match=f"scaled_dot_backend_config.lhs_batch_dimensions {message}"):
        ran(DOT.format(config=config), a, b, s, t)


PARTIAL = """HloModule m

greater {
  p2 = s32[] parameter(2)
  p3 = s32[] parameter(3)
  p0 = f32[] parameter(0)
  p1 = f32[] parameter(1)
  ROOT r = pred[] compare(p0, p1), direction=GT
}

ENTRY main {
  x = f32[2,512] parameter(0)
  i = s32[2,512] iota(), iota_dimension=1
  a = f32[] constant(-inf)
  b = s32[] constant(-1)
  ROOT c = (f32[2,128], s32[2,128]) custom-call(x, i, a, b), custom_call_target="PartialReduce", called_computations={greater}, backend_config={"log2_reduction": 2, "reduction_dim": 1, "to_apply_type": "comparator", "top_k": 3, "recall_target": 0.900000}
}
"""


def test_what_a_tpu_reduces_holds_the_largest() -> None:
    values = np.random.default_rng(0).normal(size=(2, 512)).astype(np.float32)
    ((found, places),) = ran(PARTIAL, values)
    assert found.shape == places.shape == (2, 128)
    assert np.array_equal(np.take_along_axis(values, places, 1), found)
    assert np.array_equal(-np.sort(-found)[:, :3], -np.sort(-values)[:, :3])


@pytest.mark.parametrize("word", ["iter", "iteration"])
def test_the_iteration_of_a_probe_has_two_spellings(word: str) -> None:
    text = f"""
    func.func @main(%a: tensor<2xi32>) -> tensor<2xi32> {{
      %0 = interpreter.probe %a, probe_id = "x" : tensor<2xi32>
      check.expect_serialized_eq %a, probe_id = "x", {word} = 0 : tensor<2xi32>
      return %0 : tensor<2xi32>
    }}"""
    assert ran(text, np.arange(2, dtype=np.int32))[0].tolist() == [0, 1]


def test_ragged_all_to_all_meets_the_other_process() -> None:
    """XLA's worked example."""
    text = RAGGED.format(replicas=2, partitions=1, channel="").replace("func.func @main", "func.func @one")
    body = text[text.index("func.func") : text.rindex("}")]
    numbers = [
        [[1, 2, 2, 0], [0] * 4, [0, 1], [1, 2], [0, 0], [1, 1]],
        [[3, 4, 0, 0], [0] * 4, [0, 1], [1, 1], [1, 2], [2, 1]],
    ]
    constants = [
        f"%{row}{k} = stablehlo.constant dense<{value}> : tensor<{len(value)}xi32>"
        for row, values in zip("ab", numbers, strict=True)
        for k, value in enumerate(values)
    ]
    names = ", ".join(f"%{row}{k}" for row in "ab" for k in range(6))
    kinds = ", ".join(["tensor<4xi32>", "tensor<4xi32>", *["tensor<2xi32>"] * 4] * 2)
    lines = "\n".join(constants)
    program = f"""{body}
    func.func @main() -> (tensor<4xi32>, tensor<4xi32>) {{
      {lines}
      %r:2 = "interpreter.run_parallel"({names}) {{programs = [[@one], [@one]]}}
        : ({kinds}) -> (tensor<4xi32>, tensor<4xi32>)
      return %r#0, %r#1 : tensor<4xi32>, tensor<4xi32>
    }}"""
    assert [found.tolist() for found in ran(program)] == [[1, 3, 0, 0], [2, 2, 4, 0]]
