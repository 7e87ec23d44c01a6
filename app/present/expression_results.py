"""The result of an expression as JSON."""

from __future__ import annotations

import numpy as np

from hloscope.engine.errors import ExpressionError
from hloscope.engine.expressions import Value
from hloscope.engine.ir.element_types import of_dtype
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.op import Array

from ..wire.expressions import ExpressionFault, ExpressionResult, ResultKind, TensorResult
from .numbers import exact_number
from .statistics import statistics_of
from .thumbnails import thumbnail
from .value_lines import line_of

MOST_ELEMENTS = 256
"""Maximum elements of a tensor that are sent as text."""

CHECKED: ExpressionResult = {"kind": "checked", "text": "", "fault": None, "tensor": None}


def result_json(found: Value) -> ExpressionResult:
    """A number, a boolean, a string or a tensor."""
    tensor = _tensor_json(found) if isinstance(found, np.ndarray) else None
    return {"kind": _kind_of(found), "text": line_of(found), "fault": None, "tensor": tensor}


def fault_json(error: ExpressionError, *, is_form: bool) -> ExpressionResult:
    """An error; `is_form`: of the text alone."""
    span = error.span
    start, end = (span.start, span.end) if span else (0, 0)
    fault: ExpressionFault = {"start": start, "end": end, "hint": error.hint, "isForm": is_form}
    return {"kind": "fault", "text": error.message, "fault": fault, "tensor": None}


def _kind_of(found: Value) -> ResultKind:
    if isinstance(found, np.ndarray):
        return "tensor"
    if isinstance(found, bool):
        return "boolean"
    return "string" if isinstance(found, str) else "number"


def _tensor_json(array: Array) -> TensorResult | None:
    element = of_dtype(array.dtype)
    if element is None:
        return None
    few = array.size <= MOST_ELEMENTS
    return {
        "shape": list(array.shape),
        "elements": [exact_number(each) for each in array.reshape(-1)] if few else None,
        "statistics": statistics_of(array).statistics_json(),
        "picture": thumbnail(array, TensorType(array.shape, element)),
    }
