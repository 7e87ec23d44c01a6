"""Random programs in which processes send and receive, or take from a queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.process_groups import Grid

from ..cases import positive_sizes, seeds
from ..grid_case import Function, GridCase
from ..values import element_types

TOKEN = "!stablehlo.token"
shapes = st.lists(positive_sizes, max_size=2).map(tuple)


@st.composite
def transfers(draw: st.DrawFn) -> GridCase:
    """Messages in an order that all processes keep: who is at an end of one sends or receives, by a function of its own.

    Each message has a channel of its own: the reference interpreter mixes up those that share one.
    """
    grid = draw(st.sampled_from((Grid(2, 1), Grid(3, 1), Grid(4, 1), Grid(1, 2), Grid(1, 3))))
    found = TensorType(draw(shapes), draw(element_types("biufc")))
    everybody = range(grid.num_processes)
    ends = st.permutations(everybody).map(lambda order: (order[0], order[1]))
    messages = draw(st.lists(ends, min_size=1, max_size=4))
    functions = tuple(_function(number, found, messages) for number in everybody)
    return GridCase(grid, functions, draw(seeds), "edges")


@st.composite
def over_the_host(draw: st.DrawFn) -> GridCase:
    """Messages that the host passes on: each ordered pair of processes has a channel."""
    grid = draw(st.sampled_from((Grid(2, 1), Grid(3, 1), Grid(1, 2), Grid(1, 3))))
    found = TensorType(draw(shapes), draw(element_types("biufc")))
    everybody = range(grid.num_processes)
    ends = st.permutations(everybody).map(lambda order: (order[0], order[1]))
    messages = draw(st.lists(ends, min_size=1, max_size=5))
    channels = {pair: number for number, pair in enumerate(sorted(set(messages)), 1)}
    functions = tuple(_function(number, found, messages, channels) for number in everybody)
    return GridCase(grid, functions, draw(seeds), "edges")


def _function(
    process: int,
    found: TensorType,
    messages: Sequence[tuple[int, int]],
    channels: Mapping[tuple[int, int], int] | None = None,
) -> Function:
    """The value that it has at first or has received last is what it sends next, over the host with `channels`."""
    lines = [f"%t0 = stablehlo.after_all : {TOKEN}"]
    value = "%a0"
    for number, ends in enumerate(messages):
        if process in ends:
            before, after = f"%t{len(lines) - 1}", f"%t{len(lines)}"
            about = (
                f"channel_handle = #stablehlo.channel_handle<handle = {number + 1}, type = 1>, "
                f"source_target_pairs = dense<{[list(ends)]}> : tensor<1x2xi64>"
            )
            if channels is not None:
                kind = 2 if process == ends[0] else 3
                about = (
                    f"channel_handle = #stablehlo.channel_handle<handle = {channels[ends]}, type = {kind}>, "
                    "is_host_transfer = true"
                )
            if process == ends[0]:
                lines.append(
                    f'{after} = "stablehlo.send"({value}, {before}) {{{about}}} : ({found}, {TOKEN}) -> {TOKEN}'
                )
            else:
                value = f"%v{number}"
                lines.append(
                    f'{value}, {after} = "stablehlo.recv"({before}) {{{about}}} : ({TOKEN}) -> ({found}, {TOKEN})'
                )
    return Function(tuple(lines), (found,), ((value, found),))


@st.composite
def fed(draw: st.DrawFn) -> GridCase:
    """One process that takes what a queue holds, some at a time, and puts back what it likes."""
    found = [TensorType(draw(shapes), draw(element_types("biufc"))) for _ in range(draw(st.integers(1, 3)))]
    lines = [f"%t0 = stablehlo.after_all : {TOKEN}"]
    results = []
    for number, item in enumerate(found):
        lines.append(
            f'%v{number}, %t{number + 1} = "stablehlo.infeed"(%t{number}) {{infeed_config = ""}} '
            f": ({TOKEN}) -> ({item}, {TOKEN})"
        )
        results.append((f"%v{number}", item))
    last = len(found)
    if draw(st.booleans()):
        lines.append(
            f'%t{last + 1} = "stablehlo.outfeed"(%v0, %t{last}) {{outfeed_config = ""}} : ({found[0]}, {TOKEN}) -> {TOKEN}'
        )
    function = Function(tuple(lines), (), tuple(results))
    return GridCase(Grid(1, 1), (function,), draw(seeds), "edges", queue=tuple(found))
