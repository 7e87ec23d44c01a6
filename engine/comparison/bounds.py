"""Running error bounds: how far each value may be from that of a run with other rounding.

The error of inputs is 0. Each op propagates the errors of its operands and adds its own
(`engine/ops/core/facets/rounding.py`). Values are processed in the order of their steps; calls, loops and branches
forward errors. A loop or branch whose predicate was within its error of the other outcome may return anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..debugger.address import Address
from ..debugger.map_operands import execution_at, op_at
from ..debugger.provenance import frames
from ..debugger.provenance.run import RecordedRun
from ..debugger.recording import Recording
from ..ops.core.bases import Partitioned
from ..ops.core.devices import ANY, NARROWED, Device, rounding_of
from ..ops.core.elided import ELIDED
from ..ops.core.op import Array, Op
from ..ops.core.rounding import (
    ANYTHING,
    NO_ERROR,
    UNKNOWN,
    Error,
    Errors,
    denormal_limit,
    given_error,
    greatest,
    is_exact,
    magnitude,
    rounded_error,
    unit_roundoff,
    units_of,
)
from ..ops.core.values import is_tuple, tuple_of
from ..program import BoundOperation

KEPT_WHOLE = 1 << 16
"""Maximum elements of a bound that is stored elementwise once `BUDGET` is spent."""
BUDGET = 1 << 28
"""Bytes of elementwise bounds; beyond this, larger bounds keep only the maximum of each row."""


@dataclass(frozen=True)
class Amplification:
    """The op that amplified the relative error of a value most, among those before it."""

    address: Address
    """Address of the op's result."""
    op: int
    """Number of the op in the program."""
    growth: float
    """Relative error of the result over that of the operands, or over one rounding if larger."""
    relative: float
    """Relative error of the result."""
    flushed: bool
    """Whether the error is that of denormals, which may be flushed to 0."""


class RunBounds:
    """Error bounds of all values of a recording, up to its current end.

    One walk computes them on demand; dropped values are recomputed. `of` returns an f64 array that broadcasts
    to the value: NaN means unknown, and infinity allows any number. For a tuple it returns an array of such
    arrays.
    """

    def __init__(self, recording: Recording, *, rounded: bool = False, device: Device = ANY) -> None:
        """Set up the walk over a recording.

        `rounded`: inputs and constants were rounded to their type, but are not rounded in the other run.
        `device`: the device of the other run.
        """
        self.recording = recording
        self.rounded, self.device = rounded, device
        self.run = RecordedRun(recording)
        self._errors: dict[tuple[int, str, int], Errors] = {}
        self._relative: dict[tuple[int, int], float] = {}
        self._kept = 0
        self._walk = walk(self.run)
        self._reached: dict[int, int] = {}

    @classmethod
    def without_bounds(cls, recording: Recording) -> RunBounds:
        """Bounds that only provide `sources`."""
        found = cls.__new__(cls)
        found.recording, found.run = recording, RecordedRun(recording)
        found.rounded, found.device = False, ANY
        found._errors, found._relative, found._kept = {}, {}, 0
        return found

    def of_results(self, process: int) -> list[Error] | None:
        """Bounds of a process's results, leaf by leaf; `None` before it has returned."""
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
        """The op before a value that amplified its errors most; `None` if none doubled them."""
        worst: Amplification | None = None
        for process, step in self.steps_before(address):
            found = self._growth(process, step)
            if found is not None and (worst is None or found.growth > worst.growth):
                worst = found
        return worst

    def amplified_by(self, found: Amplification) -> str:
        """How much, and by which op: `74 times by stablehlo.divide %3 (line 4)`."""
        program = self.recording.program
        bound = program.ops[found.op]
        op = f"{bound.operation.spelled} {program.values[bound.results[0]].name} (line {program.line_of(found.op)})"
        if found.flushed:
            return f"by denormals of {op}, which may be flushed to 0"
        return f"{found.growth:,.0f} times by {op}" if np.isfinite(found.growth) else f"without limit by {op}"

    # One step after the other

    def _settle_to(self, process: int, step: int) -> None:
        """Continue the walk past a step."""
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
            # In the order of frames, so that the carried errors of an iteration precede the next.
            self._keep((process, "f", frame), self._argument(Address(process, "f", frame, 0)))
        bound = self.run.bound_operation(process, step)
        if bound.op.traits.is_terminator or not bound.results:
            return
        if len(self.run.steps(process).opened_frames(step)):
            return  # its frames come first; the bound is computed when it is read
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
        if bound.op.outside == ELIDED or bound.op.traits.is_constant:  # given, like arguments
            with units_of(bound.op.known_results):
                return tuple(map(self._given_error, results))
        if bound.op.outside is not None:
            return (UNKNOWN,) * len(results)
        origins = [
            bound.op.unpacked.explanation.origin(bound.op.unpacked, index) for index in range(len(results))
        ]
        forwarded = [self.run.operand_leaf(process, step, part) for part in origins if part is not None]
        if len(forwarded) == len(results):
            return tuple(self.of(found) for found in forwarded)
        execution = self._brought(process, step)
        addresses = self.run.operands(process, step) if execution is None else execution
        operands = tuple(self.recording.value(found) for found in addresses)
        errors = tuple(self.of(found) for found in addresses)
        op = self._op(process, step, bound)
        narrowed = narrowing_errors(op.unpacked, operands, self.device)
        if not is_exact(narrowed):
            errors = tuple(np.asarray(error + own) for error, own in zip(errors, narrowed, strict=True))
        with np.errstate(all="ignore"), rounding_of(self.device), units_of(op.known_results):
            return self._checked(op.rounding.error_bound(op, operands, errors, results), results)

    def _given_error(self, value: Array) -> Error:
        """The error of an input: 0, except for denormals that the other run may flush."""
        if self.rounded:
            return rounded_error(value)
        return given_error(value) if self.device.flushes_denormals else NO_ERROR

    def _op(self, process: int, step: int, bound: BoundOperation) -> Op:
        return op_at(self.recording, process, step) if bound.dynamic else bound.op

    def _brought(self, process: int, step: int) -> list[Address] | None:
        """The operands of all participants, process by process."""
        record = execution_at(self.recording, process, step)
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
        opener = self.run.steps(address.process).track.opener_of(address.number)
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
        """The error of an argument of a process."""
        opener = self.recording.launch_groups[self.recording.tracks[address.process].launch_group].opener
        if opener is not None:
            return UNKNOWN
        with units_of([self.recording.type_of(address)]):
            return self._given_error(self.recording.value(address))

    def _body_argument(self, address: Address, opener: int) -> Error:
        """Maximum error of the op's operands and of the body's previous results."""
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
        """A frame's results and their errors; empty before it has ended."""
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
        errors = self._operand_errors(process, step)
        with np.errstate(all="ignore"), rounding_of(self.device), units_of(op.known_results):
            return bound.op.rounding.body_bound(bound.op, operands, errors, results, *answers)

    def _result_of_frames(self, address: Address, op: Op, opened: frames.Numbers) -> Error:
        source = frames.result_source(self.run, address, op, opened)
        deciding = [self.of(found) for found, _, _ in frames.deciders(self.run, address, op, opened)]
        if not is_exact(tuple(deciding)):
            return ANYTHING
        return self._result_of_op(address, op, opened) if source is None else self.of(source)

    def _result_of_op(self, address: Address, op: Op, opened: frames.Numbers) -> Error:
        """The bound of a part of a result that is no part of a frame's results: async-start's operands and context."""
        forwarded = op.explanation.forwarded_operand(op, address.index, address.path)
        if forwarded is not None:
            return self.of(self.run.operand_leaf(address.process, address.number, forwarded))
        value = self.recording.value(address)
        if not is_tuple(value):
            return NO_ERROR
        parts = [address._replace(path=(*address.path, number)) for number in range(len(value))]
        return tuple_of([self._result_of_frames(part, op, opened) for part in parts])

    # What amplified errors

    def steps_before(self, address: Address) -> Iterator[tuple[int, int]]:
        """Yield the steps of the process that a value depends on, its own first."""
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
        """Addresses that a value was computed from, including those of other processes."""
        process, number = address.process, address.number
        if address.kind == "s":
            brought = self._brought(process, number)
            if brought is not None:
                return brought
            opened = self.run.steps(process).opened_frames(number)
            ends = [self.run.steps(process).end_of(int(frame)) for frame in opened[-2:]]
            returned = [found for end in ends if end is not None for found in self.run.operands(process, end)]
            return [*self.run.operands(process, number), *returned]
        opener = self.run.steps(process).track.opener_of(number)
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
        values = self._values(process, step)
        with units_of(bound.op.known_results):
            unit = max(map(_unit, values), default=0.0)
        growth = made / max(base, 4 * unit) if max(base, unit) else 0.0
        if growth < 2:
            return None
        flushed = made == 1.0 and all(_is_denormal(value) for value in values)
        return Amplification(Address(process, "s", step, 0), bound.id, growth, made, flushed)

    def _relative_of(self, address: Address) -> float:
        if address.kind == "s" and not address.path:
            return self._relative.get((address.process, address.number), 0.0)
        return _relative(self.recording.value(address), self.of(address))


