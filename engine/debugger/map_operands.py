"""Inputs of index maps from a recorded step: runtime variables and participants."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from ..ops.collectives.collective_rules import CollectiveOp
from ..ops.core.exchanges import FetchPeers, GridPosition, PeerValues, no_peers
from ..ops.core.op import Array, Op
from ..ops.core.process_groups import ALONE, ProcessId
from ..ops.core.quiet import quiet
from ..ops.core.values import leaves
from ..ops.specialise import specialise_op
from .grid_record import CollectiveExecution
from .origins import address_of
from .pieces import peer_values
from .recording import Recording

ExecutionsAt = dict[tuple[int, int], CollectiveExecution]
"""Collective executions by process and step of arrival."""
_EXECUTIONS: WeakKeyDictionary[Recording, ExecutionsAt] = WeakKeyDictionary()


def place_of(recording: Recording, process: int) -> GridPosition:
    """The position of a process in its grid."""
    track = recording.tracks[process]
    launch_group = recording.launch_groups[track.launch_group]
    return GridPosition(launch_group.process_of(process), launch_group.grid)


def read_at(recording: Recording, process: int, step: int) -> list[Array]:
    """The operands of a step's op; `KeyError` if one is not recorded."""
    track = recording.tracks[process]
    bound = recording.program.ops[track.op_of(step)]
    addresses = (address_of(recording.program, track, step, value) for value in bound.operands)
    operands = [recording.value(found) for found in addresses if found is not None]
    if len(operands) != len(bound.operands):
        raise KeyError(process, step)
    return operands


def op_at(recording: Recording, process: int, step: int, operands: Sequence[Array] | None = None) -> Op:
    """A step's op with its actual sizes, on the process's grid.

    `operands` are those of the step, if known.
    """
    bound = recording.program.ops[recording.tracks[process].op_of(step)]
    op = bound.op
    if bound.dynamic:
        op = specialise_op(op, read_at(recording, process, step) if operands is None else operands)
    return op.on_grid(place_of(recording, process).grid)


def operands_at(
    recording: Recording, process: int, step: int, operands: Sequence[Array] | None = None
) -> tuple[Array | None, ...]:
    """Values that the runtime variables of `op_at`'s maps are read from; `None` if unknown.

    Addresses of operands and everything else refer to the step; `KeyError` if a value is not recorded.
    """
    if operands is None:
        operands = read_at(recording, process, step)

    def fetch_peers() -> PeerValues | None:
        execution = execution_at(recording, process, step)
        return None if execution is None else peer_values(recording, execution, process)

    op = op_at(recording, process, step, operands)
    return map_operands(op, operands, place_of(recording, process), fetch_peers)


def execution_at(recording: Recording, process: int, step: int) -> CollectiveExecution | None:
    """The collective execution or the message at which a process arrived in a step."""
    known = _EXECUTIONS.setdefault(recording, {})
    found = known.get((process, step))
    if found is None:
        # Later arrivals find an existing record.
        known.update(
            ((other, at), execution)
            for execution in recording.collective_executions
            for other, at, _ in execution.visits
        )
        found = known.get((process, step))
    return found


def awaited_at(recording: Recording, process: int, step: int) -> tuple[int, ...]:
    """The processes that a map's position counts: the participants of a step."""
    bound = recording.program.ops[recording.tracks[process].op_of(step)]
    if not isinstance(bound.op, CollectiveOp):
        return ()
    place = place_of(recording, process)
    peers = bound.op.peers(place)
    launch_group = recording.launch_groups[recording.tracks[process].launch_group]
    return tuple(map(launch_group.number_of, peers.awaited)) if peers else ()


HERE = GridPosition(ProcessId(0, 0), ALONE)
"""The position of the only process of a run."""


def map_operands(
    op: Op, operands: Sequence[Array], place: GridPosition = HERE, fetch_peers: FetchPeers = no_peers
) -> tuple[Array | None, ...]:
    """The values behind the runtime variables of an executed op's maps, in order; `None` for an unknown value.

    `place` is the position of the process, and `fetch_peers` returns the peers' values in the collective execution.
    """
    given = tuple(operands)
    with quiet():  # it may compute with NaNs that signal
        auxiliary = op.runtime_variables.map_operands(op, given)[len(given) :]
    return (
        *(leaf for value in given for leaf in leaves(value)),
        *auxiliary,
        *op.runtime_variables.process_values(op, place, fetch_peers),
    )
