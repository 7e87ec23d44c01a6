"""A shadow run: the program beside itself in more digits, and what each op loses.

The shadow runs the same ops in f64 (f64 in `EXTENDED`) and takes every decision of the run: integers, booleans and
roundings to integers are those of the run, so that each step of the one is a step of the other. The error of a step is
its distance from the shadow, relative to the whole array: elements near 0 would make any rounding look large.

Source: Sanchez-Stern, Panchekha, Lerner and Tatlock, Finding Root Causes of Floating Point Error (Herbgrind), PLDI 2018,
for errors born in an op; the ops to blame are those whose rounding alone makes the results wrong.
"""

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from math import inf, log2, log10, sqrt
from typing import Any

import numpy as np

from ..debugger.address import Address, argument, result
from ..debugger.map_operands import execution_at, read_at
from ..debugger.origins import address_of
from ..debugger.recording import Recording
from ..errors import ProgramError
from ..interpreter import Rounding
from ..ir.attributes import StringAttribute
from ..ir.element_types import EXTENDED, F64, ElementType
from ..ir.module import Operation
from ..ir.types import TensorType, TupleType, Type, leaf_types
from ..ops import op_table
from ..ops.core.op import Array, AskingOp, Op
from ..ops.core.quiet import quiet
from ..ops.core.rounding import element_roundoff, unit_roundoff, units_of
from ..ops.core.scalars import as_tensor
from ..ops.core.values import is_tuple, leaves, tuple_of
from ..ops.specialise import specialise_op
from ..outside_results import Answers
from ..process_grid import Launch
from ..program import BoundOperation, BoundProgram
from ..source import Span
from ..value_walks import Walk, moved_from
from ..verifier import verify
from .random_rounding import SLICE, coarsest_unit, result_types
from .widening import Widening, is_arbitrary, routine_in_f64, takes_f64_at_most, widen

SOUND = 8.0
"""Error of a result, in unit roundoffs of its type, up to which nothing is to blame."""
MOST_CANDIDATES = 16
"""Suspects that are tried alone."""
_SAME_DECISION = ("floor", "ceil", "round", "sign")
"""Parts of the names of ops that decide for an integer: their results are those of the run."""


class NoShadow(Exception):
    """The program has no meaning in more digits; says why, in a sentence."""


@dataclass(frozen=True)
class ShadowProgram:
    """A program in more digits, op by op the same."""

    program: BoundProgram
    wide: np.dtype[Any]
    taken: tuple[int, ...]
    """The ops without a counterpart in more digits, such as `bitcast_convert`: their results are those of the run."""


def shadow_program(program: BoundProgram) -> ShadowProgram:
    """The program with wider floats; raises `NoShadow`."""
    unit = coarsest_unit(program)
    wide = F64 if unit > unit_roundoff(F64.dtype) else EXTENDED
    if not unit:
        raise NoShadow("The program has no floating-point values.")
    if wide is None:
        raise NoShadow("This machine has no type with more digits than f64.")
    by_span = {bound.operation.span: bound for bound in program.ops}
    taken = {bound.operation.span for bound in program.ops if _is_of_the_run(bound.op.unpacked, wide)}
    while True:
        found = verify(_Widening(wide, taken=frozenset(taken)).of(program.module), op_table())
        if found.program is not None:
            numbers = tuple(sorted(by_span[span].id for span in taken))
            return ShadowProgram(found.program, wide.dtype, numbers)
        refused = {span for problem in found.diagnostics if (span := _innermost(by_span, problem.span))}
        if refused <= taken or any(by_span[span].regions for span in refused):
            problem = found.diagnostics[0]
            line, _ = program.module.source.line_and_column(problem.span.start)
            raise NoShadow(f"In more digits line {line} is not valid: {problem.message}.")
        taken |= refused


def _is_of_the_run(op: Op, wide: ElementType) -> bool:
    """Whether an op's results come from outside, or from a kernel or a LAPACK routine without a meaning in more digits.

    LAPACK has none with more digits than f64, and the signs of eigenvectors and singular vectors are arbitrary.
    """
    target = getattr(op, "call_target_name", "")
    is_narrow = getattr(op, "keeps_types", False) or (wide is not F64 and takes_f64_at_most(target))
    return op.outside is not None or is_arbitrary(target) or is_narrow


