"""replica_id and partition_id: the place of a process in the grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...ir.element_types import ELEMENT_TYPES
from ...ir.types import TensorType
from ..core.exchanges import Arrays, Where
from ..core.facets import HloSpelling, Traits
from ..core.op import Ask, AskingOp, Op

_ID = TensorType((), ELEMENT_TYPES["ui32"])


@dataclass(frozen=True)
class ReplicaId(AskingOp):
    """The `replica_id` of the process: which replica of the grid it is in. Specification: replica_id."""

    name = "stablehlo.replica_id"
    short_form = "attr-dict : result-type"
    hlo = HloSpelling("replica-id", "ReplicaId")
    traits = Traits(returns_process_id=True)

    def infer(self) -> TensorType:
        return _ID

    def begin(self, operands: Arrays) -> Ask:
        return Ask(None, Where())

    def resume(self, state: Any, answer: Any) -> Arrays:
        return (np.array(answer.process.replica_id, np.uint32),)


@dataclass(frozen=True)
class PartitionId(AskingOp):
    """The `partition_id` of the process: which partition of the grid it is in. Specification: partition_id."""

    name = "stablehlo.partition_id"
    short_form = "attr-dict : result-type"
    hlo = HloSpelling("partition-id", "PartitionID")
    traits = Traits(returns_process_id=True)

    def infer(self) -> TensorType:
        return _ID

    def begin(self, operands: Arrays) -> Ask:
        return Ask(None, Where())

    def resume(self, state: Any, answer: Any) -> Arrays:
        return (np.array(answer.process.partition_id, np.uint32),)


OPS: tuple[type[Op], ...] = (ReplicaId, PartitionId)
