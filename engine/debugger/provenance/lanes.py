"""Links in and out of bodies over elements: reduce, sort, scatter, map, scan and similar.

The links of a step are computed together once, so that both directions agree.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import ProgramError
from ..address import Address
from .link import Link
from .run import RecordedRun
from .tracing import TooLarge, Tracer


class Trace:
    """The links of one step's bodies, indexed by both ends."""

    def __init__(self, links: Sequence[Link], steps: int, left_out: str = "") -> None:
        self.steps = steps
        """Number of steps of the process; 0 if no further links can appear."""
        self.left_out = left_out
        """A sentence on missing links."""
        self._into: dict[Address, list[Link]] = {}
        self._onward: dict[Address, list[Link]] = {}
        for link in links:
            self._into.setdefault(link.target, []).append(link)
            self._onward.setdefault(link.source, []).append(link)

    def into(self, address: Address) -> Sequence[Link]:
        """Links into an argument of a body, or from one into a result of the op."""
        return self._into.get(address, ())

    def onward(self, address: Address) -> Sequence[Link]:
        """Links from a value into a body, or from a body's result."""
        return self._onward.get(address, ())


class Lanes:
    """Bodies of a recorded run, with a cache of the latest ones."""

    def __init__(self, run: RecordedRun) -> None:
        self.run = run
        self._traces: dict[tuple[int, int], Trace] = {}

    def of(self, process: int, opener: int) -> Trace:
        """The links of a step that ran bodies."""
        known = self._traces.get((process, opener))
        if known is None or known.steps not in (0, self.run.steps(process).count):
            if len(self._traces) >= _MOST_TRACES:
                self._traces.clear()
            known = self._traces[process, opener] = self._trace(process, opener)
        return known

    def _trace(self, process: int, opener: int) -> Trace:
        made = [Address(process, "s", opener, *leaf) for leaf in self._leaves(process, opener)]
        count = 0 if all(map(self.run.is_made, made)) else self.run.steps(process).count
        try:
            tracer = Tracer(self.run, process, opener)
            return Trace(tracer.links(), count, tracer.left_out)
        except (TooLarge, *_UNTRACED) as error:
            name = self.run.bound_operation(process, opener).operation.name
            why = (
                "it ran on too many elements" if isinstance(error, TooLarge) else "they cannot be determined"
            )
            return Trace((), count, f"Links through the body of {name} are missing: {why}.")

    def _leaves(self, process: int, opener: int) -> Sequence[tuple[int, tuple[int, ...]]]:
        return self.run.result_leaves(self.run.bound_operation(process, opener))


_MOST_TRACES = 8
_UNTRACED = (AssertionError, ProgramError, KeyError, RuntimeError, TypeError, ValueError, IndexError)
