"""What broken operations are written with."""

from __future__ import annotations

import numpy as np

from engine.ir.attributes import DenseAttribute, IntegerAttribute
from engine.ir.element_types import I64, ElementType
from engine.ir.module import Operation
from engine.ir.types import ScalarType

from ..building import tensor

Broken = tuple[str, Operation]
"""The label that an operation breaks, `""` for a rule without one."""


def constant(values: object, text: str) -> DenseAttribute:
    found = tensor(text)
    return DenseAttribute(found, np.asarray(values, found.element_type.dtype))


def number(value: int, element_type: ElementType = I64) -> IntegerAttribute:
    return IntegerAttribute(value, ScalarType(element_type))
