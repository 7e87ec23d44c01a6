"""Memory and traffic of the programs in a file or a dump, beside what XLA allocated, and the difference of two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hloscope.engine.errors import InputError
from hloscope.engine.frontend import load
from hloscope.engine.limits import Limits
from hloscope.engine.live_memory.collectives import Collective, Copies, collectives_of, copies_of
from hloscope.engine.live_memory.profile import LiveBuffer, Memory, memory_of
from hloscope.engine.passes.buffers import Allocation, read_allocations
from hloscope.engine.passes.stages import DumpedFile, DumpedModule, Stage
from hloscope.engine.program import BoundFunction, BoundProgram
from hloscope.engine.source import Source

from ..present.memory import (
    bytes_text,
    left_out,
    live_json,
    memory_difference,
    memory_json,
    order_text,
    value_line,
)
from ..present.numbers import percent_text
from ..present.program import location_text
from ..wire.memory import MemoryChange, MemoryDifference, PeakBuffers
from .dump_files import Dump

MOST_BUFFERS = 10
"""Number of buffers at the peak that are listed by default."""


@dataclass(frozen=True)
class Allocated:
    """The bytes that XLA allocated, from its buffer assignment."""

    arguments: int
    results: int
    temporaries: int
    constants: int

    @property
    def total(self) -> int:
        """All bytes but those of constants."""
        return self.arguments + self.results + self.temporaries

    @classmethod
    def of(cls, allocations: Sequence[Allocation]) -> Allocated:
        """The sums over allocations; memory of an argument that also holds a result counts as the argument's."""
        sums: Counter[str] = Counter()
        for each in allocations:
            sums[_kind(each.kinds)] += each.size
        return cls(sums["parameter"], sums["result"], sums["temporary"], sums["constant"])


def _kind(kinds: Sequence[str]) -> str:
    if any(kind.startswith("parameter") for kind in kinds):
        return "parameter"
    if "constant" in kinds:
        return "constant"
    return "result" if "maybe-live-out" in kinds else "temporary"


