"""What collective ops share: how their fields are checked, and how a run of one process takes them.

A run has one process, replica 0 of partition 0: ids of other processes are an error of the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..errors import RunError
from ..ir.element_types import QuantizedType
from ..ir.types import TensorType, Type
from .checking import spelled
from .exchanges import Arrays, Meet, Met, Peers, Place
from .op import Array, Ask, AskingOp, Constraint, Cost, shapes_agree
from .process_groups import PADDING, Grid, Groups, IdTable, ProcessId, ReplicaGroups, Strategy, group_of
from .quantization import quantized
from .rules import is_unique, listed

FIRST = ProcessId(0, 0)
"""The one process of a run."""


@dataclass(frozen=True)
class ChannelHandle:
    """`#stablehlo.channel_handle<handle = …, type = …>`: the channel's id, and which ends it has."""

    mnemonic: ClassVar[str] = "channel_handle"

    handle: int
    type: int


def channel_id(handle: ChannelHandle | None) -> int:
    """The channel's id; 0, which is none, where nothing is stated."""
    return handle.handle if handle else 0


class Meeting(AskingOp):
    """An op in which processes meet: each brings its operands, and gets something of what all have brought."""

    @property
    def channel(self) -> int:
        """The channel's id; 0 for none."""
        return channel_id(getattr(self, "channel_handle", None))

    def peers(self, place: Place) -> Peers | None:
        """Whom the process meets; `None` if it takes no part. `RunError` for processes that there are not."""
        raise NotImplementedError

    def alone(self) -> Arrays:
        """The results of a process that takes no part."""
        raise NotImplementedError(f"all processes take part in {self.name}")

    def outputs(self, met: Met) -> Arrays:
        """The results of this process, once all that it waits for have come."""
        raise NotImplementedError

    def placeholders(self) -> Arrays:
        """New arrays that stand for the results."""
        found = self.infer()
        types = found if isinstance(found, tuple) else (found,)
        return tuple(zeros(type).view() for type in types if isinstance(type, TensorType))

    @property
    def deferrable(self) -> bool:
        """Whether it can be started now and finished later: whether `outputs` is all that is left to do then."""
        return True

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return Ask(None, Meet(operands))

    def resume(self, state: Any, answer: Any) -> Ask | tuple[Array, ...]:
        return self.alone() if answer is None else self.outputs(answer)


class Collective(Meeting):
    """What the collective ops with groups share."""

    replica_groups: ReplicaGroups
    group_labels: ClassVar[tuple[str, str, str]]
    """Those of the rules that ids are unique, as many as there are, and among those that there are."""

    @property
    def strategy(self) -> Strategy:
        """How `replica_groups` become process groups."""
        raise NotImplementedError

    @property
    def members(self) -> int | None:
        """How many processes a group has, if that does not hang on the grid."""
        depends = self.strategy is Strategy.CROSS_REPLICA_AND_PARTITION or not self.replica_groups.ids
        return None if depends else self.replica_groups.width

    def peers(self, place: Place) -> Peers | None:
        group = group_of(self.process_groups(place.grid), place.process)
        return Peers(group, group) if group else None

    def process_groups(self, grid: Grid) -> Groups:
        """The groups on `grid`; `RunError` if there are no such processes, or others as well."""
        _, covering, existing = self.group_labels
        self.replica_groups.check("replica_groups", self.strategy, grid, existing)
        count, stated = self.strategy.id_count(grid), len(self.replica_groups.ids)
        if covering and stated not in (0, count):
            noun = self.strategy.noun
            raise RunError(f"replica_groups names {stated} of {count} {noun}s of the run", label=covering)
        return self.replica_groups.on(self.strategy, grid)

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """Elements are moved; nothing is computed."""
        return Cost(0, super().cost(operand_types, result_types).result_bytes)


def group_constraints(op: Collective, *, padded: bool = False, covering: bool = True) -> Iterator[Constraint]:
    """That ids are unique, and each below the number of ids: how many processes there are, the run knows.

    With `covering`, ids are all those that there are. `padded` rows may be shorter than others.
    """
    unique, all_ids, existing = op.group_labels
    ids = [found for row in op.replica_groups.rows for found in row if not (padded and found == PADDING)]
    shown = listed(listed(row) for row in op.replica_groups.rows[:8])
    yield unique, is_unique(ids), f"replica_groups {shown} has an id twice"
    if covering and op.strategy is Strategy.FLATTENED_IDS:
        yield all_ids, bool(ids), "replica_groups must name all processes, since use_global_device_ids is set"
    count = len(ids)
    sentence = f"replica_groups {shown} must have the ids 0 to {count - 1}, each once"
    if not covering:
        sentence = f"replica_groups {shown} must not have negative ids"
    yield existing, all(found >= 0 and (found < count or not covering) for found in ids), sentence


def global_ids_constraint(label: str, stated: bool, handle: ChannelHandle | None) -> Constraint:
    """`use_global_device_ids` asks for a channel."""
    sentence = f"use_global_device_ids needs a channel: the handle must be positive, not {channel_id(handle)}"
    return label, not stated or channel_id(handle) > 0, sentence


def check_shapes(results: Sequence[Array], types: Sequence[Type], label: str) -> None:
    """`RunError` if a result has not the sizes that the text states: they hang on the grid."""
    for number, (found, wanted) in enumerate(zip(results, types, strict=True)):
        if isinstance(wanted, TensorType) and not shapes_agree(found.shape, wanted.shape):
            shape = listed(found.shape)
            raise RunError(
                f"result {number} has shape {shape} in this run, not {spelled(wanted)}", label=label
            )


def pair_constraints(pairs: IdTable) -> Iterator[Constraint]:
    """C1 to C4 of all ops that have `source_target_pairs`; how many processes there are, the run knows."""
    shown = listed(listed(row) for row in pairs.rows[:8])
    yield "C1", pairs.width == 2, f"source_target_pairs must be pairs, not rows of {pairs.width}"
    yield "C2", is_unique([source for source, _ in pairs.rows]), f"a source is twice in {shown}"
    yield "C3", is_unique([target for _, target in pairs.rows]), f"a target is twice in {shown}"
    sentence = f"source_target_pairs {shown} must not have negative ids"
    yield "C4", all(found >= 0 for row in pairs.rows for found in row), sentence


def zeros(found: TensorType) -> Array:
    """Zeros of a type; of a quantized one the integers that stand for zero."""
    element_type = found.element_type
    if isinstance(element_type, QuantizedType):
        zero = quantized(np.zeros((), element_type.expressed.dtype), element_type)
    else:
        zero = np.zeros((), element_type.dtype)
    return np.broadcast_to(zero, found.sizes)
