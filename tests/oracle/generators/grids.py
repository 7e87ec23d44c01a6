"""Random programs of processes that meet: grids of any form, groups by all four strategies, all collective ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES, ElementType
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.process_groups import Grid, Strategy

from ..cases import positive_sizes, seeds, typed
from ..grid_case import Function, GridCase
from ..values import element_types
from .transfers import fed, over_the_host, transfers

ADDED = ("i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "f32", "f64", "bf16", "f16", "complex<f32>", "i1")
"""Types whose small numbers add up exactly, in any order."""
BODIES = {
    "boolean": ("and", "or", "xor"),
    "complex": ("add",),
    "float": ("add", "maximum", "minimum"),
    "signed": ("add", "multiply", "maximum", "minimum", "and", "xor"),
    "unsigned": ("add", "multiply", "maximum", "minimum", "or"),
}
Value = tuple[str, TensorType]
shapes = st.lists(positive_sizes, min_size=1, max_size=3).map(tuple)
grids = st.builds(Grid, st.integers(1, 4), st.integers(1, 3))
small_grids = grids.filter(lambda grid: grid.num_processes <= 8)


@dataclass
class Process:
    """The function of a process, while it is written."""

    draw: st.DrawFn
    grid: Grid
    element_type: ElementType
    operands: list[TensorType] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    results: list[Value] = field(default_factory=list)
    names: int = 0
    adds: bool = False
    """Whether sums of its numbers are exact."""
    freely: bool = False
    """Whether processes may meet again and again on one channel."""

    @property
    def values(self) -> list[Value]:
        """The results that another op can take."""
        return [
            found for found in self.results if found[1].element_type is self.element_type and found[1].rank
        ]

    def name(self) -> str:
        """One that is not taken."""
        self.names += 1
        return f"%v{self.names}"

    def takes_several(self) -> bool:
        """Whether an op is to have several operands.

        XLA takes those of all_to_all for the form that has one for each part; of all_gather it gets them wrong along
        other dimensions than the first; and its partitioner dies of those of all_reduce.
        """
        return not self.freely and self.draw(st.booleans())

    def operand(self, shape: tuple[int, ...]) -> Value:
        """A new operand of the function."""
        found = TensorType(shape, self.element_type)
        self.operands.append(found)
        return f"%a{len(self.operands) - 1}", found

    def some(self, fits: Callable[[TensorType], bool], shape: tuple[int, ...]) -> Value:
        """A value that there is, or an operand of the given shape."""
        fitting = [value for value in self.values if fits(value[1])]
        if self.draw(st.booleans()) and fitting:
            return self.draw(st.sampled_from(fitting))
        return self.operand(shape)

    def any(self) -> Value:
        """A value or an operand of any shape."""
        shape = self.draw(shapes)
        return self.some(lambda found: found.rank > 0, shape)

    def write(
        self,
        op: str,
        given: Sequence[Value],
        results: Sequence[TensorType],
        attributes: str,
        region: str = "",
    ) -> None:
        """One op, whose results are values from now on."""
        name = self.name()
        count = len(results)
        made = typed(*results) if count == 1 else f"({typed(*results)})"
        body = f"({region}) " if region else ""
        operands, types = ", ".join(value for value, _ in given), typed(*(found for _, found in given))
        left = name if count == 1 else f"{name}:{count}"
        self.lines.append(
            f'{left} = "stablehlo.{op}"({operands}) {body}{{{attributes}}} : ({types}) -> {made}'
        )
        names = [name] if count == 1 else [f"{name}#{number}" for number in range(count)]
        self.results += list(zip(names, results, strict=True))


@dataclass(frozen=True)
class Grouping:
    """What an op says of its groups, and how many processes are in each."""

    text: str
    members: int


def table(rows: Sequence[Sequence[int]]) -> str:
    """`dense<[[0, 1]]> : tensor<1x2xi64>`, rows of different lengths filled up with -1."""
    width = max(map(len, rows))
    filled = [[*row, *[-1] * (width - len(row))] for row in rows]
    return f"dense<{filled}> : tensor<{len(rows)}x{width}xi64>"


def _channel(process: Process, positive: bool) -> str:
    """A channel that no other op of the program has.

    The reference interpreter identifies a rendezvous by its group and channel alone. If processes arrive there a second
    time, it mixes the two rendezvous up, with varying results.
    """
    number = 0 if process.freely else len(process.lines)
    if not positive and not number and process.draw(st.booleans()):
        return ""
    handle, kind = (1 + number, 1) if positive else (-number, 0)
    return f", channel_handle = #stablehlo.channel_handle<handle = {handle}, type = {kind}>"


def rows_of(draw: st.DrawFn, count: int, uneven: bool = False) -> list[list[int]]:
    """All ids below `count` in groups, in any order."""
    order = draw(st.permutations(range(count)))
    if uneven and count > 1 and draw(st.booleans()):
        at = draw(st.integers(1, count - 1))
        return [list(order[:at]), list(order[at:])]
    size = draw(st.sampled_from([size for size in range(1, count + 1) if count % size == 0]))
    return [list(order[start : start + size]) for start in range(0, count, size)]


def _everybody(process: Process, uneven: bool = False, ordered: bool = True) -> Grouping:
    """Groups of all processes, by one of the three strategies of all_gather, all_reduce and reduce_scatter.

    In groups of replicas and partitions the specification has one partition after the other, XLA one replica after
    the other; where it makes a difference, `ordered`, XLA is not asked.
    """
    draw, grid = process.draw, process.grid
    strategies = (Strategy.CROSS_REPLICA, Strategy.FLATTENED_IDS, Strategy.CROSS_REPLICA_AND_PARTITION)
    strategy = draw(st.sampled_from(strategies[: 2 if ordered and process.freely else 3]))
    rows = rows_of(draw, strategy.id_count(grid), uneven)
    text = f"replica_groups = {table(rows)}{_channel(process, strategy is not Strategy.CROSS_REPLICA)}"
    if strategy is Strategy.FLATTENED_IDS:
        text += ", use_global_device_ids"
    return Grouping(text, len(rows[0]) * (grid.num_partitions if strategy.takes_all_partitions else 1))


def _either(process: Process) -> tuple[int, str]:
    """Replicas or partitions: how many there are, and the channel that says so."""
    crossing = process.draw(st.booleans())
    count = process.grid.num_partitions if crossing else process.grid.num_replicas
    return count, _channel(process, crossing)


def _all_gather(process: Process) -> None:
    grouping = _everybody(process)
    given = [process.any()]
    dimension = process.draw(st.integers(0, given[0][1].rank - 1))
    if process.takes_several():
        given.append(process.operand(given[0][1].sizes))
    results = [_scaled(found, dimension, grouping.members) for _, found in given]
    process.write("all_gather", given, results, f"all_gather_dim = {dimension} : i64, {grouping.text}")


def _scaled(found: TensorType, dimension: int, times: int, parts: int = 1) -> TensorType:
    sizes = list(found.sizes)
    sizes[dimension] = sizes[dimension] * times // parts
    return found.with_shape(tuple(sizes))


def _body(process: Process, element_type: ElementType) -> str:
    scalar = TensorType((), element_type)
    names = BODIES[element_type.kind if element_type.kind in BODIES else "float"]
    return (
        f"{{\n  ^bb0(%x: {scalar}, %y: {scalar}):\n"
        f"    %z = stablehlo.{process.draw(st.sampled_from(names))} %x, %y : {scalar}\n"
        f"    stablehlo.return %z : {scalar}\n  }}"
    )


def _all_reduce(process: Process, value: Value | None = None) -> None:
    grouping = _everybody(process, uneven=not process.freely, ordered=False)
    given = [value or process.any()]
    if value is None and process.takes_several():
        given.append(process.operand(process.draw(shapes)))
    results = [found for _, found in given]
    process.write("all_reduce", given, results, grouping.text, _body(process, process.element_type))


def _reduce_scatter(process: Process) -> None:
    grouping = _everybody(process)
    shape = process.draw(shapes)
    dimension = process.draw(st.integers(0, len(shape) - 1))
    members = grouping.members
    wanted = _scaled(TensorType(shape, process.element_type), dimension, members)
    given = process.some(
        lambda found: found.rank > dimension and found.sizes[dimension] % members == 0, wanted.sizes
    )
    result = _scaled(given[1], dimension, 1, members)
    attributes = f"scatter_dimension = {dimension} : i64, {grouping.text}"
    process.write("reduce_scatter", [given], [result], attributes, _body(process, process.element_type))


def _all_to_all(process: Process) -> None:
    count, channel = _either(process)
    rows = rows_of(process.draw, count)
    members = len(rows[0])
    shape = process.draw(shapes)
    split, concat = (process.draw(st.integers(0, len(shape) - 1)) for _ in range(2))
    wanted = _scaled(TensorType(shape, process.element_type), split, members)
    fits = lambda found: found.rank > max(split, concat) and found.sizes[split] % members == 0  # noqa: E731
    given = [process.some(fits, wanted.sizes)]
    if process.takes_several():
        given.append(process.operand(given[0][1].sizes))
    results = [_scaled(_scaled(found, split, 1, members), concat, members) for _, found in given]
    attributes = (
        f"split_dimension = {split} : i64, concat_dimension = {concat} : i64, split_count = {members} : i64, "
        f"replica_groups = {table(rows)}{channel}"
    )
    process.write("all_to_all", given, results, attributes)


def _collective_broadcast(process: Process) -> None:
    count, channel = _either(process)
    rows = rows_of(process.draw, count)
    chosen = rows[: process.draw(st.integers(1, len(rows)))]
    given = process.any()
    process.write("collective_broadcast", [given], [given[1]], f"replica_groups = {table(chosen)}{channel}")


def _collective_permute(process: Process, value: Value | None = None) -> None:
    count, channel = _either(process)
    sources, targets = (process.draw(st.permutations(range(count))) for _ in range(2))
    stated = process.draw(st.integers(0, count))
    # The reference interpreter waits for ever for a process that sends to itself.
    pairs = [list(pair) for pair in zip(sources, targets, strict=True) if pair[0] != pair[1]][:stated]
    given = value or process.any()
    text = table(pairs) if pairs else "dense<> : tensor<0x2xi64>"
    process.write("collective_permute", [given], [given[1]], f"source_target_pairs = {text}{channel}")


def _number(process: Process) -> None:
    op = process.draw(st.sampled_from(("replica_id", "partition_id")))
    found = TensorType((), ELEMENT_TYPES["ui32"])
    process.results.append((process.name(), found))
    process.lines.append(f"{process.results[-1][0]} = stablehlo.{op} : {found}")


def _loop(process: Process) -> None:
    """A collective that runs two or three times, each time on its previous result."""
    name, found = process.any()
    inner = Process(
        process.draw, process.grid, process.element_type, names=100 * (1 + process.names), freely=True
    )
    op = process.draw(
        st.sampled_from((_collective_permute, _all_reduce) if process.adds else (_collective_permute,))
    )
    op(inner, ("%c", found))
    times, number = process.draw(st.integers(2, 3)), "tensor<i64>"
    start, made = process.name(), process.name()
    process.lines += [
        f"{start} = stablehlo.constant dense<0> : {number}",
        f"{start}_one = stablehlo.constant dense<1> : {number}",
        f"{start}_all = stablehlo.constant dense<{times}> : {number}",
        f'{made}:2 = "stablehlo.while"({start}, {name}) ({{',
        f"^bb0(%i: {number}, %c: {found}):",
        f"%go = stablehlo.compare LT, %i, {start}_all : ({number}, {number}) -> tensor<i1>",
        "stablehlo.return %go : tensor<i1>",
        "}, {",
        f"^bb0(%i: {number}, %c: {found}):",
        *inner.lines,
        f"%j = stablehlo.add %i, {start}_one : {number}",
        f"stablehlo.return %j, {inner.results[-1][0]} : {number}, {found}",
        f"}}) : ({number}, {found}) -> ({number}, {found})",
    ]
    process.results.append((f"{made}#1", found))


MOVING = (_all_gather, _all_to_all, _collective_broadcast, _collective_permute, _number)
REDUCING = (_all_reduce, _all_reduce, _reduce_scatter)


@st.composite
def collectives(draw: st.DrawFn, most: int = 3, freely: bool = False) -> GridCase:
    """One op or several, one after the other, of every process alike."""
    exact = draw(st.booleans())
    found = draw(st.sampled_from(ADDED).map(ELEMENT_TYPES.__getitem__) if exact else element_types("biufc"))
    process = Process(draw, draw(small_grids if freely else grids), found, adds=exact, freely=freely)
    ops = (*MOVING, *REDUCING * exact, *(_loop, _loop) * freely)
    for _ in range(draw(st.integers(1, most))):
        draw(st.sampled_from([op for op in ops if not freely or op is not _collective_broadcast]))(process)
    function = Function(tuple(process.lines), tuple(process.operands), tuple(process.results))
    functions = _distinct(function, process.grid) if not freely and draw(st.booleans()) else (function,)
    return GridCase(process.grid, functions, draw(seeds), "small" if exact else "edges")


def _distinct(function: Function, grid: Grid) -> tuple[Function, ...]:
    """A function for each process, which gives its number as well."""
    found = TensorType((), ELEMENT_TYPES["i64"])
    return tuple(
        replace(
            function,
            lines=(f"%number = stablehlo.constant dense<{number}> : {found}", *function.lines),
            results=(("%number", found), *function.results),
        )
        for number in range(grid.num_processes)
    )


GENERATORS = {
    "collectives": collectives(),
    "transfers": transfers(),
    "over_the_host": over_the_host(),
    "fed": fed(),
}
