"""The client's lines and columns, and the ops that start on a line."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hloscope.engine.debugger.run_location import RunLocation
from hloscope.engine.program import BoundProgram


def _ops_by_line(program: BoundProgram) -> Mapping[int, frozenset[int]]:
    found: defaultdict[int, set[int]] = defaultdict(set)
    for bound in program.ops:
        found[program.line_of(bound.id)].add(bound.id)
    return {line: frozenset(ops) for line, ops in sorted(found.items())}


@dataclass(frozen=True)
class Lines:
    """Lines from 1 or from 0; columns in units of UTF-16."""

    lines_from_1: bool = True
    columns_from_1: bool = True

    def shown_line(self, line: int) -> int:
        """Convert our line number to the client's."""
        return line - (not self.lines_from_1)

    def ops_at(self, program: BoundProgram, shown: int) -> tuple[int, frozenset[int]]:
        """The line of a breakpoint and its ops: the next line with an op, or else the last."""
        by_line = program.derive(_ops_by_line)
        lines, line = list(by_line), int(shown) + (not self.lines_from_1)
        if not lines:
            return line, frozenset()
        found = lines[min(bisect_left(lines, line), len(lines) - 1)]
        return found, by_line[found]

    def ops_of_line(self, program: BoundProgram, line: int) -> frozenset[int]:
        """The ops that start on one of our lines."""
        return program.derive(_ops_by_line).get(line, frozenset())

    def with_ops(self, program: BoundProgram, first: int, last: int) -> list[int]:
        """The lines of a range on which ops start."""
        return [
            shown
            for line in program.derive(_ops_by_line)
            if first <= (shown := self.shown_line(line)) <= last
        ]

    def place_of(self, place: RunLocation) -> dict[str, Any]:
        """Line and column of the current op and of its end."""
        program, track = place.recording.program, place.track
        if not track.step_count:
            return {"line": self.shown_line(1), "column": int(self.columns_from_1)}
        operation = program.ops[track.op_of(min(place.step, track.step_count - 1))].operation
        source = program.module.source
        line, column = source.line_and_column(operation.span.start)
        before = source.line_text(line)[: column - 1]
        return {
            "line": self.shown_line(line),
            "column": len(before.encode("utf-16-le")) // 2 + self.columns_from_1,
        }
