"""Common code of matrix products, einsums and convolutions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, ClassVar, TypeVar

import numpy as np

from ...ir.element_types import ElementType
from ...ir.types import TensorType, is_quantized
from ..core.devices import BF16, NARROWED, PRECISIONS, TF32, Device
from ..core.facets import Rounding
from ..core.facets.findings import ExactInteger, Findings
from ..core.fold_bounds import product_bound
from ..core.numeric import widen
from ..core.op import Array, Op
from ..core.ranks import Arrays
from ..core.rounding import NO_ERROR, UNKNOWN, Errors, is_exact

_ROUNDING = 2.0**-52


ProductsType = TypeVar("ProductsType", bound="Products")


class ProductsRounding(Rounding[ProductsType]):
    def error_bound(self, op: ProductsType, operands: Arrays, errors: Errors, results: Arrays) -> Errors:
        if any(map(is_quantized, (*op.operand_types, *op.known_results))):
            return (np.ones(()) if is_exact(errors) else UNKNOWN,)
        if not is_exact(errors[2:]):
            return (UNKNOWN,)
        left, right = zip(op.factors(operands), (*errors, NO_ERROR)[:2], strict=True)
        multiply = partial(op.multiply_exactly, others=operands[2:])
        return (product_bound(multiply, left, right, results[0], op.products_of_each()),)

    def factor_roundoff(self, op: ProductsType, device: Device) -> float:
        """That of the stated algorithm, or of the device at the precision of the op."""
        algorithm = getattr(op, "algorithm", None)
        if algorithm is None:
            return device.products.get(_precision(op), 0.0)
        unit = _FACTORS.get(str(algorithm.lhs_precision_type.type), 0.0)
        # A product of two parts of each factor takes three operations, one of three parts more.
        found: float = unit ** {1: 1, 3: 2}.get(algorithm.num_primitive_operations, 3)
        return found

    def row_of(self, op: ProductsType, device: Device) -> str:
        factors, is_stated = op.lhs.element_type, getattr(op, "algorithm", None) is not None
        if is_stated or factors.dtype.name not in NARROWED or not self.factor_roundoff(op, device):
            return ""
        return device.product_text(op.name.rpartition(".")[2], _precision(op), factors.name)


_FACTORS = {"tf32": TF32, "bf16": BF16, "f16": 2.0**-11}
"""Unit roundoffs of the types that algorithms round factors to."""


def _precision(op: Products) -> str:
    """The higher one of the two factors, as in XLA."""
    stated = getattr(op, "precision_config", None) or PRECISIONS[:1]
    return str(max(stated, key=PRECISIONS.index))


class ProductFindings(Findings[ProductsType]):
    """The facet for rules of findings on sums of products."""

    def outweighs(self, op: ProductsType) -> bool:
        return True

    def may_wrap(self, op: ProductsType) -> bool:
        return op.result_elements.is_integer

    def exact_integers(self, op: ProductsType, operands: Arrays, results: Arrays) -> Iterator[ExactInteger]:
        if not op.result_elements.is_integer:
            return
        lhs, rhs = (widen(operand).astype(np.float64) for operand in op.factors(operands))
        greatest = float(op.products_of_each()) * _greatest(lhs) * _greatest(rhs)
        if greatest >= 2.0 ** (op.result_elements.bits - 1):
            exact = op.multiply_exactly(lhs, rhs, operands[2:])
            error = op.products_of_each() * greatest * _ROUNDING
            yield ExactInteger(0, exact, op.result_elements, "a sum of products", error)


class Products(Op):
    """An op whose elements are sums of products of elements of two factors."""

    rounding: ClassVar[Rounding[Any]] = ProductsRounding()
    findings: ClassVar[Findings[Any]] = ProductFindings()

    lhs: TensorType
    result: TensorType | None

    def products_of_each(self) -> int:
        """The number of products whose sum is one element of the result."""
        raise NotImplementedError

    def multiply_exactly(self, lhs: Array, rhs: Array, others: Arrays) -> Array:
        """The result for operands of f64, not rounded to its type; `others` are the operands behind them."""
        raise NotImplementedError

    def factors(self, operands: Arrays) -> tuple[Array, Array]:
        """The factors: operands 0 and 1."""
        return operands[0], operands[1]

    @property
    def result_elements(self) -> ElementType:
        """The element type of the result."""
        return (self.result or self.lhs).element_type


def _greatest(operand: Array) -> float:
    return float(np.abs(operand).max(initial=0))
