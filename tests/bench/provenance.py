"""What it takes to tell where elements come from: one step, all the way, and images of large sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from hloscope.app.reference.examples import example
from hloscope.app.runs.launching import launch
from hloscope.app.runs.run_inputs import stated_inputs
from hloscope.engine.debugger.address import Address, argument
from hloscope.engine.debugger.provenance import (
    Budget,
    End,
    Links,
    RecordedRun,
    step_back,
    step_forward,
    walk_back,
    walk_forward,
)
from hloscope.engine.debugger.provenance.formulas import Formulas
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.frontend import load
from hloscope.engine.indexing import reduce_maps, reshape_maps
from hloscope.engine.indexing.elements.element_sets import ElementSet
from hloscope.engine.indexing.elements.images import image
from hloscope.engine.indexing.evaluation.bound_map import BoundMap
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.ops.core.process_groups import ALONE
from hloscope.engine.source import Source

from .measure import seconds, table, typical

SIDE = 4096
ITERATIONS = 5_000
ALL_THE_WAY = 50e-3
"""Allowed for one element of the transformer block, back to its inputs."""
_MATRIX = f"tensor<{SIDE}x{SIDE}xf32>"
PRODUCT = f"""func.func @main(%a: {_MATRIX}) -> {_MATRIX} {{
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : ({_MATRIX}, {_MATRIX}) -> {_MATRIX}
  return %0 : {_MATRIX}
}}
"""
LOOP = """func.func @main(%n: tensor<i32>, %step: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %n, %sum = %zero) : tensor<i32>, tensor<i32>
    cond {
      %1 = stablehlo.compare GT, %i, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.add %sum, %step : tensor<i32>
      %2 = stablehlo.subtract %i, %one : tensor<i32>
      stablehlo.return %2, %1 : tensor<i32>, tensor<i32>
    }
  return %0#1 : tensor<i32>
}
"""


def lines(repetitions: int) -> Iterator[str]:
    """What to print."""
    rows = [*_block(repetitions), *_images(repetitions), *_large(repetitions), *_loop()]
    yield table(["measurement", "result"], [list(row) for row in rows])


def _block(repetitions: int) -> Iterator[tuple[str, str]]:
    """The transformer block of the examples."""
    recording = _example("transformer_block")
    links, address = _returned(recording)
    element = ElementSet.of_index(links.run.shape(address), (0, 0, 0))
    first = typical(lambda: walk_back(Links(RecordedRun(recording)), address, element), repetitions)
    taken = typical(lambda: walk_back(links, address, element), repetitions)
    walk = walk_back(links, address, element)
    allowed = f"{ALL_THE_WAY * 1e3:g} ms are allowed"
    yield "one element of a transformer block to its inputs", f"{seconds(taken)} ({allowed})"
    yield "the same, asked for the first time", f"{seconds(first)} ({allowed})"
    inputs = len(list(walk.end_nodes(End.INPUT)))
    yield "on the way", f"{len(walk.nodes)} values, {len(walk.edges)} links, {inputs} inputs"
    steps = [node.address for node in walk.nodes.values() if node.address.kind == "s"]
    hops = typical(lambda: [step_back(links, a, _one(links, a)) for a in steps], repetitions)
    yield "one step back, mean over these values", seconds(hops / len(steps))
    formulas = Formulas(links)
    filled = typical(
        lambda: [formulas.formula(a, (0,) * len(links.run.shape(a))) for a in steps], repetitions
    )
    yield "a formula with numbers, mean", seconds(filled / len(steps))
    start = argument(0)
    taken = typical(lambda: step_forward(links, start, _one(links, start)), repetitions)
    yield "one step forward from an input", seconds(taken)
    taken = typical(lambda: walk_forward(links, start, _one(links, start)), repetitions)
    yield "from an element of an input to the results", seconds(taken)


def _images(repetitions: int) -> Iterator[tuple[str, str]]:
    large, flat = (SIDE, SIDE), (SIDE * SIDE,)
    row = next(reduce_maps([large], (1,))).map
    reshaped = next(reshape_maps(large, flat)).map
    cases: list[tuple[str, Callable[[], object]]] = [
        (
            f"elements of {SIDE} x {SIDE} that one element of a reduction reads",
            lambda: image(BoundMap(row, ()), ElementSet.of_index((SIDE,), (7,)), large),
        ),
        (
            "that all elements of it read",
            lambda: image(BoundMap(row, ()), ElementSet.full((SIDE,)), large),
        ),
        (
            f"that {5_000_000:,} neighbours of a reshape read",
            lambda: image(
                BoundMap(reshaped, ()), ElementSet.of_boxes(flat, [(range(100, 5_000_100),)]), large
            ),
        ),
    ]
    for what, work in cases:
        yield what, seconds(typical(work, repetitions))


def _large(repetitions: int) -> Iterator[tuple[str, str]]:
    program = load(Source(PRODUCT)).program
    assert program is not None
    recording = Recording(program, [np.zeros((SIDE, SIDE), np.float32)])
    recording.record()
    links, address = _returned(recording)
    element = ElementSet.of_index((SIDE, SIDE), (7, 9))
    formulas = Formulas(links)
    taken = typical(
        lambda: (step_back(links, address, element), formulas.formula(address, (7, 9))), repetitions
    )
    yield f"one step back from a product of {SIDE} x {SIDE}, with its formula", seconds(taken)


def _loop() -> Iterator[tuple[str, str]]:
    program = load(Source(LOOP)).program
    assert program is not None
    recording = Recording(program, [np.array(ITERATIONS, np.int32), np.array(1, np.int32)])
    recording.record()
    links, address = _returned(recording)
    found: list[int] = []
    taken = typical(
        lambda: found.append(len(walk_back(links, address, ElementSet.full(()), Budget(600)).nodes)), 1
    )
    yield f"through {ITERATIONS:,} iterations of a loop", f"{seconds(taken)}, {found[-1]:,} values"


def _example(name: str) -> Recording:
    found = example(name)
    assert found is not None
    program = load(Source(found.text)).program
    assert program is not None
    assert program.entry is not None
    given = launch(program, program.entry, ALONE, stated_inputs(found.text), {}, DEFAULT_LIMITS)
    recording = Recording(program, given)
    assert recording.record().kind == "done", recording.state.reason
    return recording


def _returned(recording: Recording) -> tuple[Links, Address]:
    """The links of a run, and the first value that it returned."""
    links = Links(RecordedRun(recording))
    end = links.run.steps(0).end_of(0)
    assert end is not None
    return links, links.run.operands(0, end)[0]


def _one(links: Links, address: Address) -> ElementSet:
    shape = links.run.shape(address)
    return ElementSet.of_index(shape, (0,) * len(shape))
