"""The grid of a recording: every process at every tick, who met whom, and how their values compare."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from ...wire.grid import GridInfo, MeetingInfo, MeetingPieces, QueueTaker, ShardingInfo
from ...wire.questions import (
    ClockQuestion,
    CompareQuestion,
    GridQuestion,
    MeetingsQuestion,
    PiecesQuestion,
    RangeQuestion,
    ShardedQuestion,
    ShardingQuestion,
    StripsQuestion,
    TakersQuestion,
    TicksQuestion,
)
from ...wire.values import Comparison, JointRange
from .common import Process, Service, to_response
from .typed_route import AnswerResponse, TypedRoute

router = APIRouter(route_class=TypedRoute, prefix="/recordings/{key}/grid")

Chunk = Annotated[int, Query(ge=0, le=2**24)]
Number = Annotated[int, Query(ge=0, le=2**31)]
MOST_COMPARED = 256


@router.get("")
async def grid(key: str, sessions: Service) -> AnswerResponse[GridInfo]:
    """Teams of processes, queues, and why nobody goes on."""
    return to_response(await sessions.ask(key, GridQuestion()))


@router.get("/positions")
async def positions(key: str, chunk: Chunk, sessions: Service, team: Number = 0) -> AnswerResponse[bytes]:
    """256 ticks of all processes of a team: step, op, meeting and state of each.

    Little-endian, one column after the other, in each all ticks of the first process first: step, op and meeting u32,
    state u8. `X-Ticks` says how many ticks the team has.
    """
    return to_response(await sessions.ask(key, TicksQuestion(chunk, team)))


@router.get("/clock")
async def clock(key: str, sessions: Service, process: Process = 0) -> AnswerResponse[bytes]:
    """Pairs of a step and the tick at which it begins, where a process has waited.

    Little-endian u32; each step between two pairs begins a tick after the one before it.
    """
    return to_response(await sessions.ask(key, ClockQuestion(process)))


@router.get("/strips")
async def strips(
    key: str, sessions: Service, start: Annotated[int, Query(alias="from", ge=0, le=2**31)],
    stop: Annotated[int, Query(alias="to", ge=0, le=2**32)], columns: Annotated[int, Query(ge=1, le=4_096)],
    team: Number = 0,
) -> AnswerResponse[bytes]:  # fmt: skip
    """Which share of each stretch of ticks each process of a team was running in: a byte, 255 for all of it."""
    return to_response(await sessions.ask(key, StripsQuestion(team, start, stop, columns)))


@router.get("/meetings")
async def meetings(
    key: str, sessions: Service, start: Annotated[int, Query(alias="from", ge=0, le=2**31)] = 0
) -> AnswerResponse[list[MeetingInfo]]:
    """Who met whom where and when, from a number on, some at a time."""
    return to_response(await sessions.ask(key, MeetingsQuestion(start)))


@router.get("/pieces")
async def pieces(
    key: str, meeting: Number, sessions: Service, process: Number | None = None
) -> AnswerResponse[MeetingPieces]:
    """Which box of whose value ends up in which box of what a process, or each, gets from a meeting."""
    return to_response(await sessions.ask(key, PiecesQuestion(meeting, process)))


@router.get("/compare")
async def compare(
    key: str, addresses: Annotated[str, Query(max_length=16_000)], sessions: Service
) -> AnswerResponse[Comparison]:
    """Which of these values are equal, and how the others differ from the first."""
    wanted = [address for address in addresses.split(",") if address][:MOST_COMPARED]
    return to_response(await sessions.ask(key, CompareQuestion(wanted)))


@router.get("/range")
async def joint_range(
    key: str, addresses: Annotated[str, Query(max_length=16_000)], sessions: Service
) -> AnswerResponse[JointRange]:
    """The range that all of these values lie in, for colours that they share."""
    wanted = [address for address in addresses.split(",") if address][:MOST_COMPARED]
    return to_response(await sessions.ask(key, RangeQuestion(wanted)))


@router.get("/takers")
async def takers(key: str, sessions: Service) -> AnswerResponse[list[QueueTaker]]:
    """The queues that the user fills, and what the program's ops take from each."""
    return to_response(await sessions.ask(key, TakersQuestion()))


@router.get("/sharded")
async def sharded_values(key: str, sessions: Service) -> AnswerResponse[list[int]]:
    """The values whose parts have a place in a whole, by their numbers."""
    return to_response(await sessions.ask(key, ShardedQuestion()))


@router.get("/shardings")
async def shardings(
    key: str, sessions: Service, op: Number | None = None, value: Number | None = None, process: Process = 0
) -> AnswerResponse[ShardingInfo | None]:
    """How the whole of a value is cut into the parts of the processes, as a process sees it."""
    return to_response(await sessions.ask(key, ShardingQuestion(op, value, process)))
