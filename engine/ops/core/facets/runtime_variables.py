"""The facet for runtime variables of index maps: values of a run that maps read besides the operands.

Maps number the tensors of the operands first, tuples flattened; then the auxiliary values, which the op computes from
them (a sort's permutation, the choice of each window); then the process values, which depend on the process.
"""

from dataclasses import dataclass
from typing import Any, Generic

from numpy.typing import NDArray

from ..exchanges import FetchPeers, GridPosition, no_peers
from .any_op import OpType

Array = NDArray[Any]


@dataclass(frozen=True)
class RuntimeVariables(Generic[OpType]):
    """Auxiliary values and process values of the op; most ops have none."""

    names: tuple[str, ...] = ()
    """Names of the auxiliary values, then of the process values, where all ops of the class have the same."""

    def names_of(self, op: OpType) -> tuple[str, ...]:
        """`names`, or those of this op where its fields decide."""
        return self.names

    def map_operands(self, op: OpType, operands: tuple[Array, ...]) -> tuple[Array, ...]:
        """The operands, followed by the auxiliary values that the op computes from them."""
        return operands

    def process_values(
        self, op: OpType, place: GridPosition, fetch_peers: FetchPeers = no_peers
    ) -> tuple[Array | None, ...]:
        """The values that depend on the process and its peers, such as its position in the group; `None` if unknown.

        `fetch_peers` returns the operands of the peers in the collective execution; few ops need it.
        """
        return ()
