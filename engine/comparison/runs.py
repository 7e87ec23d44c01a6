"""Comparison of two runs: the difference of each pair of values, and the first divergence."""

from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Literal, TypeVar, cast

from numpy import ndarray

from ..debugger.address import Address
from ..debugger.provenance.run import RecordedRun
from ..debugger.recording import Recording
from ..entry import find_entry
from ..ir.types import TensorType
from ..ops.core.devices import ANY, Device, devices_named
from ..ops.core.op import Array
from ..ops.core.rounding import rounded_error, unit_roundoff, units_of
from ..ops.core.values import is_tuple, leaves
from ..passes.saved_buffers import InMemoryOrder
from ..passes.snapshots import in_logical_order
from ..program import BoundOperation
from ..sharded_runs.sharded_inputs import Boundary
from .bounds import RunBounds, leaf_errors, walk
from .difference import Difference, Tolerance, Verdict, join
from .elements import is_float
from .judge import Judge
from .matching import Matching, match_programs
from .named_values import named_values, value_name
from .random_rounding import Noise, NotMade, coarsest_unit, result_types
from .widening import between, by_witnesses, exact_results, nearer, needs_witness, wider_spreads

Origin = Literal["given", "made", "carried", "open"]
T = TypeVar("T")


@dataclass(frozen=True)
class ComparedValue:
    """A value of the run before, and the value of the other run that matches it."""

    name: str
    before: Address
    after: Address | str
    """Address in the other recording, or name in the file."""
    op: int | None
    """The op of the run before that made the value; `None` for inputs."""
    line: int
    """Line in the program before; 0 for inputs."""
    difference: Difference
    origin: Origin = "made"
    """Source of a wrong value: an input, an op whose operands agree, or wrong operands."""


@dataclass(frozen=True)
class RunComparison:
    """Pairs of values of two runs, in the order in which the first run made them."""

    values: tuple[ComparedValue, ...]
    results: tuple[Difference, ...]
    """Differences of the results in all processes; empty if the other run has none."""
    only_before: tuple[str, ...] = ()
    """Names of values of the first run without a partner."""
    only_after: tuple[str, ...] = ()
    amplified: Mapping[str, str] = field(default_factory=dict)
    """Value name to a sentence that names the op that amplified its rounding error."""
    against_exact: float | None = None
    """For the first wrong result, ratio of both distances from its value in more digits; `None` if unknown."""
    of_programs: bool = False
    """Whether two programs are compared: then their results decide, as inner values of two forms may differ."""

    @cached_property
    def first(self) -> ComparedValue | None:
        """The first value that differs beyond rounding, preferably one that is not carried."""
        wrong = [found for found in self.values if found.difference.is_different]
        made = [found for found in wrong if found.origin != "carried"]
        return next(iter(made or wrong), None)

    @cached_property
    def worst(self) -> Difference:
        """The worst of all differences."""
        every = [*(found.difference for found in self.values), *self.results]
        return max(every, key=lambda found: found.severity, default=Difference("same_bits"))

    @property
    def verdict(self) -> Verdict:
        """`same`, `different` or `unknown`: of the results of two programs, of all values of one."""
        return join(self.results).verdict if self.of_programs and self.results else self.worst.verdict

    @property
    def agrees(self) -> bool:
        """Whether nothing differs by more than rounding."""
        return self.verdict == "same"

    @property
    def differing(self) -> tuple[ComparedValue, ...]:
        """The pairs whose bits differ."""
        return tuple(found for found in self.values if found.difference.kind != "same_bits")


