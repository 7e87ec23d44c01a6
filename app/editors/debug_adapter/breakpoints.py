"""Breakpoints: ops at which to stop or log, with a condition or a hit count.

Hits depend on the recording alone: hit 3 is the third step at which the condition holds in a process, in either
direction of the move.
"""

from __future__ import annotations

import operator
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from hloscope.engine.debugger.run_location import RunLocation, values_by_name
from hloscope.engine.errors import ExpressionError
from hloscope.engine.expressions import Parsed, evaluate, parse, truth
from hloscope.engine.program import BoundProgram

from ...present.value_lines import line_of

_HITS = re.compile(r"(>=|<=|==|=|>|<|%)?\s*(\d{1,9})")
_EXPRESSION = re.compile(r"\{([^{}]*)\}")
_COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "==": operator.eq,
    "=": operator.eq,
    "": operator.eq,
    "%": lambda hit, number: hit % number == 0,
}


@dataclass(frozen=True)
class Hits:
    """The hits at which to stop: `3`, `>= 3`, `% 2`."""

    sign: str
    number: int

    @classmethod
    def parse(cls, text: str) -> Hits:
        """Parse a hit condition; `ExpressionError` if it is invalid."""
        found = _HITS.fullmatch(text.strip())
        if found is None or (found[1] == "%" and int(found[2]) == 0):
            raise ExpressionError(
                f"'{text:.40}' is no hit count", hint="Write 3, >= 3, > 3, < 3 or % 3 (every third)."
            )
        return cls(found[1] or "", int(found[2]))

    def admits(self, hit: int) -> bool:
        """Whether to stop on hit number `hit`, from 1."""
        return _COMPARISONS[self.sign](hit, self.number)


@dataclass
class Breakpoint:
    """One breakpoint, with its known stops."""

    ops: frozenset[int]
    condition: Parsed | None = None
    hits: Hits | None = None
    message: str | None = None
    """The message of a log point, with expressions in braces."""
    number: int = 0
    errors: dict[tuple[int, int], str] = field(default_factory=dict)
    """Errors of the condition, by process and step; the breakpoint stops there."""
    _seen: defaultdict[int, int] = field(default_factory=lambda: defaultdict(int))
    _held: defaultdict[int, list[int]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def parse(
        cls, ops: frozenset[int], program: BoundProgram, condition: str, hits: str, message: str
    ) -> Breakpoint:
        """Parse a breakpoint; `ExpressionError` for an invalid condition, hit count or message."""
        names = program.derive(values_by_name)
        for text in _EXPRESSION.findall(message):
            parse(text, names)
        return cls(
            ops,
            parse(condition, names) if condition.strip() else None,
            Hits.parse(hits) if hits.strip() else None,
            message or None,
        )

    def stops(self, place: RunLocation, start: int, end: int) -> Iterator[int]:
        """The steps of a process from `start` to `end` (exclusive) at which it stops or logs."""
        self._look(place, end)
        held = self._held[place.process]
        for ordinal in range(bisect_left(held, start), bisect_left(held, end)):
            if self.hits is None or self.hits.admits(ordinal + 1):
                yield held[ordinal]

    def _look(self, place: RunLocation, end: int) -> None:
        """Evaluate the condition up to `end`."""
        start = self._seen[place.process]
        if end <= start:
            return
        ops, _, _ = place.track.columns(start, end)
        for step in np.flatnonzero(np.isin(ops, list(self.ops))) + start:
            if self._holds(RunLocation(place.recording, place.process, int(step))):
                self._held[place.process].append(int(step))
        self._seen[place.process] = end

    def _holds(self, place: RunLocation) -> bool:
        if self.condition is None:
            return True
        try:
            return truth(self.condition, place)
        except ExpressionError as error:
            self.errors[place.process, place.step] = error.message
            return True

    def said(self, place: RunLocation) -> str:
        """The message of a log point at a position."""
        names = place.recording.program.derive(values_by_name)

        def value(match: re.Match[str]) -> str:
            try:
                return line_of(evaluate(parse(match[1], names), place))
            except ExpressionError as error:
                return f"<{error.message}>"

        return _EXPRESSION.sub(value, self.message or "")
