"""Two runs of a session side by side: pairs of values, steps that belong together, pictures of differences."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query

from ...wire.pair_questions import (
    ComparisonQuestion,
    DifferenceQuestion,
    DifferenceWindowQuestion,
    MatchedStepQuestion,
    OtherValueQuestion,
    OtherWindowQuestion,
)
from ...wire.run_comparison import DifferenceInfo, MatchedStep, RunsCompared
from ...wire.values import ValueSummary
from .common import Process, Service, to_response
from .typed_route import AnswerResponse, TypedRoute

router = APIRouter(route_class=TypedRoute, prefix="/recordings/{key}/comparison")

Other = Annotated[str, Query(alias="with", max_length=400)]
"""The key of another run of the same session; or `values:` and the name of an uploaded file of values by name."""
Short = Annotated[str, Query(max_length=400)]
Bound = Annotated[float | None, Query(ge=0, le=1e300)]
Number = Annotated[int, Query(ge=0, le=2**31)]


@router.get("")
async def comparison(
    key: str, other: Other, sessions: Service, absolute: Bound = None, relative: Bound = None,
    op: Annotated[int | None, Query(ge=0, le=2**31)] = None,
    start: Annotated[int, Query(alias="from", ge=0, le=2**31)] = 0,
    limit: Annotated[int, Query(ge=1, le=2_000)] = 1_000,
) -> AnswerResponse[RunsCompared]:  # fmt: skip
    """The values of two runs of a session in pairs, as far as they are compared; asked again it goes on until `done`.

    Without `absolute` and `relative` it is found out for each value how far rounding may have taken it; with them an
    error within either is called rounding. With `op` the executions of that op of the first run one by one.
    """
    question = ComparisonQuestion(other, absolute, relative, op, start, limit)
    return to_response(await sessions.pairs.ask(key, question))


@router.get("/step")
async def matched_step(
    key: str, other: Other, step: Annotated[int, Query(ge=0, le=2**53)], sessions: Service,
    process: Process = 0, side: Literal["before", "after"] = "before",
) -> AnswerResponse[MatchedStep]:  # fmt: skip
    """Where the other run is when one is about to run a step; with `side=after` the step is of the other run."""
    return to_response(await sessions.pairs.ask(key, MatchedStepQuestion(other, process, step, side)))


@router.get("/difference")
async def difference(
    key: str, other: Other, address: Short, other_address: Short, sessions: Service
) -> AnswerResponse[DifferenceInfo]:
    """The distance of two values, element by element: its statistics, and the range of both values."""
    return to_response(await sessions.pairs.ask(key, DifferenceQuestion(other, address, other_address)))


@router.get("/window")
async def difference_window(
    key: str, other: Other, address: Short, other_address: Short, sessions: Service, rows: Short = "-1",
    columns: Short = "-1", at: Annotated[str, Query(max_length=4_000)] = "",
    start: Annotated[str, Query(alias="from", max_length=400)] = "0,0", size: Short = "1,1", level: Short = "0",
) -> AnswerResponse[bytes]:  # fmt: skip
    """A rectangle of the distance of two values, as of a value, in f64."""
    question = DifferenceWindowQuestion(other, address, other_address, rows, columns, at, start, size, level)
    return to_response(await sessions.pairs.ask(key, question))


@router.get("/value")
async def other_value(
    key: str, other: Other, address: Short, sessions: Service
) -> AnswerResponse[ValueSummary]:
    """The value of a file that belongs to a value of the run: its type and statistics."""
    return to_response(await sessions.pairs.ask(key, OtherValueQuestion(other, address)))


@router.get("/value/window")
async def other_window(
    key: str, other: Other, address: Short, sessions: Service, rows: Short = "-1", columns: Short = "-1",
    at: Annotated[str, Query(max_length=4_000)] = "",
    start: Annotated[str, Query(alias="from", max_length=400)] = "0,0", size: Short = "1,1", level: Short = "0",
) -> AnswerResponse[bytes]:  # fmt: skip
    """A rectangle of it, as of a value of the run."""
    question = OtherWindowQuestion(other, address, rows, columns, at, start, size, level)
    return to_response(await sessions.pairs.ask(key, question))