class _Comparing:
    """State of both kinds of comparison: bounds of the first run, and wrong values so far."""

    def __init__(self, before: Recording, tolerance: Tolerance | None, device: Device) -> None:
        self.before = before
        self.bounds = RunBounds(before, device=device) if tolerance is None else None
        self.judge = Judge(before, tolerance, device, across_types=True)
        self.wrong: set[tuple[int, str, int]] = set()
        self.fine: set[tuple[int, str, int]] = set()
        """The values that have a partner and agree with it."""
        self._last_wrong: dict[int, int] = {}
        """The last step of each process with a wrong value."""
        self._sources = (self.bounds or RunBounds.without_bounds(before)).sources

    def compare(
        self, name: str, address: Address, after: Address | str, value: Array, others: RunBounds | None = None
    ) -> ComparedValue:
        """Compare a pair; call this in the order in which the first run made the values."""
        ours = self.before.value(address)
        if others is not None and isinstance(after, Address):
            with units_of([others.recording.type_of(after)]):
                bound = _bounds_of(others.of(after), value, rounded=True)
        else:
            bound = _bounds_of(None if self.bounds is None else self.bounds.of(address), ours)
        other = after if isinstance(after, Address) else None
        difference = self.judge.difference(address, ours, value, bound, after=other)
        place = address.process, address.kind, address.number
        if difference.is_fine:
            self.fine.add(place)
        if difference.is_different:
            self.wrong.add(place)
            if address.kind == "s":
                last = self._last_wrong.get(address.process, -1)
                self._last_wrong[address.process] = max(last, address.number)
        op = None if address.kind == "f" else self.before.tracks[address.process].op_of(address.number)
        line = 0 if op is None else self.before.program.line_of(op)
        return ComparedValue(
            name, address, after, op, line, difference, self._origin(address, op, difference)
        )

    def _origin(self, address: Address, op: int | None, difference: Difference) -> Origin:
        if op is None:
            return "given"
        if not difference.is_different:
            return "made"
        read = {(found.process, found.kind, found.number) for found in self._read(address)}
        # The results of a loop, a branch or a call come after the steps inside, which have greater numbers.
        if self._last_wrong[address.process] > address.number or read & self.wrong:
            return "carried"
        return "made" if read <= self.fine else "open"

    def _read(self, address: Address) -> Iterator[Address]:
        """Addresses that a value was computed from; arguments of bodies are traced to their source."""
        waiting, seen = list(self._sources(address)), {address}
        while waiting:
            found = waiting.pop()
            if found in seen:
                continue
            seen.add(found)
            if found.kind == "f" and found.number:
                waiting.extend(self._sources(found))
            else:
                yield found

    def amplified(self, values: Sequence[ComparedValue]) -> dict[str, str]:
        """Explain the last values that differ only by rounding: which op amplified the error."""
        found = {}
        for value in [value for value in values if value.difference.kind == "rounding"][-3:]:
            grown = self.bounds.amplification(value.before) if self.bounds else None
            if self.bounds and grown is not None and grown.growth >= 16:
                found[value.name] = f"rounding, amplified {self.bounds.amplified_by(grown)}"
        return found


def _bounds_of(error: Any, value: Array, *, rounded: bool = False) -> Any:
    """The bound in the form that `compare_arrays` accepts: for a tuple a list of its leaves.

    `rounded`: the other value has a wider type and is rounded to that of `value` first.
    """
    if error is None:
        return None
    if not is_tuple(value):
        return error + rounded_error(value) if rounded else error
    errors = leaf_errors(error, value)
    return (
        [found + rounded_error(leaf) for found, leaf in zip(errors, leaves(value), strict=True)]
        if rounded
        else errors
    )


def compare_recordings(
    before: Recording, after: Recording, tolerance: Tolerance | None = None
) -> RunComparison:
    """Compare two runs; without `tolerance`, each value has its own rounding-error bound.

    Executions are paired in order, processes by number. For grids of different sizes, only inputs and results are
    compared.
    """
    return _outcome_of(comparing(before, after, tolerance))


def _outcome_of(steps: Generator[ComparedValue | None, None, RunComparison]) -> RunComparison:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return cast(RunComparison, end.value)


