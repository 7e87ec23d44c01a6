"""topk: the largest or the smallest elements of each row, and where they are."""

from __future__ import annotations

from dataclasses import dataclass

from ..chlo_top_k import TopK
from ..op import Op


@dataclass(frozen=True)
class HloTopK(TopK):
    """The `k` largest elements along the last dimension, the largest first, and their indices; or the smallest.

    Of equal elements the one with the lower index comes first. Floats have their total order: NaN is above
    infinity, -NaN below -infinity, 0 above -0. XLA operation semantics: TopK.
    """

    name = "hlo.topk"
    short_form = None
    hlo_packs = True

    largest: bool = True

    @property
    def is_descending(self) -> bool:
        return self.largest


OPS: tuple[type[Op], ...] = (HloTopK,)