@dataclass(frozen=True, repr=False)
class MemoryReport:
    """The memory and traffic of one program."""

    title: str
    memory: Memory
    allocated: Allocated | None = None
    """From XLA's buffer assignment, if the dump has one for this text."""
    path: str = ""
    """The text's file in its dump."""

    @property
    def program(self) -> BoundProgram:
        """The program."""
        return self.memory.program

    @cached_property
    def live(self) -> tuple[LiveBuffer, ...]:
        """The buffers live at the peak, the largest first: `name`, `bytes`, `kind`, `location`, `is_donated`."""
        return self.memory.live_at(self.memory.peak) if self.memory.schedule else ()

    @cached_property
    def collectives(self) -> tuple[Collective, ...]:
        """The collectives, in the order of the text: `opcode`, `members`, `sent_bytes`, `runs`, `op_name`, `location`."""
        return collectives_of(self.program, self.memory.function)

    @cached_property
    def copies(self) -> Copies:
        """The copies outside of kernels."""
        return copies_of(self.program, self.memory.function)

    @property
    def peak_bytes(self) -> int:
        """The most bytes that are live at one op."""
        return self.memory.peak_bytes

    @property
    def sent(self) -> int | None:
        """The bytes that a process sends in all collectives; `None` if it is unknown how often one runs."""
        totals = [each.total_bytes for each in self.collectives]
        return None if None in totals else sum(total or 0 for total in totals)

    def __str__(self) -> str:
        return "\n".join(self.lines(MOST_BUFFERS))

    __repr__ = __str__

    def json(self, most: int) -> dict[str, Any]:
        """The report as an object; `most`: the number of buffers listed."""
        found: dict[str, Any] = {"title": self.title, **memory_json(self.memory)}
        found["lines"] = [self.program.line_of(op) for op in self.memory.schedule]
        found["live"] = live_json(self.memory, self.memory.peak, most) if self.memory.schedule else None
        allocated = self.allocated
        found["allocated"] = allocated and {**vars(allocated), "total": allocated.total}
        return found

    def lines(self, most: int) -> Iterator[str]:
        """The report as text."""
        if not self.memory.schedule:
            yield f"{self.title}: no ops"
            return
        peak = self.program.ops[self.memory.peak].operation
        name = f", {peak.results[0].name}" if peak.results else ""
        line = self.program.line_of(self.memory.peak)
        yield f"{self.title}: peak {bytes_text(self.memory.peak_bytes)} live at line {line}, {peak.spelled}{name}"
        kinds: Counter[str] = Counter()
        for each in self.live:
            kinds[each.kind] += each.bytes
        sums = [f"{kind}s {bytes_text(kinds[kind])}" for kind in ("argument", "result", "temporary")]
        yield "  " + ", ".join(sums).replace("temporarys", "temporaries")
        yield f"  {order_text(self.memory)}"
        if others := left_out(self.memory):
            yield f"  Not counted: {', '.join(others)}."
        if self.allocated:
            yield f"  XLA allocated {_allocated_text(self.allocated)}"
        yield from _table(self._live_rows(most))
        if more := self.live[most:]:
            yield f"  {len(more):,} more of {bytes_text(sum(each.bytes for each in more))}"
        yield from self._traffic_lines()

    def _live_rows(self, most: int) -> Iterator[tuple[str, ...]]:
        for each in self.live[:most]:
            line = f"line {value_line(self.program, each.leaf.value)}"
            donated = "donated " if each.is_donated else ""
            yield (
                bytes_text(each.bytes),
                donated + each.kind,
                each.name,
                line,
                location_text(each.location) or "",
            )

    def _traffic_lines(self) -> Iterator[str]:
        copied = "an unknown number of bytes" if self.copies.bytes is None else bytes_text(self.copies.bytes)
        write = "copy op writes" if self.copies.count == 1 else "copy ops write"
        yield f"  {self.copies.count:,} {write} {copied} in a run" if self.copies.count else "  0 copies"
        if not self.collectives:
            yield "  no collectives"
            return
        each_sends = "an unknown number of bytes" if self.sent is None else bytes_text(self.sent)
        plural = "collective" if len(self.collectives) == 1 else "collectives"
        yield f"  {len(self.collectives):,} {plural}: a process sends {each_sends} in a run, by ring algorithms"
        yield from _table(self._collective_rows())

    def _collective_rows(self) -> Iterator[tuple[str, ...]]:
        for each in self.collectives:
            runs = "in a loop" if each.runs is None else f"{each.runs:,} ×"
            shardings = {"operand": each.operand_sharding, "result": each.result_sharding}
            stated = [f"{of}: {sharding}" for of, sharding in shardings.items() if sharding]
            again = {
                "xla": "rematerialised by XLA",
                "checkpoint": "rematerialised by jax.checkpoint",
                None: "",
            }
            place = location_text(each.location) or each.op_name
            yield (
                f"{runs} {bytes_text(each.sent_bytes)}",
                f"{each.opcode} {each.name}",
                f"{each.members:,} processes",
                f"line {self.program.line_of(each.op)}",
                "  ".join(part for part in (place, *stated, again[each.rematerialised]) if part),
            )


def _allocated_text(found: Allocated) -> str:
    parts = (("arguments", found.arguments), ("results", found.results), ("temporaries", found.temporaries))
    sums = ", ".join(f"{name} {bytes_text(size)}" for name, size in parts)
    return f"{bytes_text(found.total)}: {sums} by its buffer assignment"


def _table(rows: Iterator[tuple[str, ...]]) -> Iterator[str]:
    """Rows with aligned columns, the first on the right."""
    found = list(rows)
    widths = [max(map(len, column)) for column in zip(*found, strict=True)]
    for first, *rest in found:
        cells = [cell.ljust(width) for cell, width in zip(rest, widths[1:], strict=True)]
        yield "    " + "  ".join((first.rjust(widths[0]), *cells)).rstrip()


def report_of(title: str, program: BoundProgram, function: BoundFunction) -> MemoryReport:
    """The report on a function of a program."""
    return MemoryReport(title, memory_of(program, function))


