"""Ops told shapes and windows by operands: the specification's examples, what a run finds wrong, whole programs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hloscope.engine.errors import LimitError, RunError
from hloscope.engine.events import Listener
from hloscope.engine.frontend import load
from hloscope.engine.indexing import OperandMap
from hloscope.engine.indexing.evaluation.bound_map import BoundMap
from hloscope.engine.interpreter import Interpreter
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.ops.core.dynamic_op import DynamicForm
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.data_movement.data_movement import Reshape
from hloscope.engine.ops.data_movement.dynamic_shapes import DynamicReshape
from hloscope.engine.process_grid import results_of
from hloscope.engine.source import Source
from tests.each import for_each
from tests.oracle.generators import dynamic
from tests.programs import load_program

from ..indexing.oracles import Pairs, pairs_of
from .cases import CASES, Case
from .quantized import quantized
from .running import broken, run, tensor


def ran(statement: str, arguments: str, result: str, *inputs: Any) -> tuple[Array, ...]:
    """What a program of one statement, which defines `%r`, makes of its inputs."""
    text = f"func.func @main({arguments}) -> {result} {{\n  {statement}\n  return %r : {result}\n}}"
    return results_of(load_program(text), [np.asarray(value) for value in inputs])


def i64(*values: Any) -> Array:
    return np.array(values, np.int64)


SET = (
    "%r = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<4xi64>, tensor<i32>) -> "
    "tensor<?xi64, #stablehlo.bounds<4>>"
)
BOUNDED = "tensor<?xi64, #stablehlo.bounds<4>>"


SLICE = (
    "%r = stablehlo.real_dynamic_slice %a, %s, %l, %d : "
    "(tensor<6xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi64>"
)
SLICED = "%a: tensor<6xi64>, %s: tensor<1xi64>, %l: tensor<1xi64>, %d: tensor<1xi64>"


def _reshaping(result: str) -> tuple[str, str, str]:
    types = f"(tensor<6xi64>, tensor<2xi64>) -> {result}"
    statement = f"%r = stablehlo.dynamic_reshape %a, %n : {types}"
    return statement, "%a: tensor<6xi64>, %n: tensor<2xi64>", result


BROADCAST = "(tensor<?xi64>, tensor<2xi64>) -> tensor<?x?xi64>"
PADDING = (
    "%r = stablehlo.dynamic_pad %a, %v, %l, %h, %i : "
    "(tensor<6xi64>, tensor<i64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi64>",
    "%a: tensor<6xi64>, %v: tensor<i64>, %l: tensor<1xi64>, %h: tensor<1xi64>, %i: tensor<1xi64>",
    "tensor<?xi64>",
)
GATHERING = (
    '%r = "stablehlo.dynamic_gather"(%a, %i, %n) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], '
    "start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false}> : "
    "(tensor<6xi64>, tensor<2x1xi64>, tensor<1xi64>) -> tensor<2x?xi64>",
    "%a: tensor<6xi64>, %i: tensor<2x1xi64>, %n: tensor<1xi64>",
    "tensor<2x?xi64>",
)
SIX, ZERO = np.arange(6), np.int64(0)
WRONG: list[tuple[tuple[str, str, str], tuple[Any, ...], str | None, str]] = [
    (_reshaping("tensor<?x?xi64>"), (SIX, i64(2, 4)), "C2", "operand has 6 elements and the result 8"),
    (_reshaping("tensor<?x?xi64>"), (SIX, i64(-2, -3)), "C4", "must not be negative"),
    (_reshaping("tensor<3x?xi64>"), (SIX, i64(2, 3)), "C4", "declared as tensor<3x?xi64>"),
    (_reshaping("tensor<?x?xi64>"), (SIX, i64(2**40, 2**40)), "C4", "there are addresses"),
    (
        (
            f"%r = stablehlo.dynamic_broadcast_in_dim %a, %n, dims = [1] : {BROADCAST}",
            "%a: tensor<?xi64>, %n: tensor<2xi64>",
            "tensor<?x?xi64>",
        ),
        (SIX, i64(2, 5)),
        "C5",
        "dimension 0 of operand (size 6) cannot be spread over dimension 1 of the result (size 5)",
    ),
    (
        (
            "%r = stablehlo.dynamic_iota %n, dim = 0 : (tensor<2xi64>) -> tensor<3x4xi64>",
            "%n: tensor<2xi64>",
            "tensor<3x4xi64>",
        ),
        (i64(4, 3),),
        "C2",
        "output_shape [4, 3], but the result is declared as tensor<3x4xi64>",
    ),
    (PADDING, (SIX, ZERO, i64(0), i64(0), i64(-1)), "C3", "must not be negative"),
    (PADDING, (SIX, ZERO, i64(-4), i64(-3), i64(0)), "C4", "more elements are removed than there are"),
    (PADDING, (SIX, ZERO, i64(0), i64(2**62), i64(0)), "C4", "there are no addresses"),
    (GATHERING, (SIX, i64([0], [1]), i64(7)), "C12", "do not fit in the operand's sizes"),
    (GATHERING, (SIX, i64([0], [1]), i64(-1)), "C12", "do not fit in the operand's sizes"),
    ((SLICE, SLICED, "tensor<?xi64>"), (SIX, i64(3), i64(2), i64(1)), None, "[3:2] is no range"),
    ((SLICE, SLICED, "tensor<?xi64>"), (SIX, i64(0), i64(7), i64(1)), None, "[0:7] is no range"),
    ((SLICE, SLICED, "tensor<?xi64>"), (SIX, i64(0), i64(6), i64(0)), None, "must be positive"),
    ((SET, "%a: tensor<4xi64>, %n: tensor<i32>", BOUNDED), (i64(5, 6, 7, 8), np.int32(5)), None, "size 5"),
    ((SET, "%a: tensor<4xi64>, %n: tensor<i32>", BOUNDED), (i64(5, 6, 7, 8), np.int32(-1)), None, "size -1"),
]


@for_each(("program", "inputs", "label", "message"), WRONG)
def test_a_run_finds_what_types_could_not_show(
    program: tuple[str, str, str], inputs: tuple[Any, ...], label: str | None, message: str
) -> None:
    with pytest.raises(RunError) as raised:
        ran(*program, *inputs)
    assert raised.value.label == label
    assert message in raised.value.message
    assert raised.value.span is not None


def test_a_size_beyond_the_limits_is_refused_before_anything_is_made() -> None:
    with pytest.raises(LimitError) as raised:
        ran(*PADDING, SIX, ZERO, i64(0), i64(2**40), i64(0))
    assert raised.value.label == "op_flops"


CONVOLVED = (
    '%r = "stablehlo.dynamic_conv"(%a, %k, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->'
    "[b, 0, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64}> : "
    "(tensor<1x?x1xf32>, tensor<2x1x1xf32>, tensor<1x2xi64>) -> tensor<1xSIZEx1xf32>",
    "%a: tensor<1x?x1xf32>, %k: tensor<2x1x1xf32>, %p: tensor<1x2xi64>",
    "tensor<1xSIZEx1xf32>",
)


def _convolved(size: str, *padding: int) -> Array:
    program = [part.replace("SIZE", size) for part in CONVOLVED]
    inputs = np.arange(3, dtype=np.float32).reshape(1, 3, 1), np.ones((2, 1, 1), np.float32), i64(padding)
    (found,) = ran(program[0], program[1], program[2], *inputs)
    return found.reshape(-1)


@pytest.mark.parametrize("size", ["4", "?"])
def test_dynamic_conv_is_settled_with_its_padding(size: str) -> None:
    assert _convolved(size, 1, 1).tolist() == [0, 1, 3, 2]
    with pytest.raises(LimitError):
        _convolved("?", 0, 2**40)


def test_a_padding_that_makes_another_size_ends_the_run() -> None:
    with pytest.raises(RunError) as raised:
        _convolved("4", 1, 2)
    assert raised.value.label == "C25"


@pytest.mark.parametrize("name", sorted(dynamic.GENERATORS.keys() - {"stablehlo.get_dimension_size"}))
@settings(max_examples=25)
@given(data=st.data())
def test_an_op_that_knows_no_numbers_yet_gives_the_same(name: str, data: st.DataObject) -> None:
    """It reads them from its operands; its types alone may tell its maps, which are then the same."""
    case = data.draw(CASES[name])
    assert isinstance(case.op, DynamicForm)
    early = replace(case.op, numbers=None)
    assert broken(early, case.op.result) is None
    assert early.infer() == case.op.result
    assert early.cost(early.operand_types, (case.op.result,)).flops == 0
    for mine, theirs in zip(run(early, *case.operands), run(case.op, *case.operands), strict=True):
        assert mine.tobytes() == theirs.tobytes()
    for early_maps, maps in (
        (early.index_maps(), case.op.index_maps()),
        (early.inverse_index_maps(), case.op.inverse_index_maps()),
    ):
        found, known = list(early_maps), list(maps)
        if early.known_numbers() is not None:
            assert _losing(case) or found == known
            continue
        exact = [each for each in found if not each.enclosing]
        assert {each.operand for each in found if each.enclosing} <= {1}  # where padding lies has no formula
        for number in {each.operand for each in exact}:
            chosen = ([each for each in side if each.operand == number] for side in (exact, known))
            here, there = (_related(side, case.operands) for side in chosen)
            assert here == there


def _related(maps: list[OperandMap], operands: tuple[Array, ...]) -> Pairs:
    found: Pairs = set()
    return found.union(*(pairs_of(each.map, operands) for each in maps))


def _losing(case: Case) -> bool:
    """Whether a gather has a slice size of 0 in a dimension that its result loses."""
    numbers = case.op.numbers if isinstance(case.op, DynamicForm) else None
    return case.op.name.endswith("gather") and numbers is not None and 0 in numbers[0]


def test_settled_maps_belong_to_the_sizes_of_the_run() -> None:
    text = f"func.func @main({SLICED}) -> tensor<?xi64> {{\n  {SLICE}\n  return %r : tensor<?xi64>\n}}"
    program = load_program(text)
    assert all(found.map.is_undefined for found in program.ops[0].op.index_maps())
    interpreter = Interpreter(program, [np.arange(6), i64(1), i64(6), i64(2)])
    interpreter.run(Listener(), stop=1)
    maps = list(interpreter.static_form(0).op.index_maps())
    assert [BoundMap(found.map, ()).elements((1,)).indices.tolist() for found in maps] == [
        [[3]],
        [[0]],
        [[0]],
        [[0]],
    ]


def test_the_dimension_of_quantization_waits_for_the_sizes() -> None:
    per_axis = tensor((None, 2), quantized((0.5, 0.25), (0, 0), axis=1))
    assert broken(Reshape(per_axis, tensor((2, 3), quantized()))) == "C1"
    moved = DynamicReshape(per_axis, tensor((2,), "i64"), result=per_axis)
    assert broken(moved) is None
    assert broken(replace(moved, operand=per_axis.with_shape((3, 2)), numbers=((3, 2),))) is None
    assert broken(replace(moved, operand=per_axis.with_shape((2, 2)), numbers=((1, 4),))) == "C4"


def test_quantized_elements_are_moved_as_they_are_stored() -> None:
    statement, arguments, result = _reshaping("tensor<?x?xi64>")
    element = "!quant.uniform<i8:f32, 5.000000e-01:3>"
    texts = [part.replace("xi64>", f"x{element}>") for part in (statement, arguments, result)]
    texts[0] = texts[0].replace(f"tensor<2x{element}>", "tensor<2xi64>")
    texts[1] = texts[1].replace(f"tensor<2x{element}>", "tensor<2xi64>")
    (moved,) = ran(texts[0], texts[1], texts[2], np.arange(6, dtype=np.int8), i64(2, 3))
    assert moved.tolist() == [[0, 1, 2], [3, 4, 5]]


LOOP = """
func.func @main(%n: tensor<i32>) -> tensor<?xi32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %shape = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %r = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %size = stablehlo.get_dimension_size %r, dim = 0 : (tensor<?xi32>) -> tensor<i32>
  %0:2 = stablehlo.while(%i = %size, %x = %r) : tensor<i32>, tensor<?xi32>
  cond {
    %more = stablehlo.compare GT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %less = stablehlo.subtract %i, %one : tensor<i32>
    %s = stablehlo.constant dense<1> : tensor<1xi32>
    %l = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xi32>) -> tensor<i32>
    %limit = stablehlo.reshape %l : (tensor<i32>) -> tensor<1xi32>
    %rest = stablehlo.real_dynamic_slice %x, %s, %limit, %s : (tensor<?xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xi32>
    stablehlo.return %less, %rest : tensor<i32>, tensor<?xi32>
  }
  return %0#1 : tensor<?xi32>
}
"""


def test_sizes_may_change_from_one_iteration_to_the_next() -> None:
    program = load_program(LOOP)
    (found,) = results_of(program, [np.array(300, np.int32)])
    assert found.tolist() == [299]


def test_settled_ops_are_not_kept_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hloscope.engine.interpreter._MOST_SPECIALISED", 10)
    program = load_program(LOOP)
    interpreter = Interpreter(program, [np.array(50, np.int32)])
    interpreter.run(Listener(), stop=DEFAULT_LIMITS.run_step_limit)
    assert interpreter.finished
    assert len(interpreter._caches.specialised) <= 10


CONSTANT = """
func.func @main(%a: tensor<?xi64>) -> tensor<?x?xi64> {
  %n = stablehlo.constant dense<[SIZES]> : tensor<2xi64>
  %r = stablehlo.dynamic_reshape %a, %n : (tensor<?xi64>, tensor<2xi64>) -> tensor<3x?xi64>
  %s = stablehlo.dynamic_iota %n, dim = 0 : (tensor<2xi64>) -> tensor<?x?xi64>
  return %s : tensor<?x?xi64>
}
"""


def test_numbers_of_constants_are_checked_before_the_run() -> None:
    found = load(Source(CONSTANT.replace("SIZES", "2, 3")))
    assert [(each.op, each.label) for each in found.diagnostics] == [("stablehlo.dynamic_reshape", "C4")]
    program = load_program(CONSTANT.replace("SIZES", "3, 2"))
    reshape, iota = program.ops[1:3]
    assert isinstance(reshape.op, DynamicForm)
    assert isinstance(iota.op, DynamicForm)
    assert reshape.op.numbers == iota.op.numbers == ((3, 2),)
    assert reshape.dynamic
    assert iota.op.infer().sizes == (3, 2)
    (counted,) = results_of(program, [np.arange(6)])
    assert counted.tolist() == [[0, 0], [1, 1], [2, 2]]


@for_each(
    "constant", ["stablehlo.constant dense<SIZES>", "arith.constant dense<SIZES>", "shape.const_shape SIZES"]
)
@for_each(
    ("statement", "sizes", "label"),
    [
        ("dynamic_reshape %a, %n : (tensor<6xf32>, tensor<2xindex>) -> tensor<3x2xf32>", "[2, 3]", "C4"),
        ("dynamic_iota %n, dim = 0 : (tensor<2xindex>) -> tensor<3x2xf32>", "[3, 3]", "C2"),
        (
            "dynamic_broadcast_in_dim %a, %n, dims = [1] : (tensor<6xf32>, tensor<2xindex>) -> tensor<?x?xf32>",
            "[2, 5]",
            "C5",
        ),
        (
            "rng %x, %x, %n, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xindex>) -> tensor<3x2xf32>",
            "[2, 3]",
            "C3",
        ),
    ],
)
def test_every_constant_is_known_before_the_run(
    constant: str, statement: str, sizes: str, label: str
) -> None:
    text = f"""func.func @main(%a: tensor<6xf32>, %x: tensor<f32>) {{
      %n = {constant.replace("SIZES", sizes)} : tensor<2xindex>
      %r = stablehlo.{statement}
      return
    }}"""
    found = load(Source(text))
    assert [each.label for each in found.diagnostics] == [label], text
    if "3x2" in statement:
        assert load(Source(text.replace(sizes, "[3, 2]"))).program is not None
