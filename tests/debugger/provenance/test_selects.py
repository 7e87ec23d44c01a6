"""Where ops choose between values, an element was made from the one that was taken, and what decided it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from hloscope.engine.debugger.address import Address, result
from hloscope.engine.debugger.provenance import Links, RecordedRun, step_back, step_forward
from hloscope.engine.debugger.provenance.formulas import Formulas
from hloscope.engine.indexing.elements.element_sets import ElementSet
from hloscope.engine.ops.core.op import Array
from tests.debugger.programs import recorded

from .test_walks import REDUCED

P = np.array([True, False, True])
A, B = np.array([1, 2, 3], np.float32), np.array([10, 20, 30], np.float32)
Read = dict[tuple[str, int], list[tuple[int, ...]]]
"""Elements that were read, by the kind of link and the number of the operand."""


def _links(text: str, *arrays: Array) -> Links:
    recording = recorded(text, arrays)
    assert recording.state.kind == "done", recording.state.reason
    return Links(RecordedRun(recording))


def _read(links: Links, address: Address, index: tuple[int, ...]) -> Read:
    element = ElementSet.of_index(links.run.shape(address), index)
    edges = step_back(links, address, element).edges.values()
    found = {(str(edge.kind), edge.operand or 0): list(edge.elements) for edge in edges}
    for edge in edges:  # and the other way
        assert element.issubset(step_forward(links, edge.read, edge.elements).nodes[address].elements)
    return found


def _program(op: str, *types: str) -> str:
    names = ("%p", "%a", "%b")
    arguments = ", ".join(f"{name}: {kind}" for name, kind in zip(names, types, strict=True))
    return f"func.func @main({arguments}) -> {types[1]} {{\n  %r = {op}\n  return %r : {types[1]}\n}}"


ROW, ROWS = "tensor<3xf32>", "tensor<1x3xf32>"
SELECTS: dict[str, tuple[str, Sequence[Array]]] = {
    "by element": (
        _program(f"stablehlo.select %p, %a, %b : tensor<3xi1>, {ROW}", "tensor<3xi1>", ROW, ROW),
        (P, A, B),
    ),
    "of MLIR": (
        _program(f"arith.select %p, %a, %b : tensor<3xi1>, {ROW}", "tensor<3xi1>", ROW, ROW),
        (P, A, B),
    ),
    "that broadcasts": (
        _program(
            f"chlo.broadcast_select %p, %a, %b : (tensor<3xi1>, {ROW}, tensor<1xf32>) -> {ROW}",
            *("tensor<3xi1>", ROW, "tensor<1xf32>"),
        ),
        (P, A, B[:1]),
    ),
}


@pytest.mark.parametrize("case", SELECTS)
def test_of_a_select_the_element_that_was_taken(case: str) -> None:
    text, arrays = SELECTS[case]
    links = _links(text, *arrays)
    assert _read(links, result(0), (0,)) == {("chosen", 0): [(0,)], ("data", 1): [(0,)]}
    other = (1,) if arrays[2].size > 1 else (0,)
    assert _read(links, result(0), (1,)) == {("chosen", 0): [(1,)], ("data", 2): [other]}
    value = arrays[2][other[0]]
    said = f"%r[1] = select(%p[1] = false, %b[{other[0]}] = {value:g} (taken)) = {value:g}"
    assert Formulas(links).formula(result(0), (1,)).text == said
    # What is not taken goes nowhere.
    not_taken = step_forward(links, links.run.operands(0, 0)[1], ElementSet.of_index((3,), (1,)))
    assert not not_taken.edges


@pytest.mark.parametrize("pred", [False, True])
def test_one_predicate_for_all_elements(pred: bool) -> None:
    text = _program(f"stablehlo.select %p, %a, %b : tensor<i1>, {ROW}", "tensor<i1>", ROW, ROW)
    links = _links(text, np.array(pred), A, B)
    taken = 1 if pred else 2
    assert _read(links, result(0), (2,)) == {("chosen", 0): [()], ("data", taken): [(2,)]}


@pytest.mark.parametrize("pred", [False, True])
def test_a_select_between_tuples(pred: bool) -> None:
    pair = "tuple<tensor<3xf32>, tensor<3xf32>>"
    text = f"""func.func @main(%p: tensor<i1>, %a: {ROW}, %b: {ROW}) -> {ROW} {{
  %t = stablehlo.tuple %a, %b : {pair}
  %f = stablehlo.tuple %b, %a : {pair}
  %c = "hlo.tuple_select"(%p, %t, %f) : (tensor<i1>, {pair}, {pair}) -> {pair}
  %r = stablehlo.get_tuple_element %c[1] : ({pair}) -> {ROW}
  return %r : {ROW}
}}"""
    links = _links(text, np.array(pred), A, B)
    chosen = Address(0, "s", 2, 0, (1,))
    taken = 2 if pred else 4  # the tuples taken apart: their second parts
    assert _read(links, chosen, (2,)) == {("chosen", 0): [()], ("data", taken): [(2,)]}


def test_a_select_in_a_body_that_ran_for_many_elements_at_once() -> None:
    x = np.array([[3, 1, 2], [1, 2, 3]], np.float32)
    links = _links(REDUCED, x, np.arange(6, dtype=np.int32).reshape(2, 3))
    run = links.run
    selects = [
        step
        for step in range(run.steps(0).track.step_count)
        if run.bound_operation(0, step).operation.results
        and run.bound_operation(0, step).operation.results[0].name == "%value"
    ]
    assert [run.shape(result(step)) for step in selects] == [(2,)] * 3
    for step in selects:
        predicate, *sides = (run.recording.value(a) for a in run.operands(0, step))
        for lane in range(2):
            taken = 1 if np.broadcast_to(predicate, (2,))[lane] else 2
            found = _read(links, result(step), (lane,))
            assert [operand for kind, operand in found if kind == "data"] == [taken]
            ((index,),) = (elements for (kind, _), elements in found.items() if kind == "data")
            assert sides[taken - 1][index] == run.recording.value(result(step))[lane]


COPIES = """func.func @main(%x: tensor<5xf32>, %i: tensor<3x1xi32>, %u: tensor<3xf32>) -> tensor<5xf32> {
  %r = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
      index_vector_dim = 1>} : (tensor<5xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}"""
COPIES_TWO = """HloModule m
copies {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] parameter(2)
  d = f32[] parameter(3)
  ROOT t = (f32[], f32[]) tuple(c, d)
}
ENTRY main {
  x = f32[5] parameter(0)
  i = s32[3,1] parameter(1)
  u = f32[3] parameter(2)
  s = (f32[5], f32[5]) scatter(x, x, i, u, u), update_window_dims={}, inserted_window_dims={0},
      scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=copies
  ROOT r = f32[5] get-tuple-element(s), index=1
}"""


@pytest.mark.parametrize(
    ("text", "path", "indices", "update"), [(COPIES, (), 1, 2), (COPIES_TWO, (1,), 2, 4)]
)
def test_of_a_scatter_that_copies_the_update_and_not_what_it_overwrote(
    text: str, path: tuple[int, ...], indices: int, update: int
) -> None:
    x, rows = np.arange(5, dtype=np.float32), np.array([[1], [1], [9]], np.int32)
    links = _links(text, x, rows, B)
    scattered = Address(0, "s", 0, 0, path)
    could = {("chosen", indices): [(0, 0), (1, 0), (2, 0)]}
    last = {("index", indices): [(1, 0)], ("data", update): [(1,)]}
    assert _read(links, scattered, (1,)) == {**could, **last}
    assert _read(links, scattered, (2,)) == {**could, ("data", 1 if path else 0): [(2,)]}
