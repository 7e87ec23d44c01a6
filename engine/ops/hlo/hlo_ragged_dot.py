"""ragged-dot: CHLO's ragged_dot with the numbers of its dimensions as HLO text writes them."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from ...ir.types import TensorType
from ..contractions.dot_general import DotDimensionNumbers, Precision
from ..contractions.ragged_dot import Ragged, RaggedDotDimensionNumbers
from ..core.op import Op


@dataclass(frozen=True)
class HloRaggedDot(Ragged):
    """A dot_general of groups: `group_sizes` says how many neighbours along the ragged dimension each has.

    Where the ragged dimension of `lhs` is free, group g of its rows is multiplied by part g of `rhs`, and rows of
    no group give 0: [b,m,k], [g,b,k,n], [b,g] to [b,m,n]. Where it is contracted, each group has a sum of its own:
    [b,m,k], [b,k,n], [b,g] to [g,b,m,n]. Where it is a batching dimension the groups change nothing, as in JAX.
    XLA operation semantics: RaggedDot.
    """

    name = "hlo.ragged_dot"
    section = replace(
        Ragged.section,
        rules=(
            (
                "`lhs` and `rhs` have as many batching and as many contracting dimensions, each named once "
                "and within the rank; those in the same place have the same size."
            ),
            "`lhs_ragged_dims` is one dimension, within the rank of `lhs`.",
            (
                "If the ragged dimension is neither batching nor contracting, `rhs_group_dims` is one "
                "dimension of `rhs`, which is neither either; otherwise it is empty."
            ),
            (
                "`group_sizes` holds integers, as many along its last dimension as `rhs` has groups. Its "
                "other dimensions are those of `lhs` before the ragged one, or there are none."
            ),
        ),
    )

    lhs: TensorType
    rhs: TensorType
    group_sizes: TensorType
    dot_dimension_numbers: DotDimensionNumbers
    lhs_ragged_dims: tuple[int, ...]
    rhs_group_dims: tuple[int, ...] = ()
    precision_config: tuple[Precision, ...] | None = None
    result: TensorType | None = None

    @property
    def numbers(self) -> RaggedDotDimensionNumbers:
        dot = {
            field.name: getattr(self.dot_dimension_numbers, field.name)
            for field in fields(DotDimensionNumbers)
        }
        return RaggedDotDimensionNumbers(
            **dot, lhs_ragged_dimensions=self.lhs_ragged_dims, rhs_group_dimensions=self.rhs_group_dims
        )


OPS: tuple[type[Op], ...] = (HloRaggedDot,)
