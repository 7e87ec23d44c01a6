"""Common code of reduce, reduce_window and select_and_scatter."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, ClassVar, TypeVar

from ...ir.element_types import ElementType
from ...ir.module import Region
from ...ir.types import TensorType
from ..core.bodies import (
    Combiner,
    accumulated_types,
    any_outweighs,
    body_symbol,
    combiner_name,
    exact_folds,
    may_fold_wrap,
    to_destination_types,
    with_element_types,
)
from ..core.facets import ElementFormula, Explanation, Form, Role, Tracing, Traits
from ..core.facets.findings import ExactInteger, Findings, is_wide_float
from ..core.op import Array, AskingOp
from ..core.ranks import Arrays

_OPERANDS_OF_ONE = 2
"""An input and its initial value."""


FoldingType = TypeVar("FoldingType", bound="FoldingOp")


class FoldingFindings(Findings[FoldingType]):
    """The facet for rules of findings on elements that a recognised body combines."""

    def outweighs(self, op: FoldingType) -> bool:
        return any_outweighs(op._combiners or ())

    def may_underflow(self, op: FoldingType) -> bool:
        """A product of one input and its initial value may."""
        is_product = op._combiners == (Combiner.MULTIPLY,)
        return (
            is_product and is_wide_float(op._element_types[0]) and len(op.operand_types) == _OPERANDS_OF_ONE
        )

    def may_wrap(self, op: FoldingType) -> bool:
        return may_fold_wrap(op._combiners, op._element_types)

    def exact_integers(self, op: FoldingType, operands: Arrays, results: Arrays) -> Iterator[ExactInteger]:
        return exact_folds(op._combiners, op._element_types, partial(op._fold_exactly, operands), op.combined)


class FoldingOp(AskingOp):
    """Each element of a result combines elements of one input, and its initial value, with a body."""

    traits = Traits(computes_alone=True)
    findings: ClassVar[Findings[Any]] = FoldingFindings()
    combined: ClassVar[str] = "elements of {}"
    """The combined elements, with `{}` for the number of a result."""

    @property
    def _combiners(self) -> tuple[Combiner, ...] | None:
        """The body of each result, where NumPy does it as a whole."""
        raise NotImplementedError

    @property
    def _element_types(self) -> tuple[ElementType, ...]:
        """The element type of each result."""
        raise NotImplementedError

    def _fold_exactly(self, operands: Arrays, number: int, combiner: Combiner) -> Array:
        """Result `number` in f64, not rounded to its type."""
        raise NotImplementedError


InitialFoldingType = TypeVar("InitialFoldingType", bound="InitialFolding")


class InitialFoldingTracing(Tracing[InitialFoldingType]):
    def over_body_types(self, op: InitialFoldingType) -> InitialFoldingType:
        types = op._element_types
        inputs, initial = with_element_types(op.inputs, types), with_element_types(op.init_values, types)
        return replace(op, inputs=inputs, init_values=initial)  # type: ignore[type-var]


class InitialFoldingExplanation(Explanation[InitialFoldingType]):
    def formula(self, op: InitialFoldingType, reads: int) -> ElementFormula:
        count = len(op.inputs)
        roles = (Role("initial value", range(count, 2 * count)), Role("element", range(count)))
        return ElementFormula(op.name.rpartition(".")[2], Form.FOLD, body_symbol(op.body), roles)

    def combiner(self, op: InitialFoldingType, result: int) -> str:
        return combiner_name(op._combiners, result)


class InitialFolding(FoldingOp):
    """Common base of reduce and reduce_window: `body` folds elements of the inputs, beginning with initial values."""

    tracing: ClassVar[Tracing[Any]] = InitialFoldingTracing()
    explanation: ClassVar[Explanation[Any]] = InitialFoldingExplanation()

    inputs: tuple[TensorType, ...]
    init_values: tuple[TensorType, ...]
    body: Region

    @cached_property
    def _element_types(self) -> tuple[ElementType, ...]:
        return accumulated_types(self.body)

    def _convert(self, values: Arrays, types: tuple[TensorType, ...]) -> Arrays:
        """The values converted to the accumulators' element types."""
        return to_destination_types(values, types, self._element_types)
