"""Grades findings: the evidence that their kinds judge by, within a time limit."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import perf_counter

from ...findings import KINDS, Cause, Fault, FaultTally, Grade, Harm, Occurrence
from ...findings.births import chosen_nans, nan_choices
from ...findings.kind import Kind, Search
from ...indexing.elements.element_sets import ElementSet
from ...ops.core.op import Array, Op
from ...ops.core.quiet import quiet
from ...ops.core.ranks import INFINITE, NAN, Ranks, ranks_of
from ...program import BoundProgram
from ...remote_values import OnOtherHost
from ..address import Address
from ..outcome_addresses import leaf_address
from ..provenance import BadElements, Links, RecordedRun
from .harm import HarmSearch
from .origins import IndexOrigin, fault_address, find_origin, index_origins
from .searches import searches
from .wide_values import WideValues

BIRTH_SECONDS = 4.0
"""Time limit for following NaN and infinities of a run, all together, until more is requested."""
OTHER_SECONDS = 3.0
"""Time limit for following all other faults of a run."""
_AMPLIFIED = 16
"""Minimum factor by which an op amplifies the error of its operands to be where digits are lost."""
_SEARCH_SECONDS = 1.0
"""Time limit of one search."""


class Clock:
    """A time limit that several searches share, and that may start again."""

    def __init__(self, seconds: float) -> None:
        self._limit = seconds
        self.restart()

    def restart(self) -> None:
        """Give the whole time again."""
        self._deadline = perf_counter() + self._limit

    @property
    def seconds(self) -> float:
        """Time limit of the next search."""
        return max(0.0, min(_SEARCH_SECONDS, self._deadline - perf_counter()))


@dataclass(frozen=True)
class Graded:
    """The grade of a finding."""

    grade: Grade
    is_final: bool
    """Whether it stays the same when the run continues."""
    followed: bool = True
    """Whether its steps were followed to the end, or until they did harm."""
    elsewhere: bool = False
    """Whether they were not because another host has values that they may reach: more time does not help."""

    @classmethod
    def of(cls, harms: Collection[Harm | None], harmless: Grade, unknown: Grade = "harmful") -> Graded:
        """The grade by the harm that steps do: `harmless` where they do none, `unknown` where the time limit ended a search."""
        if any(harm not in (None, "pending", "unknown") for harm in harms):
            return cls("harmful", is_final=True)
        if "pending" in harms or "unknown" in harms:
            grade = "harmful" if "pending" in harms else unknown
            return cls(grade, is_final=False, followed="unknown" not in harms)
        return cls(harmless, is_final=False)


class Grader:
    """Grades the findings of a run one after the other."""

    def __init__(self, links: Links) -> None:
        self.links, self.run, self.bad = links, links.run, BadElements(links)
        self.wide = WideValues(self.run)
        self._searches: Mapping[Search, HarmSearch] = searches(links, self.bad, self.wide)
        self._births, self._others = Clock(BIRTH_SECONDS), Clock(OTHER_SECONDS)
        self.elsewhere: dict[str, int] = {}
        """The values that were needed and are not here, each with the number of the host that has it."""
        self._skipped = 0

    def restart(self) -> None:
        """Give the time for all findings again."""
        self._births.restart()
        self._others.restart()

    @property
    def has_time(self) -> bool:
        """Whether there is time left to follow NaN and infinities."""
        return self._births.seconds > 0

    def grade(self, tally: FaultTally) -> Graded:
        """The grade of a finding, by its first, its worst and its last step."""
        kind, program = KINDS[tally.kind], self.run.program
        clock = self._births if kind.is_born else self._others
        occurrences = {each.step: each for each in (tally.first, tally.worst, tally.occurrences[-1])}
        steps = [StepEvidence(self, tally.op, each, clock) for each in occurrences.values()]
        skipped = self._skipped
        with self.here():
            if kind.is_intended(tally, steps):
                return Graded("neutral", is_final=False)
        harms = self._harms(kind, steps)
        if self._skipped > skipped:
            others = _of_other_processes(tally, occurrences.values())
            harms |= self._harms(kind, [StepEvidence(self, tally.op, each, clock) for each in others])
        return self._graded(harms, skipped, kind.harmless_grade(program, tally), kind.grade_if_unknown)

    def grade_input(self, address: Address, elements: ElementSet) -> Graded:
        """The grade of elements of an input that are not finite."""
        skipped = self._skipped
        harm = self.follow("not_finite", address, elements, self._births)
        return self._graded({harm}, skipped, "masked")

    @contextmanager
    def here(self) -> Iterator[None]:
        """Leave the block, and note the value, where another host has what is read."""
        try:
            yield
        except OnOtherHost as other:
            self.elsewhere[other.value] = other.host
            self._skipped += 1

    def _harms(self, kind: Kind, steps: Iterable[StepEvidence]) -> set[Harm | None]:
        """The harms that are known here."""
        harms: set[Harm | None] = set()
        for step in steps:
            with self.here():
                harms.add(kind.harm(step))
        return harms

    def _graded(
        self, harms: set[Harm | None], skipped: int, harmless: Grade, unknown: Grade = "harmful"
    ) -> Graded:
        """The grade by harms; they are not all if more than `skipped` values have been skipped."""
        if self._skipped == skipped:
            return Graded.of(harms, harmless, unknown)
        graded = Graded.of(harms | {"unknown"}, harmless, unknown)
        return replace(graded, elsewhere="unknown" not in harms and not graded.followed)

    def find_cause(self, tally: FaultTally) -> Cause | None:
        """The origin of the infinity that became the NaN of the first step; `None` if it was born in the same value."""
        address = fault_address(self.run.recording, tally.op, tally.first)
        element = ElementSet.of_index(self.run.shape(address), tally.first.fault.index)
        origin = None
        with self.here():
            origin = find_origin(self.links, self.bad, address, element, self._births.seconds)
        return None if origin is None or origin.address == str(address) else origin

    def follow(self, search: Search, address: Address, elements: ElementSet, clock: Clock) -> Harm | None:
        """The harm that elements do by the rule of a search, as far as it is known here; `unknown` after the time limit."""
        harm: Harm | None = None
        try:
            with self.here():
                harm = self._searches[search].search(address, elements, clock.seconds)
        except TimeoutError:
            return "unknown"
        return harm

    def follow_read(self, address: Address, occurrence: Occurrence, clock: Clock) -> Harm | None:
        """The harm of the elements that a step read by the faulty index, an element of the operand at `address`."""
        search = self._searches["misplaced"]
        elements = ElementSet.of_index(self.run.shape(address), occurrence.fault.index)
        for link in search.onward.links(address):
            target = link.target
            if (target.process, target.kind, target.number) == (occurrence.process, "s", occurrence.step):
                return self.follow("misplaced", target, search.reach(link, elements), clock)
        return "result"


@dataclass(frozen=True, eq=False)
class StepEvidence:
    """One step of a finding: `findings.kind.Evidence` of a recorded run."""

    grader: Grader
    op_number: int
    occurrence: Occurrence
    clock: Clock

    @property
    def program(self) -> BoundProgram:
        return self.grader.run.program

    @property
    def op(self) -> Op:
        return self.program.ops[self.op_number].op.unpacked

    @property
    def fault(self) -> Fault:
        return self.occurrence.fault

    @property
    def _address(self) -> Address:
        return fault_address(self.grader.run.recording, self.op_number, self.occurrence)

    def operands(self) -> tuple[Array, ...]:
        return _operands(self.grader.run, self.occurrence.process, self.occurrence.step)

    def value(self) -> Array:
        return self.grader.run.recording.value(self._address)

    def born_elements(self) -> ElementSet:
        return born_elements(self.grader.run, self.op_number, self.occurrence)

    def follow(self, search: Search, elements: ElementSet) -> Harm | None:
        return self.grader.follow(search, self._address, elements, self.clock)

    def follow_read(self) -> Harm | None:
        return self.grader.follow_read(self._address, self.occurrence, self.clock)

    def loses_digits(self, limit: float) -> bool:
        run, wide = self.grader.run, self.grader.wide
        operands = run.operands(self.occurrence.process, self.occurrence.step)
        lost = wide.error(self._address, beside=operands[0])
        if lost is None or lost < limit:
            return False
        before = [wide.error(operand) or 0.0 for operand in operands]
        after = [wide.error(found) or 0.0 for found in run.results(self.occurrence.process)]
        return max(before) <= lost / _AMPLIFIED and max(after, default=0.0) >= limit

    def number_origins(self) -> list[IndexOrigin]:
        return index_origins(self.grader.links, self._address, self.fault.index, int(self.fault.value or 0))


def _of_other_processes(tally: FaultTally, known: Iterable[Occurrence]) -> Iterator[Occurrence]:
    """The first step of each further process, of the steps that are kept."""
    seen = {each.process for each in known}
    for each in tally.occurrences:
        if each.process not in seen:
            seen.add(each.process)
            yield each


# Which elements were born in a step, from what the op read and made


def born_elements(run: RecordedRun, op: int, occurrence: Occurrence) -> ElementSet:
    """The elements of the value at fault that are of the fault's kind, and worse than all that they were computed from."""
    address = fault_address(run.recording, op, occurrence)
    shape = run.shape(address)
    made = ranks_of(run.recording.value(address))
    if made is None:
        return ElementSet.empty(shape)
    if occurrence.fault.from_constant:
        operands = _operands(run, occurrence.process, occurrence.step)
        sides = run.program.derive(nan_choices)[op]
        return ElementSet.of_mask(shape, chosen_nans(operands, shape, sides))
    with quiet():
        read = _ranks_read(run, op, occurrence)
    rank = NAN if occurrence.fault.kind == "nan" else INFINITE
    return ElementSet.of_mask(shape, (made == rank) & (made > read))