def _innermost(spans: Iterable[Span], inner: Span) -> Span | None:
    """The shortest of `spans` that contains `inner`."""
    around = [span for span in spans if span.start <= inner.start and inner.end <= span.end]
    return min(around, key=lambda span: span.end - span.start, default=None)


@dataclass(frozen=True)
class _Widening(Widening):
    """Widens a module, and takes the results of some ops from outside."""

    taken: Set[Span] = frozenset()

    def of(self, part: Any) -> Any:
        if isinstance(part, Operation) and part.span in self.taken:
            part = replace(part, name="stablehlo.custom_call", properties=_FROM_THE_RUN, attributes={})
        if isinstance(part, StringAttribute):
            return replace(part, value=routine_in_f64(part.value))
        return super().of(part)


_FROM_THE_RUN = {"call_target_name": StringAttribute("hloscope.shadow")}


@dataclass(frozen=True)
class _OfRun(Answers):
    """The results of an op in a run, in more digits."""

    recording: Recording
    op: int
    wide: np.dtype[Any]

    def answer(self, process: int, execution: int, operands: Sequence[Array]) -> tuple[Array, ...]:
        steps = np.flatnonzero(self.recording.tracks[process].op_column == self.op)
        count = len(self.recording.program.ops[self.op].results)
        addresses = (result(int(steps[execution]), number, process) for number in range(count))
        return tuple(widen(self.recording.value(address), self.wide) for address in addresses)

    def listed(self) -> Mapping[int, Sequence[tuple[Array, ...]]]:
        return {}


def distance(run: Array, exact: Array) -> float:
    """How far a value is from the exact one, relative to the whole of it; infinite where only one is finite.

    0 for values that are no floats; for a tuple, the largest of its elements.
    """
    if is_tuple(run):
        return max(map(distance, leaves(run), leaves(exact)), default=0.0)
    if not unit_roundoff(run.dtype):
        return 0.0
    with quiet():
        error, size = _norms(run, exact)
        if error < inf and 0 < size < inf:
            return error / size
        if error == size == 0:
            return 0.0
        wide = run.astype(exact.dtype)
        if not np.array_equal(np.isfinite(wide), np.isfinite(exact)):
            return inf
        # Infinities are equal in both, and squares have left the range.
        apart, finite = (np.where(np.isfinite(exact), np.abs(part), 0.0) for part in (wide - exact, exact))
        most = float(np.max(finite, initial=0.0))
        if most == 0:
            return inf if apart.any() else 0.0
        return float(np.linalg.norm((apart / most).ravel()) / np.linalg.norm((finite / most).ravel()))


_BLOCK = 1 << 15
"""Elements that are in the cache together."""


def lost_digits(run: Array, exact: Array) -> Array:
    """The decimal digits of each element that differ from the exact value, of those that its type has.

    0 for an element that is the exact one rounded, all digits of the type for one that is wrong or not finite in only one.
    """
    unit = unit_roundoff(run.dtype)
    most = -log10(unit)
    with quiet():
        wide = run.astype(exact.dtype)
        error = np.abs(wide - exact) / np.abs(exact)
        lost = np.log10(np.asarray(error / unit, np.float64))
        same = (wide == exact) | (np.isnan(wide) & np.isnan(exact))
    return np.where(same, 0.0, np.clip(np.nan_to_num(lost, nan=most, posinf=most), 0.0, most))


def _norms(run: Array, exact: Array) -> tuple[float, float]:
    """The norms of the difference and of the exact value, in blocks."""
    narrow, wide = _flat(run, exact)
    error = size = 0.0
    for start in range(0, wide.size, _BLOCK):
        part = wide[start : start + _BLOCK]
        error += _squares(part - narrow[start : start + _BLOCK])
        size += _squares(part)
    return sqrt(error), sqrt(size)


def _flat(run: Array, exact: Array) -> tuple[Array, Array]:
    """Both as vectors, in the order of the memory; of repeated elements, one counts."""
    if run.flags.c_contiguous and exact.flags.c_contiguous:
        return run.reshape(-1), exact.reshape(-1)
    strides = zip(run.strides, exact.strides, strict=True)
    once = tuple(slice(0, 1) if pair == (0, 0) else slice(None) for pair in strides)
    order = sorted(range(exact.ndim), key=lambda axis: -abs(exact.strides[axis]))
    return run[once].transpose(order).reshape(-1), exact[once].transpose(order).reshape(-1)


