"""Indices that lead elsewhere: moved inside, out of bounds, dropped, or to one element several times."""

from collections.abc import Iterator, Sequence

import numpy as np

from ..ir.types import TensorType
from ..ops.core.facets.findings import OutsideStarts, Updates
from ..ops.core.op import Array, Op
from ..ops.core.quiet import Signals
from ..program import BoundProgram
from ..value_walks import is_given, ops_behind
from .finding import Fault, FaultKind, FaultTally, Harm
from .kind import Arrays, Evidence, Kind, Rule, Watch
from .processes import differing_elements


class MovedWindow(Rule):
    """The one window of an op that did not fit where it should start; the op raises a flag when it moves it inside."""

    def watch(self, op: Op, results: Sequence[TensorType]) -> Watch:
        may_clamp = op.findings.may_clamp(op) and not op.findings.gathers
        return Watch.SIGNALLED if may_clamp else Watch.NEVER

    def faults(self, op: Op, operands: Arrays, results: Arrays, signals: Signals) -> Iterator[Fault]:
        wanted = op.findings.window_start(op, operands)
        if wanted is None:
            return
        for dimension, (size, window) in enumerate(zip(wanted.sizes, wanted.windows, strict=True)):
            if size == window or not window:
                continue
            start = int(wanted.starts[dimension])
            if not 0 <= start <= size - window:
                is_vector = isinstance(wanted.starts, np.ndarray)
                index, number = ((dimension,), 0) if is_vector else ((), dimension)
                cause = _clamp_words(start, window, dimension, size)
                operand = wanted.operand + number
                yield Fault("clamped_start", 1, 1, index, cause, None, operand, float(start))
                return


class MovedWindows(Rule):
    """Windows of a `gather` that do not fit: of single rows, an index that is out of bounds."""

    def watch(self, op: Op, results: Sequence[TensorType]) -> Watch:
        return Watch.ALWAYS if op.findings.gathers and op.findings.may_clamp(op) else Watch.NEVER

    def faults(self, op: Op, operands: Arrays, results: Arrays, signals: Signals) -> Iterator[Fault]:
        outside = op.findings.outside_starts(op, operands)
        if outside is not None:
            start = int(outside.starts[_first(outside)])
            cause = _clamp_words(start, outside.window, outside.dimension, outside.size)
            yield _outside_fault("out_of_bounds" if outside.window == 1 else "clamped_start", outside, cause)


class OutsideUpdate(Rule):
    """Updates of a `scatter` whose window is outside, in whole or in part, unless they would only have added 0."""

    def watch(self, op: Op, results: Sequence[TensorType]) -> Watch:
        return Watch.ALWAYS if op.findings.scatters else Watch.NEVER

    def faults(self, op: Op, operands: Arrays, results: Arrays, signals: Signals) -> Iterator[Fault]:
        outside = op.findings.outside_starts(op, operands)
        updates = None if outside is None else op.findings.updates(op, operands)
        if outside is None or updates is None or not updates.values[0].size:
            return
        if not (outside.is_sentinel and _drops_zeros(updates)):
            yield _outside_fault("dropped_update", outside, _dropped_words(outside, updates))


class Collision(Rule):
    """Different updates of a `scatter` that replace one element, or any two of one where `unique_indices` is stated.

    The order decides which one stays where a body returns the update; with other bodies, any order is right.
    """

    def watch(self, op: Op, results: Sequence[TensorType]) -> Watch:
        return Watch.ALWAYS if op.findings.may_collide(op) else Watch.NEVER

    def faults(self, op: Op, operands: Arrays, results: Arrays, signals: Signals) -> Iterator[Fault]:
        updates = op.findings.updates(op, operands)
        if updates is None or not updates.may_meet():
            return
        cells, kept = updates.find_cells()
        shape, size = results[0].shape, results[0].size
        met = _repeated(cells, size) if updates.is_unique else _replaced(cells, kept, updates.values, results)
        if met.size:
            index = tuple(map(int, np.unravel_index(int(met[0]), shape)))
            count = int(np.count_nonzero(cells == met[0]))
            unique = "unique_indices says that there is one"
            why = unique if updates.is_unique else "the order decides which one stays"
            cause = f"{count:,} updates go to element {list(index)}: {why}"
            yield Fault("collision", int(met.size), size, index, cause)


_GATHERED = MovedWindows()


class _Outside(Kind):
    """An index outside of the tensor, unless it is a sentinel that the program puts there to mean "none"."""

    def is_intended(self, tally: FaultTally, steps: Sequence[Evidence]) -> bool:
        return all(each.fault.is_sentinel for each in tally.occurrences) and all(map(_is_sentinel, steps))


class ClampedStart(_Outside):
    """A window that did not fit, so that `dynamic_slice`, `dynamic_update_slice` or `gather` moved it inside.

    It does no harm where a select leaves out what was read.
    """

    name, title, became = "clamped_start", "clamped start index", "clamped"
    counted = "start indices"
    rules = (MovedWindow(), _GATHERED)

    def harm(self, evidence: Evidence) -> Harm | None:
        return evidence.follow_read()


