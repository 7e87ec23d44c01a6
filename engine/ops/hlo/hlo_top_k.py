"""topk: the largest or the smallest elements of each row, and where they are."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..chlo.chlo_top_k import TopK
from ..core.op import Op


@dataclass(frozen=True)
class HloTopK(TopK):
    """The `k` largest elements along the last dimension, the largest first, and their indices; or the smallest.

    Of equal elements the one with the lower index comes first. Floats have their total order: NaN is above
    infinity, -NaN below -infinity, 0 above -0. XLA operation semantics: TopK.
    """

    name = "hlo.topk"
    short_form = None
    hlo = replace(TopK.hlo, packs_results=True)
    section = replace(
        TopK.section,
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


OPS: tuple[type[Op], ...] = (HloTopK,)
