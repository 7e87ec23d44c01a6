"""The facet for evaluation without the interpreter: on scalars in a loop, and on lanes in a lifted region."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic

import numpy as np

from .any_op import OpType


@dataclass(frozen=True)
class Lanes(Generic[OpType]):
    """Evaluation of many executions of the op at once, or of one execution on NumPy scalars."""

    def is_lane_by_lane(self, op: OpType) -> bool:
        """Whether `evaluate` accepts arrays of any shape in place of scalars, one lane per element."""
        return op.traits.is_elementwise

    def scalar_function(self, op: OpType) -> Callable[..., Any]:
        """The op as a function of NumPy scalars, where all operands and the result have rank 0."""
        return lambda *operands: np.asarray(op.evaluate(*map(np.asarray, operands)))[()]

    def taken_element(self, op: OpType) -> int | None:
        """The position of the element that the op takes out of a tuple; `None` for other ops."""
        return None
