"""Bodies that see elements: both directions go into them and out of them, in exactly the same ways."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
import pytest

from hloscope.engine.debugger.address import Address, result
from hloscope.engine.debugger.provenance import (
    Kind,
    Link,
    Links,
    RecordedRun,
    Walk,
    tracing,
    walk_back,
    walk_forward,
)
from hloscope.engine.debugger.provenance.onward import Onward
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.indexing.elements.element_sets import ElementSet
from hloscope.engine.indexing.elements.images import Work
from hloscope.engine.ops.core.op import Array
from tests.debugger.programs import recorded, returned_by

from .disturbing import Inputs, assert_exact
from .matrices import PATIENT
from .test_every_op import addresses

_NUMBERS = np.random.default_rng(0)


def _floats(*shape: int) -> Array:
    return _NUMBERS.integers(-5, 5, shape).astype(np.float32)


def _body(kind: str, lines: Sequence[str], arguments: str = "ab") -> str:
    """A region over scalars; the last line is of what it returns."""
    names = ", ".join(f"%{name}: tensor<{kind}>" for name in arguments)
    written = "\n".join(line.replace("KIND", f"tensor<{kind}>") for line in lines)
    return f"({{\n^bb0({names}):\n{written}\n}})"


SUBTRACT = ("%n = stablehlo.subtract %a, %b : KIND", "stablehlo.return %n : KIND")
SCALED = (
    "%m = stablehlo.multiply %a, %k : KIND",
    "%n = stablehlo.subtract %m, %b : KIND",
    "stablehlo.return %n : KIND",
)
SQUARES = (
    "%m = stablehlo.multiply %b, %b : KIND",
    "%n = stablehlo.minimum %a, %m : KIND",
    "stablehlo.return %n : KIND",
)
NEGATED = ("%n = stablehlo.negate %b : KIND", "stablehlo.return %n : KIND")
FARTHEST = (
    "%c = stablehlo.multiply %a, %a : KIND",
    "%d = stablehlo.multiply %b, %b : KIND",
    "%e = stablehlo.compare GE, %c, %d, FLOAT : (KIND, KIND) -> tensor<i1>",
    "stablehlo.return %e : tensor<i1>",
)
GREATER = (
    "%c = stablehlo.multiply %a, %a : KIND",
    "%d = stablehlo.multiply %b, %b : KIND",
    "%p = stablehlo.compare GE, %c, %d, FLOAT : (KIND, KIND) -> tensor<i1>",
    "%m = stablehlo.select %p, %a, %b : tensor<i1>, KIND",
    "stablehlo.return %m : KIND",
)
NEVER = ("%n = stablehlo.constant dense<false> : tensor<i1>", "stablehlo.return %n : tensor<i1>")
RESHAPED = (
    "%c = stablehlo.multiply %a, %k : KIND",
    "%d = stablehlo.reshape %c : (KIND) -> tensor<1xf32>",
    "%e = stablehlo.multiply %b, %k : KIND",
    "%f = stablehlo.reshape %e : (KIND) -> tensor<1xf32>",
    "%g = stablehlo.compare LT, %d, %f, FLOAT : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>",
    "%h = stablehlo.reshape %g : (tensor<1xi1>) -> tensor<i1>",
    "stablehlo.return %h : tensor<i1>",
)
CROSSWISE = (
    "%p = stablehlo.multiply %d, %d : KIND",
    "%m = stablehlo.add %a, %p : KIND",
    "%q = stablehlo.negate %c : KIND",
    "%n = stablehlo.add %b, %q : KIND",
    "stablehlo.return %m, %n : KIND, KIND",
)
NESTED = (
    '%q = "stablehlo.reduce"(%x, %a) <{dimensions = array<i64: 0>}> ({',
    "^bb0(%c: KIND, %d: KIND):",
    "%n = stablehlo.subtract %c, %d : KIND",
    "%m = stablehlo.multiply %n, %b : KIND",
    "stablehlo.return %m : KIND",
    "}) : (tensor<4xf32>, KIND) -> KIND",
    "stablehlo.return %q : KIND",
)
ROWS = (
    "<{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
    "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}>"
)
WINDOWS = (
    "<{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 1>, base_dilations = array<i64: 2, 1>, "
    "window_dilations = array<i64: 3, 1>, padding = dense<[[-1, 0], [0, 0]]> : tensor<2x2xi64>}>"
)
CHOOSING = (
    "<{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 2>, "
    "padding = dense<[[1, 0], [1, 0]]> : tensor<2x2xi64>}>"
)
ALONG = "<{dimension = 1 : i64, is_stable = true}>"
INDICES = np.array([[1], [1], [9], [3], [1]], np.int32)
K = ("%k: tensor<f32>", np.array(1.5, np.float32))
K64 = ("%k: tensor<f64>", np.array(1.5))
S = ("%s: tensor<f32>", np.array(2, np.float32))
X23 = ("%x: tensor<2x3xf32>", _floats(2, 3))
CASES: dict[str, tuple[list[tuple[str, Array]], str, str]] = {
    "a reduction that converts, and reads a value around it": (
        [X23, S, K64],
        f'"stablehlo.reduce"(%x, %s) <{{dimensions = array<i64: 1>}}> {_body("f64", SCALED)}',
        "(tensor<2x3xf32>, tensor<f32>) -> tensor<2xf64>",
    ),
    "a reduction as a tree": (
        [("%x: tensor<70x2xf32>", _floats(70, 2)), S],
        f'"stablehlo.reduce"(%x, %s) <{{dimensions = array<i64: 0>}}> {_body("f32", SUBTRACT)}',
        "(tensor<70x2xf32>, tensor<f32>) -> tensor<2xf32>",
    ),
    "a body that is run on all elements at once": (
        [("%x: tensor<2x3xi64>", np.arange(6).reshape(2, 3)), ("%s: tensor<i64>", np.array(9))],
        f'"stablehlo.reduce"(%x, %s) <{{dimensions = array<i64: 1>}}> {_body("i64", SQUARES)}',
        "(tensor<2x3xi64>, tensor<i64>) -> tensor<2xi64>",
    ),
    "such a body over two inputs, crosswise": (
        [X23, ("%y: tensor<2x3xf32>", _floats(2, 3)), S],
        f'"stablehlo.reduce"(%x, %y, %s, %s) <{{dimensions = array<i64: 1>}}> {_body("f32", CROSSWISE, "abcd")}',
        "(tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>)",
    ),
    "a sort whose comparator runs on all pairs of a step": (
        [("%x: tensor<2x5xf32>", _floats(2, 5))],
        f'"stablehlo.sort"(%x) {ALONG} {_body("f32", FARTHEST)}',
        "(tensor<2x5xf32>) -> tensor<2x5xf32>",
    ),
    "a sort whose comparator says the same of all pairs at once": (
        [("%x: tensor<2x5xf32>", _floats(2, 5))],
        f'"stablehlo.sort"(%x) {ALONG} {_body("f32", NEVER)}',
        "(tensor<2x5xf32>) -> tensor<2x5xf32>",
    ),
    "a sort whose comparator runs pair by pair": (
        [("%x: tensor<2x4xf32>", _floats(2, 4)), K],
        f'"stablehlo.sort"(%x) {ALONG} {_body("f32", RESHAPED)}',
        "(tensor<2x4xf32>) -> tensor<2x4xf32>",
    ),
    "a scatter to equal places and outside, which converts": (
        [
            ("%x: tensor<4x3xf32>", _floats(4, 3)),
            ("%i: tensor<5x1xi32>", INDICES),
            ("%u: tensor<5x3xf32>", _floats(5, 3)),
            K64,
        ],
        f'"stablehlo.scatter"(%x, %i, %u) {ROWS} {_body("f64", SCALED)}',
        "(tensor<4x3xf32>, tensor<5x1xi32>, tensor<5x3xf32>) -> tensor<4x3xf64>",
    ),
    "a scatter that overwrites": (
        [
            ("%x: tensor<4x3xf32>", _floats(4, 3)),
            ("%i: tensor<5x1xi32>", INDICES),
            ("%u: tensor<5x3xf32>", _floats(5, 3)),
        ],
        f'"stablehlo.scatter"(%x, %i, %u) {ROWS} {_body("f32", NEGATED)}',
        "(tensor<4x3xf32>, tensor<5x1xi32>, tensor<5x3xf32>) -> tensor<4x3xf32>",
    ),
    "a body that selects": (
        [X23, S],
        f'"stablehlo.reduce"(%x, %s) <{{dimensions = array<i64: 1>}}> {_body("f32", GREATER)}',
        "(tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>",
    ),
    "windows": (
        [("%x: tensor<6x4xf32>", _floats(6, 4)), S],
        f'"stablehlo.reduce_window"(%x, %s) {WINDOWS} {_body("f32", SUBTRACT)}',
        "(tensor<6x4xf32>, tensor<f32>) -> tensor<4x3xf32>",
    ),
    "windows that choose by a body, and values that are combined by one that converts": (
        [("%x: tensor<5x6xf32>", _floats(5, 6)), ("%y: tensor<3x3xf32>", _floats(3, 3)), S],
        f'"stablehlo.select_and_scatter"(%x, %y, %s) {CHOOSING} {_body("f32", FARTHEST)[:-1]}, '
        f"{_body('f64', SUBTRACT)[1:]}",
        "(tensor<5x6xf32>, tensor<3x3xf32>, tensor<f32>) -> tensor<5x6xf64>",
    ),
    "a body in a body": (
        [("%x: tensor<4xf32>", _floats(4))],
        f'"stablehlo.map"(%x, %x) <{{dimensions = array<i64: 0>}}> {_body("f32", NESTED)}',
        "(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>",
    ),
}


def _links(arguments: list[tuple[str, Array]], op: str, types: str) -> Links:
    stated = types.partition("-> ")[2]
    count = stated.count("tensor")
    given = ", ".join(f"%r#{number}" for number in range(count)) if count > 1 else "%r"
    bare = stated.strip("()")
    text = f"""func.func @main({", ".join(name for name, _ in arguments)}) -> {stated} {{
  %r{f":{count}" if count > 1 else ""} = {op} : {types}
  return {given} : {bare}
}}"""
    recording = recorded(text, [value for _, value in arguments])
    assert recording.state.kind == "done", recording.state.reason
    return Links(RecordedRun(recording))


def _matrix(link: Link, shapes: tuple[tuple[int, ...], tuple[int, ...]], *, onward: bool) -> Array:
    """[elements read, elements made]: which of them belong together."""
    found = np.zeros([prod(shape) for shape in shapes], bool)
    for number in range(prod(shapes[not onward])):
        one = ElementSet.of_positions(shapes[not onward], np.array([number]))
        if onward:
            found[number, link.relation.onward(one, Work()).to_positions()] = True
        else:
            found[link.relation.back(one, Work()).to_positions(), number] = True
    return found


@pytest.mark.parametrize("case", CASES)
def test_both_directions_have_the_same_links(case: str) -> None:
    links = _links(*CASES[case])
    run, onward = links.run, Onward(links)
    values = [found for found in addresses(run) if run.is_made(found) and run.is_tensor(found)]
    into = [link for address in values for link in links.into(address).links]
    out = [link for address in values for link in onward.links(address)]

    def told(link: Link) -> tuple[str, str, str, int, str]:
        return (
            str(link.source),
            str(link.target),
            link.kind,
            -1 if link.operand is None else link.operand,
            link.words,
        )

    assert sorted(map(told, into)) == sorted(map(told, out))
    assert any(link.kind is Kind.INSIDE for link in into)
    assert not any(link.kind is Kind.OPAQUE for link in into)
    for back, forth in zip(sorted(into, key=told), sorted(out, key=told), strict=True):
        shapes = run.shape(back.source), run.shape(back.target)
        assert np.array_equal(_matrix(back, shapes, onward=False), _matrix(forth, shapes, onward=True))


@pytest.mark.parametrize("case", CASES)
def test_by_way_of_a_body_nothing_is_found_that_the_op_does_not_read(case: str) -> None:
    links = _links(*CASES[case])
    for address in returned_by(links.run):
        shape = links.run.shape(address)
        for index in np.ndindex(shape):
            element = ElementSet.of_index(shape, index)
            direct: dict[Address, ElementSet] = {}
            for link in links.into(address).links:
                found = link.relation.back(element, Work())
                if link.kind is not Kind.INSIDE and found:
                    known = direct.get(link.source)
                    direct[link.source] = found if known is None else known.union(found)
            walk = walk_back(links, address, element, PATIENT)
            assert walk.complete
            outer = {
                a: n.elements for a, n in walk.nodes.items() if links.run.frame_of(a) == 0 and a != address
            }
            assert {str(a): sorted(e) for a, e in outer.items()} == {
                str(a): sorted(e) for a, e in direct.items()
            }


def _elsewhere(walk: Walk, run: RecordedRun) -> int:
    return sum(run.frame_of(address) != 0 for address in walk.nodes)


def test_a_body_of_too_many_elements_is_left_out_and_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    links = _links(*CASES["a reduction as a tree"])
    run = links.run
    (total,) = returned_by(run)
    (source,) = [
        a for a in walk_back(links, total, ElementSet.full((2,)), PATIENT).nodes if str(a) == "0.f0.0"
    ]
    assert _elsewhere(walk_back(links, total, ElementSet.full((2,)), PATIENT), run) > 8
    assert _elsewhere(walk_forward(links, source, ElementSet.of_index((70, 2), (3, 1)), PATIENT), run) > 8
    monkeypatch.setattr(tracing, "MOST_NUMBERS", 20)
    links = Links(run)
    for walk in (
        walk_back(links, total, ElementSet.full((2,)), PATIENT),
        walk_forward(links, source, ElementSet.full((70, 2)), PATIENT),
    ):
        assert not walk.complete
        assert (
            walk.reason
            == "Links through the body of stablehlo.reduce are missing: it ran on too many elements."
        )
        assert _elsewhere(walk, run) == 0
        assert {source, total} <= set(walk.nodes)


@pytest.mark.parametrize("case", CASES)
def test_nothing_changes_that_is_not_reached_in_bodies_either(case: str) -> None:
    arguments, op, types = CASES[case]

    def rerun(rows: Inputs) -> Recording:
        given = [(name, value) for (name, _), value in zip(arguments, rows[0], strict=True)]
        return _links(given, op, types).run.recording

    # Lanes of a scatter's body are counted through all places that values go to: another choice shifts them.
    with np.errstate(all="ignore"):
        assert_exact(rerun, [[value for _, value in arguments]], in_bodies="scatter" not in op)


def test_a_comparator_that_is_asked_too_often_is_told_about(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracing, "MOST_CHOICES", 20)
    links = _links(*CASES["a sort whose comparator runs pair by pair"])
    walk = walk_back(links, result(0), ElementSet.of_index((2, 4), (0, 1)), PATIENT)
    assert walk.reason == (
        "The influence of earlier answers of a body on later ones is left out: there are too many."
    )
    assert links.lanes.of(0, 0).left_out == walk.reason


COPIED = """HloModule m
set { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] copy(b) }
ENTRY e { o = f32[4] parameter(0)
  i = s32[3,1] parameter(1)
  u = f32[3] parameter(2)
  ROOT s = f32[4] scatter(o, i, u), update_window_dims={}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=set }"""


def test_a_body_that_runs_for_one_lane_is_followed() -> None:
    inputs = [_floats(4), np.array([[0], [2], [0]], np.int32), _floats(3)]
    recording = recorded(COPIED, inputs)
    links = Links(RecordedRun(recording))
    walk = walk_back(links, result(0), ElementSet.of_index((4,), (0,)), PATIENT)
    assert walk.complete
    assert {str(address): list(node.elements) for address, node in walk.nodes.items()}["0.f0.2"] == [(2,)]
    assert_exact(lambda rows: recorded(COPIED, rows[0]), [inputs], in_bodies=False)