def comparing(
    before: Recording,
    after: Recording,
    tolerance: Tolerance | None = None,
    *,
    matching: Matching | None = None,
) -> Generator[ComparedValue | None, None, RunComparison]:
    """`compare_recordings` as a generator, so that callers can pause: it yields each pair, and `None` while it prepares one."""
    same_program = before.program is after.program
    if matching is None and not same_program:
        matching = match_programs(before.program, after.program, (before, after))
    device = _device_of(before, after)
    state = _Comparing(before, tolerance, device)
    state.judge.in_slices = True
    others = None
    if tolerance is None:
        is_narrower = coarsest_unit(after.program) > coarsest_unit(before.program)
        others = RunBounds(after, rounded=True, device=device) if is_narrower else None
        if not (same_program and after.executor is not None and _have_same_inputs(before, after)):
            state.judge.other = Noise(after, device, rounded=is_narrower, in_slices=True)
    found = []
    for name, address, other in _pairs(before, after, matching):
        compare = partial(state.compare, name, address, other, after.value(other), others)
        found.append((yield from _with_noise(state.judge, compare)))
        yield found[-1]
    results = yield from _with_noise(
        state.judge, lambda: tuple(_result_differences(state, before, after, others))
    )
    only = ((), ()) if matching is None else _unpaired(before, after, matching)
    exact = None
    if tolerance is None and any(map(needs_witness, results)):
        exact_before = exact_results(before, before.limits)
        yield None
        if before.executor is None and after.executor is None:
            # Our engine computes the witnesses, which tell two programs apart, but not two engines.
            witnesses = exact_before, exact_results(after, after.limits)
            yield None
            apart = between(*witnesses, [found.dtype for found in results])
            results = by_witnesses(
                results, apart, lambda: wider_spreads((before, after), witnesses, before.limits)
            )
        exact = _against_exact(exact_before, _leaves_of(before), _leaves_of(after), results)
    return RunComparison(tuple(found), results, *only, state.amplified(found), exact, not same_program)


def _device_of(*runs: Recording) -> Device:
    """How the devices round that computed the runs; any device, if only our engine did."""
    return devices_named(" ".join(run.executor.computed_by for run in runs if run.executor is not None))


def _have_same_inputs(before: Recording, after: Recording) -> bool:
    """Whether the same bits are given to the processes of both runs, so that the noise of one is that of both."""
    pairs = [
        [leaf for given in run.launch.inputs for value in given for leaf in leaves(value)]
        for run in (before, after)
    ]
    return len(pairs[0]) == len(pairs[1]) and all(
        one.tobytes() == two.tobytes() for one, two in zip(*pairs, strict=True)
    )


def _with_noise(judge: Judge, judged: Callable[[], T]) -> Generator[None, None, T]:
    """A judgement, after the randomly rounded runs are made if it needs them."""
    try:
        return judged()
    except NotMade:
        yield from judge.make_noise()
        return judged()


def _leaves_of(recording: Recording) -> list[Array]:
    """The results of process (0, 0), leaf by leaf."""
    return [leaf for value in recording.results() or () for leaf in leaves(value)]


def _against_exact(
    exact: list[Array] | None, ours: list[Array], theirs: list[Array], results: Sequence[Difference]
) -> float | None:
    """Compare the first wrong result with a run in more digits."""
    wrong = next((k for k, found in enumerate(results) if found.kind == "wrong"), None)
    if wrong is None or len(ours) != len(theirs):
        return None
    if exact is None or exact[wrong].shape != theirs[wrong].shape or not is_float(ours[wrong].dtype):
        return None
    if unit_roundoff(exact[wrong].dtype) >= unit_roundoff(ours[wrong].dtype):
        return None
    return nearer(exact[wrong], ours[wrong], theirs[wrong])


