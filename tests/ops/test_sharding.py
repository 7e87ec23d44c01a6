"""Shardy's ops: a tensor stays what it is wherever its parts lie, and devices compute on their parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from hloscope.engine.errors import RunError
from hloscope.engine.frontend import load
from hloscope.engine.ops.core.exchanges import Box, GridPosition, Peers, PeerValues, Piece
from hloscope.engine.ops.core.process_groups import Grid, ProcessId
from hloscope.engine.ops.sharding.manual_computation import ManualComputation
from hloscope.engine.process_grid import Launch, results_on_grid
from hloscope.engine.source import Source
from tests.each import for_each
from tests.programs import load_program

Array = np.ndarray[Any, Any]
X = np.arange(8, dtype=np.float32).reshape(4, 2)
MESHES = 'sdy.mesh @mesh = <["x"=2]>\nsdy.mesh @square = <["x"=2, "y"=2]>\n'


def program(line: str) -> str:
    return (
        f"{MESHES}func.func @main(%a: tensor<4x2xf32>) -> tensor<4x2xf32> {{\n"
        f"  {line}\n  return %r : tensor<4x2xf32>\n}}\n"
    )


def problem(text: str) -> str:
    return load(Source(text)).diagnostics[0].message


def on_grid(text: str, grid: Grid, *inputs: Array) -> list[tuple[Array, ...]]:
    return results_on_grid(load_program(text), Launch.same_inputs(grid, inputs))


@for_each(
    "line",
    [
        '%r = sdy.sharding_constraint %a <@mesh, [{"x"}, {}]> : tensor<4x2xf32>',
        '%r = sdy.reshard %a <@mesh, [{}, {"x"}]> : tensor<4x2xf32>',
        "%r = sdy.propagation_barrier %a allowed_direction=FORWARD : tensor<4x2xf32>",
        '%r = sdy.data_flow_edge %a sharding=<@mesh, [{"x"}, {}]> : tensor<4x2xf32>',
        "%r = sdy.data_flow_edge %a : tensor<4x2xf32>",
        "%r = sdy.func_data_flow_edge %a : tensor<4x2xf32>",
        "sdy.sharding_group %a group_id=0 : tensor<4x2xf32> %r = stablehlo.abs %a : tensor<4x2xf32>",
        '%r = sdy.all_gather [{"x"}, {}] %a out_sharding=<@mesh, [{}, {}]> : tensor<4x2xf32>',
        '%r = sdy.all_slice [{"x"}, {}] %a out_sharding=<@mesh, [{"x"}, {}]> : tensor<4x2xf32>',
        '%r = sdy.all_to_all [{"x"}: 0->1] %a out_sharding=<@mesh, [{}, {"x"}]> : tensor<4x2xf32>',
        '%r = sdy.collective_permute %a out_sharding=<@mesh, [{"x"}, {}]> : tensor<4x2xf32>',
        '%r = sdy.all_reduce {"x"} %a out_sharding=<@mesh, [{}, {}]> : tensor<4x2xf32>',
        '%r = sdy.reduce_scatter [{"x"}, {}] %a out_sharding=<@mesh, [{"x"}, {}]> : tensor<4x2xf32>',
        '%r = sdy.all_reduce max {"x"} %a out_sharding=<@mesh, [{}, {}]> : tensor<4x2xf32>',
        '%r = sdy.reduce_scatter min [{"x"}, {}] %a out_sharding=<@mesh, [{"x"}, {}]> : tensor<4x2xf32>',
        '%r = sdy.reshard %a <@mesh, [{}, {}], unreduced=max{"x"}> : tensor<4x2xf32>',
        '%r = sdy.replicated_to_unreduced {"x"} %a out_sharding=<@mesh, [{}, {}], unreduced={"x"}> : tensor<4x2xf32>',
        '%r = sdy.sharded_to_unreduced [{"x"}, {}] %a out_sharding=<@mesh, [{}, {}], unreduced={"x"}>'
        " : tensor<4x2xf32>",
        "%z = sdy.constant dense<0.0> : tensor<4x2xf32> %r = stablehlo.add %a, %z : tensor<4x2xf32>",
        '%r = sdy.named_computation<"f">(%a) (%b: tensor<4x2xf32>) { sdy.return %b : tensor<4x2xf32> }'
        " : (tensor<4x2xf32>) -> tensor<4x2xf32>",
    ],
)
def test_a_tensor_stays_what_it_is(line: str) -> None:
    ((result,),) = on_grid(program(line), Grid(), X)
    np.testing.assert_array_equal(result, X)


WRONG = {
    "%r = sdy.propagation_barrier %a allowed_direction=BOTH : tensor<4x2xf32>": (
        "allowed_direction must be NONE, FORWARD or BACKWARD: BOTH would hold nothing back"
    ),
    '%r = sdy.reshard %a <@mesh, [{"z"}, {}]> : tensor<4x2xf32>': (
        'the sharding makes no sense: the mesh has no axis "z"; it has "x"'
    ),
    "%r = sdy.reshard %a <@other, [{}, {}]> : tensor<4x2xf32>": (
        "the sharding makes no sense: there is no mesh @other; the module has @mesh, @square"
    ),
    '%r = sdy.all_reduce {"x"} %a out_sharding=<@mesh, [{}]> : tensor<4x2xf32>': (
        "the sharding makes no sense: it has 1 dimensions, but the value has 2"
    ),
    '%r = sdy.all_reduce mean {"x"} %a out_sharding=<@mesh, [{}, {}]> : tensor<4x2xf32>': (
        "reduction_kind must be sum, max, min, not mean"
    ),
    '%r = sdy.reshard %a <@mesh, [{}, {}], unreduced=mean{"x"}> : tensor<4x2xf32>': (
        "attribute 'sharding': 'mean' is none of sum, max, min"
    ),
    '%r = sdy.reshard %a <@mesh, [{"x" "y"}, {}]> : tensor<4x2xf32>': (
        "attribute 'sharding': expected ',' or '}', found '\"y\"'"
    ),
}


@pytest.mark.parametrize("line", WRONG)
def test_wrong_shardings(line: str) -> None:
    assert problem(program(line)) == WRONG[line]


# Manual computations


def manual(
    body: str,
    part: str,
    ins: str,
    outs: str,
    axes: str,
    types: tuple[str, str] = ("tensor<4x2xf32>", "tensor<4x2xf32>"),
    result: str | None = None,
) -> str:
    head = f"{MESHES}func.func @main(%a: {types[0]}) -> {types[1]} {{\n"
    line = f"  %r = sdy.manual_computation(%a) in_shardings=[{ins}] out_shardings=[{outs}] manual_axes={{{axes}}}"
    rest = f"    {body}\n    sdy.return %s : {result or part}\n  }} : ({types[0]}) -> {types[1]}"
    return f"{head}{line} (%p: {part}) {{\n{rest}\n  return %r : {types[1]}\n}}\n"


DOUBLED = "%s = stablehlo.add %p, %p : tensor<2x2xf32>"
ROWS = '<@mesh, [{"x"}, {}]>'
HALVES = manual(DOUBLED, "tensor<2x2xf32>", ROWS, ROWS, '"x"')


def test_each_device_runs_the_body_on_its_part() -> None:
    for (result,) in on_grid(HALVES, Grid(1, 2), X):
        np.testing.assert_array_equal(result, 2 * X)


def test_replicas_may_be_devices_or_have_meshes_of_their_own() -> None:
    for grid in (Grid(2, 1), Grid(3, 2)):
        for (result,) in on_grid(HALVES, grid, X):
            np.testing.assert_array_equal(result, 2 * X)


def test_a_grid_of_another_size_is_refused() -> None:
    with pytest.raises(RunError) as caught:
        on_grid(HALVES, Grid(), X)
    message = "the mesh @mesh has 2 devices, but this run has one process (1 replica x 1 partition)"
    assert caught.value.message == message
    assert caught.value.hint == "run it with --replicas 1 --partitions 2"
    with pytest.raises(RunError, match=r"but this run has 3 processes \(1 replica x 3 partitions\)"):
        on_grid(HALVES, Grid(1, 3), X)


def test_parts_come_from_where_the_other_coordinates_are_the_same() -> None:
    """Each device adds its number; results are put together along y, and differ along x."""
    body = (
        "%i = stablehlo.partition_id : tensor<ui32>\n"
        "    %f = stablehlo.convert %i : (tensor<ui32>) -> tensor<f32>\n"
        "    %b = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<2x2xf32>\n"
        "    %s = stablehlo.add %p, %b : tensor<2x2xf32>"
    )
    sharding = '<@square, [{"y"}, {}]>'
    text = manual(body, "tensor<2x2xf32>", sharding, sharding, '"x", "y"')
    for device, (result,) in enumerate(on_grid(text, Grid(1, 4), X)):
        first = device // 2 * 2
        np.testing.assert_array_equal(result, X + np.repeat([first, first + 1], 2)[:, None])


def test_free_axes_stay_whole() -> None:
    sharding = '<@square, [{"x", "y", ?}, {}]>'
    text = manual(DOUBLED, "tensor<2x2xf32>", sharding, sharding, '"x"')
    for (result,) in on_grid(text, Grid(1, 4), X):
        np.testing.assert_array_equal(result, 2 * X)


def test_manual_computations_within_others() -> None:
    inner = (
        '%s = sdy.manual_computation(%p) in_shardings=[<@square, [{}, {"y"}]>] '
        'out_shardings=[<@square, [{}, {"y"}]>] manual_axes={"y"} (%q: tensor<2x1xf32>) {\n'
        "      %g = stablehlo.negate %q : tensor<2x1xf32>\n      sdy.return %g : tensor<2x1xf32>\n"
        "    } : (tensor<2x2xf32>) -> tensor<2x2xf32>"
    )
    sharding = '<@square, [{"x"}, {}]>'
    for (result,) in on_grid(manual(inner, "tensor<2x2xf32>", sharding, sharding, '"x"'), Grid(1, 4), X):
        np.testing.assert_array_equal(result, -X)


def test_terms_of_an_unreduced_result_are_added() -> None:
    outs = '<@mesh, [{}, {}], unreduced={"x"}>'
    text = manual(DOUBLED, "tensor<2x2xf32>", ROWS, outs, '"x"', ("tensor<4x2xf32>", "tensor<2x2xf32>"))
    for (result,) in on_grid(text, Grid(1, 2), X):
        np.testing.assert_array_equal(result, 2 * X[:2] + 2 * X[2:])


def test_devices_in_another_order() -> None:
    mesh = 'mesh<["x"=2], device_ids=[1, 0]>'
    body = "%i = stablehlo.partition_id : tensor<ui32>\n    %s = stablehlo.reshape %i : (tensor<ui32>) -> tensor<1xui32>"
    sharding = f'<{mesh}, [{{"x"}}]>'
    text = manual(
        body,
        "tensor<2xf32>",
        sharding,
        sharding,
        '"x"',
        ("tensor<4xf32>", "tensor<2xui32>"),
        "tensor<1xui32>",
    )
    for (result,) in on_grid(text, Grid(1, 2), np.zeros(4, np.float32)):
        assert result.tolist() == [1, 0]


def test_tokens_and_several_results() -> None:
    text = (
        f"{MESHES}func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<2xf32>) {{\n"
        "  %t = stablehlo.create_token : !stablehlo.token\n"
        '  %r:3 = sdy.manual_computation(%a, %t) in_shardings=[<@mesh, [{"x"}]>, <@mesh, []>] '
        'out_shardings=[<@mesh, []>, <@mesh, [{"x"}]>, <@mesh, [{}]>] manual_axes={"x"} '
        "(%p: tensor<2xf32>, %q: !stablehlo.token) {\n"
        "    sdy.return %q, %p, %p : !stablehlo.token, tensor<2xf32>, tensor<2xf32>\n"
        "  } : (tensor<4xf32>, !stablehlo.token) -> (!stablehlo.token, tensor<4xf32>, tensor<2xf32>)\n"
        "  return %r#1, %r#2 : tensor<4xf32>, tensor<2xf32>\n}\n"
    )
    whole = np.arange(4, dtype=np.float32)
    for device, (joined, own) in enumerate(on_grid(text, Grid(1, 2), whole)):
        np.testing.assert_array_equal(joined, whole)
        np.testing.assert_array_equal(own, whole[2 * device : 2 * device + 2])


def test_nothing_manual_needs_no_grid() -> None:
    text = (
        "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
        "  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {\n    sdy.return\n"
        "  } : () -> ()\n  return %a : tensor<2xf32>\n}\n"
    )
    ((result,),) = on_grid(text, Grid(), np.ones(2, np.float32))
    assert result.tolist() == [1, 1]


def refused(ins: str, outs: str, axes: str, part: str = "tensor<2x2xf32>") -> str:
    return problem(manual(f"%s = stablehlo.abs %p : {part}", part, ins, outs, axes))


def test_rules_of_manual_computations() -> None:
    order = refused('<@square, [{"y", "x"}, {}]>', '<@square, [{"y"}, {}]>', '"x"')
    assert order == (
        'operand 0: manual axes come first in a dimension, but in dimension 0 the manual axis "x" '
        'follows the free axis "y"'
    )
    assert refused(ROWS, ROWS, '"x"', "tensor<4x2xf32>") == (
        "operand 0: a part of tensor<4x2xf32> has sizes [2, 2] along the manual axes, not (4, 2)"
    )
    assert refused(ROWS, ROWS, '"z"') == 'the mesh @mesh has no axis "z"; it has "x"'
    both = refused(ROWS, '<@square, [{"x"}, {}]>', '"x"')
    assert both == "all shardings must use one mesh, not @mesh and @square"
    assert refused(ROWS, '<@mesh, [{"x"}]>', '"x"') == (
        "out_shardings: result 0: it has 1 dimensions, but the value has 2"
    )
    assert refused(f"{ROWS}, {ROWS}", ROWS, '"x"') == "in_shardings has 2 shardings for 1 values"
    uneven = manual(
        "%s = stablehlo.abs %p : tensor<2xf32>", "tensor<2xf32>", '<@mesh, [{"x"}]>', '<@mesh, [{"x"}]>', '"x"',
        ("tensor<3xf32>", "tensor<3xf32>"),
    )  # fmt: skip
    assert problem(uneven) == "operand 0: dimension 0 of size 3 cannot be cut into 2 equal parts"


def test_an_axis_is_manual_once() -> None:
    inner = (
        '%s = sdy.manual_computation(%p) in_shardings=[<@square, [{}, {"x"}]>] '
        'out_shardings=[<@square, [{}, {"x"}]>] manual_axes={"x"} (%q: tensor<2x1xf32>) {\n'
        "      sdy.return %q : tensor<2x1xf32>\n    } : (tensor<2x2xf32>) -> tensor<2x2xf32>"
    )
    sharding = '<@square, [{"x"}, {}]>'
    text = manual(inner, "tensor<2x2xf32>", sharding, sharding, '"x"')
    assert problem(text) == 'a manual computation in the body takes axis "x", which is manual here already'


def test_bodies_take_and_give_what_the_op_does() -> None:
    body = "(%part: tensor<2x2xf32>) {\n    sdy.return %part : tensor<2x2xf32>\n  }"
    line = f'%r = sdy.named_computation<"f">(%a) {body} : (tensor<4x2xf32>) -> tensor<4x2xf32>'
    assert "the body must take" in problem(program(line))
    line = "%r = sdy.manual_computation(%a) in_shardings=[] out_shardings=[] manual_axes={} () {\n    sdy.return\n  }"
    assert "the body must take" in problem(program(f"{line} : (tensor<4x2xf32>) -> tensor<4x2xf32>"))


# What others see of it


def op_of(text: str) -> ManualComputation:
    ops: Sequence[object] = [bound.op for bound in load_program(text).ops]
    return next(op for op in ops if isinstance(op, ManualComputation))


def test_those_meet_that_differ_along_manual_axes() -> None:
    sharding = '<@square, [{"y"}, {}]>'
    op = op_of(manual(DOUBLED, "tensor<2x2xf32>", sharding, sharding, '"y"'))
    group = (ProcessId(0, 2), ProcessId(0, 3))
    assert op.peers(GridPosition(ProcessId(0, 3), Grid(1, 4))) == Peers(group, group)
    assert not op.deferrable


def test_pieces_are_where_the_parts_lie() -> None:
    op = op_of(HALVES)
    parts = (np.zeros((2, 2), np.float32), np.ones((2, 2), np.float32))
    pieces = list(op.pieces(PeerValues(((parts[0],), (parts[1],)), 0)))
    part = Box((0, 0), (2, 2))
    assert pieces == [Piece(0, 0, part, 0, part), Piece(1, 0, part, 0, Box((2, 0), (2, 2)))]
    (joined,) = op.outputs(PeerValues(((parts[0],), (parts[1],)), 0))
    np.testing.assert_array_equal(joined, np.repeat([0, 1], 2)[:, None] * np.ones((4, 2)))
