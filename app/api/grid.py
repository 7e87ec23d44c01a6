"""The grid of a recording: every process at every tick, who met whom, and how their values compare."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from .common import Process, Service, answered

router = APIRouter(prefix="/recordings/{key}/grid")

Chunk = Annotated[int, Query(ge=0, le=2**24)]
Number = Annotated[int, Query(ge=0, le=2**31)]
MOST_COMPARED = 256


@router.get("")
async def grid(key: str, sessions: Service) -> Response:
    """Teams of processes, queues, and why nobody goes on."""
    return answered(await sessions.ask(key, "grid"))


@router.get("/moments")
async def moments(key: str, chunk: Chunk, sessions: Service, team: Number = 0) -> Response:
    """256 ticks of all processes of a team: step, op, meeting and state of each."""
    return answered(await sessions.ask(key, "moments", chunk=chunk, team=team))


@router.get("/clock")
async def clock(key: str, sessions: Service, process: Process = 0) -> Response:
    """Pairs of a step and the tick at which it begins, where a process has waited."""
    return answered(await sessions.ask(key, "clock", process=process))


@router.get("/strips")
async def strips(
    key: str, sessions: Service, start: Annotated[int, Query(alias="from", ge=0, le=2**31)],
    stop: Annotated[int, Query(alias="to", ge=0, le=2**32)], columns: Annotated[int, Query(ge=1, le=4_096)],
    team: Number = 0,
) -> Response:  # fmt: skip
    """Which share of each stretch of ticks each process of a team was running in: a byte, 255 for all of it."""
    return answered(await sessions.ask(key, "strips", team=team, start=start, stop=stop, columns=columns))


@router.get("/meetings")
async def meetings(
    key: str, sessions: Service, start: Annotated[int, Query(alias="from", ge=0, le=2**31)] = 0
) -> Response:
    """Who met whom where and when, from a number on, some at a time."""
    return answered(await sessions.ask(key, "meetings", start=start))


@router.get("/pieces")
async def pieces(key: str, meeting: Number, sessions: Service, process: Number | None = None) -> Response:
    """Which box of whose value ends up in which box of what a process, or each, gets from a meeting."""
    return answered(await sessions.ask(key, "pieces", meeting=meeting, process=process))


@router.get("/compare")
async def compare(
    key: str, addresses: Annotated[str, Query(max_length=16_000)], sessions: Service
) -> Response:
    """Which of these values are equal, and how the others differ from the first."""
    wanted = [address for address in addresses.split(",") if address][:MOST_COMPARED]
    return answered(await sessions.ask(key, "compare", addresses=wanted))


@router.get("/range")
async def joint_range(
    key: str, addresses: Annotated[str, Query(max_length=16_000)], sessions: Service
) -> Response:
    """The range that all of these values lie in, for colours that they share."""
    wanted = [address for address in addresses.split(",") if address][:MOST_COMPARED]
    return answered(await sessions.ask(key, "range", addresses=wanted))


@router.get("/takers")
async def takers(key: str, sessions: Service) -> Response:
    """The queues that the user fills, and what the program's ops take from each."""
    return answered(await sessions.ask(key, "takers"))


@router.get("/sharded")
async def sharded(key: str, sessions: Service) -> Response:
    """The values whose parts have a place in a whole, by their numbers."""
    return answered(await sessions.ask(key, "sharded"))


@router.get("/shardings")
async def shardings(
    key: str, sessions: Service, op: Number | None = None, value: Number | None = None, process: Process = 0
) -> Response:
    """How the whole of a value is cut into the parts of the processes, as a process sees it."""
    return answered(await sessions.ask(key, "shardings", op=op, value=value, process=process))
