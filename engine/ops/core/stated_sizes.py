"""Ops whose results have the sizes that the text states: no operand tells them."""

from __future__ import annotations

from typing import Any, ClassVar

from ...ir.types import TensorType
from .facets import OpenSizes
from .op import Op


class StatedSizesOpenSizes(OpenSizes["StatedSizes"]):
    def are_known(self, op: StatedSizes) -> bool:
        return op.result.is_static and super().are_known(op)


class StatedSizes(Op):
    """An op that cannot run, and whose elements nobody can relate, where the result's type leaves sizes open."""

    open_sizes: ClassVar[OpenSizes[Any]] = StatedSizesOpenSizes()

    result: TensorType

    def unrunnable(self) -> str | None:
        if self.result.is_static:
            return None
        return (
            f"states the sizes of its result only by the type {self.result}, which leaves some of them open"
        )