def _pairs(
    before: Recording, after: Recording, matching: Matching | None
) -> Iterator[tuple[str, Address, Address]]:
    """Yield inputs, then results of the steps of the run before, each with its partner.

    The results of a loop, a branch or a call come after the steps inside.
    """
    if len(before.tracks) != len(after.tracks):
        return
    for process, (ours, theirs) in enumerate(zip(before.tracks, after.tracks, strict=True)):
        if ours.frame_count and theirs.frame_count:
            count = min(len(_arguments(before, process)), len(_arguments(after, process)))
            for number, value in enumerate(_arguments(before, process)[:count]):
                address = Address(process, "f", 0, number)
                yield before.program.values[value].name, address, address
    steps = [_steps_by_op(track.op_column) for track in after.tracks]
    seen: dict[tuple[int, int], int] = {}
    opened: dict[int, list[tuple[int, list[tuple[str, Address, Address]]]]] = defaultdict(list)
    for process, step in walk(RecordedRun(before)):
        while opened[process] and opened[process][-1][0] < step:
            yield from opened[process].pop()[1]
        op = before.tracks[process].op_of(step)
        seen[process, op] = seen.get((process, op), -1) + 1
        other = op if matching is None else matching.stand_in(op)
        executions = [] if other is None else steps[process].get(other, [])
        if other is None or seen[process, op] >= len(executions):
            continue
        at = executions[seen[process, op]]
        if after.tracks[process].finish_of(at) is not None:
            pairs = _result_pairs(before, (process, step), seen[process, op], at, after.program.ops[other])
            finish = before.tracks[process].finish_of(step) or step
            if finish > step:
                opened[process].append((finish, list(pairs)))
            else:
                yield from pairs
    for waiting in opened.values():
        for _, held in reversed(waiting):
            yield from held


def _result_pairs(
    before: Recording, place: tuple[int, int], execution: int, at: int, other: BoundOperation
) -> Iterator[tuple[str, Address, Address]]:
    process, step = place
    bound = before.program.ops[before.tracks[process].op_of(step)]
    for index, value in enumerate(bound.results[: len(other.results)]):
        name = value_name(before.program, bound.block, before.program.values[value].name)
        yield (
            name if not execution else f"{name}[{execution}]",
            Address(process, "s", step, index),
            Address(process, "s", at, index),
        )


def _arguments(recording: Recording, process: int) -> tuple[int, ...]:
    return recording.program.blocks[recording.tracks[process].block_of(0)].arguments


def _steps_by_op(ops: Array) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for step, op in enumerate(ops.tolist()):
        found.setdefault(op, []).append(step)
    return found


def _result_differences(
    comparing: _Comparing, before: Recording, after: Recording, others: RunBounds | None
) -> Iterator[Difference]:
    if len(before.tracks) != len(after.tracks):
        left, right = _joined(before), _joined(after)
        if len(left) == len(right):
            yield from (
                comparing.judge.result_difference(0, number, *pair, None)
                for number, pair in enumerate(zip(left, right, strict=True))
            )
        return
    for process, (ours, theirs) in enumerate(zip(before.tracks, after.tracks, strict=True)):
        left, right = (
            [leaf for value in track.results() or () for leaf in leaves(value)] for track in (ours, theirs)
        )
        if len(left) != len(right):
            yield Difference("shape", before=f"{len(left)} results", after=f"{len(right)} results")
            continue
        known = _result_bounds(comparing, process) if others is None else others.of_results(process)
        limits: list[Any] = known or [None] * len(left)
        if others is not None and known:
            limits = []
            for limit, part, of in zip(known, right, result_types(after, process), strict=True):
                with units_of([of]):
                    limits.append(limit + rounded_error(part))
        for number, (one, other, limit) in enumerate(zip(left, right, limits, strict=True)):
            yield comparing.judge.result_difference(process, number, one, other, limit)


def _joined(recording: Recording) -> list[Array]:
    """The joined results of all processes, or those of the first if no sharding is known."""
    results = [track.results() or () for track in recording.tracks[: recording.grid.num_processes]]
    function = find_entry(recording.program, None)
    found = Boundary(recording.program, function, recording.grid).join(results)
    return [
        leaf
        for whole, first in zip(found, results[0], strict=True)
        for leaf in leaves(first if whole is None else whole)
    ]


