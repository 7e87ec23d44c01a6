"""The findings of a recording, as far as it is recorded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import perf_counter

from ...findings import KINDS, BadInput, Cause, FaultKind, FaultTally, Finding, Grade, Occurrence
from ...findings.sentences import elsewhere_sentence, first_sentence, rest_sentence
from ...indexing.elements.element_sets import ElementSet
from ...ops.core.ranks import INFINITE, NAN
from ...remote_values import OnOtherHost
from ..address import Address
from ..provenance import BadElements, Links, RecordedRun
from ..recording import Recording
from .attribution import attribute_harm
from .bad_inputs import InputSearch
from .divergence import Divergence
from .grader import Graded, Grader
from .origins import find_failure, find_origin

Key = tuple[int, FaultKind]
"""An op by its number, and what it did."""
Progress = tuple[int, int, str]
"""The progress of a recording."""


class _Grading:
    """The grades of a recording so far."""

    def __init__(self, progress: Progress, recording: Recording, links: Links) -> None:
        self.progress = progress
        self.grader = Grader(links)
        # Values are compared once all processes have finished or wait.
        self.divergence = None if recording.state.kind == "recording" else Divergence(recording)
        self.grades: dict[Key, Graded] = {}
        """The grades of findings that were followed to the end."""
        self.findings: tuple[Finding, ...] = ()

    def restart(self) -> None:
        """Give the time for following and comparing again."""
        self.grader.restart()
        if self.divergence is not None:
            self.divergence.go_on()


class FindingReport:
    """All findings; they are graded when they are requested, and kept until the recording continues."""

    def __init__(self, recording: Recording, links: Links | None = None) -> None:
        self.recording = recording
        self.links = links or Links(RecordedRun(recording))
        self._inputs = InputSearch(self.links)
        self._known: _Grading | None = None
        self._given: tuple[BadInput, ...] | None = None
        self._final: dict[Key, Grade] = {}
        """Grades that stay the same when the run continues."""
        self._causes: dict[Key, Cause | None] = {}

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings in the order in which each was first found."""
        return self._grading.findings

    @property
    def may_find(self) -> bool:
        """Whether there may be findings: the log has an entry, or values have to be compared."""
        return self.recording.log.count > 0 or bool(Divergence(self.recording).left)

    @property
    def bad_inputs(self) -> tuple[BadInput, ...]:
        """The inputs that hold NaN or infinities, in the order of processes and arguments."""
        grading = self._grading
        if self._given is None:
            self._given = self._inputs.search(grading.grader)
        return self._given

    @property
    def rest(self) -> str:
        """The work cut off by the time limit: `2 findings were not followed to the end, …`; empty if it is complete."""
        divergence = self._grading.divergence
        late = sum(not (each.followed or each.elsewhere) for each in self._all)
        return rest_sentence(late, 0 if divergence is None else divergence.left)

    @property
    def elsewhere(self) -> str:
        """What the findings leave open because other hosts have values, and what to do; empty if nothing."""
        grading = self._grading
        cut = sum(each.elsewhere for each in self._all)
        differing = [] if grading.divergence is None else grading.divergence.elsewhere
        return elsewhere_sentence(cut, grading.grader.elsewhere, differing)

    @property
    def _all(self) -> Sequence[Finding | BadInput]:
        return (*self.findings, *self.bad_inputs)

    @property
    def complete(self) -> bool:
        """Whether all findings were followed to the end, and all copies compared."""
        return not (self.rest or self.elsewhere)

    def go_on(self) -> None:
        """Continue with what the time limit left undone, for as long again."""
        self._grade(self._grading)

    def follow(self, seconds: float) -> None:
        """Continue until nothing is left, or for about `seconds`."""
        deadline = perf_counter() + seconds
        while self.rest and perf_counter() < deadline:
            self.go_on()

    @property
    def _grading(self) -> _Grading:
        """The grades; computed anew if the recording has gone on."""
        recording = self.recording
        progress = (recording.finding_count, recording.step_count, recording.state.kind)
        if self._known is None or self._known.progress != progress:
            self.links.run.refresh()
            self._known = _Grading(progress, recording, self.links)
            self._grade(self._known)
        return self._known

    def _grade(self, grading: _Grading) -> None:
        grading.restart()
        differences = [] if grading.divergence is None else grading.divergence.tallies()
        tallies = (*self.recording.log.tallies.values(), *differences)
        faults = (tally for tally in tallies if KINDS[tally.kind].is_fault(tally))
        graded = [self._finding(tally, grading) for tally in faults]
        findings = [
            found for found in graded if found.grade == "harmful" or not KINDS[found.kind].is_only_harm
        ]
        grading.findings = attribute_harm(self.links, grading.grader, findings)
        self._given = None

    def origin(
        self, process: int, step: int, *, backwards: bool = False
    ) -> tuple[int, Finding, Occurrence] | None:
        """The nearest step of a process after `step`, or before it, in which a NaN or an infinity was born that does harm.

        With it the finding, and its number among all of them.
        """
        births = [
            (occurrence.step, number, finding, occurrence)
            for number, finding in enumerate(self.findings)
            if KINDS[finding.kind].is_born and finding.grade == "harmful"
            for occurrence in finding.occurrences
            if occurrence.process == process
            and (occurrence.step < step if backwards else occurrence.step > step)
        ]
        if not births:
            return None
        _, number, finding, occurrence = (max if backwards else min)(births, key=lambda stop: stop[:2])
        return number, finding, occurrence

    def origin_of(self, address: Address | None = None, index: tuple[int, ...] | None = None) -> Cause | None:
        """The origin of a NaN in a value, or else of an infinity; by default of the first result that has one.

        `OnOtherHost` if another host has a value on the way, for all results that have one.
        """
        self.links.run.refresh()
        elsewhere = None
        for rank in (NAN, INFINITE):
            bad = BadElements(self.links, rank)
            for here in [address] if address else self._results():
                try:
                    elements = bad.of(here)
                    if index is not None:
                        elements = elements.intersection(ElementSet.of_index(elements.shape, index))
                    if elements:
                        first = ElementSet.of_index(elements.shape, next(iter(elements)))
                        return find_origin(self.links, bad, here, first)
                except OnOtherHost as other:
                    elsewhere = elsewhere or other
        if elsewhere is not None:
            raise elsewhere
        return None

    def _results(self) -> Iterator[Address]:
        """The tensors that the entry function returned, of each process."""
        run = self.links.run
        for launch_group in self.recording.launch_groups[:1]:
            for process in launch_group.numbers:
                yield from run.results(process)

    def _finding(self, tally: FaultTally, grading: _Grading) -> Finding:
        recording = self.recording
        bound = recording.program.ops[tally.op]
        cause = self._cause(tally, grading.grader)
        several = len(recording.tracks) > 1
        process = recording.process_name(tally.first.process) if several else ""
        graded = self._grade_of(tally, grading)
        return Finding(
            op=tally.op,
            kind=tally.kind,
            grade=graded.grade,
            count=tally.count,
            first=tally.first,
            worst=tally.worst,
            occurrences=tuple(tally.occurrences),
            sentence=first_sentence(recording.program, bound, tally.first, process, cause),
            cause=cause,
            followed=graded.followed,
            elsewhere=graded.elsewhere,
        )

    def _grade_of(self, tally: FaultTally, grading: _Grading) -> Graded:
        key = (tally.op, tally.kind)
        if key in self._final:
            return Graded(self._final[key], is_final=True)
        if key not in grading.grades:
            graded = grading.grader.grade(tally)
            if not (graded.followed or graded.elsewhere):
                return graded
            grading.grades[key] = graded
            if graded.is_final:
                self._final[key] = graded.grade
        return grading.grades[key]

    def _cause(self, tally: FaultTally, grader: Grader) -> Cause | None:
        """The origin of the infinity that became the first NaN, or the op that failed where a select took NaN constants."""
        key = (tally.op, tally.kind)
        if tally.first.fault.from_constant and key not in self._causes:
            with grader.here():
                self._causes[key] = find_failure(self.links.run, tally.op, tally.first.process)
        if not tally.first.fault.from_inf:
            return self._causes.get(key)
        if key not in self._causes and grader.has_time:
            self._causes[key] = grader.find_cause(tally)
        return self._causes.get(key)