class DroppedUpdate(_Outside):
    """An update of a `scatter` that is outside, in whole or in part, and so is lost."""

    name, title, became = "dropped_update", "dropped update", "dropped"
    counted = "updates"
    rules = (OutsideUpdate(),)

    def is_intended(self, tally: FaultTally, steps: Sequence[Evidence]) -> bool:
        return _cuts_list(steps[0].program, tally.op) or super().is_intended(tally, steps)


class OutOfBounds(_Outside):
    """The index of a `gather` of single rows that is outside; the nearest row is read instead.

    It does no harm where a select, or a product with 0, leaves out what was read.
    """

    name, title, became = "out_of_bounds", "index out of bounds", "out of bounds"
    counted = "indices"
    rules = (_GATHERED,)

    def harm(self, evidence: Evidence) -> Harm | None:
        return evidence.follow_read()


class CollidingUpdates(Kind):
    """Different updates of a `scatter` for one element that they replace, so that the order decides which one stays.

    Or `unique_indices` is stated and not true.
    """

    name, title, became = "collision", "colliding updates", "overwritten by another update"
    rules = (Collision(),)


# What the rules compute


def _clamp_words(start: int, window: int, dimension: int, size: int) -> str:
    moved = f"start {start} is clamped to {min(max(start, 0), size - window)}"
    return f"{moved}: {_misfit_words(window, dimension, size)}"


def _misfit_words(window: int, dimension: int, size: int) -> str:
    if window == 1:
        return f"dimension {dimension} has size {size}"
    return f"the window of {window} does not fit into dimension {dimension} of size {size}"


def _dropped_words(outside: OutsideStarts, updates: Updates) -> str:
    start = int(outside.starts[_first(outside)])
    is_whole = updates.drops_whole_windows or not -outside.window < start < outside.size
    what = "is dropped" if is_whole else "is dropped in part"
    return f"the update at {start} {what}: {_misfit_words(outside.window, outside.dimension, outside.size)}"


def _outside_fault(kind: FaultKind, outside: OutsideStarts, cause: str) -> Fault:
    first = _first(outside)
    index, start = outside.index_of(first), float(outside.starts[first])
    elements, size = int(np.count_nonzero(outside.outside)), outside.outside.size
    is_sentinel = outside.is_sentinel
    return Fault(kind, elements, size, index, cause, None, outside.operand, start, is_sentinel=is_sentinel)


def _first(outside: OutsideStarts) -> tuple[int, ...]:
    """The position in the batch of the first start outside; of one that is no sentinel, or else just behind the end, if any."""
    behind = outside.outside & (outside.starts != -1)
    odd = behind & (outside.starts != outside.size)
    chosen = next((mask for mask in (odd, behind) if mask.any()), outside.outside)
    return tuple(map(int, np.unravel_index(int(chosen.argmax()), chosen.shape)))


def _drops_zeros(updates: Updates) -> bool:
    """Whether every dropped update would have added 0, as the padding of a sparse matrix does."""
    if not updates.adds:
        return False
    _, kept = updates.find_cells()
    return kept is not None and not any(update.reshape(-1)[~kept].any() for update in updates.values)


def _repeated(cells: Array, size: int) -> Array:
    """The cells that appear more than once."""
    seen = np.zeros(size, np.bool_)
    seen[cells] = True
    if int(np.count_nonzero(seen)) == cells.size:
        return cells[:0]
    return np.flatnonzero(np.bincount(cells, minlength=size) > 1)


def _replaced(cells: Array, kept: Array | None, updates: Arrays, results: Arrays) -> Array:
    """The cells that hold another value than one of the updates for them."""
    lost = np.zeros(cells.shape, np.bool_)
    for update, result in zip(updates, results, strict=True):
        sent = update.reshape(-1) if kept is None else update.reshape(-1)[kept]
        lost |= differing_elements(result.reshape(-1)[cells], sent)
    return np.unique(cells[lost])


# When the program intends it


def _cuts_list(program: BoundProgram, op: int) -> bool:
    """Whether a scatter writes marks, which no input changes, at positions of a running total.

    So `nonzero(size=…)` and `repeat(total_repeat_length=…)` make a list of a fixed length: they drop what is beyond its end.
    """
    bound = program.ops[op]
    positions = set(bound.op.findings.deciding_operands(bound.op))
    marks = (value for number, value in enumerate(bound.operands) if number not in positions)
    if any(is_given(program, value) for value in marks):
        return False
    behind = {maker for number in positions for maker in ops_behind(program, bound.operands[number])}
    ops = (program.ops[maker].op.unpacked for maker in behind)
    return any(op.findings.accumulates(op) for op in ops)


def _is_sentinel(evidence: Evidence) -> bool:
    """Whether an index of -1, or just behind the end, is not a number that came out one too small or too great.

    It is a sentinel if the program puts a constant of that number beside others. An index that was computed, as an index plus
    or minus 1, or that is one of a list, is a mistake. So is a given one, except -1 where something is written: lists of
    positions are filled up with it.
    """
    fault = evidence.fault
    origins = evidence.number_origins()
    if fault.kind == "dropped_update" and (fault.value or 0) < 0:
        return any(origin.is_given for origin in origins)
    return fault.size > 1 and any(origin.is_uniform_constant for origin in origins)