def _operands(run: RecordedRun, process: int, step: int) -> tuple[Array, ...]:
    return tuple(map(run.recording.value, run.operands(process, step)))


def _ranks_read(run: RecordedRun, op: int, occurrence: Occurrence) -> Ranks | int:
    """The greatest rank among the elements that each element of the value at fault reads."""
    recording, process = run.recording, occurrence.process
    step, number = occurrence.step, occurrence.fault.result or 0
    bound = recording.program.ops[op]
    if bound.op.unpacked.findings.awaits_outcomes:
        step, number = recording.tracks[process].outcomes.starts[step, number]
        results = _outcome(run, process, step)
    else:
        address = fault_address(recording, op, occurrence)
        results = tuple(
            recording.value(address._replace(index=k, path=())) for k in range(len(bound.results))
        )
    combines = run.bound_operation(process, step).op.unpacked.explanation.combines_processes
    operands = recording.brought_to(process, step) if combines else _operands(run, process, step)
    ran = run.op_at(process, step)
    if step != occurrence.step:
        ran = ran.unpacked  # its results arrive one by one
    return ran.findings.ranks_read(ran, operands, tuple(map(ranks_of, operands)), results)[number]


def _outcome(run: RecordedRun, process: int, start: int) -> tuple[Array, ...]:
    """The results that a step has only started, from the steps that awaited them."""
    came = run.recording.tracks[process].outcomes.came
    ends = sorted((number, end) for (step, number), end in came.items() if step == start)
    return tuple(run.recording.value(leaf_address(run.recording, process, *end)) for _, end in ends)
