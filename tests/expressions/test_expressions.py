"""Expressions over values: results and errors."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hloscope.engine.errors import ExpressionError
from hloscope.engine.expressions import evaluate, parse, truth
from tests.each import for_each

VALUES: dict[str, Any] = {
    "0": np.arange(6, dtype=np.float32).reshape(2, 3),
    "5#1": np.array([1, -2, 3], np.int8),
    "x": np.array(2.5, np.float32),
    "add.3": np.array([np.nan, np.inf, 1.0], np.float32),
    "small": np.array([0.1, 0.2], ml_dtypes.bfloat16),
    "bits": np.array([1, -1], ml_dtypes.int4),
    "flag": np.array(True),
    "large": np.broadcast_to(np.float32(1), (1 << 14, 1 << 13)),
    "huge": np.broadcast_to(np.float32(1), (1 << 16, 1 << 13)),
    "z": np.array([1 + 2j], np.complex64),
    "none": np.zeros((0,), np.float32),
}


class Scope:
    def value(self, name: str, process: int | None) -> Any:
        if process not in (None, 0):
            raise KeyError(name)
        return VALUES[name]

    def variable(self, name: str, number: int) -> Any:
        return {"iteration": 3, "op": "stablehlo.add", "operand": VALUES["0"]}[name]


def _of(text: str) -> Any:
    return evaluate(parse(text, VALUES), Scope())


@for_each(
    ("text", "wanted"),
    [
        ("1 + 2 * 3 ** 2", 19),
        ("-2 ** 2", -4),
        ("7 // 2 - 7 % 4", 0),
        ("2 ** 100", 2**100),
        ("1 / 0", np.inf),
        ("2 ** -1", 0.5),
        ("%0.max()", 5.0),
        ("max(%0, axis=0)", [3.0, 4.0, 5.0]),
        ("%0.sum(1)", [3.0, 12.0]),
        ("%0[1, 2]", 5.0),
        ("%0[:, -1]", [2.0, 5.0]),
        ("%0[..., 0:3:2]", [[0.0, 2.0], [3.0, 5.0]]),
        ("%0.T.shape", [3, 2]),
        ("%0.size + %0.rank", 8),
        ("%5#1 * 100", [100, -200, 300]),
        ("%5#1.dtype", "int32"),
        ("%x-1", 1.5),
        ("any(isnan(%add.3)) and not all(isnan(%add.3))", True),
        ("%add.3.isinf().count()", 1),
        ("%small.dtype == \"float32\"", True),
        ("%bits + 100", [101, 99]),
        ("~%bits", [-2, 0]),
        ("%x in [2, 3]", True),
        ("%0 in [1, 2]", [[False, True, True], [False, False, False]]),
        ("iteration > 2 && op == \"stablehlo.add\"", True),
        ("operand(0).mean()", 2.5),
        ("%x[process=0] * 2", 5.0),
        ("%flag or 1 // 0", True),
        ("!(%x < 2) || false", True),
        ("where(%0 > 2, %0, 0).sum()", 12.0),
        ("clip(%0, 1, 2).max()", 2.0),
        ("%0 > 1 and %0 < 4", [[False, False, True], [True, False, False]]),
        ("bf16(1.001)", float(ml_dtypes.bfloat16(1.001))),
        ("quantile(%0, 0.5)", 2.5),
        ("nan != nan", True),
        ("abs(%z) > 2", [True]),
        ("-%flag", -1),
        ("%5#1.norm() ** 2 < 14.001", True),
    ],
)  # fmt: skip
def test_an_expression_gives(text: str, wanted: Any) -> None:
    found = _of(text)
    assert np.array_equal(np.asarray(found), np.asarray(wanted)), found


@for_each(
    ("text", "message", "place"),
    [
        ("", "there is no expression", 0),
        ("%0 >", "the expression ends where a value is expected", 4),
        ("%0 = 3", "'=' stands where an operator or the end is expected", 3),
        ("1 < 2 < 3", "comparisons do not chain", 6),
        ("%7", "the program has no value %7", 0),
        ("itertion > 2", "'itertion' is not a variable", 0),
        ("foo(%0)", "there is no function 'foo'", 0),
        ("%0.max", "there is no field 'max'", 3),
        ("%0.max(axis=2)", "there is no axis 2: the value is 2×3", 0),
        ("%0.max(keep=1)", "max has no argument 'keep'", 0),
        ("where(1)", "where takes 3 arguments, not 1", 0),
        ("%0 + %5#1[0:2]", "the shapes 2×3 and 2 do not broadcast", 0),
        ("%0[5]", "index 5 is out of bounds for axis 0 with size 2: the value is 2×3", 0),
        ("%0[0.5]", "an index is a whole number", 3),
        ("1 // 0", "the right side is zero", 5),
        ("10 ** 10 ** 10", "the number has more than 4,096 bits", 0),
        ("%huge + 1", "the expression touches more than 67,108,864 elements", 0),
        ("%large.sort()", "the expression touches more than 67,108,864 elements", 0),
        ("%x[process=1]", "%x has no value here", 0),
        ("step", "there is no step here", 0),
        ("op < 3", "strings can only be compared with strings, by == and !=", 0),
        ("%none.max()", "max of no elements has no value", 0),
        ("%z in [0, 1]", "complex numbers are not ordered", 0),
        ("%0 ; 1", "';' is not valid here", 3),
        ("(" * 40 + "1" + ")" * 40, "brackets can be nested at most 32 deep", 32),
        ("1" + " + 1" * 300, "an expression has at most 256 parts", 0),
        ("operand", "operand takes a number: operand(0)", 0),
        ("__import__(1)", "there is no function '__import__'", 0),
        ("%0.__class__", "there is no field '__class__'", 3),
    ],
)
def test_what_makes_no_sense_is_said_with_its_place(text: str, message: str, place: int) -> None:
    with pytest.raises(ExpressionError) as raised:
        _of(text)
    assert (raised.value.message, raised.value.span.start) == (message, place)


def test_a_name_that_is_nearly_one_is_offered() -> None:
    with pytest.raises(ExpressionError) as raised:
        _of("%add.4")
    assert raised.value.hint
    assert "%add.3" in raised.value.hint


def test_a_condition_is_one_truth() -> None:
    assert truth(parse("%x > 2", VALUES), Scope())
    with pytest.raises(ExpressionError, match="a tensor of 6 booleans, not one"):
        truth(parse("%0 > 2", VALUES), Scope())
    with pytest.raises(ExpressionError, match="a string"):
        truth(parse("op", VALUES), Scope())


@given(st.text('%0x.()[]:,+-*/<>=!~&| andmaxnot12"#', max_size=40))
@settings(max_examples=400)
def test_any_text_gives_a_value_or_an_expression_error(text: str) -> None:
    try:
        _of(text)
        place = 0
    except ExpressionError as error:
        place = error.span.start
    assert 0 <= place <= len(text)
