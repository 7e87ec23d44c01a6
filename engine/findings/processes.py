"""Copies of a value in several processes that differ although the program states that they are the same."""

from typing import Any

import numpy as np

from ..ops.core.op import Array
from ..ops.core.values import is_tuple
from .finding import Fault
from .kind import Kind


class ProcessDifference(Kind):
    """Values that a sharding states to be copies, and that differ between processes.

    Recordings of all processes are compared once the run has ended, by `debugger/grading/divergence.py`.
    """

    name, title, became = "divergence", "difference between processes", "different between processes"


def differing_elements(left: Any, right: Any) -> Array:
    """Mask of the elements in which values of two processes differ; a NaN is equal to itself."""
    if any(map(is_tuple, (left, right))) or left.shape != right.shape:
        return np.zeros((), np.bool_)
    is_number = np.equal(left, left) | np.equal(right, right)
    return np.asarray((left != right) & is_number)


def difference_fault(differs: Array, processes: tuple[str, str], computed: str, result: int) -> Fault:
    """The fault of an op whose result differs; `computed` names the value with the stated copies, if it is another one."""
    index = tuple(map(int, np.unravel_index(int(differs.argmax()), differs.shape)))
    subject = f"{computed}, computed from it, is" if computed else "it is"
    cause = f"{subject} stated to be the same in processes {' and '.join(processes)}"
    return Fault("divergence", int(np.count_nonzero(differs)), differs.size, index, cause, result)
