"""The findings of a recording, as far as it is recorded."""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import BadInput, Cause, Finding, Found, Grade, Occurrence
from ...findings.sentences import first_sentence
from ...indexing.elements.element_sets import ElementSet
from ...ops.core.faults import FaultKind
from ...ops.core.ranks import INFINITE, NAN
from ..address import Address
from ..provenance import BadElements, Links, RecordedRun
from ..recording import Recording
from .bad_inputs import InputSearch
from .birth_grades import BirthGrader
from .causes import find_origin
from .divergence import Divergence
from .other_grades import OtherGrader

BIRTHS = ("nan", "inf")
"""The kinds of values that are not finite."""


class FindingReport:
    """All findings, put together when they are asked for and kept until there are more."""

    def __init__(self, recording: Recording, links: Links | None = None) -> None:
        self.recording = recording
        self.links = links or Links(RecordedRun(recording))
        self._inputs = InputSearch(self.links)
        self._known: tuple[tuple[int, int, str], tuple[Finding, ...]] | None = None
        self._settled: dict[tuple[int, FaultKind], Grade] = {}
        """Grades that stay when the run goes on."""
        self._causes: dict[tuple[int, FaultKind], Cause | None] = {}

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings in the order in which each was first found."""
        state = (self.recording.log.count, self.recording.step_count, self.recording.state.kind)
        if self._known is None or self._known[0] != state:
            self.links.run.refresh()
            graders = BirthGrader(self.links), OtherGrader(self.links)
            found = [*self.recording.log.found.values(), *self._divergence()]
            self._known = state, tuple(self._finding(each, *graders) for each in found)
        return self._known[1]

    @property
    def bad_inputs(self) -> tuple[BadInput, ...]:
        """The inputs that hold NaN, in order."""
        self.links.run.refresh()
        return self._inputs.search()

    def _divergence(self) -> list[Found]:
        """What differs between processes, once all of them have come as far as they can."""
        return [] if self.recording.state.kind == "recording" else Divergence(self.recording).found()

    def origin(
        self, process: int, step: int, *, backwards: bool = False
    ) -> tuple[int, Finding, Occurrence] | None:
        """The nearest step of a process after `step`, or before it, in which something bad was born that does harm.

        With it the finding, and its place among all of them.
        """
        found = [
            (occurrence.step, number, finding, occurrence)
            for number, finding in enumerate(self.findings)
            if finding.kind in BIRTHS and finding.grade == "harmful"
            for occurrence in finding.occurrences
            if occurrence.process == process
            and (occurrence.step < step if backwards else occurrence.step > step)
        ]
        if not found:
            return None
        _, number, finding, occurrence = (max if backwards else min)(found, key=lambda stop: stop[:2])
        return number, finding, occurrence

    def origin_of(self, address: Address | None = None, index: tuple[int, ...] | None = None) -> Cause | None:
        """Where a NaN of a value, or else an infinity, came from; of the first result that has one by default."""
        self.links.run.refresh()
        for rank in (NAN, INFINITE):
            bad = BadElements(self.links.run, rank)
            for found in [address] if address else self._results():
                elements = bad.of(found)
                if index is not None:
                    elements = elements.intersection(ElementSet.of_index(elements.shape, index))
                if elements:
                    first = ElementSet.of_index(elements.shape, next(iter(elements)))
                    return find_origin(self.links, bad, found, first)
        return None

    def _results(self) -> Iterator[Address]:
        """The tensors that the entry function returned, of each process."""
        run = self.links.run
        for team in self.recording.teams[:1]:
            for process in team.numbers:
                end = run.steps(process).end_of(0)
                leaves = [] if end is None else run.operand_leaves(run.bound_operation(process, end))
                for leaf in leaves:
                    found = run.operand_leaf(process, end or 0, leaf)
                    if run.is_tensor(found):
                        yield found

    def _finding(self, found: Found, births: BirthGrader, others: OtherGrader) -> Finding:
        recording = self.recording
        bound = recording.program.ops[found.op]
        cause = self._cause(found, births)
        several = len(recording.tracks) > 1
        process = recording.process_name(found.first.process) if several else ""
        return Finding(
            op=found.op,
            kind=found.kind,
            grade=self._grade(found, births if found.kind in BIRTHS else others),
            count=found.count,
            first=found.first,
            worst=found.worst,
            occurrences=tuple(found.occurrences),
            sentence=first_sentence(recording.program, bound, found.first, process, cause),
            cause=cause,
        )

    def _grade(self, found: Found, grader: BirthGrader | OtherGrader) -> Grade:
        key = (found.op, found.kind)
        if key in self._settled:
            return self._settled[key]
        grade, stays = grader.grade(found)
        if stays:
            self._settled[key] = grade
        return grade

    def _cause(self, found: Found, grader: BirthGrader) -> Cause | None:
        """Where the infinity came from that became the first NaN."""
        if not found.first.fault.from_inf:
            return None
        key = (found.op, found.kind)
        if key not in self._causes:
            self._causes[key] = grader.cause(found)
        return self._causes[key]
