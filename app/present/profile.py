"""The profile of a run, as JSON and in words."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from hloscope.engine.debugger.flame import Flame
from hloscope.engine.debugger.profile import By, ProfileRow, RunProfile, shares_times
from hloscope.engine.debugger.recording import Recording

from ..wire.profile import FlameInfo, ProfileGroups, ProfileInfo
from .memory import bytes_text
from .numbers import percent_text

MOST_LINES = 12
"""Number of rows in the report for a terminal."""
COUNTED = (
    "Counts follow from types. Bytes are those of operands and results, each in full: constants, calls and loops have none, and an "
    "op that has not finished has written none. Floating-point operations are at most: two for each product of a "
    "contraction, one for each element of an elementwise op, one run of the body for each element of a reduction; integer ops, "
    "sorts, random numbers, custom calls and ops that move elements have none."
)
_HEAD = ("time", "share", "total", "runs", "read", "written", "flops", "flops/byte", "live", "")


@dataclass
class Profile:
    """The profile of a recording; printed, the report."""

    recording: Recording
    by: By = "op"
    most: int = MOST_LINES
    processes: Sequence[int] | None = None
    """The processes that are added up; `None`: all."""

    def __post_init__(self) -> None:
        self.run = RunProfile(self.recording, self.processes)

    @property
    def rows(self) -> tuple[ProfileRow, ...]:
        """The rows, those with the most time first."""
        return self.run.grouped(self.by)

    def json(self) -> ProfileInfo:
        """All ops as columns, with their groups."""
        rows = self.run.rows
        return {
            "ops": [row.ops[0] for row in rows],
            "counts": [row.count for row in rows],
            "seconds": [row.seconds for row in rows],
            "totals": [row.total for row in rows],
            "read": [row.read for row in rows],
            "written": [row.written for row in rows],
            "flops": [row.flops for row in rows],
            "live": [row.live for row in rows],
            "kinds": self._groups("kind"),
            "functions": self._groups("function"),
            "scopes": self._groups("scope"),
            "measured": measured_text(self.recording),
            "counted": COUNTED,
        }

    def named_json(self) -> dict[str, Any]:
        """The same for readers without the table of ops: also the title and the line of each op."""
        ops = [row.ops[0] for row in self.run.rows]
        lines = [self.recording.program.line_of(op) for op in ops]
        return {**self.json(), "titles": [self.run.group_of(op, "op") for op in ops], "lines": lines}

    def _groups(self, by: By) -> ProfileGroups:
        numbers: dict[str, int] = {}
        of = [numbers.setdefault(self.run.group_of(row.ops[0], by), len(numbers)) for row in self.run.rows]
        totals = self.run.group_totals(by)
        return {"titles": list(numbers), "of": of, "totals": [totals[title] for title in numbers]}

    def lines(self) -> Iterator[str]:
        """The report: what is measured, and a table."""
        total, rows = self.run.total, self.rows
        yield f"{seconds_text(total.seconds)} in {_counted(total.count, 'execution')} of {_counted(len(self.run.rows), 'op')}."
        yield measured_text(self.recording)
        yield COUNTED
        table = [_HEAD, *(self._cells(row) for row in rows[: self.most])]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        for cells in table:
            *numbers, title = (cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
            yield "  ".join([*numbers, title.strip()]).rstrip()
        if len(rows) > self.most:
            yield f"and {_counted(len(rows) - self.most, 'more row')}"

    def _cells(self, row: ProfileRow) -> tuple[str, ...]:
        share = row.seconds / self.run.total.seconds if self.run.total.seconds else 0.0
        line = f", line {self.recording.program.line_of(row.ops[0])}" if self.by == "op" else ""
        return (
            seconds_text(row.seconds),
            percent_text(share),
            seconds_text(row.total),
            f"{row.count:,}",
            bytes_text(row.read),
            bytes_text(row.written),
            f"{row.flops:,}",
            "" if row.intensity is None else f"{row.intensity:.3g}",
            bytes_text(row.live),
            (row.title or "(no scope)") + line,
        )

    def __str__(self) -> str:
        return "\n".join(self.lines())


def flame_json(flame: Flame) -> FlameInfo:
    """The bars of a flame chart."""
    return {
        "bars": [asdict(bar) for bar in flame.bars],  # type: ignore[misc]
        "start": flame.start,
        "stop": flame.stop,
        "seconds": flame.seconds,
    }


def measured_text(recording: Recording) -> str:
    """Whose times they are, as sentences."""
    sentences = [f"Times are measured: {_whose(recording)}."]
    if any(map(shares_times, recording.tracks)):
        sentences.append("Steps of a loop of scalars that ran together have equal shares of its time.")
    if len(recording.tracks) > 1:
        sentences.append(
            "Processes ran one after the other; where one has the operands of another, it takes over its results."
        )
    return " ".join(sentences)


def _whose(recording: Recording) -> str:
    executor = recording.executor
    if executor is None:
        return "those of hloscope's engine on this machine, with the recording of each step"
    if executor.is_stored:
        return "those of hloscope's engine, which reads the recorded values in place of computing their ops"
    if executor.is_strict:
        return "those of XLA with the transfer of values where it computes an op, otherwise those of hloscope's engine"
    return (
        "ops that XLA computes together have their time, with compilation and transfer, at the first of them; other ops "
        "have that of hloscope's engine"
    )


def seconds_text(seconds: float) -> str:
    """`1.25 s`, `3.4 ms`, `12 µs`."""
    for factor, unit in ((1, "s"), (1e3, "ms")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
