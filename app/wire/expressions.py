"""Results of expressions over recorded values, and the words of their language."""

from typing import Literal, TypeAlias

from typing_extensions import TypedDict

from .numbers import JsonNumber
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


CurveRange: TypeAlias = Literal["iterations", "executions", "processes"]
"""The ends of the iterations of the loop around a step, all executions of its op, or all processes at the same tick."""


class CurvePoint(TypedDict):
    """The result at a step; `number`: of the iteration, execution or process, from 0. Either a value or a picture.

    Both are null for an error, whose message is `text`.
    """

    process: int
    step: int
    number: int
    value: JsonNumber | None
    picture: ThumbnailInfo | None
    text: str


class ExpressionCurve(TypedDict):
    """An expression at several steps: `count` of `total`, evenly spread, if there are too many.

    `next`: the point from which to continue, null at the end. `fault`: the reason for having no points.
    """

    points: list[CurvePoint]
    count: int
    total: int
    next: int | None
    fault: ExpressionResult | None


class ExpressionWord(TypedDict):
    """A function, variable or field, and its meaning."""

    name: str
    meaning: str


class ExpressionLanguage(TypedDict):
    """The words of the language of expressions."""

    functions: list[ExpressionWord]
    variables: list[ExpressionWord]
    fields: list[ExpressionWord]
