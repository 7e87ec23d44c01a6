"""The members of an op that the defaults of facets read. `Op` has them; facets cannot import it."""

from collections.abc import Iterator
from typing import Any, Protocol, TypeVar

from numpy.typing import NDArray

from ....indexing import OperandMap
from ....ir.types import Type
from .findings import Findings
from .traits import Traits

Array = NDArray[Any]


class AnyOp(Protocol):
    """An op, as far as facets know it. Each member is documented in `Op`."""

    @property
    def name(self) -> str: ...

    @property
    def operand_types(self) -> tuple[Type, ...]: ...

    @property
    def known_results(self) -> tuple[Type, ...]: ...

    @property
    def traits(self) -> Traits: ...

    @property
    def findings(self) -> Findings[Any]: ...

    def evaluate(self, *operands: Array) -> Array | tuple[Array, ...]: ...

    def index_maps(self) -> Iterator[OperandMap]: ...


OpType = TypeVar("OpType", bound=AnyOp)
"""The op class that a facet is written for."""
