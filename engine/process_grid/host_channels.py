"""Host channels on which a launch group both sends and receives: queues between its processes.

Processes started by `interpreter.run_parallel` share their host. What one sends to the host on a channel that
another, or the same, receives from, goes there directly, as in StableHLO's reference interpreter. A channel
that is only sent on leads to the user, and one that is only received from comes from the user.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..errors import ProgramError
from ..ops.collectives.point_to_point import PointToPoint
from ..ops.core.exchanges import Place
from ..ops.core.process_groups import ALONE, ProcessId
from ..ops.dialects.interpreter_dialect import RunParallel
from ..program import BoundFunction, BoundProgram

Channels = Mapping[int, tuple[int, ...]]
"""For each channel, the numbers of the processes that may send on it."""


def host_channels(
    program: BoundProgram, functions: Sequence[BoundFunction], infeed: Iterable[BoundFunction], first: int
) -> Channels:
    """The host channels of a launch group whose processes, from number `first`, run `functions`.

    Any process may also run one of `infeed`.
    """
    ends = {found.block: _ends(program, found) for found in (*functions, *infeed)}
    received = {channel for found in ends.values() for channel, sends in found if not sends}
    anyone = frozenset().union(*(ends[found.block] for found in infeed))
    senders: dict[int, list[int]] = {}
    for number, function in enumerate(functions, first):
        for channel in sorted({channel for channel, sends in ends[function.block] | anyone if sends}):
            senders.setdefault(channel, []).append(number)
    return {channel: tuple(found) for channel, found in senders.items() if channel in received}


def _ends(program: BoundProgram, function: BoundFunction) -> frozenset[tuple[int, bool]]:
    """The host channels that a function uses, and whether it sends; nested launch groups have their own."""
    reached = (program.ops[number].op for number in program.reachable_ops(function, beyond=RunParallel))
    return frozenset(
        (op.channel, op.sends) for op in reached if isinstance(op, PointToPoint) and _leads_to_host(op)
    )


def _leads_to_host(op: PointToPoint) -> bool:
    try:
        route = op.route(Place(ProcessId(0, 0), ALONE))
    except ProgramError:  # pairs of processes are checked when they run
        return False
    return route is not None and route.kind == "host"
