"""Links in and out of bodies that see elements: of reduce, sort, scatter, map, scan and their like.

Those of one step are found together, once, so that both directions have the same ones.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import ProgramError
from ..address import Address
from .link import Link
from .run import RecordedRun
from .tracing import TooLarge, Tracer


class Trace:
    """The links of one step's bodies, by both ends."""

    def __init__(self, links: Sequence[Link], steps: int, left_out: str = "") -> None:
        self.steps = steps
        """How many steps the process had; 0 if nothing is to come that belongs to it."""
        self.left_out = left_out
        """Why links are missing, as a sentence."""
        self._into: dict[Address, list[Link]] = {}
        self._onward: dict[Address, list[Link]] = {}
        for link in links:
            self._into.setdefault(link.target, []).append(link)
            self._onward.setdefault(link.source, []).append(link)

    def into(self, address: Address) -> Sequence[Link]:
        """What went into an argument of a body, or came out of one for a result of the op."""
        return self._into.get(address, ())

    def onward(self, address: Address) -> Sequence[Link]:
        """What became of something that went into a body or came out of one."""
        return self._onward.get(address, ())


class Lanes:
    """Bodies of a recorded run; the last ones that were asked about are kept."""

    def __init__(self, run: RecordedRun) -> None:
        self.run = run
        self._traces: dict[tuple[int, int], Trace] = {}

    def of(self, process: int, opener: int) -> Trace:
        """The links of a step that has run bodies."""
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
            why = "it ran on too many elements" if isinstance(error, TooLarge) else "it cannot be told"
            return Trace((), count, f"What went on in the body of {name} is left out: {why}.")

    def _leaves(self, process: int, opener: int) -> Sequence[tuple[int, tuple[int, ...]]]:
        return self.run.result_leaves(self.run.bound_operation(process, opener))


_MOST_TRACES = 8
_UNTRACED = (AssertionError, ProgramError, KeyError, RuntimeError, TypeError, ValueError, IndexError)
