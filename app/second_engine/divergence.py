"""The first value of our program that a second engine computes otherwise, by asking it for more results than the program has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hloscope.engine.comparison.difference import Difference

from ..xla.arrays import Array
from ..xla.engine import Overrides
from ..xla.failures import XlaFailed
from .engines import SecondEngine
from .extra_results import Intermediate, as_stablehlo, intermediates, with_results
from .our_runs import OurRun

MOST_BYTES = 1 << 28
"""Values that are asked for at a time."""
MOST_SINGLES = 12
"""So few are all tried one by one; of more the half that holds the first wrong one is looked for."""


@dataclass(frozen=True)
class Divergent:
    """A value that differs beyond rounding though what it was made of does not."""

    name: str
    op: str
    line: int
    difference: Difference


@dataclass(frozen=True)
class Located:
    """What came of asking for intermediate values."""

    first: Divergent | None = None
    asked: int = 0
    """How many values were asked for at once."""
    is_hidden: bool = False
    """Whether the fault was gone when all were asked for."""
    hiding: tuple[str, ...] = ()
    """Values that hide the fault when one alone of them is asked for."""
    harmless: tuple[str, ...] = ()
    """Values that are right, and do not hide it."""
    problem: str = ""
    """Why nothing could be asked."""


@dataclass(frozen=True)
class Locator:
    """Asks a second engine for intermediate values of one run."""

    engine: SecondEngine
    run: OurRun
    overrides: Overrides

    def locate(self) -> Located:
        """All values in one go; where this hides the fault, one at a time."""
        values = intermediates(self.run)
        try:
            answers = [self._ask(group) for group in _groups(values, self.run)]
        except XlaFailed as failure:
            return Located(asked=len(values), problem=str(failure))
        if not answers:
            return Located(problem="there is no value besides the results that could be asked for")
        differences = [difference for _, found in answers for difference in found]
        first = _first_wrong(values, differences)
        # Whether the program's own results are still wrong says whether it is the same fault.
        still_wrong = any(not own_fine for own_fine, _ in answers)
        if first is not None or still_wrong:
            return Located(first, len(values))
        return self._one_by_one(values)

    def _one_by_one(self, values: Sequence[Intermediate]) -> Located:
        hiding, harmless = list[str](), list[str]()
        low, high, first = 0, len(values), None
        for at in _order(low, high):
            if not low <= at < high:
                continue
            value = values[at]
            try:
                is_fine, (difference,) = self._ask([value])
            except XlaFailed:
                continue
            if not difference.is_fine:
                high, first = at, Divergent(value.value.name, value.op, value.line, difference)
            elif is_fine:
                hiding.append(value.value.name)
            else:
                harmless.append(value.value.name)
                low = at + 1
        places = {value.value.name: number for number, value in enumerate(values)}
        hiding.sort(key=places.__getitem__)
        harmless.sort(key=places.__getitem__)
        return Located(first, len(values), is_hidden=True, hiding=tuple(hiding), harmless=tuple(harmless))

    def _ask(self, values: Sequence[Intermediate]) -> tuple[bool, list[Difference]]:
        """Whether the program's own results are right when these are asked for too, and how these differ."""
        program = self.run.recording.program
        module, entry = as_stablehlo(program.module), program.entry
        if module is None or entry is None:
            raise XlaFailed("the program cannot be said in StableHLO, where results are added")
        if module is not program.module:
            raise XlaFailed("values of HLO text are not asked for: each of its instructions is run alone")
        text = with_results(module, entry.function.name, [value.value for value in values])
        theirs = self.engine.run(text, self.run.arguments, self.overrides)
        count = len(self.run.results)
        is_fine = all(found.is_fine for found in self.run.compare(theirs[:count]))
        return is_fine, [
            self._difference(value, other) for value, other in zip(values, theirs[count:], strict=True)
        ]

    def _difference(self, value: Intermediate, theirs: Array) -> Difference:
        ours = self.run.recording.value(value.address)
        return self.run.difference(ours, theirs, self.run.bounds.of(value.address))


def _first_wrong(values: Sequence[Intermediate], differences: Sequence[Difference]) -> Divergent | None:
    wrong: set[str] = set()
    for value, difference in zip(values, differences, strict=True):
        if not difference.is_fine:
            if not wrong & set(value.operands):
                return Divergent(value.value.name, value.op, value.line, difference)
            wrong.add(value.value.name)
    return None


def _groups(values: Sequence[Intermediate], run: OurRun) -> Iterator[list[Intermediate]]:
    group, size = list[Intermediate](), 0
    for value in values:
        count = run.recording.value(value.address).nbytes
        if group and size + count > MOST_BYTES:
            yield group
            group, size = [], 0
        group.append(value)
        size += count
    if group:
        yield group


def _order(low: int, high: int) -> Iterator[int]:
    """The places in which to look: each if they are few, else those in the middle of ever smaller parts."""
    if high - low <= MOST_SINGLES:
        yield from range(low, high)
        return
    step = high - low
    tried: set[int] = set()
    while step > 1 and len(tried) < 4 * MOST_SINGLES:
        step = (step + 1) // 2
        for at in range(low + step - 1, high, step):
            if at not in tried:
                tried.add(at)
                yield at
