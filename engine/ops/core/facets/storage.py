"""The facet for memory: which results XLA places in the memory of operands."""

from dataclasses import dataclass
from typing import Generic

from .any_op import OpType
from .explanation import Part


@dataclass(frozen=True)
class Storage(Generic[OpType]):
    """The memory of the op's results; by default a forwarded operand keeps its memory, any other result is new."""

    is_copy: bool = False
    """Whether results that equal operands occupy new memory."""
    is_kernel: bool = False
    """Whether XLA compiles its bodies to one kernel, whose values never reach memory."""

    def shared_part(self, op: OpType, result: int, path: tuple[int, ...] = ()) -> Part | None:
        """The part of the operands whose memory part `path` of a result occupies, without being forwarded."""
        return None

    def updated_part(self, op: OpType, result: int, path: tuple[int, ...] = ()) -> Part | None:
        """The part of the operands that part `path` of a result overwrites, if nothing reads that part later."""
        return None


@dataclass(frozen=True)
class UpdatingStorage(Storage[OpType]):
    """Storage of an op that changes some elements of its operands: each result overwrites one of them."""

    first_updated: int = 0
    """The operand that result 0 overwrites; later results overwrite later operands."""

    def updated_part(self, op: OpType, result: int, path: tuple[int, ...] = ()) -> Part | None:
        return self.first_updated + result, path
