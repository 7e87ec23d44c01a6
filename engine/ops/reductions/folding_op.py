"""What reduce, reduce_window and select_and_scatter share: integers that wrap around while a recognised body combines them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import ClassVar

from ...ir.element_types import ElementType
from ..core.bodies import Combiner, any_outweighs
from ..core.faults import Fault, Signals
from ..core.fold_wraps import fold_wraps, may_wrap
from ..core.op import Array, AskingOp
from ..core.ranks import Arrays
from ..elementwise.underflows import is_wide_float, product_underflow_faults

_OPERANDS_OF_ONE = 2
"""An input and its initial value."""


class FoldingOp(AskingOp):
    """Each element of a result combines elements of one input, and its initial value, with a body."""

    combined: ClassVar[str] = "elements of {}"
    """What is combined, with `{}` for the number of a result."""

    @property
    def _combiners(self) -> tuple[Combiner, ...] | None:
        """The body of each result, where NumPy does it as a whole."""
        raise NotImplementedError

    @property
    def _element_types(self) -> tuple[ElementType, ...]:
        """What each result is made of."""
        raise NotImplementedError

    def _fold_exactly(self, operands: Arrays, number: int, combiner: Combiner) -> Array:
        """Result `number` in f64, not rounded to its type."""
        raise NotImplementedError

    @property
    def outweighs(self) -> bool:
        return any_outweighs(self._combiners or ())

    @property
    def may_wrap(self) -> bool:
        return may_wrap(self._combiners, self._element_types)

    def faults(self, operands: Arrays, results: Arrays, signals: Signals) -> Iterator[Fault]:
        yield from super().faults(operands, results, signals)
        fold = partial(self._fold_exactly, operands)
        yield from fold_wraps(self._combiners, self._element_types, results, fold, self.combined)
        is_product = self._combiners == (Combiner.MULTIPLY,) and is_wide_float(self._element_types[0])
        if is_product and signals & Signals.UNDERFLOW and len(operands) == _OPERANDS_OF_ONE:
            yield from product_underflow_faults(operands, results[0])
