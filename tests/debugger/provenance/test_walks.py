"""Walks through loops, calls, bodies and dropped values; budgets; and single paths."""

from __future__ import annotations

import numpy as np
import pytest

from hloscope.engine.debugger.address import Address, argument, result
from hloscope.engine.debugger.provenance import (
    Budget,
    End,
    Kind,
    Links,
    RecordedRun,
    Unfinished,
    Walking,
    path_between,
    step_back,
    step_forward,
    walk_back,
    walk_forward,
)
from hloscope.engine.indexing.elements.element_sets import ElementSet
from hloscope.engine.ops.core.op import Array
from tests.debugger.programs import CALLS, COUNTDOWN, recorded, returned_by

from .matrices import PATIENT

SCALAR = ElementSet.full(())


def _links(text: str, inputs: list[Array]) -> Links:
    recording = recorded(text, inputs)
    assert recording.state.kind == "done", recording.state.reason
    return Links(RecordedRun(recording))


def _inputs(links: Links, address: Address, elements: ElementSet) -> dict[int, list[tuple[int, ...]]]:
    walk = walk_back(links, address, elements, PATIENT)
    assert walk.complete
    return {node.address.index: list(node.elements) for node in walk.end_nodes(End.INPUT)}


def test_a_call_hands_on() -> None:
    links = _links(CALLS, [np.arange(4, dtype=np.float32)])
    element = ElementSet.of_index((4,), (2,))
    walk = walk_back(links, result(4), element, PATIENT)
    assert [str(node.address) for node in walk.nodes.values()] == [
        *("0.s4.0", "0.s1.0", "0.s2.0", "0.f1.0", "0.s0.0", "0.f0.0"),
    ]
    assert all(list(node.elements) == [(2,)] for node in walk.nodes.values())
    on = walk_forward(links, argument(0), element, PATIENT)
    assert [n.outputs for n in on.nodes.values() if n.outputs] == [[0]]
    assert set(on.nodes) == set(walk.nodes)


def test_a_loop_hangs_on_what_decides_how_often_it_runs() -> None:
    links = _links(COUNTDOWN, [np.array(3, np.int32), np.array(5, np.int32)])
    run = links.run
    count, total = returned_by(run)
    assert _inputs(links, count, SCALAR) == {0: [()]}
    assert _inputs(links, total, SCALAR) == {0: [()], 1: [()]}
    edges = step_back(links, total, SCALAR).edges.values()
    assert [edge.kind for edge in edges] == [Kind.FORWARDED, *[Kind.CHOSEN] * 4]
    read = step_forward(links, argument(0, 1), SCALAR)
    assert len(read.nodes) == 4  # itself, and an addition in each of three iterations


SIZED = """
func.func @main(%x: tensor<?xf32>) -> tensor<i32> {
  %0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  return %0 : tensor<i32>
}
"""


def test_a_size_is_made_of_no_element() -> None:
    into = _links(SIZED, [np.zeros(3, np.float32)]).into(result(0))
    assert (into.links, into.end) == ((), End.CONSTANT)
    assert into.reason == "It is a size that the value has; no element is read."


def test_a_loop_that_never_runs_gives_what_it_was_given() -> None:
    links = _links(COUNTDOWN, [np.array(0, np.int32), np.array(5, np.int32)])
    count, total = returned_by(links.run)
    assert _inputs(links, count, SCALAR) == {0: [()]}
    assert _inputs(links, total, SCALAR) == {0: [()]}


def test_thousands_of_iterations() -> None:
    links = _links(COUNTDOWN, [np.array(3000, np.int32), np.array(1, np.int32)])
    _, total = returned_by(links.run)
    walk = walk_back(links, total, SCALAR, Budget(seconds=60))
    assert walk.complete
    assert {node.address.index for node in walk.end_nodes(End.INPUT)} == {0, 1}
    assert len(walk.nodes) > 4 * 3000


def test_a_walk_that_takes_too_long_says_so() -> None:
    links = _links(COUNTDOWN, [np.array(50, np.int32), np.array(1, np.int32)])
    _, total = returned_by(links.run)
    for budget in (Budget(seconds=0), Budget(nodes=10)):
        walk = walk_back(links, total, SCALAR, budget)
        assert not walk.complete
        assert walk.reason.endswith(".")


def test_a_walk_that_has_stopped_is_gone_on_with() -> None:
    links = _links(COUNTDOWN, [np.array(6, np.int32), np.array(1, np.int32)])
    _, total = returned_by(links.run)
    for start, forward in ((total, False), (argument(0, 1), True)):
        whole = (walk_forward if forward else walk_back)(links, start, SCALAR)
        walking = Walking(links, start, SCALAR, Budget(seconds=0), forward=forward)
        turns = 1
        while not (walk := walking.on()).complete:
            turns += 1
            assert len(walk.nodes) < turns <= len(whole.nodes)
            assert walk.reason.endswith(".")
            assert walk.waiting
            known = {**{a: n.elements for a, n in walk.nodes.items()}, **walk.waiting}
            assert all(found.issubset(whole.nodes[a].elements) for a, found in known.items())
        assert (walk.waiting, walk.reason) == ({}, "")
        assert {a: list(n.elements) for a, n in walk.nodes.items()} == {
            a: list(n.elements) for a, n in whole.nodes.items()
        }
        assert set(walk.edges) == set(whole.edges)


