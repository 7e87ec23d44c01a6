"""Running error bounds of a recorded run: how far each value may be from that of another run that rounds otherwise.

An error starts at 0 in what is given, and each op says what it makes of those of its operands and adds its own
(`engine/ops/core/facets/rounding.py`). Values are walked in the order of their steps; what calls, loops and branches hand on keeps
its error. A loop or branch whose predicate was within its error of the other answer may give anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..debugger.address import Address
from ..debugger.map_operands import meeting_at, op_at
from ..debugger.provenance import frames
from ..debugger.provenance.run import RecordedRun
from ..debugger.recording import Recording
from ..ops.core.bases import Partitioned
from ..ops.core.elided import ELIDED
from ..ops.core.op import Array, Op
from ..ops.core.rounding import (
    ANYTHING,
    NO_ERROR,
    UNKNOWN,
    Error,
    Errors,
    denormal_limit,
    greatest,
    is_exact,
    magnitude,
    unit_roundoff,
)
from ..ops.core.values import is_tuple, tuple_of
from ..program import BoundOperation
from .walk import walk

KEPT_WHOLE = 1 << 16
"""Elements up to which a bound is kept element by element, once `BUDGET` is spent."""
BUDGET = 1 << 28
"""Bytes of bounds that are kept whole; then larger ones are kept as the greatest of each row."""


@dataclass(frozen=True)
class Amplification:
    """The op in which the relative error of a value grew the most, on the way to another value."""

    address: Address
    """Its result."""
    op: int
    """The op's number in the program."""
    growth: float
    """The relative error of its result in terms of that of its operands, or of one rounding where that is more."""
    relative: float
    """The relative error of its result."""


