"""Where what an op has only started is, once it has come: the addresses of what `Outcomes` knows by numbers."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.types import leaf_paths
from .address import Address
from .recording import Recording


def leaf_address(recording: Recording, process: int, step: int, number: int) -> Address:
    """The address of tensor `number` of all results of a step, where tuples are counted leaf by leaf."""
    return Address(process, "s", step, *_leaves(recording, process, step)[number])


def outcome_address(recording: Recording, address: Address) -> Address | None:
    """Where the value has come that a result of a step stands for; `None` if it stands for nothing, or nobody waited."""
    track = recording.tracks[address.process]
    if address.kind != "s" or not track.outcomes.came:
        return None
    path = recording.program.ops[track.op_of(address.number)].op.unpacked.explanation.outcome_path
    leaves = _leaves(recording, address.process, address.number)
    outputs = [place for place in leaves if place[1][: len(path)] == path]
    here = (address.index, address.path)
    came = track.outcomes.came.get((address.number, outputs.index(here))) if here in outputs else None
    return None if came is None else leaf_address(recording, address.process, *came)


def _leaves(recording: Recording, process: int, step: int) -> Sequence[tuple[int, tuple[int, ...]]]:
    """The number of each tensor's result, and the path in it."""
    bound = recording.program.ops[recording.tracks[process].op_of(step)]
    types = [recording.program.values[value].type for value in bound.results]
    return [(result, path) for result, found in enumerate(types) for path in leaf_paths(found)]
