"""Records each program with a planted fault, and its twin: `python -m tests.findings.proof` prints what is found in them."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from hloscope.engine.debugger.grading import FindingReport
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.findings import KINDS, Finding

from .planted import Planted, planted_programs


def harmful(recording: Recording) -> list[Finding]:
    """The harmful findings of a recording, in the order in which they were found."""
    return [finding for finding in FindingReport(recording).findings if finding.grade == "harmful"]


@dataclass(frozen=True)
class Outcome:
    """What is found in one program and its twin."""

    planted: Planted
    first: Finding | None
    """The first finding in the program with the fault."""
    line: int | None
    """The line that it names."""
    alarms: tuple[str, ...]
    """The sentences of findings in the twin."""

    @classmethod
    def of(cls, planted: Planted) -> Outcome:
        """The outcome of recording both versions."""
        faulty, sound = planted.record("faulty"), planted.record("sound")
        first = next(iter(harmful(faulty)), None)
        line = None if first is None else faulty.program.line_of(first.op)
        return cls(planted, first, line, tuple(finding.sentence for finding in harmful(sound)))

    @property
    def is_named(self) -> bool:
        """Whether the first finding names the op at fault, and is of the kind that was planted."""
        kind = None if self.first is None else self.first.kind
        return self.line == self.planted.faulty_line and kind == self.planted.kind

    @property
    def is_right(self) -> bool:
        """Whether the fault is named first, and nothing is found in the twin."""
        return self.is_named and not self.alarms

    @property
    def text(self) -> str:
        """A line for people, with what is wrong below."""
        said = "nothing found" if self.first is None else self.first.sentence
        lines = [f"{'ok' if self.is_right else 'WRONG':5}  {self.planted.name}: {said}"]
        if not self.is_named:
            lines.append(f"       the fault is in line {self.planted.faulty_line}: {self.planted.kind}")
        return "\n".join([*lines, *(f"       its twin: {alarm}" for alarm in self.alarms)])


def totals(outcomes: list[Outcome]) -> str:
    """The number of outcomes that are right."""
    count, named = len(outcomes), sum(outcome.is_named for outcome in outcomes)
    clear = sum(not outcome.alarms for outcome in outcomes)
    return f"planted faults: {named} of {count} named first, {clear} of {count} twins without a finding"


def prove() -> Iterator[Outcome]:
    """The outcomes of all programs, by kind and name."""
    return map(Outcome.of, planted_programs())


def main() -> int:
    """Print a line for each program, the number of programs for each kind, and the totals."""
    outcomes = []
    for outcome in prove():
        outcomes.append(outcome)
        print(outcome.text, flush=True)
    counts = Counter(outcome.planted.kind for outcome in outcomes)
    print("\n" + "\n".join(f"{count:3}  {KINDS[kind].title}" for kind, count in counts.most_common()))
    print(f"\n{totals(outcomes)}")
    return 0 if all(outcome.is_right for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