def narrowing_errors(op: Op, operands: tuple[Array, ...], device: Device) -> Errors:
    """The errors of factors that a device rounds before it multiplies, denormals to 0; 0 for other operands."""
    unit = op.rounding.factor_roundoff(op, device)
    if not unit:
        return (NO_ERROR,) * len(operands)
    return tuple(
        np.maximum(unit * magnitude(operand), given_error(operand))
        if operand.dtype.name in NARROWED
        else NO_ERROR
        for operand in operands
    )


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


def _is_denormal(value: Array) -> bool:
    return not is_tuple(value) and 0 < float(np.max(magnitude(value), initial=0)) < denormal_limit(
        value.dtype
    )


def _relative(value: Array, error: Error) -> float:
    """Maximum error divided by the maximum magnitude; NaN for tuples and unknown errors."""
    if is_tuple(value) or not value.size:
        return float("nan")
    sizes = magnitude(value)
    size = float(np.max(np.where(np.isfinite(sizes), sizes, 0.0)))
    worst = float(np.max(error)) if error.size else 0.0
    return worst / size if size else (0.0 if worst == 0 else float("inf"))


def walk(run: RecordedRun) -> Iterator[tuple[int, int]]:
    """Yield process and step of finished steps, each process in order.

    A participant of a collective comes after everything that the others contribute.
    """
    recording = run.recording
    arrivals = {
        (process, step): [(other, at) for other, at, _ in found.visits]
        for found in recording.collective_executions
        for process, step, _ in found.visits
    }
    ends = [track.step_count for track in recording.tracks]
    at = [0] * len(ends)
    moved = True
    while moved:
        moved = False
        for process, end in enumerate(ends):
            while at[process] < end and _may_go(arrivals.get((process, at[process]), ()), at):
                if recording.tracks[process].finish_of(at[process]) is not None:
                    yield process, at[process]
                at[process] += 1
                moved = True


def _may_go(others: object, at: list[int]) -> bool:
    assert isinstance(others, list | tuple)
    return all(at[other] >= step for other, step in others)
