"""The result of an expression as JSON."""

import numpy as np

from hloscope.engine.debugger.run_location import RunLocation
from hloscope.engine.errors import ExpressionError
from hloscope.engine.expressions import Value
from hloscope.engine.ir.element_types import of_dtype
from hloscope.engine.ir.types import TensorType

from ..wire.expressions import CurvePoint, ExpressionFault, ExpressionResult, ResultKind, TensorResult
from ..wire.values import ThumbnailInfo
from .elements import Array
from .numbers import exact_number, json_number
from .statistics import statistics_of
from .summary import line_of, thumbnail

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


def point_json(place: RunLocation, number: int, found: Value | ExpressionError) -> CurvePoint:
    """A point of a curve, or of a strip of pictures."""
    return {
        "process": place.process,
        "step": place.step,
        "number": number,
        "value": json_number(_real(found)) if isinstance(found, bool | int | float) else None,
        "picture": _picture(found) if isinstance(found, np.ndarray) else None,
        "text": found.message if isinstance(found, ExpressionError) else line_of(found),
    }


def _real(found: float) -> float:
    """A number for a curve: booleans are 0 and 1."""
    return int(found) if isinstance(found, int) else float(found)


def _kind_of(found: Value) -> ResultKind:
    if isinstance(found, np.ndarray):
        return "tensor"
    if isinstance(found, bool):
        return "boolean"
    return "string" if isinstance(found, str) else "number"


def _tensor_json(array: Array) -> TensorResult | None:
    if (picture := _picture(array)) is None:
        return None
    few = array.size <= MOST_ELEMENTS
    return {
        "shape": list(array.shape),
        "elements": [exact_number(each) for each in array.reshape(-1)] if few else None,
        "statistics": statistics_of(array).statistics_json(),
        "picture": picture,
    }


def _picture(array: Array) -> ThumbnailInfo | None:
    element = of_dtype(array.dtype)
    return thumbnail(array, TensorType(array.shape, element)) if element else None