def _squares(value: Array) -> float:
    return float(np.add.reduce(np.square(np.abs(value) if value.dtype.kind == "c" else value)))


@dataclass(frozen=True)
class StepLoss:
    """What a step loses: errors relative to the whole of its result."""

    process: int
    step: int
    op: int
    error: float
    """Distance of the result from the shadow's."""
    handed_on: float
    """The same of the operand that is furthest from the shadow's."""

    unit: float
    """Unit roundoff of the result's type."""

    @property
    def lost_bits(self) -> float:
        """The bits in which the operands agree with the shadow's and the result does not; infinite for an overflow."""
        if self.error == inf:
            return inf if self.handed_on < inf else 0.0
        return max(0.0, agreeing_bits(self.handed_on, self.unit) - agreeing_bits(self.error, self.unit))


def agreeing_bits(error: float, unit: float) -> float:
    """How many bits of a type agree, for an error relative to the whole of a value."""
    return max(0.0, -log2(max(error, unit))) if error < inf else 0.0


@dataclass
class Shadow:
    """A finished run beside its shadow, which `make` records; raises `NoShadow`."""

    recording: Recording
    losses: list[StepLoss] = field(default_factory=list)
    """A row for each step whose result has floats, in the order of the run in more digits."""
    _errors: dict[Address, float] = field(init=False)
    _last: dict[int, int] = field(default_factory=dict)
    """By process, the step of its last loss."""
    _repeats: dict[int, bool] = field(default_factory=dict)
    """By op, whether its results are those of the run."""

    def __post_init__(self) -> None:
        if self.recording.state.kind != "done":
            raise NoShadow("The run has not ended.")
        found = self.recording.program.derive(_shadow_or_reason)
        if isinstance(found, NoShadow):
            raise found
        self._program: ShadowProgram = found
        # More digits change no input.
        self._errors = {
            argument(0, number, process): 0.0
            for process, given in enumerate(self.recording.launch.inputs)
            for number in range(len(given))
        }
        self.wide = self._begun(self._take)
        """The run in more digits, with the steps of `recording`."""

    def make(self) -> Iterator[None]:
        """Run in more digits, with pauses after `SLICE` seconds."""
        yield from _run(self.wide)

    @property
    def taken(self) -> tuple[int, ...]:
        """The ops whose results are those of the run, since they have no meaning in more digits."""
        return self._program.taken

    @property
    def wide_dtype(self) -> np.dtype[Any]:
        """The dtype of the floats with more digits."""
        return self._program.wide

    def lost_digits(self, address: Address) -> Array | None:
        """The lost digits of each element of a value, as f64; `None` if it has no floats."""
        run = self.recording.value(address)
        if is_tuple(run) or not unit_roundoff(run.dtype):
            return None
        with units_of([self.recording.type_of(address)]):
            return lost_digits(run, self.wide.value(address))

    @property
    def results(self) -> list[float]:
        """The error of each leaf of the results, process by process."""
        return self.apart(results_of(self.recording))

    @property
    def units(self) -> list[float]:
        """The unit roundoff of each leaf of the results."""
        processes = range(self.recording.grid.num_processes)
        types = [found for process in processes for found in result_types(self.recording, process)]
        return [_unit_of([found]) for found in types]

    @property
    def is_sound(self) -> bool:
        """Whether each result is within `SOUND` roundings of its type."""
        return all(error <= SOUND * unit for error, unit in zip(self.results, self.units, strict=True))

    def alone(self, op: int) -> Generator[None, None, float]:
        """The largest error of the results if this op alone rounds as in the run, with pauses."""
        run = self._begun(_Alone(self, op))
        yield from _run(run)
        return max(self.apart(results_of(run)), default=0.0)

    def apart(self, found: Sequence[Array]) -> list[float]:
        """How far the leaves of results are from the shadow's."""
        exact = results_of(self.wide)
        return list(map(distance, found, exact)) if len(found) == len(exact) else [inf] * len(exact)

    def _begun(self, rounding: Rounding) -> Recording:
        run = self.recording
        dtype = self._program.wide
        inputs = tuple(tuple(widen(value, dtype) for value in given) for given in run.launch.inputs)
        feeds = {
            queue: tuple(tuple(widen(value, dtype) for value in item) for item in items)
            for queue, items in run.fed_items.items()
        }
        bindings = {op: _OfRun(run, op, dtype) for op in self._program.taken}
        return Recording(
            *(self._program.program, Launch(run.grid, inputs, feeds), run.limits, run.entry, bindings),
            rounding=rounding,
        )

    def _take(
        self,
        bound: BoundOperation,
        operands: tuple[Array, ...],
        results: tuple[Array, ...],
        step: int,
        process: int,
    ) -> tuple[Array, ...]:
        made, run = self._of_run(step, process, len(results))
        kept = self._decided(bound, results, run)
        errors = list(map(distance, run, kept))
        self._errors |= dict(zip(made, errors, strict=True))
        is_new = step > self._last.get(process, -1)  # dropped values are computed again
        unit = _unit_of(self.recording.program.ops[bound.id].op.known_results)
        if is_new and unit:
            handed_on = self._handed_on(bound, operands, step, process)
            self.losses.append(StepLoss(process, step, bound.id, max(errors), handed_on, unit))
            self._last[process] = step
        return kept

    def _of_run(self, step: int, process: int, count: int) -> tuple[list[Address], list[Array]]:
        """The addresses and values of a step's results in the run."""
        made = [result(step, number, process) for number in range(count)]
        return made, list(map(self.recording.value, made))

    def decided(
        self, bound: BoundOperation, results: tuple[Array, ...], step: int, process: int
    ) -> tuple[Array, ...]:
        """The results of a step with the decisions of the run."""
        return self._decided(bound, results, self._of_run(step, process, len(results))[1])

    def _decided(
        self, bound: BoundOperation, results: tuple[Array, ...], run: Sequence[Array]
    ) -> tuple[Array, ...]:
        repeats = self._repeats.get(bound.id)
        if repeats is None:
            op = bound.op.unpacked
            repeats = op.findings.mixes_bits(op) or any(word in op.name for word in _SAME_DECISION)
            self._repeats[bound.id] = repeats
        return tuple([_with_decisions(value, own, repeats) for value, own in zip(results, run, strict=True)])

    def _handed_on(
        self, bound: BoundOperation, operands: tuple[Array, ...], step: int, process: int
    ) -> float:
        """The largest error of the operands; those of a collective op are the contributions of all participants."""
        is_alone = not self.recording.collective_executions
        execution = None if is_alone else execution_at(self.recording, process, step)
        others = [] if execution is None else [found for found in execution.visits if found[0] != process]
        given: list[tuple[Address | None, Array | None]] = []
        given += zip(self._operands(process, step), operands, strict=True)
        given += [(address, None) for other, at, _ in others for address in self._operands(other, at)]
        for address, operand in given:
            if address is not None and address not in self._errors:
                wide = self.wide.value(address) if operand is None else operand
                self._errors[address] = distance(self.recording.value(address), wide)
        return max((self._errors[address] for address, _ in given if address is not None), default=0.0)

    def _operands(self, process: int, step: int) -> list[Address | None]:
        """The addresses of a step's operands."""
        track = self.recording.tracks[process]
        values = self.recording.program.ops[track.op_of(step)].operands
        return [address_of(self.recording.program, track, step, value) for value in values]


