"""topk, scan and ragged-dot: CHLO's ops with the attributes that HLO text has."""

from dataclasses import dataclass, fields, replace

from ...ir.module import Region
from ...ir.types import TensorType
from ..chlo.chlo_top_k import TopK
from ..contractions.dot_general import DotDimensionNumbers, Precision
from ..contractions.ragged_dot import Ragged, RaggedDotDimensionNumbers
from ..core.facets import Section
from ..reductions.scan import Scanning


@dataclass(frozen=True)
class HloTopK(TopK):
    """The `k` largest elements along the last dimension, the largest first, and their indices; or the smallest.

    Of equal elements the one with the lower index comes first. Floats have their total order: NaN is above
    infinity, -NaN below -infinity, 0 above -0. XLA operation semantics: TopK.
    """

    name = "hlo.topk"
    short_form = None
    hlo = replace(TopK.hlo, packs_results=True)
    section = Section(
        rules=(
            "`operand` has at least one dimension.",
            "`k` is from 0 to the size of the last dimension.",
            (
                "The result is a tuple of values, of the type of `operand` with the last dimension of size "
                "`k`, and indices, of s32."
            ),
        ),
    )

    largest: bool = True

    @property
    def is_descending(self) -> bool:
        return self.largest


@dataclass(frozen=True)
class HloScan(Scanning):
    """Runs `body` on each slice of the inputs along `dimension`, in order, or from the last on with `is_reverse`.

    The body takes a slice of each input and the carried values, of which there are `num_carries`; it returns a slice
    of each output and the next carried values. Operands are the inputs, then the initial carried values; results are
    the outputs, whose slices are in the places of the inputs', then the last carried values. `is_associative` is a
    promise that changes nothing here. XLA: scan.
    """

    name = "hlo.scan"
    section = Section(
        rules=(
            "`num_carries` is from 0 to the number of operands.",
            "Inputs and outputs have the dimension `dimension`, and all the same size along it.",
            "There is an input or an output, which determines the number of slices.",
            (
                "`body` takes a slice of each input, then the carried values; it returns a slice of each output, "
                "then values of the types that are carried."
            ),
        ),
    )

    operands: tuple[TensorType, ...]
    dimension: int
    num_carries: int
    body: Region
    results: tuple[TensorType, ...] = ()
    is_reverse: bool = False
    is_associative: bool = False

    @property
    def carried(self) -> int:
        return self.num_carries


@dataclass(frozen=True)
class HloRaggedDot(Ragged):
    """A dot_general of groups: `group_sizes` states how many neighbours along the ragged dimension each has.

    Where the ragged dimension of `lhs` is free, group g of its rows is multiplied by part g of `rhs`, and rows of
    no group give 0: [b,m,k], [g,b,k,n], [b,g] to [b,m,n]. Where it is contracted, each group has a sum of its own:
    [b,m,k], [b,k,n], [b,g] to [g,b,m,n]. Where it is a batching dimension the groups change nothing, as in JAX.
    XLA operation semantics: RaggedDot.
    """

    name = "hlo.ragged_dot"
    section = Section(
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
