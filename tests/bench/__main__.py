"""`make bench`: this engine, StableHLO's reference interpreter and XLA side by side, then small measurements."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from app.examples import Example, example
from engine.debugger.recording import Recording
from engine.frontend import load
from engine.inputs import Array, default_input, make_input
from engine.program import BoundProgram
from engine.source import Source
from tests.oracle.client import Oracle, OracleCrashed, OracleRefused

from . import micro
from .measure import machine, seconds, table, times, times_as_long, typical

PROGRAMS = ("mlp", "mlp_train_step", "transformer_block")
REQUIRED = 500
"""How many times as long the reference interpreter must take at least."""


@dataclass(frozen=True)
class Row:
    """Seconds of one program; `None` where an oracle gave up."""

    name: str
    steps: int
    load: float
    ours: list[float]
    reference: float | None
    xla: float | None
    compile: float | None

    @property
    def median(self) -> float:
        """Our typical time."""
        return median(self.ours)

    @property
    def cells(self) -> list[str]:
        """As the table shows them."""
        return [
            *(
                self.name,
                f"{self.steps:,}",
                seconds(self.load),
                seconds(self.median),
                seconds(min(self.ours)),
            ),
            *(seconds(self.reference), seconds(self.xla), seconds(self.compile)),
            *(
                times_as_long(self.reference, self.median),
                times_as_long(self.median, self.xla or self.median),
            ),
        ]


HEAD = [
    *("program", "steps", "parse+verify", "ours, recorded", "fastest", "reference", "XLA"),
    *("XLA compile", "reference/ours", "ours/XLA"),
]


def inputs_of(item: Example, program: BoundProgram) -> list[Array]:
    """The example's own inputs."""
    assert program.entry is not None
    stated = [*item.inputs]
    arguments = program.entry.function.arguments
    stated += [default_input()] * (len(arguments) - len(stated))
    return [
        make_input(spec, value.type, number, value.name)
        for number, (spec, value) in enumerate(zip(stated, arguments, strict=True))
    ]


def measured(name: str, oracle: Oracle, repetitions: int, *, reference: bool) -> Row:
    """One program on all three."""
    item = example(name)
    assert item is not None
    source = Source(item.text, item.file)
    program = load(source).program
    assert program is not None
    inputs = inputs_of(item, program)
    recording = Recording(program, inputs)
    state = recording.record()
    assert state.kind == "done", state.reason
    xla, compile_seconds = _xla(oracle, item.text, inputs, repetitions)
    return Row(
        name,
        recording.step_count,
        typical(lambda: load(source), repetitions),
        times(lambda: Recording(program, inputs).record(), repetitions),
        _reference(oracle, item.text, inputs) if reference else None,
        xla,
        compile_seconds,
    )


def _reference(oracle: Oracle, text: str, inputs: Sequence[Array]) -> float | None:
    try:
        return float(oracle.measure("interpret", text, inputs)[0]["seconds"])
    except (OracleRefused, OracleCrashed) as error:
        print(f"the reference interpreter gave up: {str(error)[:300]}")
        return None


def _xla(
    oracle: Oracle, text: str, inputs: Sequence[Array], repetitions: int
) -> tuple[float | None, float | None]:
    try:
        head, _ = oracle.measure("xla", text, inputs, repetitions + 1)
    except (OracleRefused, OracleCrashed) as error:
        print(f"XLA gave up: {str(error)[:300]}")
        return None, None
    return median(head["seconds"][1:]), float(head["compile_seconds"])


def main() -> None:
    """Measures and prints; fails where the engine is slower than it must be."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--repetitions", type=int, default=7, help="runs of which the median is shown")
    parser.add_argument("--no-reference", action="store_true", help="leave out what takes minutes")
    given = parser.parse_args()
    print(machine())
    print(f"Medians of {given.repetitions} runs after one to warm up; the reference interpreter ran once.\n")
    oracle = Oracle(seconds=1800)
    rows = [measured(name, oracle, given.repetitions, reference=not given.no_reference) for name in PROGRAMS]
    oracle.close()
    print(table(HEAD, [row.cells for row in rows]), end="\n\n")
    print(table(["measurement", "result"], micro.lines(3)), end="\n\n")
    ratio = (rows[0].reference or 0) / rows[0].median
    if not given.no_reference:
        verdict = "as required" if ratio >= REQUIRED else "NOT as required"
        print(f"mlp: the reference takes {ratio:,.0f} times as long ({REQUIRED} are asked for): {verdict}")


if __name__ == "__main__":
    main()
