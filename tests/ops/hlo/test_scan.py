"""scan: against a loop over the slices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine.events import FrameEntered, Listener
from hloscope.engine.interpreter import Interpreter
from hloscope.engine.ops.checking import first_broken_constraint
from hloscope.engine.ops.hlo.chlo_forms import HloScan
from hloscope.engine.ops.reductions.scan import Scan
from tests.programs import load_program

from ..building import region
from ..building import tensor as spelled
from ..cases.hlo_numbers import running_sum
from ..running import tensor
from .running import f32, i32, results

BODY = """
    f {
      x = f32[] parameter(0)
      c = f32[] parameter(1)
      a = f32[] add(x, c)
      ROOT t = (f32[], f32[]) tuple(a, a)
    }"""


def sums(is_reverse: str, size: int = 4) -> str:
    return f"""{BODY}
    ENTRY e {{
      p = f32[{size}] parameter(0)
      i = f32[] parameter(1)
      ROOT r = (f32[{size}], f32[]) scan(p, i), dimensions={{0}}, num_carries=1, is_reverse={is_reverse},
        is_associative=false, to_apply=f
    }}"""


def test_without_slices_what_is_carried_comes_back() -> None:
    ((outputs, carry),) = results(sums("false", 0), np.zeros(0, np.float32), f32(10))
    assert outputs.shape == (0,)
    assert carry.tolist() == 10


def test_each_slice_is_an_iteration() -> None:
    entered: list[FrameEntered] = []

    class Frames(Listener):
        def frame_entered(self, entered_frame: FrameEntered) -> None:
            entered.append(entered_frame)

    run = Interpreter(load_program(sums("true")), [f32([1, 2, 3, 4]), np.array(10, np.float32)])
    run.run(Frames(), 1000)
    assert [frame.iteration for frame in entered] == [0, 1, 2, 3]
    assert [[value.tolist() for value in frame.arguments] for frame in entered[:2]] == [[4, 10], [3, 14]]


def test_every_input_has_the_dimension() -> None:
    op = HloScan((tensor([2, 3]), tensor([3])), 1, 0, region(["2xf32", "f32"], ["2xf32"]), (), False)
    assert first_broken_constraint(op) == ("", "dimension 1 is outside rank 1 of input 1")


@given(
    st.integers(0, 3).flatmap(
        lambda n: st.tuples(*[st.lists(st.integers(-9, 9), min_size=n, max_size=n)] * 2)
    ),
    st.booleans(),
    st.integers(-9, 9),
)
def test_several_inputs_and_carries(lists: tuple[list[int], list[int]], is_reverse: bool, first: int) -> None:
    size = len(lists[0])
    text = f"""
      f {{
        x = s32[] parameter(0)
        y = s32[] parameter(1)
        c = s32[] parameter(2)
        d = s32[] parameter(3)
        e = s32[] add(c, y)
        m = s32[] multiply(x, e)
        n = s32[] subtract(m, d)
        ROOT t = (s32[], s32[], s32[], s32[]) tuple(n, e, m, n)
      }}
      ENTRY e {{
        x = s32[{size}] parameter(0)
        y = s32[{size}] parameter(1)
        c = s32[] parameter(2)
        ROOT r = (s32[{size}], s32[{size}], s32[], s32[]) scan(x, y, c, c), dimensions={{0}}, num_carries=2,
          is_reverse={str(is_reverse).lower()}, is_associative=false, to_apply=f
      }}"""
    arrays = [np.array(values, np.int32) for values in lists]
    ((n_found, e_found, c_found, d_found),) = results(text, *arrays, i32(first))
    c = d = first
    made: list[tuple[int, int]] = []
    pairs = list(zip(*lists, strict=True))
    for x, y in reversed(pairs) if is_reverse else pairs:
        e = c + y
        c = x * e
        d = c - d
        made.append((d, e))
    wanted = made[::-1] if is_reverse else made
    assert list(zip(n_found.tolist(), e_found.tolist(), strict=True)) == wanted
    assert (int(c_found), int(d_found)) == (c, d)


CHLO = """
    func.func @main(%a: tensor<3x2xi32>, %b: tensor<2xi32>) -> (tensor<2x2xi32>, tensor<2xi32>) {
      %x = stablehlo.slice %a [0:2, 0:2] : (tensor<3x2xi32>) -> tensor<2x2xi32>
      %0, %1 = "chlo.scan"(%x, %b) <{dimension = 1 : i64, operandSegmentSizes = array<i32: 1, 1>,
          resultSegmentSizes = array<i32: 1, 1>, is_reverse = false}> ({
        ^bb0(%s: tensor<2xi32>, %c: tensor<2xi32>):
          %t = stablehlo.add %s, %c : tensor<2xi32>
          stablehlo.return %t, %t : tensor<2xi32>, tensor<2xi32>
      }) : (tensor<2x2xi32>, tensor<2xi32>) -> (tensor<2x2xi32>, tensor<2xi32>)
      return %0, %1 : tensor<2x2xi32>, tensor<2xi32>
    }"""


def test_chlo_scans_along_any_dimension() -> None:
    outputs, carry = results(CHLO, i32([[1, 2], [3, 4], [5, 6]]), i32([10, 20]))
    assert outputs.tolist() == [[11, 13], [23, 27]]
    assert carry.tolist() == [13, 27]


def test_outputs_alone_say_how_many_slices_there_are() -> None:
    text = """
        func.func @main(%b: tensor<i32>) -> (tensor<5xi32>, tensor<i32>) {
          %0:2 = chlo.scan() inits (%b) dimension=0 {
            ^bb0(%c: tensor<i32>):
              %t = stablehlo.add %c, %c : tensor<i32>
              stablehlo.return %c, %t : tensor<i32>, tensor<i32>
          } : (tensor<i32>) -> (tensor<5xi32>, tensor<i32>)
          return %0#0, %0#1 : tensor<5xi32>, tensor<i32>
        }"""
    outputs, carried = results(text, i32(3))
    assert outputs.tolist() == [3, 6, 12, 24, 48]
    assert carried.tolist() == 96


VALID = HloScan((spelled("4xi32"), spelled("i32")), 0, 1, running_sum())
BROKEN = [
    (replace(VALID, num_carries=3), "carries 3 values, but has 2 operands"),
    (replace(VALID, num_carries=-1), "carries -1 values, but has 2 operands"),
    (
        replace(VALID, body=region(["i32", "i32"], [])),
        "the body must give 1 values to carry on at least, not 0",
    ),
    (replace(VALID, dimension=1), "dimension 1 is outside rank 1 of input 0"),
    (
        HloScan((spelled("i32"),), 0, 1, region(["i32"], ["i32"])),
        "needs at least one input or output, which is scanned",
    ),
    (
        replace(VALID, results=(spelled("5xi32"), spelled("i32"))),
        "inputs and outputs have different numbers of slices: [4, 5]",
    ),
    (
        replace(VALID, body=region(["2xi32", "i32"], ["i32", "i32"])),
        "body must take (tensor<i32>, tensor<i32>), not (tensor<2xi32>, tensor<i32>)",
    ),
    (
        replace(VALID, body=region(["i32", "i32"], ["i32", "f32"])),
        "body must give (tensor<i32>, tensor<i32>), not (tensor<i32>, tensor<f32>)",
    ),
]


@pytest.mark.parametrize(("op", "message"), BROKEN, ids=[message for _, message in BROKEN])
def test_broken_rules_are_named(op: HloScan, message: str) -> None:
    assert first_broken_constraint(op) == ("", message)


def test_results_are_checked() -> None:
    assert first_broken_constraint(VALID, [spelled("4xi32"), spelled("i32")]) is None
    wrong = first_broken_constraint(VALID, [spelled("4xf32"), spelled("i32")])
    assert wrong == ("", "result 0 must hold i32, not f32")


OPERANDS = (spelled("4xi32"), spelled("i32"))
SEGMENTS = [
    ((1, 2), (1, 1), "operandSegmentSizes must have two numbers that add up to 2 operands, not [1, 2]"),
    ((1, 1), (2,), "resultSegmentSizes must have two numbers that add up to 2 results, not [2]"),
    ((1, 1), (2, 0), "1 values are carried at first, 0 at last"),
]


@pytest.mark.parametrize(("taken", "given", "message"), SEGMENTS)
def test_segments_are_checked(taken: tuple[int, ...], given: tuple[int, ...], message: str) -> None:
    op = Scan(OPERANDS, 0, taken, given, running_sum(), OPERANDS)
    assert first_broken_constraint(op) == ("", message)
