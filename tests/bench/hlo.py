"""HLO text beside StableHLO: the same programs in both, a fusion beside its body, reading."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from time import perf_counter

import numpy as np

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.frontend import load
from hloscope.engine.inputs import Array
from hloscope.engine.process_grid import results_of
from hloscope.engine.program import BoundProgram
from hloscope.engine.source import Source
from tests.oracle.client import Oracle
from tests.programs import load_program

from . import micro
from .measure import seconds, table, typical
from .networks import NETWORKS

OPS = 20_000
CHAIN = 10_000
BODY = 10
"""Instructions of one fusion."""
ALLOWED, ALLOWED_FUSION = 1.2, 1.1
_NAMES = ("add", "multiply", "subtract", "maximum")
_METADATA = ', metadata={op_name="jit(f)/add" stack_frame_id=0}'
COUNTER = """HloModule counter
small {
  t = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  n = s32[] get-tuple-element(t), index=1
  ROOT less = pred[] compare(i, n), direction=LT
}
next {
  t = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  one = s32[] constant(1)
  j = s32[] add(i, one)
  n = s32[] get-tuple-element(t), index=1
  ROOT r = (s32[], s32[]) tuple(j, n)
}
ENTRY main {
  n = s32[] parameter(0)
  zero = s32[] constant(0)
  t = (s32[], s32[]) tuple(zero, n)
  w = (s32[], s32[]) while(t), condition=small, body=next
  ROOT r = s32[] get-tuple-element(w), index=0
}
"""


def lines(oracle: Oracle, repetitions: int) -> Iterator[str]:
    """What to print."""
    found = [_both(oracle, name, repetitions) for name in NETWORKS]
    head = ["program", "StableHLO", "HLO before", "before/StableHLO", "HLO after", "steps after", "a step"]
    yield table(head, [cells for cells, _ in found])
    slow = [cells[0] for cells, ratio in found if ratio > ALLOWED]
    yield f"more than {ALLOWED} times as long before optimisation: {', '.join(slow) or 'none'}"
    rest = [*_reading(repetitions), *_stepping(repetitions), _looping(repetitions), _fusing(repetitions)]
    yield table(["measurement", "result"], [list(line) for line in rest])


def _both(oracle: Oracle, name: str, repetitions: int) -> tuple[list[str], float]:
    """Seconds of a program recorded, as StableHLO and as HLO before and after optimisation."""
    (stablehlo, before, after), inputs, _ = oracle.export_hlo(name)
    programs = [load_program(text) for text in (stablehlo, before, after)]
    taken = _in_turns(programs, inputs, repetitions)
    recording = Recording(programs[2], inputs)
    recording.record()
    steps = recording.step_count
    ratio = taken[1] / taken[0]
    cells = [name, *map(seconds, taken[:2]), f"{ratio:.2f}", seconds(taken[2]), f"{steps:,}"]
    return [*cells, seconds(taken[2] / steps)], ratio


def _in_turns(programs: list[BoundProgram], inputs: list[Array], repetitions: int) -> list[float]:
    """The median time of each program; they take turns, so that a slow moment of the machine is everybody's."""
    found: list[list[float]] = [[] for _ in programs]
    for _ in range(repetitions + 1):
        for times, program in zip(found, programs, strict=True):
            recording = Recording(program, inputs)
            begin = perf_counter()
            recording.record()
            times.append(perf_counter() - begin)
    return [median(times[1:]) for times in found]


def chain(count: int, metadata: str = "") -> str:
    """A computation of `count` instructions, one a line."""
    body = "\n".join(_chained(count, "p", metadata))
    return f"HloModule chain\n\nENTRY main {{\n  p = f32[4,8]{{1,0}} parameter(0)\n{body}\n}}\n"


def _chained(count: int, first: str, metadata: str = "") -> Iterator[str]:
    for k in range(count):
        before = f"v{k - 1}" if k else first
        root = "ROOT " if k == count - 1 else ""
        yield f"  {root}v{k} = f32[4,8]{{1,0}} {_NAMES[k % 4]}({before}, {first}){metadata}"


def fusions(count: int) -> str:
    """A computation of `count` fusions, each of the same body."""
    body = "\n".join(_chained(BODY, "x")).replace(", x)", ", p)")
    head = f"body {{\n  x = f32[4,8]{{1,0}} parameter(0)\n  p = f32[4,8]{{1,0}} parameter(1)\n{body}\n}}\n"
    names = ["p", *(f"f{k}" for k in range(count))]
    calls = [
        f"  {'ROOT ' if k == count - 1 else ''}f{k} = f32[4,8]{{1,0}} fusion({names[k]}, p), kind=kLoop, calls=body"
        for k in range(count)
    ]
    inside = "\n".join(calls)
    return f"HloModule fused\n\n{head}\nENTRY main {{\n  p = f32[4,8]{{1,0}} parameter(0)\n{inside}\n}}\n"


def _reading(repetitions: int) -> Iterator[tuple[str, str]]:
    beside = Source(micro.chain(OPS))
    yield (
        f"parse and verify {OPS:,} ops of StableHLO",
        _rate(beside, typical(lambda: load(beside), repetitions)),
    )
    for what, text in (("", chain(OPS)), (" with metadata", chain(OPS, _METADATA))):
        source = Source(text)
        taken = typical(lambda source=source: load(source), repetitions)  # type: ignore[misc]
        yield f"parse and verify {OPS:,} instructions{what}", _rate(source, taken)
    twice = Source(chain(2 * OPS))
    once = typical(lambda: load(Source(chain(OPS))), repetitions)
    yield "twice as many take", f"{typical(lambda: load(twice), repetitions) / once:.2f} times as long"
    numbers = ", ".join(f"{value:.6g}" for value in np.random.default_rng(0).normal(size=500_000))
    text = f"HloModule m\nENTRY main {{ ROOT c = f32[500000] constant({{{numbers}}}) }}"
    source = Source(text)
    yield "a constant of 500,000 numbers", _rate(source, typical(lambda: load(source), repetitions))


def _rate(source: Source, taken: float) -> str:
    size = len(source.text)
    return f"{seconds(taken)}, {size / taken / 1e6:.2f} MB/s"


def _stepping(repetitions: int) -> Iterator[tuple[str, str]]:
    program, x = load_program(chain(CHAIN)), np.ones((4, 8), np.float32)
    by_hand = typical(lambda: micro.chain_by_hand(x), repetitions) / CHAIN
    recorded = typical(lambda: Recording(program, [x]).record(), repetitions) / CHAIN
    unheard = typical(lambda: results_of(program, [x]), repetitions) / CHAIN
    yield "overhead of an instruction, recorded", f"{seconds(recorded - by_hand)} (10 µs are allowed)"
    yield "overhead of an instruction, not recorded", f"{seconds(unheard - by_hand)} (5 µs are allowed)"


def _looping(repetitions: int) -> tuple[str, str]:
    inputs = [np.array(micro.ITERATIONS, np.int32)]
    taken = _in_turns([load_program(micro.COUNTER), load_program(COUNTER)], inputs, repetitions)
    return "loop of scalars, recorded, HLO/StableHLO", f"{taken[1] / taken[0]:.2f}"


def _fusing(repetitions: int) -> tuple[str, str]:
    count = CHAIN // BODY
    taken = _in_turns(
        [load_program(chain(CHAIN)), load_program(fusions(count))], [np.ones((4, 8), np.float32)], repetitions
    )
    ratio = taken[1] / taken[0]
    what = f"{count:,} fusions of {BODY} instructions/the instructions"
    return what, f"{ratio:.2f} ({ALLOWED_FUSION} are allowed)"
