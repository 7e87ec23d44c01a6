"""Random expressions have the values that NumPy computes for their fully bracketed form, and damaged ones an error of ours."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hloscope.engine.errors import ExpressionError
from hloscope.engine.expressions import evaluate, parse

VALUES: dict[str, Any] = {
    "m": np.array([[0.5, -2, 3], [1e30, np.nan, -0.0]], np.float32),
    "v.1": np.array([4, -7, 0], np.int32),
    "column": np.array([[2.5], [-np.inf]], np.float64),
    "odd name": np.array([[True], [False]]),
    "s": np.array(1.5, np.float32),
    "n": np.array(-3, np.int32),
    "yes": np.array(True),
}
SPELLED = {"odd name": '%"odd name"'}


class _Scope:
    def value(self, name: str, process: int | None) -> Any:
        return VALUES[name]

    def variable(self, name: str, number: int) -> Any:
        return 2


def _scalar(found: Any) -> Any:
    """Python's number for an array without dimensions, as in the language."""
    return found.item() if isinstance(found, np.ndarray | np.generic) and found.ndim == 0 else found


def _wide(x: Any) -> Any:
    return np.asarray(x).astype(np.float64) if np.asarray(x).dtype.kind == "f" else np.asarray(x)


@dataclass(frozen=True)
class Form:
    """A form of expression: its text in the language, the least precedence of each operand, its own, and its meaning."""

    text: str
    operands: tuple[int, ...]
    precedence: int
    compute: Callable[..., Any]


OR, AND, NOT, COMPARED, SUM, PRODUCT, SIGNED, POWER, PRIMARY = range(9)
ANY = OR
"""The least precedence of an argument."""


def _divide(x: Any, y: Any) -> Any:
    if isinstance(x, np.ndarray) or isinstance(y, np.ndarray):
        return operator.truediv(x, y)
    return np.true_divide(np.float64(x), np.float64(y))


def _both(x: Any, y: Callable[[], Any], decides: bool) -> Any:
    if isinstance(x, np.ndarray):
        left, right = x != 0, np.asarray(y()) != 0
        return left | right if decides else left & right
    if bool(x) is decides:
        return decides
    right = y()
    return right != 0 if isinstance(right, np.ndarray) else bool(right)


def _negative(x: Any) -> Any:
    return -np.asarray(x).astype(np.int32) if np.asarray(x).dtype.kind == "b" else -x


def _with_axes(x: Any) -> Any:
    """An array with dimensions; NumPy allows axis 0 of a scalar in some functions, the language in none."""
    if np.asarray(x).ndim == 0:
        raise IndexError
    return np.asarray(x)


def _reduced(function: Callable[..., Any]) -> Callable[[Any], Any]:
    return lambda x: function(np.asarray(x))


def _binary(sign: str, precedence: int, compute: Callable[..., Any], right: int | None = None) -> Form:
    """Operators of one precedence group from the left."""
    after = precedence + 1 if right is None else right
    return Form(f"{{}} {sign} {{}}", (precedence, after), precedence, compute)


FORMS = [
    _binary("+", SUM, operator.add),
    _binary("-", SUM, operator.sub),
    _binary("*", PRODUCT, operator.mul),
    _binary("/", PRODUCT, _divide),
    _binary("//", PRODUCT, operator.floordiv),
    _binary("% ", PRODUCT, operator.mod),
    *(
        Form(f"{{}} {sign} {{}}", (SUM, SUM), COMPARED, compute)
        for sign, compute in (
            ("<", operator.lt),
            ("<=", operator.le),
            (">", operator.gt),
            (">=", operator.ge),
            ("==", operator.eq),
            ("!=", operator.ne),
        )
    ),
    Form("{} in [-1, 2]", (SUM,), COMPARED, lambda x: (np.asarray(x) >= -1) & (np.asarray(x) <= 2)),
    Form("-{}", (SIGNED,), SIGNED, _negative),
    Form("{} ** 2", (PRIMARY,), POWER, lambda x: x**2),
    Form("2 ** -{}", (SIGNED,), POWER, lambda x: _power(2, _scalar(_negative(x)))),
    Form("not {}", (NOT,), NOT, lambda x: x == 0 if isinstance(x, np.ndarray) else not x),
    Form("{}[0]", (PRIMARY,), PRIMARY, lambda x: np.asarray(x)[0]),
    Form("{}[..., ::-1]", (PRIMARY,), PRIMARY, lambda x: np.asarray(x)[..., ::-1]),
    Form("{}.T", (PRIMARY,), PRIMARY, lambda x: np.asarray(x).T),
    Form("{}.size", (PRIMARY,), PRIMARY, lambda x: np.asarray(x).size),
    Form("max({})", (ANY,), PRIMARY, _reduced(np.max)),
    Form("{}.min()", (PRIMARY,), PRIMARY, _reduced(np.min)),
    Form("max({}, axis=0)", (ANY,), PRIMARY, lambda x: np.max(_with_axes(x), axis=0)),
    Form("{}.sum(-1)", (PRIMARY,), PRIMARY, lambda x: np.sum(_wide(_with_axes(x)), axis=-1)),
    Form("mean({})", (ANY,), PRIMARY, lambda x: np.mean(_wide(x))),
    Form("argmax({})", (ANY,), PRIMARY, _reduced(np.argmax)),
    Form("any({})", (ANY,), PRIMARY, lambda x: np.any(np.asarray(x) != 0)),
    Form("all({})", (ANY,), PRIMARY, lambda x: np.all(np.asarray(x) != 0)),
    Form("count({})", (ANY,), PRIMARY, lambda x: np.count_nonzero(np.asarray(x) != 0)),
    Form("abs({})", (ANY,), PRIMARY, _reduced(np.abs)),
    Form("sqrt({})", (ANY,), PRIMARY, _reduced(np.sqrt)),
    Form("floor({})", (ANY,), PRIMARY, _reduced(np.floor)),
    Form("f32({})", (ANY,), PRIMARY, lambda x: np.asarray(x).astype(np.float32)),
    Form("maximum({}, {})", (ANY, ANY), PRIMARY, lambda x, y: np.maximum(np.asarray(x), np.asarray(y))),
    Form(
        "where({}, {}, {})", (ANY, ANY, ANY), PRIMARY, lambda x, y, z: np.where(*map(np.asarray, (x, y, z)))
    ),
]


