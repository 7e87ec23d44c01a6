"""Plays a grid by hand: every process begins its op, those who wait for each other meet, regions are run with NumPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from hloscope.engine.ops.collectives.collective_rules import CollectiveOp, cut
from hloscope.engine.ops.core.exchanges import Array, Arrays, ExecuteCollective, GridPosition, PeerValues
from hloscope.engine.ops.core.op import Ask, RunRegion
from hloscope.engine.ops.core.process_groups import Grid, ProcessId

from .running import frozen, region_answer

Brought = Mapping[ProcessId, Sequence[Array]]


def processes(grid: Grid) -> list[ProcessId]:
    """All of them, in the order of their numbers."""
    return [ProcessId(*ids) for ids in product(range(grid.num_replicas), range(grid.num_partitions))]


def on_each(grid: Grid, make: Callable[[ProcessId], Sequence[Array]]) -> Brought:
    """What each process has, by its place."""
    return {process: make(process) for process in processes(grid)}


def replicas(*values: Array) -> Brought:
    """One value for each replica of a grid of one partition."""
    return {ProcessId(number, 0): (value,) for number, value in enumerate(values)}


def play(op: CollectiveOp, grid: Grid, brought: Brought) -> dict[ProcessId, Arrays]:
    """The results of all processes, each of which runs `op` once on what it has brought."""
    steps = {process: op.begin(tuple(map(frozen, brought[process]))) for process in processes(grid)}
    came = {process: _meet(step).values for process, step in steps.items()}
    shared: dict[tuple[ProcessId, ...], dict[str, Any]] = {}
    results = {}
    for place, step in ((GridPosition(process, grid), step) for process, step in steps.items()):
        peers = op.peers(place)
        peer_values = None
        if peers is not None:
            assert set(peers.awaited) <= set(peers.group)
            there = tuple(came[other] for other in peers.awaited)
            peer_values = PeerValues(
                there, peers.awaited.index(place.process), shared.setdefault(peers.awaited, {})
            )
        results[place.process] = _ended(op, step, peer_values)
    return results


def _meet(step: Ask | Arrays) -> ExecuteCollective:
    assert isinstance(step, Ask)
    assert isinstance(step.request, ExecuteCollective)
    return step.request


def _ended(op: CollectiveOp, step: Ask | Arrays, peer_values: PeerValues | None) -> Arrays:
    assert isinstance(step, Ask)
    if peer_values is not None and _meet(step).placeholders:
        return op.outputs(peer_values)
    with np.errstate(all="ignore"):
        following = op.resume(step.state, peer_values)
        while isinstance(following, Ask):
            assert isinstance(following.request, RunRegion)
            following = op.resume(following.state, region_answer(op, following.request))
    return following


def gathered(op: CollectiveOp, grid: Grid, brought: Brought) -> dict[ProcessId, PeerValues | None]:
    """What each process meets."""
    found: dict[ProcessId, PeerValues | None] = {}
    for process in processes(grid):
        peers = op.peers(GridPosition(process, grid))
        if peers is None:
            found[process] = None
        else:
            there = tuple(tuple(brought[other]) for other in peers.awaited)
            found[process] = PeerValues(there, peers.awaited.index(process))
    return found


def rebuilt(op: CollectiveOp, peer_values: PeerValues, types: Sequence[Array]) -> list[Array]:
    """Results put together from the pieces; those that are combined are added. `types` have their shapes."""
    made = [np.zeros(found.shape, found.dtype) for found in types]
    for piece in op.pieces(peer_values):
        moved = cut(peer_values.brought[piece.source][piece.operand], piece.read)
        target = cut(made[piece.result], piece.written)
        target[...] = target + moved if piece.combined else moved
    return made
