"""Values that are computed from recorded ones, under addresses of their own.

`e0.137.TEXT`: an expression at step 137 of process 0, its text in base64 for URLs. `l0.s12.0`: the digits that each
element of a value has lost, known once the program has run in more digits.
"""

from __future__ import annotations

import base64
import re

import numpy as np

from hloscope.engine.debugger.run_location import values_by_name
from hloscope.engine.errors import ExpressionError
from hloscope.engine.expressions import evaluate, parse
from hloscope.engine.ir.element_types import F64, of_dtype
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.op import Array

from ..runs.run import Run
from . import question
from .expressions import location_at
from .precision import shadow_of
from .question import BadQuestion, address_at

MOST_CHARACTERS = 1_000
"""Maximum length of an expression."""
_EXPRESSION = re.compile(r"e(\d{1,9})\.(\d{1,18})\.([\w-]+)", re.ASCII)


def is_derived(text: str) -> bool:
    """Whether an address is that of a computed value."""
    return text[:1] in ("e", "l")


def tensor_at(run: Run, text: str) -> tuple[Array, TensorType]:
    """The value at an address, recorded or computed, and its type."""
    if not is_derived(text):
        return question.tensor_at(run, text)
    if run.derived is None or run.derived[0] != text:
        array = _lost_digits(run, text[1:]) if text[0] == "l" else _evaluated(run, text)
        run.derived = (text, array)
    array = run.derived[1]
    type = of_dtype(array.dtype)
    if type is None:
        raise BadQuestion(f"NumPy's {array.dtype} has no counterpart in StableHLO.")
    return array, TensorType(array.shape, F64 if text[0] == "l" else type)


def _evaluated(run: Run, text: str) -> Array:
    match = _EXPRESSION.fullmatch(text)
    if match is None:
        raise BadQuestion(f"{text[:80]!r} is not the address of an expression.")
    process, step, coded = match.groups()
    try:
        expression = base64.urlsafe_b64decode(coded + "=" * (-len(coded) % 4)).decode()
    except ValueError:
        raise BadQuestion(f"{text[:80]!r} is not the address of an expression.") from None
    if len(expression) > MOST_CHARACTERS:
        raise BadQuestion(f"An expression has at most {MOST_CHARACTERS:,} characters.")
    place = location_at(run, int(process), int(step))
    try:
        found = evaluate(parse(expression, run.recording.program.derive(values_by_name)), place)
    except ExpressionError as error:
        raise BadQuestion(f"{expression}: {error.message}.") from None
    if isinstance(found, str):
        raise BadQuestion(f"{expression} is a string, which has no elements.")
    return np.asarray(found)


def _lost_digits(run: Run, text: str) -> Array:
    address, shadow = address_at(text), shadow_of(run.recording)
    if isinstance(shadow, str):
        raise BadQuestion(shadow)
    if (found := shadow.lost_digits(address)) is None:
        raise BadQuestion("Only floating-point numbers lose digits.")
    return found
