"""An executor without XLA: it runs the text of each segment by our own engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.executor import Results, Segment
from hloscope.engine.hlo_to_stablehlo import NotStablehlo
from hloscope.engine.ops.core.exchanges import GridPosition
from hloscope.engine.ops.core.op import Array
from hloscope.engine.segment_text import segment_text
from tests.programs import load_program


@dataclass
class OurExecutor:
    """Computes segments as programs of their own."""

    is_strict: bool = False
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
        if not min(count, self.most):
            return {}
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
