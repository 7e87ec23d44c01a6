"""Records every program with a planted fault, and its twin: `python -m tests.findings.proof` prints what Findings says of each."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hloscope.engine.debugger.grading import FindingReport
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.findings import KINDS, Finding

from .planted import Planted, planted_programs


def harmful(recording: Recording) -> list[Finding]:
    """What is found that does harm, in the order in which it was found."""
    return [found for found in FindingReport(recording).findings if found.grade == "harmful"]


@dataclass(frozen=True)
class Outcome:
    """What is found in one program."""

    planted: Planted
    first: Finding | None
    """The first finding of the program with the fault."""
    line: int | None
    """The line that it names."""
    alarms: tuple[str, ...]
    """What is said of the twin."""

    @classmethod
    def of(cls, planted: Planted) -> Outcome:
        """Runs both versions."""
        faulty, sound = planted.record("faulty"), planted.record("sound")
        first = next(iter(harmful(faulty)), None)
        line = None if first is None else faulty.program.line_of(first.op)
        return cls(planted, first, line, tuple(found.sentence for found in harmful(sound)))

    @property
    def is_named(self) -> bool:
        """Whether the op at fault is named first."""
        return self.line == self.planted.faulty_line

    @property
    def is_right(self) -> bool:
        """Whether it is, and nothing is said of the twin."""
        return self.is_named and not self.alarms

    @property
    def text(self) -> str:
        """A line for people, with what is wrong below."""
        said = "nothing found" if self.first is None else self.first.sentence
        lines = [f"{'ok' if self.is_right else 'WRONG':5}  {self.planted.name}: {said}"]
        if not self.is_named:
            lines.append(f"       the fault is in line {self.planted.faulty_line}")
        return "\n".join([*lines, *(f"       its twin: {alarm}" for alarm in self.alarms)])


def kinds_of(outcomes: Iterable[Outcome]) -> Counter[str]:
    """How many programs have a fault of each kind."""
    return Counter(KINDS[found.first.kind].title for found in outcomes if found.first is not None)


def totals(outcomes: list[Outcome]) -> str:
    """How many are right."""
    count, named = len(outcomes), sum(found.is_named for found in outcomes)
    silent = sum(not found.alarms for found in outcomes)
    return f"planted faults: {named} of {count} named first, {silent} of {count} twins without a finding"


def prove() -> Iterator[Outcome]:
    """What is found in all of them, by name."""
    return map(Outcome.of, planted_programs())


def main() -> int:
    """Prints a line for each program, how many have each kind of fault, and the totals."""
    outcomes = []
    for outcome in prove():
        outcomes.append(outcome)
        print(outcome.text, flush=True)
    print("\n" + "\n".join(f"{count:3}  {kind}" for kind, count in kinds_of(outcomes).most_common()))
    print(f"\n{totals(outcomes)}")
    return 0 if all(found.is_right for found in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
