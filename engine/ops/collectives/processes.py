"""replica_id and partition_id: the position of a process in the grid."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...ir.element_types import ELEMENT_TYPES
from ...ir.types import TensorType
from ..core.exchanges import Arrays, Where
from ..core.facets import HloSpelling, Traits
from ..core.op import Ask, AskingOp
from ..core.process_groups import ProcessId


class ProcessNumber(AskingOp):
    """One coordinate of the process in the grid, a scalar of ui32."""

    short_form = "attr-dict : result-type"
    traits = Traits(returns_process_id=True)

    def coordinate(self, process: ProcessId) -> int:
        """The coordinate that the op returns."""
        raise NotImplementedError

    def infer(self) -> TensorType:
        return TensorType((), ELEMENT_TYPES["ui32"])

    def begin(self, operands: Arrays) -> Ask:
        return Ask(None, Where())

    def resume(self, state: Any, answer: Any) -> Arrays:
        return (np.array(self.coordinate(answer.process), np.uint32),)


@dataclass(frozen=True)
class ReplicaId(ProcessNumber):
    """The `replica_id` of the process: which replica of the grid it is in. Specification: replica_id."""

    name = "stablehlo.replica_id"
    hlo = HloSpelling("replica-id", "ReplicaId")

    def coordinate(self, process: ProcessId) -> int:
        return process.replica_id


@dataclass(frozen=True)
class PartitionId(ProcessNumber):
    """The `partition_id` of the process: which partition of the grid it is in. Specification: partition_id."""

    name = "stablehlo.partition_id"
    hlo = HloSpelling("partition-id", "PartitionID")

    def coordinate(self, process: ProcessId) -> int:
        return process.partition_id