def finish(recording: Recording) -> Iterator[None]:
    """Record to the end, or until it stops, with pauses after `SLICE` seconds."""
    before = -1
    while recording.state.kind != "done" and recording.step_count > before:
        before = recording.step_count
        recording.record(seconds=SLICE)
        yield


def _run(recording: Recording) -> Iterator[None]:
    yield from finish(recording)
    if recording.state.kind != "done":
        raise NoShadow(f"The run in more digits {recording.state.reason}.")


def _shadow_or_reason(program: BoundProgram) -> ShadowProgram | NoShadow:
    try:
        return shadow_program(program)
    except NoShadow as reason:
        return reason


def results_of(run: Recording) -> list[Array]:
    """The leaves of the results, process by process."""
    tracks = run.tracks[: run.grid.num_processes]
    return [leaf for track in tracks for value in track.results() or () for leaf in leaves(value)]


def _with_decisions(value: Array, run: Array, repeats: bool) -> Array:
    if is_tuple(value):
        return tuple_of([_with_decisions(*pair, repeats) for pair in zip(value, run, strict=True)])
    if not unit_roundoff(value.dtype):
        return run
    return widen(run, value.dtype) if repeats else value


@dataclass
class _Alone:
    """Rounds one op as in the run, and nothing else."""

    shadow: Shadow
    op: int

    def __call__(
        self,
        bound: BoundOperation,
        operands: tuple[Array, ...],
        results: tuple[Array, ...],
        step: int,
        process: int,
    ) -> tuple[Array, ...]:
        if bound.id == self.op:
            own = self.shadow.recording.program.ops[bound.id]
            narrow = evaluated(own, narrowed(self.shadow.recording.program, own, operands))
            if narrow is not None:
                wide = [value.dtype for value in map(_first_leaf, results)]
                results = tuple(widen(value, dtype) for value, dtype in zip(narrow, wide, strict=True))
        return self.shadow.decided(bound, results, step, process)


