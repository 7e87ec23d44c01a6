"""XLA computes the segments of a recording: each is compiled once, and run on the values that live there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from hloscope.engine.errors import RunError
from hloscope.engine.executor import CUSTOM_CALL, Results, Segment
from hloscope.engine.hlo_to_stablehlo import NotStablehlo
from hloscope.engine.ops.core.devices import device_of
from hloscope.engine.ops.core.exchanges import GridPosition
from hloscope.engine.ops.core.values import leaves
from hloscope.engine.remote_values import local, remote_facts
from hloscope.engine.segment_text import SegmentText, segment_text
from hloscope.engine.value_facts import checksum_of

from ..processes.arrays import Array
from .engine import ALONE, Grid, Overrides, Versions
from .failures import XlaCrashed, XlaFailed, XlaOutOfMemory, XlaRefused, XlaUnusable
from .resident import Resident

_MOST_CHECKSUMS = 1 << 16
"""Maximum executions whose results are compared when they are repeated."""
_WORDS = 200


class Engine(Protocol):
    """The requests that an executor sends to XLA's process. They raise `XlaFailed` without a result."""

    def versions(self) -> Versions:
        """The versions of the engine."""

    def run(
        self,
        text: str,
        arguments: Sequence[Array] = (),
        overrides: Overrides | None = None,
        grid: Grid = ALONE,
        *,
        as_written: bool = False,
    ) -> list[Array]:
        """The results of a program, compiled with all passes, or of HLO text as written, without passes."""

    def optimize(self, text: str, overrides: Overrides | None = None, grid: Grid = ALONE) -> str:
        """The HLO of a program after all passes."""


@dataclass
class XlaExecutor:
    """Computes segments on a platform of XLA, deterministic as far as XLA is.

    What XLA refuses, the engine computes: `refused` has the reasons, by the number of the operation.
    """

    engine: Engine
    is_strict: bool = field(default=False, init=False)
    is_stored: bool = field(default=False, init=False)
    overrides: Overrides = field(default_factory=dict)
    text: str = ""
    """The unmodified program, where the recorded one is another form of it."""
    refused: dict[int, str] = field(default_factory=dict)
    repeated_differently: set[int] = field(default_factory=set)
    """Operations that begin a segment which had other results when it was repeated."""
    executions: int = 0
    """Number of executed segments."""
    resident: Resident | None = None
    """Where large values stay, with XLA's process; without it, every value is transferred."""
    _texts: dict[tuple[int, int], SegmentText] = field(default_factory=dict)
    _counts: dict[int, int] = field(default_factory=dict)
    """The number of operations that XLA compiles together, by the first, where it refuses more."""
    _unordered: frozenset[str] | None = None
    _kept: dict[tuple[GridPosition, int, tuple[int, ...]], Results] = field(default_factory=dict)
    """Results of segments in which the device adds in any order, for repetitions."""
    _checksums: dict[tuple[GridPosition, int], int] = field(default_factory=dict)
    _title: str = ""

    @property
    def computed_by(self) -> str:
        """`XLA of jaxlib 0.10.2 on cpu`."""
        self._title = self._title or self.engine.versions().title
        return self._title

    def execute(
        self, segment: Segment, values: Mapping[int, Array], place: GridPosition, step: int
    ) -> Results:
        """The results of the segment's first operations, as many as XLA compiles together."""
        first = segment.executed[0]
        if first.id in self.refused:
            return {}
        if not self._is_unordered(segment):
            return self._execute(segment, values, place, step)
        given = _checksum(values[number] for number in segment.reads)
        found = self._kept.get((place, step, given))
        if found is None:
            found = self._kept[place, step, given] = self._execute(segment, values, place, step)
        return found

    def _is_unordered(self, segment: Segment) -> bool:
        """Whether the device adds in any order in the segment, so that a repetition has other bits."""
        if self._unordered is None:
            versions = self.engine.versions()
            self._unordered = device_of(versions.platform, versions.device).unordered
        return any(bound.operation.name.partition(".")[2] in self._unordered for bound in segment.executed)

    def _execute(
        self, segment: Segment, values: Mapping[int, Array], place: GridPosition, step: int
    ) -> Results:
        first = segment.executed[0]
        count = self._counts.get(first.id, len(segment.executed))
        while True:
            part = segment if count >= len(segment.executed) else segment.first(count)
            try:
                found = self.run_segment(part, values)
            except (NotStablehlo, XlaRefused, ValueError) as refusal:
                if count == 1:
                    self.refused[first.id] = _reason(refusal)
                    return {}
                count = self._counts[first.id] = (min(count, len(segment.executed)) + 1) // 2
            except XlaOutOfMemory as failure:
                if count == 1:
                    raise RunError(str(failure)) from None
                count = self._counts[first.id] = (min(count, len(segment.executed)) + 1) // 2
            except XlaUnusable as failure:
                raise RunError(str(failure)) from None
            except XlaFailed as failure:
                if isinstance(failure, XlaCrashed) and first.operation.name == CUSTOM_CALL:
                    self.refused[first.id] = _reason(failure)
                    return {}
                last = segment.program.line_of(part.executed[-1].id)
                until = f", with the operations up to line {last}" if len(part.executed) > 1 else ""
                raise RunError(f"{failure} It computed this operation{until}.") from None
            else:
                self._compare(first.id, place, step, found)
                return found

    def run_segment(self, segment: Segment, values: Mapping[int, Array]) -> Results:
        """Compile the segment, unless it is, and run it. Raises `XlaFailed`, `NotStablehlo` or `ValueError`."""
        key = segment.executed[0].id, len(segment.executed)
        found = self._texts.get(key)
        if found is None:
            found = self._texts[key] = segment_text(segment)
        self.executions += 1
        arguments = found.arguments_in(values)
        if self.resident is not None and not self._is_unordered(segment):
            return found.results_of(self.resident.run(found.text, arguments, self.overrides))
        return found.results_of(self.engine.run(found.text, [*map(local, arguments)], self.overrides))

    def _compare(self, first: int, place: GridPosition, step: int, found: Results) -> None:
        """Note an execution whose results are not those of the first time."""
        if (place, step) not in self._checksums and len(self._checksums) >= _MOST_CHECKSUMS:
            return
        checksum = hash(_checksum(value for results in found.values() for value in results))
        if self._checksums.setdefault((place, step), checksum) != checksum:
            self.repeated_differently.add(first)


def _checksum(found: Iterable[Array]) -> tuple[int, ...]:
    """The checksum of each tensor, whether it is remote or not."""
    checksums = []
    for value in found:
        for leaf in leaves(value):
            known = remote_facts(leaf)
            checksums.append(known.checksum if known is not None else checksum_of(leaf))
    return tuple(checksums)


def _reason(refusal: Exception) -> str:
    line = str(refusal).strip().partition("\n")[0]
    return line if len(line) <= _WORDS else f"{line[:_WORDS]}…"