class RunBounds:
    """The error bounds of all values of a recording, as far as it goes now.

    Made in one walk, as far as one asks; of values that were dropped the recording is computed again. `of` gives an array of f64 that
    broadcasts to the value: NaN where nothing is known, infinite where any number is right; of a tuple an array of such.
    """

    def __init__(self, recording: Recording, *, rounded: bool = False, products: float = 0.0) -> None:
        """`rounded`: what is given, constants too, was rounded to its type, and is not so in the other run. `products`: the unit
        roundoff of f32 that the other run multiplies, where a program asks for no precision; 0 for that of f32.
        """
        self.recording = recording
        self.rounded, self.products = rounded, products
        self.run = RecordedRun(recording)
        self._errors: dict[tuple[int, str, int], Errors] = {}
        self._relative: dict[tuple[int, int], float] = {}
        self._kept = 0
        self._walk = walk(self.run)
        self._reached: dict[int, int] = {}

    @classmethod
    def without_bounds(cls, recording: Recording) -> RunBounds:
        """One that only knows what values were made from."""
        found = cls.__new__(cls)
        found.recording, found.run = recording, RecordedRun(recording)
        found.rounded, found.products = False, 0.0
        found._errors, found._relative, found._kept = {}, {}, 0
        return found

    def of_results(self, process: int) -> list[Error] | None:
        """The bounds of what the entry function of a process returned, leaf by leaf; `None` if it has not ended."""
        end = self.run.steps(process).end_of(0)
        if end is None:
            return None
        return [
            leaf
            for found in self.run.operands(process, end)
            for leaf in leaf_errors(self.of(found), self.recording.value(found))
        ]

    def of(self, address: Address) -> Error:
        """The bound of a value; `KeyError` if it is not recorded."""
        found = self._known(address)[address.index]
        for number in address.path:
            found = found[number] if is_tuple(found) else found
        return found

    def amplification(self, address: Address) -> Amplification | None:
        """The op that amplified the errors that went into a value the most; `None` where none grew twofold."""
        worst: Amplification | None = None
        for process, step in self._before(address):
            found = self._growth(process, step)
            if found is not None and (worst is None or found.growth > worst.growth):
                worst = found
        return worst

    # One step after the other

    def _settle_to(self, process: int, step: int) -> None:
        """Goes on with the walk until a step is behind."""
        if step <= self._reached.get(process, -1):
            return
        for other, at in self._walk:
            self._reached[other] = at
            self._settle(other, at)
            if other == process and at >= step:
                return

    def _settle(self, process: int, step: int) -> None:
        frame = self.run.recording.tracks[process].frame_of(step)
        if (process, "f", frame) not in self._errors:
            # In the order of frames: what a loop hands on is known for each iteration before the next.
            self._keep((process, "f", frame), self._argument(Address(process, "f", frame, 0)))
        bound = self.run.bound_operation(process, step)
        if bound.op.traits.is_terminator or not bound.results:
            return
        if len(self.run.steps(process).opened_frames(step)):
            return  # its frames come first: it is asked for when it is read
        self._keep((process, "s", step), self._plain(process, step, bound))

    def _known(self, address: Address) -> Errors:
        key = (address.process, address.kind, address.number)
        if key not in self._errors and address.kind == "s":
            self._settle_to(address.process, address.number)
        found = self._errors.get(key)
        if found is None:
            found = self._argument(address) if address.kind == "f" else self._of_frames(address)
            self._keep(key, found)
        return self._errors[key]

    def _keep(self, key: tuple[int, str, int], found: Errors) -> None:
        kept = tuple(map(self._stored, found))
        self._errors[key] = kept
        if key[1] == "s":
            values = self._values(key[0], key[2])
            self._relative[key[0], key[2]] = max(map(_relative, values, kept), default=0.0)

    def _stored(self, error: Error) -> Error:
        if error.dtype == object:
            return tuple_of([self._stored(part) for part in error.tolist()])
        if 0 in error.strides and error.size > 1:
            return error
        if self._kept > BUDGET and error.size > KEPT_WHOLE:
            return np.asarray(error.max(axis=-1, keepdims=True))
        self._kept += error.nbytes
        return error

    def _values(self, process: int, step: int) -> list[Array]:
        count = len(self.run.bound_operation(process, step).results)
        return [self.recording.value(Address(process, "s", step, index)) for index in range(count)]

    # Results of ops without frames

    def _plain(self, process: int, step: int, bound: BoundOperation) -> Errors:
        results = tuple(self._values(process, step))
        if bound.op.outside == ELIDED:  # its numbers are given to the run, as arguments are
            return tuple(map(rounded_error if self.rounded else given_error, results))
        if bound.op.outside is not None:
            return (UNKNOWN,) * len(results)
        if self.rounded and bound.op.traits.is_constant:
            return tuple(map(rounded_error, results))
        origins = [
            bound.op.unpacked.explanation.origin(bound.op.unpacked, index) for index in range(len(results))
        ]
        forwarded = [self.run.operand_leaf(process, step, part) for part in origins if part is not None]
        if len(forwarded) == len(results):
            return tuple(self.of(found) for found in forwarded)
        meeting = self._brought(process, step)
        addresses = self.run.operands(process, step) if meeting is None else meeting
        operands = tuple(self.recording.value(found) for found in addresses)
        errors = tuple(self.of(found) for found in addresses)
        op = self._op(process, step, bound)
        if self.products and op.unpacked.rounding.may_narrow_operands(op.unpacked):
            errors = tuple(map(self._narrowed, operands, errors))
        with np.errstate(all="ignore"):
            return self._checked(op.rounding.error_bound(op, operands, errors, results), results)

    def _narrowed(self, operand: Array, error: Error) -> Error:
        """The error of an operand that is rounded before it is multiplied."""
        if operand.dtype != np.float32:
            return error
        return np.asarray(error + self.products * magnitude(operand))

    def _op(self, process: int, step: int, bound: BoundOperation) -> Op:
        return op_at(self.recording, process, step) if bound.dynamic else bound.op

    def _brought(self, process: int, step: int) -> list[Address] | None:
        """The operands of all that met there, one process after the other."""
        record = meeting_at(self.recording, process, step)
        if record is None:
            return None
        return [found for other, at, _ in record.visits for found in self.run.operands(other, at)]

    @staticmethod
    def _checked(errors: Errors, results: tuple[Array, ...]) -> Errors:
        return tuple(np.asarray(error) for error, _ in zip(errors, results, strict=True))

    # Frames

    def _argument(self, address: Address) -> Errors:
        process, frame = address.process, address.number
        count = len(self.run.steps(process).block_of(frame).arguments)
        return tuple(self._one_argument(address._replace(index=index, path=())) for index in range(count))

    def _one_argument(self, address: Address) -> Error:
        opener = self.run.steps(address.process).opener_of(address.number)
        if opener is None:
            return self._given(address)
        op = self.run.bound_operation(address.process, opener).op.unpacked
        if isinstance(op, Partitioned):
            return greatest(self._operand_errors(address.process, opener))
        if not op.explanation.passes_values:
            return self._body_argument(address, opener)
        source = frames.argument_source(self.run, address, opener, op)
        return NO_ERROR if source is None else self.of(source)

    def _given(self, address: Address) -> Error:
        """What is given is exact, but for denormals that a processor takes for 0."""
        opener = self.recording.teams[self.recording.tracks[address.process].team].opener
        if opener is not None:
            return UNKNOWN
        value = self.recording.value(address)
        return rounded_error(value) if self.rounded else given_error(value)

    def _body_argument(self, address: Address, opener: int) -> Error:
        """The greatest error of the op's operands, and of what its body has given before."""
        opened = self.run.steps(address.process).opened_frames(opener)
        before = [int(frame) for frame in opened if frame < address.number][-1:]
        errors = list(self._operand_errors(address.process, opener))
        for frame in before:
            errors += [
                *self._returned(address.process, frame)[1],
                *self._known(Address(address.process, "f", frame, 0)),
            ]
        return greatest(tuple(errors))

    def _operand_errors(self, process: int, step: int) -> Errors:
        return tuple(self.of(found) for found in self.run.operands(process, step))

    def _returned(self, process: int, frame: int) -> tuple[tuple[Array, ...], Errors]:
        """What a frame gave back, and its errors; nothing where it has not ended."""
        end = self.run.steps(process).end_of(frame)
        addresses = [] if end is None else self.run.operands(process, end)
        values = tuple(self.recording.value(found) for found in addresses)
        return values, tuple(self.of(found) for found in addresses)

    def _of_frames(self, address: Address) -> Errors:
        process, step = address.process, address.number
        bound = self.run.bound_operation(process, step)
        op, opened = bound.op.unpacked, self.run.steps(process).opened_frames(step)
        count = len(bound.results)
        if not len(opened):
            raise KeyError(str(address))
        if frames.results_are_returned(op, has_frames=True):
            return tuple(
                self._result_of_frames(Address(process, "s", step, k), op, opened) for k in range(count)
            )
        operands = tuple(self.recording.value(found) for found in self.run.operands(process, step))
        results = tuple(self._values(process, step))
        answers = self._returned(process, int(opened[-1]))
        if isinstance(op, Partitioned):
            return (greatest(answers[1]),) * count
        with np.errstate(all="ignore"):
            return bound.op.rounding.body_bound(
                bound.op, operands, self._operand_errors(process, step), results, *answers
            )

    def _result_of_frames(self, address: Address, op: Op, opened: frames.Numbers) -> Error:
        source = frames.result_source(self.run, address, op, opened)
        deciding = [self.of(found) for found, _, _ in frames.deciders(self.run, address, op, opened)]
        if not is_exact(tuple(deciding)):
            return ANYTHING
        return NO_ERROR if source is None else self.of(source)

    # What amplified errors

    def _before(self, address: Address) -> Iterator[tuple[int, int]]:
        """The steps of the process that went into a value, itself first."""
        seen: set[tuple[str, int]] = set()
        waiting = [address]
        while waiting:
            found = waiting.pop()
            if (found.kind, found.number) in seen:
                continue
            seen.add((found.kind, found.number))
            waiting.extend(self.sources(found))
            if found.kind == "s":
                yield found.process, found.number

    def sources(self, address: Address) -> list[Address]:
        """The values that a value was computed from, also what other processes have brought to a meeting."""
        process, number = address.process, address.number
        if address.kind == "s":
            brought = self._brought(process, number)
            if brought is not None:
                return brought
            opened = self.run.steps(process).opened_frames(number)
            ends = [self.run.steps(process).end_of(int(frame)) for frame in opened[-2:]]
            returned = [found for end in ends if end is not None for found in self.run.operands(process, end)]
            return [*self.run.operands(process, number), *returned]
        opener = self.run.steps(process).opener_of(number)
        if opener is None:
            return []
        op = self.run.bound_operation(process, opener).op.unpacked
        source = (
            frames.argument_source(self.run, address, opener, op) if op.explanation.passes_values else None
        )
        return self.run.operands(process, opener) if source is None else [source]

    def _growth(self, process: int, step: int) -> Amplification | None:
        bound = self.run.bound_operation(process, step)
        made = self._relative.get((process, step), 0.0)
        if np.isnan(made) or bound.op.unpacked.explanation.passes_values:
            return None
        read = [self._relative_of(found) for found in self.run.operands(process, step)]
        base = max([value for value in read if np.isfinite(value)], default=0.0)
        unit = max((_unit(value) for value in self._values(process, step)), default=0.0)
        growth = made / max(base, 4 * unit) if max(base, unit) else 0.0
        if growth < 2:
            return None
        return Amplification(Address(process, "s", step, 0), bound.id, growth, made)

    def _relative_of(self, address: Address) -> float:
        if address.kind == "s" and not address.path:
            return self._relative.get((address.process, address.number), 0.0)
        return _relative(self.recording.value(address), self.of(address))