def test_a_path_that_was_not_found_in_time_may_be_there() -> None:
    links = _links(COUNTDOWN, [np.array(50, np.int32), np.array(1, np.int32)])
    _, total = returned_by(links.run)
    with pytest.raises(Unfinished, match=r"the search is not complete\.$"):
        path_between(links, total, SCALAR, argument(0, 1), SCALAR, seconds=0)
    assert path_between(links, total, SCALAR, argument(0, 1), SCALAR)


ROWS = """
func.func @main(%x: tensor<8x16xf32>, %i: tensor<i32>) -> tensor<1x16xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %a = stablehlo.add %x, %x : tensor<8x16xf32>
  %r = stablehlo.dynamic_slice %a, %i, %zero, sizes = [1, 16] : (tensor<8x16xf32>, tensor<i32>, tensor<i32>) -> tensor<1x16xf32>
  return %r : tensor<1x16xf32>
}
"""


def test_one_path_goes_from_element_to_element() -> None:
    links = _links(CALLS, [np.arange(4, dtype=np.float32)])
    one, three = ElementSet.of_index((4,), (1,)), ElementSet.of_index((4,), (3,))
    path = path_between(links, result(4), ElementSet.full((4,)), argument(0), one)
    assert path is not None
    assert (path[0][0], path[-1][0]) == (result(4), argument(0))
    assert all(list(elements) == [(1,)] for _, elements in path)
    steps = [links.run.steps(0).creation_time(address) for address, _ in path]
    assert steps == sorted(steps, reverse=True)
    assert path_between(links, result(4), three, argument(0), one) is None


REDUCED = """
func.func @main(%x: tensor<2x3xf32>, %i: tensor<2x3xi32>) -> (tensor<2xf32>, tensor<2xi32>) {
  %low = stablehlo.constant dense<-1.0e+30> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.reduce(%x init: %low), (%i init: %zero) across dimensions = [1]
    : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
    reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<i32>, %d: tensor<i32>) {
      %ge = stablehlo.compare GE, %a, %c, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %value = stablehlo.select %ge, %a, %c : tensor<i1>, tensor<f32>
      %index = stablehlo.select %ge, %b, %d : tensor<i1>, tensor<i32>
      stablehlo.return %value, %index : tensor<f32>, tensor<i32>
    }
  return %r#0, %r#1 : tensor<2xf32>, tensor<2xi32>
}
"""


def test_lanes_of_a_body_are_elements_of_the_operands() -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    links = _links(REDUCED, [x, np.arange(6, dtype=np.int32).reshape(2, 3)])
    run, recording = links.run, links.run.recording
    steps = run.steps(0)
    frames = steps.opened_frames(
        next(s for s in range(9) if run.bound_operation(0, s).operation.name == "stablehlo.reduce")
    )
    assert len(frames) == 3
    for number, frame in enumerate(frames.tolist()):
        element = argument(frame, 2)
        assert run.lanes(element) == (2,)
        for lane in range(2):
            (edge,) = step_back(links, element, ElementSet.of_index((2,), (lane,))).edges.values()
            (index,) = edge.elements
            assert (edge.read, index) == (argument(0), (lane, number))
            assert recording.value(element)[lane] == x[index]
            on = walk_forward(links, element, ElementSet.of_index((2,), (lane,)), PATIENT)
            ends = [(n.outputs, list(n.elements)) for n in on.nodes.values() if n.outputs]
            assert ([0], [(lane,)]) in ends
            assert all(elements == [(lane,)] for _, elements in ends)
    later = argument(int(frames[2]), 0)
    assert _inputs(links, later, ElementSet.of_index((2,), (1,))) == {0: [(1, 0), (1, 1)]}


SQUARES = """
func.func @main(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%x init: %zero) across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %square = stablehlo.multiply %b, %b : tensor<f32>
      %sum = stablehlo.add %a, %square : tensor<f32>
      stablehlo.return %sum : tensor<f32>
    }
  return %r : tensor<2xf32>
}
"""


def test_a_body_that_is_run_on_all_elements_at_once() -> None:
    links = _links(SQUARES, [np.ones((2, 3), np.float32)])
    step = next(s for s in range(9) if links.run.bound_operation(0, s).operation.name == "stablehlo.reduce")
    (frame,) = links.run.steps(0).opened_frames(step).tolist()
    inside = argument(frame, 1)
    assert links.run.lanes(inside) == (2, 3)
    element = ElementSet.of_index((2, 3), (1, 2))
    assert _inputs(links, inside, element) == {0: [(1, 2)]}
    on = walk_forward(links, inside, element, PATIENT)
    assert [(n.outputs, list(n.elements)) for n in on.nodes.values() if n.outputs] == [([0], [(1,)])]
    assert [edge.words for edge in on.edges.values()][-1] == "combined with others"
