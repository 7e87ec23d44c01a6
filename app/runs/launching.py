"""Convert the given arguments and queue items to the inputs of every process of a grid.

A partitioned program takes parts of an argument: `f32[2,16]` in the text is a part of a whole `f32[8,16]`. The user gives
either the whole, which the program's shardings cut, or the part of each process.

| way   | input of each process                                                               |
|-------|-------------------------------------------------------------------------------------|
| one   | its part of a whole value; a value in the shape of a part is the same for all        |
| same  | the same part                                                                       |
| each  | a separate value                                                                    |
| apart | numbers from a separate seed: the given seed plus the number of the process          |
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any, Literal

import numpy as np

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.errors import Diagnostic, InputError, LimitError, RunError
from hloscope.engine.executor import Executor
from hloscope.engine.inputs import GENERATED, MAX_SEED, InputSpec, make_input
from hloscope.engine.ir.element_types import ElementType
from hloscope.engine.ir.types import Type
from hloscope.engine.limits import Limits
from hloscope.engine.open_sizes import Sizes, size_arguments
from hloscope.engine.ops.collectives.point_to_point import PointToPoint
from hloscope.engine.ops.core.exchanges import Arrays, GridPosition
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.core.process_groups import Grid, ProcessId
from hloscope.engine.ops.core.ranks import is_inexact
from hloscope.engine.outside_results import Bindings
from hloscope.engine.process_grid.launch import Launch, QueueKey
from hloscope.engine.program import BoundFunction, BoundProgram
from hloscope.engine.sharded_runs.sharded_inputs import Boundary, needed_grid

from .generated_sizes import find_generated_sizes, with_hint, with_sizes

Way = Literal["one", "same", "each", "apart"]
FED = ("infeed", "host")
"""Kinds of queues that the user fills."""


@dataclass(frozen=True)
class ArgumentSource:
    """The source of one argument's values, in one process or in all."""

    way: Way = "one"
    specs: tuple[InputSpec, ...] = field(default_factory=lambda: (InputSpec(),))
    """One specification; with `each`, one for every process, by its number."""
    special: Mapping[int, InputSpec] = field(default_factory=dict)
    """Specifications of the processes with a different value."""

    @classmethod
    def one(cls, spec: InputSpec, special: Mapping[int, InputSpec] | None = None) -> ArgumentSource:
        """One value for the whole grid, except for special processes."""
        return cls("one", (spec,), special or {})

    @classmethod
    def parse(cls, text: str) -> ArgumentSource:
        """`normal:7`, `apart normal:7`, `same [1, 2]`, or one value per process: `each 1 | 2 | [3, 4]`."""
        word, _, rest = text.strip().partition(" ")
        if word == "each":
            return cls("each", tuple(map(InputSpec.parse, rest.split("|"))))
        if word in ("apart", "same"):
            return cls("apart" if word == "apart" else "same", (InputSpec.parse(rest),))
        return cls.one(InputSpec.parse(text))


def with_specs(given: Sequence[ArgumentSource], changed: Mapping[int, InputSpec]) -> list[ArgumentSource]:
    """The argument sources, with those in `changed` replaced."""
    return [
        ArgumentSource.one(changed[number]) if number in changed else item
        for number, item in enumerate(given)
    ]


Feeds = Mapping[QueueKey, Sequence[Sequence[InputSpec]]]
"""The items of each queue, and the values of each item."""


def choose_grid(
    program: BoundProgram,
    function: BoundFunction,
    limits: Limits,
    replicas: int | None = None,
    partitions: int | None = None,
) -> Grid:
    """The grid of a run: as chosen, else as the program states. `LimitError` if too large."""
    needed = needed_grid(program, function)
    grid = Grid(replicas or needed.num_replicas, partitions or needed.num_partitions)
    if grid.num_processes > limits.max_processes:
        raise LimitError(
            f"a grid of {grid} has {grid.num_processes:,} processes; max_processes allows {limits.max_processes:,}",
            label="max_processes",
            hint="Choose fewer replicas or partitions.",
        )
    return grid


def launch(
    program: BoundProgram,
    function: BoundFunction,
    grid: Grid,
    given: Sequence[ArgumentSource],
    feeds: Feeds,
    limits: Limits,
) -> Launch:
    """The launch of a run: inputs and queue items of all processes. Raises `InputError`."""
    arguments = _Arguments(Boundary(program, function, grid), limits, size_arguments(program, function))
    columns = [arguments.values(number, item) for number, item in enumerate(given)]
    inputs = tuple(zip(*columns, strict=True)) if columns else ((),) * grid.num_processes
    return Launch(grid, inputs, make_feeds(program, grid, feeds, limits))