def _power(x: Any, y: Any) -> Any:
    if isinstance(y, int) and y < 0:
        return np.asarray(float(x)) ** np.asarray(float(y))
    return x**y


@dataclass(frozen=True)
class Random:
    """An expression with the fewest brackets, its precedence, and a function that computes its value."""

    text: str
    precedence: int
    compute: Callable[[], Any]

    def within(self, least: int) -> str:
        """The text as an operand."""
        return self.text if self.precedence >= least else f"({self.text})"


def _leaf(text: str, value: Any) -> Random:
    return Random(text, PRIMARY, lambda: _scalar(value))


LEAVES = [
    *(_leaf(SPELLED.get(name, f"%{name}"), value) for name, value in VALUES.items()),
    *(
        _leaf(text, value)
        for text, value in (("0", 0), ("3", 3), ("0.25", 0.25), ("1e3", 1e3), ("true", True))
    ),
    *(_leaf("iteration", 2), _leaf("nan", np.nan), _leaf("inf", np.inf)),
]


def _applied(form: Form, operands: list[Random]) -> Random:
    text = form.text.format(
        *(each.within(least) for each, least in zip(operands, form.operands, strict=True))
    )
    return Random(
        text, form.precedence, lambda: _scalar(form.compute(*(each.compute() for each in operands)))
    )


def _decided(decides: bool, left: Random, right: Random) -> Random:
    word, precedence = ("or", OR) if decides else ("and", AND)
    text = f"{left.within(precedence)} {word} {right.within(precedence + 1)}"
    return Random(text, precedence, lambda: _scalar(_both(left.compute(), right.compute, decides)))


def _larger(parts: st.SearchStrategy[Random]) -> st.SearchStrategy[Random]:
    forms = st.sampled_from(FORMS).flatmap(
        lambda form: st.lists(parts, min_size=len(form.operands), max_size=len(form.operands)).map(
            lambda operands: _applied(form, operands)
        )
    )
    return forms | st.builds(_decided, st.booleans(), parts, parts)


EXPRESSIONS = st.recursive(st.sampled_from(LEAVES), _larger, max_leaves=8)


def _agrees(expression: Random) -> None:
    """The same value and type as NumPy's, or an error in both."""
    with np.errstate(all="ignore"):
        try:
            expected = expression.compute()
        except (ValueError, TypeError, IndexError, OverflowError, ZeroDivisionError):
            with pytest.raises(ExpressionError):
                evaluate(parse(expression.text, VALUES), _Scope())
            return
    found = evaluate(parse(expression.text, VALUES), _Scope())
    assert np.asarray(found).dtype == np.asarray(expected).dtype, (found, expected)
    np.testing.assert_array_equal(np.asarray(found), np.asarray(expected))


@given(EXPRESSIONS)
@settings(max_examples=400, deadline=None)
def test_a_random_expression_has_numpy_s_value(expression: Random) -> None:
    _agrees(expression)


@pytest.mark.long
@given(EXPRESSIONS)
@settings(max_examples=10_000, deadline=None)
def test_ten_thousand_random_expressions_have_numpy_s_values(expression: Random) -> None:
    _agrees(expression)


@st.composite
def _damaged(draw: st.DrawFn) -> str:
    """A random expression in which some characters are lost, doubled, or exchanged for those of another."""
    text, other = draw(EXPRESSIONS).text, draw(EXPRESSIONS).text
    for _ in range(draw(st.integers(1, 4))):
        at, end = sorted(draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
        begin = draw(st.integers(0, len(other)))
        inserted = draw(st.sampled_from(["", text[at:end] * 2, other[begin : begin + 5], "(", "[", "%", "é"]))
        text = text[:at] + inserted + text[min(end, at + 5) :]
    return text[:400]


def _is_told(text: str) -> None:
    """A damaged expression has a value, or an error with a place in it."""
    try:
        evaluate(parse(text, VALUES), _Scope())
        begin = end = 0
    except ExpressionError as error:
        begin, end = error.span.start, error.span.end
    assert 0 <= begin <= end <= len(text)


@given(_damaged())
@settings(max_examples=400, deadline=None)
def test_a_damaged_expression_has_an_error_with_a_place(text: str) -> None:
    _is_told(text)


@pytest.mark.long
@given(_damaged())
@settings(max_examples=10_000, deadline=None)
def test_ten_thousand_damaged_expressions_have_errors_with_a_place(text: str) -> None:
    _is_told(text)