def given_error(value: Array) -> Error:
    """The error of a value that is given: 0, but for denormals."""
    if is_tuple(value):
        return tuple_of([given_error(part) for part in value.tolist()])
    limit = denormal_limit(value.dtype)
    if limit == 0 or limit > 1e-30 or not value.size:
        return NO_ERROR
    sizes = magnitude(value)
    tiny = (sizes > 0) & (sizes < limit)
    return np.where(tiny, sizes, 0.0) if tiny.any() else NO_ERROR


def rounded_error(value: Array) -> Error:
    """How far a value may be from one that was not rounded to its type."""
    if is_tuple(value):
        return tuple_of([rounded_error(part) for part in value.tolist()])
    unit = unit_roundoff(value.dtype)
    return np.where(np.isfinite(magnitude(value)), unit * magnitude(value), 0.0) if unit else NO_ERROR


def leaf_errors(error: Error, value: Array) -> list[Error]:
    """An error for each leaf of the value."""
    if not is_tuple(value):
        return [error]
    parts = error.tolist() if is_tuple(error) else [error] * len(value)
    return [
        leaf for part, inner in zip(parts, value.tolist(), strict=True) for leaf in leaf_errors(part, inner)
    ]


def _unit(value: Array) -> float:
    return 0.0 if is_tuple(value) else unit_roundoff(value.dtype)


def _relative(value: Array, error: Error) -> float:
    """The greatest error in terms of the greatest magnitude; NaN of tuples and where nothing is known."""
    if is_tuple(value) or not value.size:
        return float("nan")
    sizes = magnitude(value)
    size = float(np.max(np.where(np.isfinite(sizes), sizes, 0.0)))
    worst = float(np.max(error)) if error.size else 0.0
    return worst / size if size else (0.0 if worst == 0 else float("inf"))
