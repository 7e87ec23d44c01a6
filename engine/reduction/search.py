"""Order of the reductions: devices, results, ops, regions, operands, shapes, values; then again.

A caller decides whether a candidate still shows the fault. hloscope first verifies each candidate and runs it
to its end where it might not terminate.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TypeVar

import numpy as np

from ..ir.attributes import DenseAttribute
from ..ir.module import Block, Operation
from ..limits import DEFAULT_LIMITS, Limits
from ..ops.core.op import Array
from ..ops.core.values import is_tuple
from .bodies import bypasses, constant_of, descents, replace_blocks, tidy
from .case import Case
from .cutting import assemble, flatten, flatten_one, keep, with_results
from .dimensions import Classes
from .editing import with_values
from .recorded import Recorded
from .resizing import resized, smaller_sizes
from .shardings import fewer_devices, fewer_shardings

LARGEST = 8
"""Maximum absolute value of small integers."""


def forms(array: Array) -> Iterator[Array]:
    """Yield simpler arrays of the same type and shape, simplest first, up to the array itself."""
    if is_tuple(array) or not array.size:
        return
    for candidate in _candidates(array):
        if candidate.tobytes() == np.ascontiguousarray(array).tobytes():
            return
        yield candidate


def _candidates(array: Array) -> Iterator[Array]:
    with np.errstate(all="ignore"):
        yield np.zeros(array.shape, array.dtype)
        yield np.ones(array.shape, array.dtype)
        if array.dtype == np.bool_ or (array.size == 1 and array.dtype.kind in "iu"):
            return
        if array.size > 1:
            yield np.arange(array.size).reshape(array.shape).astype(array.dtype)
            yield (np.arange(array.size) % LARGEST).reshape(array.shape).astype(array.dtype)
            yield np.full(array.shape, array.reshape(-1)[0])
        if array.dtype.kind not in "iuc":
            wide = array.astype(np.float64)
            yield np.clip(np.rint(np.nan_to_num(wide)), -LARGEST, LARGEST).astype(array.dtype)
            yield np.rint(wide).astype(array.dtype)


def with_input(case: Case, number: int, array: Array) -> Case:
    """Replace the array of one input."""
    inputs = tuple(array if at == number else given for at, given in enumerate(case.inputs))
    return Case(case.module, inputs)


def simpler_literals(case: Case) -> Iterator[Case]:
    """For each literal of the program, yield cases with simpler ones."""
    for function in case.module.functions:
        for operation in _constants(function.body.block if function.body else None):
            value = operation.properties["value"]
            assert isinstance(value, DenseAttribute)
            for array in forms(value.data):
                yield _with_literal(case, operation, replace(value, data=_as_splat(array)))


def _as_splat(array: Array) -> Array:
    first = array.reshape(-1)[:1].reshape(())
    same = array.tobytes() == first.tobytes() * array.size
    return np.broadcast_to(first, array.shape) if same else array


def _constants(block: Block | None) -> Iterator[Operation]:
    for operation in block.operations if block else ():
        if operation.name == "stablehlo.constant" and isinstance(
            operation.properties.get("value"), DenseAttribute
        ):
            yield operation
        for region in operation.regions:
            if not region.function:
                for inner in region.blocks:
                    yield from _constants(inner)


def _with_literal(case: Case, target: Operation, value: DenseAttribute) -> Case:
    changed = replace(target, properties={**target.properties, "value": value})

    def change(block: Block) -> Block:
        operations = (changed if operation is target else operation for operation in block.operations)
        return replace(block, operations=tuple(operations))

    return replace_blocks(case, change)


Item = TypeVar("Item")
Holds = Callable[[Case], bool]
MORE_STEPS = 1000
WORTH_CHECKING = 1 << 24
"""Maximum elements of an input for which simpler values are tried one by one."""


@dataclass
class Counts:
    """Statistics of a search."""

    candidates: int = 0
    rejected: int = 0
    """Candidates that are invalid or could not be built."""
    repeated: int = 0
    """Candidates that were checked before."""
    checks: int = 0
    held: int = 0


@dataclass
class Search:
    """Reduce a case; `best` is always the smallest candidate that held.

    `holds` may raise to end the search. `notify` receives the name of each stage when it begins, and each
    candidate that held.
    """

    best: Case
    holds: Holds
    limits: Limits = DEFAULT_LIMITS
    notify: Callable[[str, Case], None] = lambda stage, case: None
    only: Collection[str] = ()
    """The stages to run; none: all."""
    counts: Counts = field(default_factory=Counts)
    stage: str = ""
    _known: dict[bytes, bool] = field(default_factory=dict)

    def run(self) -> Case:
        """Run the search and return the smallest case."""
        stages: tuple[tuple[str, Callable[[], object]], ...] = (
            ("devices", self._devices),
            ("functions", lambda: self._try(flatten(self.best))),
            ("results", self._results),
            ("ops", self._ops),
            ("regions", self._regions),
            ("operands", self._operands),
            ("shapes", self._shapes),
            ("values", self._values),
            ("literals", lambda: self._while_it_helps(lambda: simpler_literals(self.best))),
        )
        self.limits = limits_for(self.best, self.limits)
        seen: set[bytes] = set()
        while self.best.key not in seen:
            seen.add(self.best.key)
            for name, stage in stages:
                if self.only and name not in self.only:
                    continue
                self.stage = name
                self.notify(name, self.best)
                stage()
        # At the very end: a constant is one more op, which another round would remove again.
        self._while_it_helps(self._scalar_constants)
        return self.best

    def _try(self, case: Case | None) -> bool:
        """Check a candidate; if it holds, it becomes the best."""
        self.counts.candidates += 1
        if (
            case is None
            or case.program is None
            or not case.is_whole
            or (loops(case) and Recorded(case, self.limits).problem)
        ):
            self.counts.rejected += 1
            return False
        if case.key == self.best.key:
            self.counts.repeated += 1
            return False
        if case.key in self._known:
            self.counts.repeated += 1
            found = self._known[case.key]
        else:
            self.counts.checks += 1
            found = self._known[case.key] = self.holds(case)
        if found:
            self.counts.held += 1
            self.best = case
            self.notify(self.stage, case)
        return found

    def _first(self, cases: Iterable[Case | None]) -> bool:
        return any(self._try(case) for case in cases)

    def _while_it_helps(self, cases: Callable[[], Iterable[Case | None]]) -> None:
        while self._first(cases()):
            pass

    # Stages

    def _devices(self) -> None:
        self._while_it_helps(lambda: fewer_devices(self.best))
        self._while_it_helps(lambda: fewer_shardings(self.best))

    def _results(self) -> None:
        base = self.best
        if len(base.results) < 2:
            self._try(tidy(base))
            return
        recorded = Recorded(base, self.limits)
        ddmin(base.results, lambda kept: self._try(with_results(base, kept, recorded.get)))

    def _ops(self) -> None:
        base = self.best
        recorded = Recorded(base, self.limits)
        if not recorded.problem:
            ddmin(range(len(base.operations)), lambda kept: self._try(keep(base, kept, recorded.get)))

    def _regions(self) -> None:
        def candidates() -> Iterable[Case | None]:
            base = self.best
            recorded = Recorded(base, self.limits)
            yield from (flatten_one(base, number) for number in range(len(base.operations)))
            if not recorded.problem:
                yield from descents(base, recorded)

        while self._first(candidates()):
            self._ops()

    def _operands(self) -> None:
        self._while_it_helps(lambda: bypasses(self.best))
        self._while_it_helps(self._fewer_inputs)

    def _fewer_inputs(self) -> Iterable[Case | None]:
        """Replace an input by another of the same type."""
        base = self.best
        arguments = base.entry.arguments
        for number, value in enumerate(arguments):
            for other in arguments[:number]:
                if other.type == value.type:
                    yield merged(base, value.name, other.name)

    def _shapes(self) -> None:
        tried: set[tuple[int, int]] = set()
        while True:
            base = self.best
            groups = Classes(base).groups()
            if not any(self._smaller(base, place, tried) for place in range(len(groups))):
                return

    def _smaller(self, base: Case, place: int, tried: set[tuple[int, int]]) -> bool:
        size, dimensions = Classes(base).groups()[place]
        if (place, size) in tried:
            return False
        tried.add((place, size))
        for to in smaller_sizes(size):
            for last in (False, True):
                if self._try(resized(base, dimensions, to, last)):
                    tried.clear()
                    return True
        return False

    def _values(self) -> None:
        for number, array in enumerate(self.best.inputs):
            if array.size <= WORTH_CHECKING:
                self._first(with_input(self.best, number, simple) for simple in forms(array))

    def _scalar_constants(self) -> Iterable[Case | None]:
        """Replace an input of rank 0 by a constant."""
        base = self.best
        for number, (value, array) in enumerate(zip(base.entry.arguments, base.inputs, strict=True)):
            if array.ndim == 0 and array.dtype.kind in "biuf":
                constant = constant_of(value, array.reshape(-1)[0], base.module)
                if constant is not None:
                    yield _without_input(base, number, constant)


def loops(case: Case) -> bool:
    """Whether a change may have made a run endless, so that it must be run before the check."""
    return "while" in case.text


def limits_for(case: Case, limits: Limits) -> Limits:
    """Limits for candidates: none needs many more steps than the case itself."""
    recorded = Recorded(case, limits)
    steps = MORE_STEPS + 2 * recorded.steps
    return replace(limits, run_step_limit=min(limits.run_step_limit, steps))


def merged(case: Case, name: str, other: str) -> Case | None:
    """Replace one input by another."""
    values = {value.name: value for value in case.entry.arguments}
    operations = [with_values(operation, {name: values[other]}) for operation in case.operations]
    results = [values[other] if value.name == name else value for value in case.results]
    return assemble(case, operations, results, lambda _: None)


def _without_input(case: Case, number: int, constant: Operation) -> Case | None:
    operations = [constant, *case.operations]
    return assemble(case, operations, case.results, lambda _: None)


def ddmin(items: Sequence[Item], holds: Callable[[list[Item]], bool]) -> list[Item]:
    """A sublist for which the test holds, but not without any one of its items.

    Source: Zeller and Hildebrandt, *Simplifying and Isolating Failure-Inducing Input*, 2002, algorithm ddmin.

    The test must hold for all items. ddmin tests single pieces first, then everything but one piece, with ever
    smaller pieces.
    """
    kept, pieces = list(items), 2
    while len(kept) > 1:
        parts = _split(kept, min(pieces, len(kept)))
        alone = next((part for part in parts if holds(part)), None) if pieces <= len(kept) else None
        if alone is not None:
            kept, pieces = alone, 2
            continue
        without = _without_a_part(parts, holds)
        if without is not None:
            kept, pieces = without, max(len(parts) - 1, 2)
        elif len(parts) == len(kept):
            break
        else:
            pieces = 2 * len(parts)
    return kept


def _without_a_part(parts: list[list[Item]], holds: Callable[[list[Item]], bool]) -> list[Item] | None:
    """Try to drop one part, last first, because later ops depend on earlier ones."""
    if len(parts) == 2:
        return None  # the other part alone was tried
    for number in reversed(range(len(parts))):
        rest = [item for other, part in enumerate(parts) if other != number for item in part]
        if holds(rest):
            return rest
    return None


def _split(items: list[Item], count: int) -> list[list[Item]]:
    ends = [len(items) * number // count for number in range(count + 1)]
    return [items[begin:end] for begin, end in pairwise(ends)]