@dataclass(frozen=True)
class RunPlan:
    """The start of a run, which can be repeated with other inputs."""

    program: BoundProgram
    function: BoundFunction
    grid: Grid
    inputs: Sequence[ArgumentSource]
    feeds: Feeds
    bindings: Bindings
    limits: Limits
    made: Launch | None = None
    """The launch of a program that begins later, which needs more values than its own inputs."""
    executor: Executor | None = None
    """Computes the values in place of our engine."""

    def launch(self, changed: Mapping[int, InputSpec] | None = None) -> Launch:
        """The launch of all processes, with the arguments in `changed` replaced."""
        if self.made is not None:
            return self.made
        inputs = with_specs(self.inputs, changed or {})
        return launch(self.program, self.function, self.grid, inputs, self.feeds, self.limits)

    def recording(self, changed: Mapping[int, InputSpec] | None = None) -> Recording:
        """A recording of no steps, with the arguments in `changed` replaced."""
        start = self.launch(changed)
        name = self.function.function.name
        return Recording(self.program, start, self.limits, name, self.bindings, executor=self.executor)

    def add_hint(self, found: Diagnostic, recording: Recording, option: str = "{}") -> Diagnostic:
        """The diagnostic of a recording, with the generated sizes if they are the cause."""
        specs = [item.specs[0] for item in self.inputs]
        invented = find_generated_sizes(self.program, self.function, specs)
        return with_hint(found, recording, self.function, invented, self._record, option)

    def _record(self, changed: Mapping[int, InputSpec], steps: int) -> Recording:
        recording = replace(self, executor=None).recording(changed)
        recording.record(steps=steps)
        return recording


@dataclass(frozen=True)
class _Arguments:
    """The arguments of a function, on a grid."""

    boundary: Boundary
    limits: Limits
    sizes: Mapping[int, Sizes]
    """By number, the arguments that shapes depend on, with the sizes that they must give; see `size_arguments`."""

    def values(self, number: int, given: ArgumentSource) -> tuple[Array, ...]:
        """The value of an argument in each process."""
        processes = range(self.boundary.grid.num_processes)
        special = {process: self._part(number, spec) for process, spec in given.special.items()}
        if len(special) == len(processes):
            return tuple(special[process] for process in processes)
        found = self._process_arrays(number, given)
        return tuple(special.get(process, found[process]) for process in processes)

    def _process_arrays(self, number: int, given: ArgumentSource) -> tuple[Array, ...]:
        count = self.boundary.grid.num_processes
        match given.way:
            case "each":
                self._check_count(number, len(given.specs))
                made: dict[int, Array] = {}
                for spec in given.specs:
                    if id(spec) not in made:  # the same specification gives the same array
                        made[id(spec)] = self._part(number, spec)
                return tuple(made[id(spec)] for spec in given.specs)
            case "apart":
                (spec,) = given.specs
                return tuple(
                    self._part(number, _with_process_seed(spec, process)) for process in range(count)
                )
            case "same":
                return (self._part(number, given.specs[0]),) * count
            case _:
                return self._one(number, given.specs[0])

    def _one(self, number: int, spec: InputSpec) -> tuple[Array, ...]:
        whole = self.boundary.whole_types[number]
        if whole == self._type(number):
            return (self._part(number, spec),) * self.boundary.grid.num_processes
        try:
            value = self._make(number, spec, whole)
        except InputError as error:
            if spec.kind in GENERATED:
                raise
            try:
                return (self._part(number, spec),) * self.boundary.grid.num_processes
            except InputError:
                raise _with_hint(error, self._type(number)) from None
        return self.boundary.cut(number, value)

    def _part(self, number: int, spec: InputSpec) -> Array:
        return self._make(number, spec, self._type(number))

    def _make(self, number: int, spec: InputSpec, type: Type) -> Array:
        name = self.boundary.function.function.arguments[number].name
        return make_input(with_sizes(spec, type, self.sizes.get(number)), type, number, name, self.limits)

    def _type(self, number: int) -> Type:
        return self.boundary.function.function.arguments[number].type

    def _check_count(self, number: int, count: int) -> None:
        if count != self.boundary.grid.num_processes:
            name = self.boundary.function.function.arguments[number].name
            raise InputError(
                f"argument {number} ({name}) is given for {count} processes, but there are "
                f"{self.boundary.grid.num_processes} ({self.boundary.grid})"
            )


def _with_process_seed(spec: InputSpec, process: int) -> InputSpec:
    return replace(spec, seed=(spec.seed + process) % (MAX_SEED + 1))


def _with_hint(error: InputError, part: Type) -> InputError:
    """The error for a value that has neither the shape of the whole nor of a part."""
    hint = f"Give the whole, or a part for every process: {part}."
    return InputError(error.message, hint=f"{hint} {error.hint}" if error.hint else hint)


# Queues.


def takers(program: BoundProgram, grid: Grid, key: QueueKey) -> Iterator[tuple[Type, ...]]:
    """The item types that the ops take from a user's queue, in text order."""
    for bound in program.ops:
        op = bound.op
        if (
            isinstance(op, PointToPoint)
            and not op.sends
            and op.payload
            and _queue_of(op, grid) == replace(key, process=None)
        ):
            yield op.payload


def fed_queues(program: BoundProgram, grid: Grid) -> tuple[QueueKey, ...]:
    """The queues that the user may have to fill, as shared by all processes."""
    ops = (bound.op for bound in program.ops)
    found = (
        _queue_of(op, grid) for op in ops if isinstance(op, PointToPoint) and not op.sends and op.payload
    )
    return tuple(dict.fromkeys(key for key in found if key is not None))