def _unit_of(types: Sequence[Type]) -> float:
    """The coarsest unit roundoff of leaves of these types; 0 without floats."""
    leaves = (leaf for found in types for leaf in leaf_types(found))
    units = (element_roundoff(leaf.element_type) for leaf in leaves if isinstance(leaf, TensorType))
    return max(units, default=0.0)


def _first_leaf(value: Array) -> Array:
    return next((leaf for leaf in leaves(value) if unit_roundoff(leaf.dtype)), np.zeros(()))


def narrowed(program: BoundProgram, bound: BoundOperation, operands: Sequence[Array]) -> list[Array]:
    """Operands rounded to the types that the program states for them."""
    return [
        _narrow(value, program.values[number].type)
        for number, value in zip(bound.operands, operands, strict=True)
    ]


def _narrow(value: Array, stated: Type) -> Array:
    if is_tuple(value) and isinstance(stated, TupleType):
        return tuple_of([_narrow(*pair) for pair in zip(value, stated.types, strict=True)])
    found = as_tensor(stated)
    with quiet():
        return value.astype(found.element_type.dtype) if isinstance(found, TensorType) else value


def evaluated(bound: BoundOperation, operands: Sequence[Array]) -> tuple[Array, ...] | None:
    """The results of an op for other operands; `None` where it needs a frame or other processes, or fails."""
    with quiet():
        try:
            op = specialise_op(bound.op, operands) if bound.dynamic else bound.op
            if isinstance(op, AskingOp):
                return None
            found = op.evaluate(*operands)
        except ProgramError:
            return None
    return found if isinstance(found, tuple) else (found,)


MOVE = 2.0**-26
"""Relative size of the moves by which the amplification of an op is measured."""


@dataclass(frozen=True)
class Suspect:
    """An op that may be to blame, at the step where it loses most."""

    loss: StepLoss
    unit: float
    """Unit roundoff of its results' type."""
    local: float
    """Error of the op as the run computes it, on the exact operands, rounded."""
    amplification: float
    """Ratio of the relative errors of result and operands, measured by moving the operands."""
    alone: float = 0.0
    """Error of the results if this op alone rounds as in the run."""

    @property
    def own(self) -> float:
        """The error that the op makes of one rounding of its operands, or makes itself."""
        return max(self.local, self.unit * self.amplification)


@dataclass(frozen=True)
class Blame:
    """The op that makes the results wrong, and where the loss that it amplifies comes from."""

    guilty: Suspect
    born: Suspect
    """Of `guilty` and the ops that it depends on, the one whose own rounding matters most."""


