"""The first value that a second engine computes differently, found with extra results."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import prod

from hloscope.engine.comparison.difference import Difference, join
from hloscope.engine.comparison.widening import exact_run, is_as_near
from hloscope.engine.ir.types import TensorType
from hloscope.engine.limits import Limits

from ..processes.arrays import Array
from ..xla.engine import Overrides
from ..xla.failures import XlaFailed
from .budget import Budget
from .engines import SecondEngine
from .extra_results import Intermediate, as_stablehlo, intermediates, with_results
from .our_runs import OurRun

MOST_BYTES = 1 << 28
"""Maximum bytes of values that one run requests."""
MOST_SINGLES = 12
"""Up to this many values are tried one by one; above it, the search bisects."""


@dataclass(frozen=True)
class Divergent:
    """A value that differs beyond rounding although its operands do not."""

    name: str
    op: str
    line: int
    difference: Difference


@dataclass(frozen=True)
class Located:
    """The outcome of requesting intermediate values."""

    first: Divergent | None = None
    asked: int = 0
    """Number of values in one request."""
    is_hidden: bool = False
    """Whether the fault disappeared when all values were requested."""
    hiding: tuple[str, ...] = ()
    """Values that hide the fault when one of them alone is requested."""
    harmless: tuple[str, ...] = ()
    """Values that are right, and do not hide the fault."""
    problem: str = ""
    """The reason why no request was possible."""


@dataclass
class Locator:
    """Requests intermediate values of one run from a second engine."""

    engine: SecondEngine
    run: OurRun
    overrides: Overrides
    budget: Budget = field(default_factory=Budget)
    found: dict[str, list[Array]] = field(default_factory=dict)
    """By name, the values from requests for many, one array per process."""

    def locate(self, *, one_by_one: bool = True) -> Located:
        """Request all values in one run; if this hides a fault of the results, `one_by_one`."""
        values = intermediates(self.run)
        if not values:
            return Located(problem="there is no value besides the results that could be asked for")
        wrong: set[str] = set()
        first, asked, still_wrong = None, 0, False
        for group in _groups(values, self.run):
            if self.budget.is_spent:
                return Located(asked=asked, problem=f"there was time for {asked:,} of {len(values):,} alone")
            self.budget.tell(f"asking XLA for {len(group):,} of {len(values):,} intermediate values")
            try:
                own_fine, differences = self._judged(group, keep=True)
            except XlaFailed as failure:
                return Located(asked=len(values), problem=str(failure))
            asked += len(group)
            # Still wrong results of the program show that it is the same fault.
            still_wrong = still_wrong or not own_fine
            first = _first_wrong(group, differences, wrong)
            if first is not None:
                break
        if first is not None or still_wrong or not one_by_one:
            return Located(first, asked)
        return self._one_by_one(values)

    def collect(self, most_bytes: int) -> int:
        """Request the missing values up to the limit; the number of those left out."""
        values = [value for value in intermediates(self.run) if value.value.name not in self.found]
        left, chosen = most_bytes, []
        for value in values:
            left -= _size(value, self.run)
            if left >= 0:
                chosen.append(value)
        done = 0
        for group in _groups(chosen, self.run):
            if self.budget.is_spent:
                break
            self.budget.tell(f"asking XLA for {len(group):,} of {len(chosen):,} intermediate values")
            self._keep(group, self._asked(group)[1])
            done += len(group)
        return len(values) - done

    def _one_by_one(self, values: Sequence[Intermediate]) -> Located:
        hiding, harmless = list[str](), list[str]()
        low, high, first = 0, len(values), None
        for at in _order(low, high):
            if not low <= at < high:
                continue
            value = values[at]
            if self.budget.is_spent:
                break
            self.budget.tell(f"asking XLA for {value.value.name} alone")
            try:
                is_fine, (difference,) = self._judged([value])
            except XlaFailed:
                continue
            if difference.is_different:
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

    def is_as_near(self, first: Divergent, limits: Limits) -> bool:
        """Whether a run in more digits shows a requested value as good as ours; randomly rounded runs may all miss it.

        So a loop can end by rounding alone, where every random error would keep it going.
        """
        exact = exact_run(self.run.recording, limits)
        if exact is None:
            return False
        ours, wide = (
            run.recording.value(
                next(v for v in intermediates(run) if v.value.name == first.name).addresses[0]
            )
            for run in (self.run, OurRun(exact))
        )
        return is_as_near(wide, ours, self.found[first.name][0])

    def _judged(self, values: Sequence[Intermediate], *, keep: bool = False) -> tuple[bool, list[Difference]]:
        """Whether the program's results are right with these extra results, and their differences."""
        own, others = self._asked(values)
        if keep:
            self._keep(values, others)
        is_fine = not any(found.is_different for found in self.run.compare(own))
        return is_fine, [self.difference(value, found) for value, found in zip(values, others, strict=True)]

    def _keep(self, values: Sequence[Intermediate], found: Sequence[list[Array]]) -> None:
        self.found.update({value.value.name: parts for value, parts in zip(values, found, strict=True)})

    def _asked(self, values: Sequence[Intermediate]) -> tuple[list[Array], list[list[Array]]]:
        """The program's results with these extra results, and the values of each in every process."""
        program = self.run.recording.program
        module, entry = as_stablehlo(program.module), program.entry
        if module is None or entry is None:
            raise XlaFailed("the program cannot be said in StableHLO, where results are added")
        if module is not program.module:
            raise XlaFailed("values of HLO text are not asked for: each of its instructions is run alone")
        text = with_results(module, entry.function.name, [value.value for value in values])
        theirs = self.engine.run(text, self.run.arguments, self.overrides, self.run.grid)
        return split_results(theirs, len(self.run.processes), len(values))

    def difference(
        self, value: Intermediate, theirs: Sequence[Array], instead: Sequence[Array] | None = None
    ) -> Difference:
        """The worst difference in any process, from our values or from those of a third engine."""
        return join(
            [
                self.run.difference(
                    self.run.recording.value(address),
                    other,
                    self.run.bounds.of(address),
                    address,
                    None if instead is None else instead[process],
                )
                for process, (address, other) in enumerate(zip(value.addresses, theirs, strict=True))
            ]
        )