def _queue_of(op: PointToPoint, grid: Grid) -> QueueKey | None:
    try:
        route = op.route(GridPosition(ProcessId(0, 0), grid))
    except RunError:
        return None
    if route is None or route.kind == "channel":
        return None
    return QueueKey("infeed") if route.kind == "feed" else QueueKey("host", route.channel)


def make_feeds(
    program: BoundProgram, grid: Grid, feeds: Feeds, limits: Limits
) -> dict[QueueKey, tuple[Arrays, ...]]:
    """The items of each queue, made from their specifications."""
    return {
        key: tuple(make_item(program, grid, key, number, item, limits) for number, item in enumerate(items))
        for key, items in feeds.items()
    }


def make_item(
    program: BoundProgram,
    grid: Grid,
    key: QueueKey,
    number: int,
    item: Sequence[InputSpec],
    limits: Limits,
    taken: tuple[Type, ...] | None = None,
) -> Arrays:
    """The values of item `number` of a queue, of the first op's types that they fit.

    Which op takes it is known only at run time: unless an op waits for it, which takes `taken`, the ops are tried first
    that would be in turn if each was executed once.
    """
    if key.kind not in FED:
        raise InputError(f"the {key} is filled by the program", hint="Give values to infeed or host.")
    if key.process is not None and key.process >= grid.num_processes:
        raise InputError(f"there is no process {key.process} whose {key} could be filled: the grid is {grid}")
    types = list(takers(program, grid, key))
    if not types:
        known = ", ".join(map(str, fed_queues(program, grid))) or "no queue of the user's"
        raise InputError(f"nothing reads from the {key}", hint=f"The program reads from {known}.")
    turn = number % len(types)
    problems = []
    for candidate in [taken] if taken else dict.fromkeys([*types[turn:], *types[:turn]]):
        try:
            return _item_of(candidate, key, number, item, limits)
        except InputError as error:
            problems.append(error)
    raise problems[0]


def _item_of(
    types: tuple[Type, ...], key: QueueKey, number: int, item: Sequence[InputSpec], limits: Limits
) -> Arrays:
    if len(item) != len(types):
        wanted = ", ".join(map(str, types))
        raise InputError(f"item {number} of the {key} has {len(item)} values; {wanted} is taken from it")
    what = f"item {number} of the {key}"
    return tuple(
        make_input(spec, type, number, limits=limits, what=what if len(types) == 1 else f"{what}, value {place},")
        for place, (spec, type) in enumerate(zip(item, types, strict=True))
    )  # fmt: skip


def parse_queue(text: str, process: int | None = None) -> QueueKey:
    """`infeed` or `host:3`; `InputError` for anything else."""
    kind, _, channel = text.partition(":")
    if text == "infeed":
        return QueueKey("infeed", 0, process)
    if kind == "host" and channel.isdecimal() and len(channel) < 19:
        return QueueKey("host", int(channel), process)
    raise InputError(
        f"'{text:.80}' is not a queue for values", hint="The queues are infeed and host:CHANNEL."
    )


_PROCESS = re.compile(r"(.*)@\s*(\d{1,9})\s*,\s*(\d{1,9})", re.DOTALL)


def of_process(name: str, grid: Grid) -> tuple[str, int | None]:
    """`x@1,2` as `x` and the number of process (1, 2); without one, the number is `None`."""
    found = _PROCESS.fullmatch(name)
    if found is None:
        return name, None
    return found[1].strip(), process_number(grid, int(found[2]), int(found[3]))


def parse_queue_of(text: str, grid: Grid) -> QueueKey:
    """`infeed`, `host:3`, or `infeed@1,2` for the queue of process (1, 2) only."""
    name, process = of_process(text, grid)
    return parse_queue(name, process)


def process_number(grid: Grid, replica: int, partition: int) -> int:
    """The number of a process at a grid position. Raises `InputError` if there is none."""
    if not (replica < grid.num_replicas and partition < grid.num_partitions):
        raise InputError(f"there is no process ({replica}, {partition}): the grid is {grid}")
    return replica * grid.num_partitions + partition


def queue_text(key: QueueKey) -> str:
    """The text of a queue's name, as `parse_queue` reads it."""
    return f"host:{key.channel}" if key.kind == "host" else key.kind


def cast_floats(program: BoundProgram, inputs: Sequence[Any]) -> list[Any]:
    """Another program's inputs, with float arrays cast to the float types of this one."""
    entry = program.entry
    arguments = entry.function.arguments if entry else ()
    types = [getattr(argument.type, "element_type", None) for argument in arguments]
    return [_cast(given, found) for given, found in zip_longest(inputs, types[: len(inputs)])]


def _cast(given: Any, wanted: ElementType | None) -> Any:
    """The input cast to `wanted`; complex numbers and inputs other than arrays are unchanged."""
    is_float = isinstance(given, np.ndarray) and is_inexact(given.dtype) and given.dtype.kind != "c"
    return (
        given.astype(wanted.dtype, copy=False)
        if is_float and wanted is not None and wanted.is_float
        else given
    )
