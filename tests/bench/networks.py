"""Whole programs: this engine with every value recorded, StableHLO's reference interpreter, JAX and XLA."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp, log
from statistics import median

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.inputs import Array
from tests.oracle.client import Oracle, OracleCrashed, OracleRefused
from tests.programs import load_program

from .measure import seconds, table, times

NETWORKS = tuple(
    f"{name}{suffix}"
    for name in ("mlp", "cnn", "transformer", "lstm", "scan", "batch_norm")
    for suffix in ("", "_training")
)
REQUIRED = 300
"""How many times as long the reference interpreter must take, in the geometric mean."""
HEAD = [
    *("program", "steps", "ours, recorded", "reference", "JAX op by op", "XLA compiled"),
    *("reference/ours", "JAX/ours", "ours/XLA"),
]


@dataclass(frozen=True)
class Row:
    """Seconds of one program, medians but for the reference, which ran once; `None` where it gave up."""

    name: str
    steps: int
    ours: float
    reference: float | None
    op_by_op: float
    xla: float

    @property
    def cells(self) -> list[str]:
        """As the table shows them."""
        times_reference = "-" if self.reference is None else f"{self.reference / self.ours:,.0f}"
        return [
            *(self.name, f"{self.steps:,}", seconds(self.ours), seconds(self.reference)),
            *(seconds(self.op_by_op), seconds(self.xla), times_reference),
            *(f"{self.op_by_op / self.ours:.1f}", f"{self.ours / self.xla:.1f}"),
        ]


def lines(oracle: Oracle, repetitions: int, *, reference: bool) -> Iterator[str]:
    """What to print."""
    rows = [_measured(name, oracle, repetitions, reference=reference) for name in NETWORKS]
    yield table(HEAD, [row.cells for row in rows])
    ratios = [row.reference / row.ours for row in rows if row.reference is not None]
    if ratios:
        mean = exp(sum(map(log, ratios)) / len(ratios))
        verdict = "as required" if mean >= REQUIRED else "NOT as required"
        yield (
            f"the reference takes {mean:,.0f} times as long in the geometric mean ({REQUIRED} are asked for, "
            f"{verdict}), {min(ratios):.1f} at least"
        )
    slower = [row.name for row in rows if row.ours > row.op_by_op]
    yield f"slower than JAX op by op: {', '.join(slower) or 'none'}"


def _measured(name: str, oracle: Oracle, repetitions: int, *, reference: bool) -> Row:
    text, inputs, _ = oracle.export(name)
    program = load_program(text)
    recording = Recording(program, inputs)
    state = recording.record()
    assert state.kind == "done", state.reason
    compiled, _ = oracle.measure("xla", text, inputs, repetitions + 1)
    return Row(
        name,
        recording.step_count,
        median(times(lambda: Recording(program, inputs).record(), repetitions)),
        _reference(oracle, text, inputs) if reference else None,
        median(oracle.op_by_op(name, repetitions)),
        median(compiled["seconds"][1:]),
    )


def _reference(oracle: Oracle, text: str, inputs: Sequence[Array]) -> float | None:
    try:
        return float(oracle.measure("interpret", text, inputs)[0]["seconds"])
    except (OracleRefused, OracleCrashed) as error:
        print(f"the reference interpreter gave up: {str(error)[:300]}")
        return None
