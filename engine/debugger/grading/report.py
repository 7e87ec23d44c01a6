"""The findings of a recording, as far as it is recorded."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

from ...findings import BadInput, Cause, Finding, Found, Grade, Occurrence
from ...findings.sentences import first_sentence, rest_words
from ...indexing.elements.element_sets import ElementSet
from ...ops.core.faults import FaultKind
from ...ops.core.ranks import INFINITE, NAN
from ..address import Address
from ..provenance import BadElements, Links, RecordedRun
from ..recording import Recording
from .bad_inputs import InputSearch
from .birth_grades import BirthGrader
from .causes import find_origin
from .clock import Graded
from .divergence import Divergence
from .lost_births import with_lost_births
from .other_grades import OtherGrader

Key = tuple[int, FaultKind]
"""An op by its number, and what it did."""
BIRTHS = ("nan", "inf")
"""The kinds of values that are not finite."""


State = tuple[int, int, str]
"""How far a recording is."""


class _Grading:
    """What is known of the findings of a recording that is so far."""

    def __init__(self, state: State, recording: Recording, links: Links) -> None:
        self.state = state
        self.births, self.others = BirthGrader(links), OtherGrader(links)
        # Values are compared once all processes have come as far as they can.
        self.divergence = None if recording.state.kind == "recording" else Divergence(recording)
        self.grades: dict[Key, Graded] = {}
        """Those that are known to the end."""
        self.findings: tuple[Finding, ...] = ()

    def restart(self) -> None:
        """Gives the time for following and comparing again."""
        for grader in (self.births, self.others):
            grader.clock.restart()
        if self.divergence is not None:
            self.divergence.go_on()


class FindingReport:
    """All findings, put together when they are asked for and kept until there are more."""

    def __init__(self, recording: Recording, links: Links | None = None) -> None:
        self.recording = recording
        self.links = links or Links(RecordedRun(recording))
        self._inputs = InputSearch(self.links)
        self._known: _Grading | None = None
        self._given: tuple[BadInput, ...] | None = None
        self._settled: dict[Key, Grade] = {}
        """Grades that stay when the run goes on."""
        self._causes: dict[Key, Cause | None] = {}

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings in the order in which each was first found."""
        return self._grading.findings

    @property
    def may_find(self) -> bool:
        """Whether there may be findings: something was noted while the run was recorded, or values are to be compared."""
        return self.recording.log.count > 0 or bool(Divergence(self.recording).left)

    @property
    def bad_inputs(self) -> tuple[BadInput, ...]:
        """The inputs that hold NaN, in order."""
        grading = self._grading
        if self._given is None:
            self._given = self._inputs.search(grading.births)
        return self._given

    @property
    def rest(self) -> str:
        """What there was no time for, in words: `2 findings were not followed to the end, …`; empty if it is complete."""
        divergence = self._grading.divergence
        found = [each.followed for each in self.findings] + [each.followed for each in self.bad_inputs]
        return rest_words(found.count(False), 0 if divergence is None else divergence.left)

    @property
    def complete(self) -> bool:
        """Whether all that was found was followed to the end, and all compared that should agree."""
        return not self.rest

    def go_on(self) -> None:
        """Follows further what there was no time for, for as long again."""
        self._grade(self._grading)

    def follow(self, seconds: float) -> None:
        """Goes on until nothing is left, or for about so long."""
        deadline = perf_counter() + seconds
        while not self.complete and perf_counter() < deadline:
            self.go_on()

    @property
    def _grading(self) -> _Grading:
        """What is known, found out anew where the recording has gone on."""
        state = (self.recording.finding_count, self.recording.step_count, self.recording.state.kind)
        if self._known is None or self._known.state != state:
            self.links.run.refresh()
            self._known = _Grading(state, self.recording, self.links)
            self._grade(self._known)
        return self._known

    def _grade(self, graded: _Grading) -> None:
        graded.restart()
        divergence = [] if graded.divergence is None else graded.divergence.found()
        found = (*self.recording.log.found.values(), *divergence)
        findings = [self._finding(each, graded) for each in found]
        graded.findings = with_lost_births(self.links, graded.births.bad, findings)
        self._given = None

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
            bad = BadElements(self.links, rank)
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

    def _finding(self, found: Found, graded: _Grading) -> Finding:
        recording = self.recording
        bound = recording.program.ops[found.op]
        cause = self._cause(found, graded.births)
        several = len(recording.tracks) > 1
        process = recording.process_name(found.first.process) if several else ""
        grade = self._grade_of(found, graded)
        return Finding(
            op=found.op,
            kind=found.kind,
            grade=grade.grade,
            count=found.count,
            first=found.first,
            worst=found.worst,
            occurrences=tuple(found.occurrences),
            sentence=first_sentence(recording.program, bound, found.first, process, cause),
            cause=cause,
            followed=grade.followed,
        )

    def _grade_of(self, found: Found, graded: _Grading) -> Graded:
        key = (found.op, found.kind)
        if key in self._settled:
            return Graded(self._settled[key], stays=True)
        if key not in graded.grades:
            grader = graded.births if found.kind in BIRTHS else graded.others
            grade = grader.grade(found)
            if not grade.followed:
                return grade
            graded.grades[key] = grade
            if grade.stays:
                self._settled[key] = grade.grade
        return graded.grades[key]

    def _cause(self, found: Found, grader: BirthGrader) -> Cause | None:
        """Where the infinity came from that became the first NaN."""
        if not found.first.fault.from_inf:
            return None
        key = (found.op, found.kind)
        if key not in self._causes and grader.clock.seconds:
            self._causes[key] = grader.cause(found)
        return self._causes.get(key)