def dump_reports(dump: Dump, pattern: str | None, limits: Limits) -> tuple[MemoryReport, ...]:
    """A report for each module of a dump, on its last text; `InputError` if a text is not a valid program."""
    return tuple(_module_report(dump, module, limits) for module in dump.module(pattern) if module.stages)


def _module_report(dump: Dump, module: DumpedModule, limits: Limits) -> MemoryReport:
    last = module.stages[-1]
    program = load(Source(dump.text(last.path), last.path), limits).program
    if program is None or program.entry is None:
        raise InputError(
            f"{last.path} is not a valid program", hint=f"`hloscope check {last.path}` prints the reason."
        )
    assigned = next((each for each in module.attachments if _belongs(each, last)), None)
    allocated = Allocated.of(read_allocations(dump.text(assigned.path))) if assigned else None
    return MemoryReport(module.key, memory_of(program, program.entry), allocated, last.path)


def _belongs(file: DumpedFile, stage: Stage) -> bool:
    """Whether a file is the buffer assignment of a stage's text."""
    return file.content == "buffers" and file.name.end == stage.file.name.end


NAMES = {"sent": "sent by a process"}
"""Figures whose name in the answer says too little."""
MOST_CHANGES = 10
"""Maximum number of buffers listed that only one of two peaks has."""


def report_difference(before: MemoryReport, after: MemoryReport) -> MemoryDifference:
    """What changed from one report to another, with what XLA allocated behind the peak."""
    found = memory_difference(before.memory, after.memory)
    allocated = list(_allocated_changes(before.allocated, after.allocated))
    changes = found["changes"]
    place = 1 if changes and changes[0]["name"] == "peak" else 0
    return {**found, "changes": [*changes[:place], *allocated, *changes[place:]]}


def difference_lines(before: MemoryReport, after: MemoryReport) -> Iterator[str]:
    """What changed from one report to another: peak, allocations, copies, collectives, and the buffers at the peak."""
    yield f"{before.title} -> {after.title}"
    found = report_difference(before, after)
    yield from _table(map(_row, found["changes"]))
    yield from _peak_lines("only in the first peak", found["onlyBefore"])
    yield from _peak_lines("only in the second peak", found["onlyAfter"])


def _row(change: MemoryChange) -> tuple[str, ...]:
    name, old, new = NAMES.get(change["name"], change["name"]), change["before"], change["after"]
    if change["unit"] == "bytes":
        return name, bytes_text(old), "->", bytes_text(new), _change(old, new)
    return name, f"{old:,}", "->", f"{new:,}", f"{new - old:+,}" if new != old else ""


def _allocated_changes(before: Allocated | None, after: Allocated | None) -> Iterator[MemoryChange]:
    if before and after:
        for name, old, new in (
            ("allocated by XLA", before.total, after.total),
            ("temporaries of XLA", before.temporaries, after.temporaries),
        ):
            if old or new:
                yield {"name": name, "unit": "bytes", "before": old, "after": new}


def _change(old: int, new: int) -> str:
    if old == new:
        return ""
    sign, apart = "+" if new > old else "-", abs(new - old)
    share = f", {sign}{percent_text(apart / old)}" if old else ""
    return f"{sign}{bytes_text(apart)}{share}"


def _peak_lines(words: str, found: Sequence[PeakBuffers]) -> Iterator[str]:
    if found:
        yield f"  {words}:"
    yield from _table(
        (f"{each['count']} × {bytes_text(each['bytes'])}", each["kind"], each["location"])
        for each in found[:MOST_CHANGES]
    )


def matching_reports(
    before: Sequence[MemoryReport], after: Sequence[MemoryReport]
) -> Iterator[tuple[MemoryReport, MemoryReport]]:
    """Pairs of reports with one module name, in order; of single reports, the two whatever their names."""
    if len(before) == len(after) == 1:
        yield before[0], after[0]
        return
    waiting = list(after)
    for report in before:
        name = _module_name(report)
        match = next((other for other in waiting if _module_name(other) == name), None)
        if match is not None:
            waiting.remove(match)
            yield report, match


def _module_name(report: MemoryReport) -> str:
    head, _, name = report.title.partition(".")
    return name if head.startswith("module_") else report.title
