"""Integers that wrap around while products of two operands are added up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, TypeVar

import numpy as np

from ...ir.element_types import ElementType
from ...ir.types import TensorType
from ..core.facets import Rounding
from ..core.faults import Fault, Signals
from ..core.integer_wraps import wrap_faults
from ..core.numeric import widen
from ..core.op import Array, Op
from ..core.ranks import Arrays

_ROUNDING = 2.0**-52


ProductsType = TypeVar("ProductsType", bound="Products")


class ProductsRounding(Rounding[ProductsType]):
    def may_narrow_operands(self, op: ProductsType) -> bool:
        stated = getattr(op, "precision_config", None) or ()
        return getattr(op, "algorithm", None) is None and all(found == "DEFAULT" for found in stated)


class Products(Op):
    """What products of matrices, einsums and convolutions share: elements are sums of products of those of two factors."""

    rounding: ClassVar[Rounding[Any]] = ProductsRounding()

    lhs: TensorType
    result: TensorType | None

    @property
    def outweighs(self) -> bool:
        return True

    def products_of_each(self) -> int:
        """How many products one element of the result sums."""
        raise NotImplementedError

    def multiply_exactly(self, lhs: Array, rhs: Array, others: Arrays) -> Array:
        """The result for operands of f64, not rounded to its type; `others` are the operands behind them."""
        raise NotImplementedError

    def factors(self, operands: Arrays) -> tuple[Array, Array]:
        """What is multiplied: operands 0 and 1."""
        return operands[0], operands[1]

    @property
    def result_elements(self) -> ElementType:
        """What the result's elements are."""
        return (self.result or self.lhs).element_type

    @property
    def may_wrap(self) -> bool:
        return self.result_elements.is_integer

    def faults(self, operands: Arrays, results: Arrays, signals: Signals) -> Iterator[Fault]:
        yield from super().faults(operands, results, signals)
        if self.may_wrap:
            lhs, rhs = (widen(operand).astype(np.float64) for operand in self.factors(operands))
            most = float(self.products_of_each()) * _greatest(lhs) * _greatest(rhs)
            if most >= 2.0 ** (self.result_elements.bits - 1):
                exact = self.multiply_exactly(lhs, rhs, operands[2:])
                error = self.products_of_each() * most * _ROUNDING
                yield from wrap_faults(
                    exact, results[0], self.result_elements, "a sum of products", error=error
                )


def _greatest(operand: Array) -> float:
    return float(np.abs(operand).max(initial=0))
