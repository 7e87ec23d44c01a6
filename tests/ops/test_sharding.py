"""Shardy's ops: a tensor stays what it is wherever its parts lie."""

from __future__ import annotations

import numpy as np
import pytest

from engine.errors import RunError
from engine.frontend import load
from engine.interpreter import results_of
from engine.source import Source

X = np.arange(8, dtype=np.float32).reshape(4, 2)
AXES = 'manual_axes={"x"} (%part: tensor<2x2xf32>) {\n    sdy.return %part : tensor<2x2xf32>\n  }'


def program(line: str, mesh: str = '["x"=2]') -> str:
    return (
        f"sdy.mesh @mesh = <{mesh}>\n"
        "func.func @main(%a: tensor<4x2xf32>) -> tensor<4x2xf32> {\n"
        f"  {line}\n  return %r : tensor<4x2xf32>\n}}\n"
    )


@pytest.mark.parametrize(
    "line",
    [
        '%r = sdy.sharding_constraint %a <@mesh, [{"x"}, {}]> : tensor<4x2xf32>',
        '%r = sdy.reshard %a <@mesh, [{}, {"x"}]> : tensor<4x2xf32>',
        "%r = sdy.propagation_barrier %a allowed_direction=FORWARD : tensor<4x2xf32>",
        '%r = sdy.data_flow_edge %a sharding=<@mesh, [{"x"}, {}]> : tensor<4x2xf32>',
        "%r = sdy.data_flow_edge %a : tensor<4x2xf32>",
        "sdy.sharding_group %a group_id=0 : tensor<4x2xf32> %r = stablehlo.abs %a : tensor<4x2xf32>",
    ],
)
def test_a_tensor_stays_what_it_is(line: str) -> None:
    found = load(Source(program(line))).program
    assert found is not None
    (result,) = results_of(found, [X])
    np.testing.assert_array_equal(result, X)


def test_a_barrier_has_a_direction() -> None:
    loaded = load(Source(program("%r = sdy.propagation_barrier %a allowed_direction=BOTH : tensor<4x2xf32>")))
    assert "allowed_direction must be" in loaded.diagnostics[0].message


def test_a_body_with_parts_of_tensors_stops_a_run() -> None:
    shardings = 'in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>]'
    line = f"%r = sdy.manual_computation(%a) {shardings} {AXES} : (tensor<4x2xf32>) -> tensor<4x2xf32>"
    found = load(Source(program(line))).program
    assert found is not None
    with pytest.raises(RunError, match="runs on each device of a mesh"):
        results_of(found, [X])


def test_bodies_take_and_give_what_the_op_does() -> None:
    body = "(%part: tensor<2x2xf32>) {\n    sdy.return %part : tensor<2x2xf32>\n  }"
    line = f'%r = sdy.named_computation<"f">(%a) {body} : (tensor<4x2xf32>) -> tensor<4x2xf32>'
    assert "the body must take" in load(Source(program(line))).diagnostics[0].message
    line = "%r = sdy.manual_computation(%a) in_shardings=[] out_shardings=[] manual_axes={} () {\n    sdy.return\n  }"
    loaded = load(Source(program(f"{line} : (tensor<4x2xf32>) -> tensor<4x2xf32>")))
    assert "the body must take" in loaded.diagnostics[0].message