def split_results(
    found: Sequence[Array], processes: int, extra: int
) -> tuple[list[Array], list[list[Array]]]:
    """The program's results process by process, and of each extra value those of each process."""
    each = len(found) // processes
    parts = [found[process * each : (process + 1) * each] for process in range(processes)]
    own = [value for part in parts for value in part[: each - extra]]
    return own, [[part[each - extra + number] for part in parts] for number in range(extra)]


def _first_wrong(
    values: Sequence[Intermediate], differences: Sequence[Difference], wrong: set[str]
) -> Divergent | None:
    """The first wrong value whose operands are right; `wrong` collects all wrong names."""
    for value, difference in zip(values, differences, strict=True):
        if difference.is_different:
            if not wrong & set(value.operands):
                return Divergent(value.value.name, value.op, value.line, difference)
            wrong.add(value.value.name)
    return None


def _groups(values: Sequence[Intermediate], run: OurRun) -> Iterator[list[Intermediate]]:
    group, size = list[Intermediate](), 0
    for value in values:
        count = _size(value, run)
        if group and size + count > MOST_BYTES:
            yield group
            group, size = [], 0
        group.append(value)
        size += count
    if group:
        yield group


def _size(value: Intermediate, run: OurRun) -> int:
    """Bytes in all processes together."""
    found = value.value.type
    assert isinstance(found, TensorType)
    return len(run.processes) * prod(found.sizes) * found.element_type.dtype.itemsize


def _order(low: int, high: int) -> Iterator[int]:
    """The search order: every value if they are few, else midpoints of ever smaller parts."""
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
