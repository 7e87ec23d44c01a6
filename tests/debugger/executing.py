"""An executor without XLA: it runs the text of each segment by our own engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.executor import Results, Segment
from hloscope.engine.hlo_to_stablehlo import NotStablehlo
from hloscope.engine.ops.core.exchanges import GridPosition
from hloscope.engine.ops.core.op import Array
from hloscope.engine.remote_values import LostValue, RemoteValue, local
from hloscope.engine.segment_text import segment_text
from hloscope.engine.value_facts import facts_of, has_facts
from tests.programs import load_program


@dataclass
class OurExecutor:
    """Computes segments as programs of their own."""

    is_strict: bool = False
    is_stored: bool = False
    computed_by: str = "a device"
    most: int = 1 << 30
    """Maximum operations of which it returns the results."""
    executed: list[Segment] = field(default_factory=list)
    refuses: frozenset[str] = frozenset()
    """Names of operations that it leaves to the interpreter."""

    def execute(
        self, segment: Segment, values: Mapping[int, Array], place: GridPosition, step: int
    ) -> Results:
        """The results of the first operations."""
        names = [bound.operation.name for bound in segment.executed]
        count = next((number for number, name in enumerate(names) if name in self.refuses), len(names))
        if not min(count, self.most) or segment.executed[0].op.outside is not None:
            return {}  # as XLA refuses code that it lacks
        part = segment.first(min(count, self.most))
        try:
            written = segment_text(part)
        except NotStablehlo:
            return {}
        self.executed.append(part)
        recording = Recording(load_program(written.text), written.arguments_in(values))
        state = recording.record()
        assert state.kind == "done", state.describe(recording.program.module.source)
        return written.results_of(recording.results() or ())


@dataclass
class RemoteExecutor(OurExecutor):
    """Keeps the results itself, and hands out remote values, until it loses them."""

    fetched: int = 0
    process: int = 0
    """The number of the process that keeps the values: with another one those of before are lost."""

    def execute(
        self, segment: Segment, values: Mapping[int, Array], place: GridPosition, step: int
    ) -> Results:
        """The results, of which those with facts are remote."""
        before = self.fetched
        read = {number: local(values[number]) for number in segment.reads if number in values}
        self.fetched = before  # what stays here is not fetched
        found = super().execute(segment, read, place, step)
        return {op: tuple(map(self._remote, results)) for op, results in found.items()}

    def _remote(self, value: Array) -> Array:
        process = self.process

        def fetch() -> Array:
            if process != self.process:
                raise LostValue("the process has ended")
            self.fetched += 1
            return value.copy()

        if not value.ndim or not has_facts(value.dtype):
            return value
        remote: Any = RemoteValue(value.dtype, value.shape, facts_of(value), fetch)
        return remote  # type: ignore[no-any-return]
