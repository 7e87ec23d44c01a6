"""Addresses of asynchronous results, which `Outcomes` knows by numbers."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.types import leaf_paths
from .address import Address
from .recording import Recording


def leaf_address(recording: Recording, process: int, step: int, number: int) -> Address:
    """The address of tensor `number` among all results of a step, with tuples flattened."""
    return Address(process, "s", step, *_leaves(recording, process, step)[number])


def outcome_address(recording: Recording, address: Address) -> Address | None:
    """The address at which the value of a placeholder arrived; `None` if it never did."""
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
    """The result and the path within it of each tensor."""
    bound = recording.program.ops[recording.tracks[process].op_of(step)]
    types = [recording.program.values[value].type for value in bound.results]
    return [(result, path) for result, found in enumerate(types) for path in leaf_paths(found)]