def _result_bounds(comparing: _Comparing, process: int) -> list[Any] | None:
    """The bounds of the entry function's results, leaf by leaf."""
    return None if comparing.bounds is None else comparing.bounds.of_results(process)


def _unpaired(
    before: Recording, after: Recording, matching: Matching
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    def names(recording: Recording, ops: Sequence[int]) -> tuple[str, ...]:
        program = recording.program
        chosen = [program.ops[op] for op in ops if not program.ops[op].op.traits.is_constant]
        return tuple(value_name(program, op.block, program.values[op.results[0]].name) for op in chosen)

    ours, theirs = ({pair[side] for pair in matching.replaced} for side in (0, 1))
    return (
        names(before, [op for op in matching.only_before if op not in ours]),
        names(after, [op for op in matching.only_after if op not in theirs]),
    )


def compare_named(
    before: Recording, values: Mapping[str, Array], tolerance: Tolerance | None = None, device: Device = ANY
) -> RunComparison:
    """Compare a run with values of another run or engine by name (see `named_values`), which a device computed."""
    return _outcome_of(comparing_named(before, values, tolerance, device))


def comparing_named(
    before: Recording, values: Mapping[str, Array], tolerance: Tolerance | None = None, device: Device = ANY
) -> Generator[ComparedValue | None, None, RunComparison]:
    """`compare_named` as a generator; yields `None` for a value without a partner."""
    comparing = _Comparing(before, tolerance, device)
    found: list[ComparedValue] = []
    used: set[str] = set()
    missing: list[str] = []
    for named in named_values(before):
        name = next((name for name in named.names if name in values), None)
        if name is None:
            missing.append(named.names[0])
            yield None
            continue
        used.add(name)
        other = as_value(values[name], before, named.address)
        found.append(comparing.compare(named.names[0], named.address, name, other))
        yield found[-1]
    results = list(_named_results(comparing, values, used))
    left = tuple(name for name in values if name not in used)
    return RunComparison(tuple(found), tuple(results), tuple(missing), left, comparing.amplified(found))


def _named_results(
    comparing: _Comparing, values: Mapping[str, Array], used: set[str]
) -> Iterator[Difference]:
    """Named results; `used` collects the names."""
    before = comparing.before
    for process, track in enumerate(before.tracks[: before.grid.num_processes]):
        parts = [leaf for value in track.results() or () for leaf in leaves(value)]
        limits = _result_bounds(comparing, process) or [None] * len(parts)
        for number, (part, limit) in enumerate(zip(parts, limits, strict=True)):
            name = next((name for name in _result_names(before, process, number) if name in values), None)
            if name is None:
                continue
            used.add(name)
            other = as_dtype(values[name], part)
            yield comparing.judge.result_difference(process, number, part, other, limit)


def _result_names(before: Recording, process: int, number: int) -> list[str]:
    if len(before.tracks) == 1:
        return [f"out_{number}"]
    place = before.process_name(process).strip("()").replace(" ", "")
    return [f"out_{number}@{place}", f"out_{number}"]


def _in_order(value: Array, before: Recording, address: Address) -> Array:
    """The elements in logical order, where a file has them in the order of memory."""
    if not isinstance(value, InMemoryOrder):
        return value
    of_value = before.type_of(address)
    layout = of_value.layout if isinstance(of_value, TensorType) else None
    return in_logical_order(value.view(type=ndarray), value.shape, layout.minor_to_major if layout else ())


def as_value(stored: Array, before: Recording, address: Address) -> Array:
    """The array of a file with the order of elements and the element type of a value of the run."""
    return as_dtype(_in_order(stored, before, address), before.value(address))


def as_dtype(value: Array, like: Array) -> Array:
    """Reinterpret bits that a file stores as integers or raw bytes."""
    if value.dtype == like.dtype or value.dtype.itemsize != like.dtype.itemsize:
        return value
    is_bits = value.dtype.kind in "uV" and like.dtype.type.__module__ != "numpy"
    return value.view(like.dtype) if is_bits else value
