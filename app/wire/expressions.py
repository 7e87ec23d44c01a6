"""Results of expressions over recorded values, and the words of their language."""

from __future__ import annotations

from typing import Literal, TypeAlias

from typing_extensions import TypedDict

from .values import ThumbnailInfo, ValueStatistics

ResultKind: TypeAlias = Literal["boolean", "number", "string", "tensor", "fault", "checked"]
"""`checked`: the expression is well formed and was not evaluated."""


class ExpressionFault(TypedDict):
    """An error between two positions of the expression; `isForm`: the text is wrong at every step."""

    start: int
    end: int
    hint: str | None
    isForm: bool


class TensorResult(TypedDict):
    """A tensor that no step computed; `elements`: all as text, row-major, null if there are too many to read."""

    shape: list[int]
    elements: list[str] | None
    statistics: ValueStatistics | None
    picture: ThumbnailInfo


class ExpressionResult(TypedDict):
    """The result of an expression; `text`: on one line, the message of a fault."""

    kind: ResultKind
    text: str
    fault: ExpressionFault | None
    tensor: TensorResult | None


class ExpressionWord(TypedDict):
    """A function, variable or field, and its meaning."""

    name: str
    meaning: str


class ExpressionLanguage(TypedDict):
    """The words of the language of expressions."""

    functions: list[ExpressionWord]
    variables: list[ExpressionWord]
    fields: list[ExpressionWord]
