"""replica_id and partition_id: the place of a process in the grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..ir.element_types import ELEMENT_TYPES
from ..ir.types import TensorType
from .collective_rules import FIRST
from .op import Array, Op

_ID = TensorType((), ELEMENT_TYPES["ui32"])


@dataclass(frozen=True)
class ReplicaId(Op):
    """The `replica_id` of the process: 0 in a run of one process. Specification: replica_id."""

    name = "stablehlo.replica_id"
    short_form = "attr-dict : result-type"
    hlo_opcode = "replica-id"
    xla_name = "ReplicaId"

    def infer(self) -> TensorType:
        return _ID

    def evaluate(self, *operands: Array) -> Array:
        return np.array(FIRST.replica_id, np.uint32)


@dataclass(frozen=True)
class PartitionId(Op):
    """The `partition_id` of the process: 0 in a run of one process. Specification: partition_id."""

    name = "stablehlo.partition_id"
    short_form = "attr-dict : result-type"
    hlo_opcode = "partition-id"
    xla_name = "PartitionID"

    def infer(self) -> TensorType:
        return _ID

    def evaluate(self, *operands: Array) -> Array:
        return np.array(FIRST.partition_id, np.uint32)


OPS: tuple[type[Op], ...] = (ReplicaId, PartitionId)
