"""Ops whose results have the sizes that the text states: no operand tells them."""

from __future__ import annotations

from ...ir.types import TensorType
from .op import Op


class StatedSizes(Op):
    """An op that cannot run, and whose elements nobody can relate, where the result's type leaves sizes open."""

    result: TensorType

    @property
    def has_known_sizes(self) -> bool:
        return self.result.is_static and super().has_known_sizes

    def unrunnable(self) -> str | None:
        if self.result.is_static:
            return None
        return (
            f"states the sizes of its result only by the type {self.result}, which leaves some of them open"
        )
