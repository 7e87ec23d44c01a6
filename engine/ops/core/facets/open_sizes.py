"""The facet for sizes: which sizes an op needs and states. It resolves types whose sizes are open."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic

from ....ir.types import TensorType
from .any_op import OpType


@dataclass(frozen=True)
class OpenSizes(Generic[OpType]):
    """The sizes that index maps need, and those that operands state."""

    dynamic_twin: str | None = None
    """The op to use for a result of unknown sizes, where this op needs a bound for each."""

    def are_known(self, op: OpType) -> bool:
        """Whether the types state all sizes that the index maps need. Without them the maps are undefined."""
        return all(found.is_static for found in op.operand_types if isinstance(found, TensorType))

    def stated(self, op: OpType) -> Iterator[tuple[int, tuple[int | None, ...] | None]]:
        """The number and the sizes of each operand that states sizes; `None` for a size, or a list, that may be any."""
        return iter(())
