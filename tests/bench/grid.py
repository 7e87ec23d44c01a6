"""256 processes beside one: what rendezvous, clocks and tracks cost over running the same ops one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

import numpy as np

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.inputs import Array
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.process_grid import Launch, results_on_grid
from hloscope.engine.program import BoundProgram
from tests.programs import load_program

from .measure import table

PROCESSES, OPS, COLLECTIVES = 256, 1_000, 20
SIDE = 128
"""Tensors of 128 x 128 f32, which is 64 KB."""
ALLOWED = 1.5
_TYPE = f"tensor<{SIDE}x{SIDE}xf32>"
_NAMES = ("add", "multiply", "subtract", "maximum")
_REDUCE = f"""%{{}} = "stablehlo.all_reduce"(%{{}}) <{{{{replica_groups = dense<{{}}> : tensor<{{}}x{{}}xi64>,
  channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}}}}> ({{{{
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
  }}}}) : ({_TYPE}) -> {_TYPE}"""
_PERMUTE = f"""%{{}} = "stablehlo.collective_permute"(%{{}}) <{{{{source_target_pairs = dense<{{}}> : tensor<{{}}x2xi64>,
  channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}}}}> : ({_TYPE}) -> {_TYPE}"""


def lines(repetitions: int) -> Iterator[str]:
    """What to print."""
    rows, ratios = [], []
    for kind, collective in (("all_reduce of all", _all), ("all_reduce of 16", _groups), ("ring", _ring)):
        found = _measured(collective, repetitions)
        rows.append([kind, *(f"{value:.2f} s" for value in found), f"{found[0] / found[1]:.2f}"])
        ratios.append(found[0] / found[1])
    yield f"{PROCESSES} processes, {OPS:,} ops of {SIDE * SIDE * 4 // 1024} KB, {COLLECTIVES} of them collective"
    head = ["collective", "grid, recorded", "one after the other, recorded", "grid, not recorded", "ratio"]
    yield table(head, rows)
    yield f"largest ratio {max(ratios):.2f}, {ALLOWED} allowed"


def _measured(collective: object, repetitions: int) -> tuple[float, float, float]:
    """Seconds: the grid recorded, its processes one after the other recorded, the grid unrecorded."""
    assert callable(collective)
    together, alone = _program(collective, PROCESSES), _program(collective, 1)
    times = [(_grid(together), _one_by_one(alone), _unrecorded(together)) for _ in range(max(1, repetitions))]
    first, second, third = (sorted(column)[len(times) // 2] for column in zip(*times, strict=True))
    return first, second, third


def _inputs(number: int) -> tuple[Array, ...]:
    return (np.full((SIDE, SIDE), number, np.float32),)


def _grid(program: BoundProgram) -> float:
    launch = Launch(Grid(1, PROCESSES), tuple(map(_inputs, range(PROCESSES))))
    begin = perf_counter()
    recording = Recording(program, launch)
    assert recording.record().kind == "done", recording.state.reason
    return perf_counter() - begin


def _one_by_one(program: BoundProgram) -> float:
    begin = perf_counter()
    for number in range(PROCESSES):
        recording = Recording(program, Launch(Grid(1, 1), (_inputs(number),)))
        assert recording.record().kind == "done"
    return perf_counter() - begin


def _unrecorded(program: BoundProgram) -> float:
    launch = Launch(Grid(1, PROCESSES), tuple(map(_inputs, range(PROCESSES))))
    begin = perf_counter()
    results_on_grid(program, launch)
    return perf_counter() - begin


def _program(collective: object, processes: int) -> BoundProgram:
    assert callable(collective)
    statements, last, before = [], "x", "x"
    for number in range(OPS - 1):
        name = f"v{number}"
        if number % (OPS // COLLECTIVES) == OPS // COLLECTIVES - 2:
            statements.append(collective(name, last, processes))
        else:
            op = _NAMES[number % len(_NAMES)]
            statements.append(f"%{name} = stablehlo.{op} %{last}, %{before} : {_TYPE}")
        last, before = name, last
    body = "\n".join(statements)
    text = f"func.func @main(%x: {_TYPE}) -> {_TYPE} {{\n{body}\nreturn %{last} : {_TYPE}\n}}"
    found = load_program(text)
    return found


def _all(name: str, operand: str, processes: int) -> str:
    return _REDUCE.format(name, operand, [list(range(processes))], 1, processes)


def _groups(name: str, operand: str, processes: int) -> str:
    width = min(16, processes)
    rows = np.arange(processes).reshape(-1, width).tolist()
    return _REDUCE.format(name, operand, rows, len(rows), width)


def _ring(name: str, operand: str, processes: int) -> str:
    pairs = [[number, (number + 1) % processes] for number in range(processes)]
    return _PERMUTE.format(name, operand, pairs, len(pairs))