def find_blame(shadow: Shadow) -> Generator[None, None, Blame | None]:
    """The op to blame for results that are not sound, with pauses; `None` if they are, or if no op rounds them away."""
    if shadow.is_sound:
        return None
    measured = yield from find_suspects(shadow)
    measured.sort(key=lambda found: found.own, reverse=True)
    tried = []
    for found in _with_sources(shadow, measured):
        alone = yield from shadow.alone(found.loss.op)
        tried.append(replace(found, alone=alone))
    most = max((found.alone for found in tried), default=0.0)
    if not most:
        return None
    kept = [found for found in tried if found.alone >= min(most / 4, 0.1)]
    behind = _Behind(shadow.recording.program)
    below = [
        found
        for found in tried
        if found.own >= 32 * found.unit and any(behind.depends(found, other) for other in kept)
    ]
    able = [*kept, *(found for found in below if found not in kept)]
    strongest = max(found.own for found in able)
    guilty = min((found for found in able if found.own >= strongest / 4), key=_step_of)
    sources = [found for found in tried if found is guilty or behind.depends(guilty, found)]
    most = max(found.alone for found in sources)
    return Blame(guilty, min((each for each in sources if each.alone >= 0.9 * most), key=_step_of))


def find_suspects(shadow: Shadow) -> Generator[None, None, list[Suspect]]:
    """What each op that computes does to exact operands, at the step that loses most bits, with pauses."""
    found = []
    for loss in worst_steps(shadow):
        found.append(_measured(shadow, loss))
        yield
    return found


def _step_of(found: Suspect) -> int:
    return found.loss.step


def worst_steps(shadow: Shadow) -> list[StepLoss]:
    """For each op that computes, the step that loses most bits."""
    worst: dict[int, StepLoss] = {}
    for loss in shadow.losses:
        op = shadow.recording.program.ops[loss.op].op.unpacked
        if op.traits.is_constant or op.findings.moves_elements:
            continue
        if loss.op not in worst or loss.lost_bits > worst[loss.op].lost_bits:
            worst[loss.op] = loss
    return list(worst.values())


def largest_errors(shadow: Shadow) -> dict[int, float]:
    """By op, the largest error of its result in all its steps; ops without floats are absent."""
    found: dict[int, float] = {}
    for loss in shadow.losses:
        found[loss.op] = max(loss.error, found.get(loss.op, 0.0))
    return found


def _with_sources(shadow: Shadow, measured: Sequence[Suspect]) -> list[Suspect]:
    """The first `MOST_CANDIDATES`, and the ops that computed their operands."""
    program = shadow.recording.program
    chosen = list(measured[:MOST_CANDIDATES])
    wanted = {
        op
        for found in chosen[: MOST_CANDIDATES // 2]
        for operand in program.ops[found.loss.op].operands
        for op in moved_from(program, operand)
    }
    return chosen + [found for found in measured[MOST_CANDIDATES:] if found.loss.op in wanted]


def _measured(shadow: Shadow, loss: StepLoss) -> Suspect:
    """What an op does to the exact operands of a step."""
    program = shadow.recording.program
    own, wide = program.ops[loss.op], shadow.wide.program.ops[loss.op]
    operands = read_at(shadow.wide, loss.process, loss.step)
    exact = evaluated(wide, operands)
    narrow = evaluated(own, narrowed(program, own, operands))
    moved = evaluated(wide, [_moved(value, number) for number, value in enumerate(operands)])
    if exact is None or narrow is None or moved is None:
        return Suspect(loss, loss.unit, loss.error if not loss.handed_on else 0.0, 0.0)
    amplification = max(map(distance, moved, exact)) / MOVE
    return Suspect(loss, loss.unit, max(map(distance, narrow, exact)), amplification)


def _moved(value: Array, number: int) -> Array:
    if is_tuple(value):
        return tuple_of([_moved(part, number) for part in value])
    if not unit_roundoff(value.dtype):
        return value
    random = np.random.default_rng(number)
    return np.asarray(value * (1 + MOVE * random.choice([-1.0, 1.0], value.shape)), value.dtype)


class _Behind:
    """Which ops depend on which."""

    def __init__(self, program: BoundProgram) -> None:
        self._program, self._known = program, dict[int, frozenset[int]]()

    def depends(self, later: Suspect, earlier: Suspect) -> bool:
        """Whether an op computes with the results of another, directly or not."""
        op = later.loss.op
        if op not in self._known:
            walk = self._program.derive(Walk)
            self._known[op] = frozenset(walk.makers_of(walk.reached(self._program.ops[op].operands)))
        return earlier.loss.op in self._known[op]
