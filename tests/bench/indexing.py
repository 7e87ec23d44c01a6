"""Index maps: simplifying, composing, printing and reading those that the tests' calls of every op have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from statistics import median, quantiles
from time import perf_counter
from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, settings

from hloscope.engine.indexing import (
    IndexMap,
    compose,
    print_map,
    reshape_maps,
    simplification,
    simplify,
)
from tests.ops.cases import CASES
from tests.ops.cases.drawing import Case, Cases

from ..indexing.map_parser import parse_map
from .measure import seconds, table

T = TypeVar("T")
CALLS = 10
ALLOWED = 1e-3
"""Seconds that simplifying a map of an op may take in the median."""
SHAPES = [(64, 48, 36), (27, 4096), (48, 64, 36), (16, 6912), (96, 24, 48), (64, 48, 36)]


def lines(repetitions: int) -> Iterator[str]:
    """What to print."""
    maps = [item for name, cases in sorted(CASES.items()) for item in _maps_of(name, cases)]
    written = [(name, index_map) for name, index_map in maps if index_map.results]
    rows = [
        _row("simplified", maps, simplify, repetitions),
        _row("those with results", written, simplify, repetitions),
        _row("simplified, each step told", maps, simplification, repetitions),
        _row("simplified again", [(name, simplify(found)) for name, found in maps], simplify, repetitions),
        _row("printed", maps, print_map, repetitions),
        _row("read", [(name, print_map(found)) for name, found in maps], parse_map, repetitions),
        _row("chains of reshapes, simplified", _chains(), simplify, repetitions),
    ]
    yield f"{len(maps):,} maps of {len(CASES)} ops, up to {CALLS} calls of each"
    yield table(["a map", "median", "9 of 10", "slowest", "of"], [cells for cells, _ in rows])
    yield f"{seconds(ALLOWED)} are allowed: {'as required' if rows[1][1] <= ALLOWED else 'NOT as required'}"


def _maps_of(name: str, cases: Cases) -> list[tuple[str, IndexMap]]:
    """Both directions of random calls, the same each time."""
    found: dict[str, IndexMap] = {}

    @settings(
        max_examples=CALLS,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(cases)
    def collect(case: Case) -> None:
        for item in (*case.op.index_maps(), *case.op.inverse_index_maps()):
            found[print_map(item.map)] = item.map

    collect()
    return [(name, index_map) for index_map in found.values()]


def _chains() -> list[tuple[str, IndexMap]]:
    """One reshape behind the other, all but the last simplified."""
    chains = []
    for count in range(2, len(SHAPES) + 1):
        whole = IndexMap.identity(SHAPES[0])
        for before, after in pairwise(SHAPES[:count]):
            (step,) = reshape_maps(before, after, inverse=True)
            whole = compose(simplify(whole), step.map)
            chains.append((f"{count} reshapes", whole))
    return chains


def _row(
    what: str, given_maps: list[tuple[str, T]], work: Callable[[T], object], repetitions: int
) -> tuple[list[str], float]:
    """The cells, and the median."""
    taken = [(_typical(partial(work, item), repetitions), name) for name, item in given_maps]
    times = [value for value, _ in taken]
    slowest, name = max(taken)
    cells = [what, seconds(median(times)), seconds(quantiles(times, n=10)[-1]), seconds(slowest), name]
    return cells, median(times)


def _typical(work: Callable[[], object], repetitions: int) -> float:
    times = []
    for _ in range(max(3, repetitions)):
        begin = perf_counter()
        work()
        times.append(perf_counter() - begin)
    return median(times)
