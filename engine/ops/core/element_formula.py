"""How the formula of one element of a result is written: what an op says of it, without any numbers of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Form(StrEnum):
    """How a formula is to be read."""

    READ = "read"
    CONSTANT = "constant"
    FUNCTION = "function"
    OPERATOR = "operator"
    PRODUCTS = "sum of products"
    FOLD = "fold"
    UPDATES = "updates"


@dataclass(frozen=True)
class Role:
    """What the elements of some operands are for."""

    name: str
    operands: range
    """The numbers of the operands, tuples taken apart."""


@dataclass(frozen=True)
class ElementFormula:
    """The formula of one element, to be filled in with the elements that were read."""

    function: str
    """The op as a function, for want of a better form: `reshape`."""
    form: Form = Form.READ
    """`READ` is of ops that mostly take a single element as it is."""
    symbol: str = ""
    """The operator or function: of a fold what combines two elements."""
    roles: tuple[Role, ...] = ()
    """Which terms the formula has, in their order; none: an element of each operand."""
    compared: range = field(default=range(0))
    """Operands whose elements only decide which terms there are."""
    is_chosen: bool = False
    """Whether one of the elements that were read came here, which `value_maps` tell, by a comparison of all."""
    notes: Mapping[int, str] = field(default_factory=dict)
    """What to say if the element is one of an operand: `the padding value`."""
