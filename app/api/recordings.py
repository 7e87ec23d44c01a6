"""Recordings: what never changes once it is complete, so that the browser keeps it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import StreamingResponse

from ..sessions import Sessions
from ..workers.framing import Frame
from .common import FINAL, Process, Service, answered

router = APIRouter(prefix="/recordings/{key}")

Chunk = Annotated[int, Query(ge=0, le=2**24)]
OpNumber = Annotated[int, Path(ge=0, le=2**31)]
Short = Annotated[str, Query(max_length=400)]
MOST_THUMBNAILS = 128


@router.get("/program")
async def program(key: str, sessions: Service) -> Response:
    """Ops, values, blocks and functions of the program."""
    return answered(await sessions.ask(key, "program"))


@router.get("/outline")
async def outline(key: str, chunk: Chunk, sessions: Service, process: Process = 0) -> Response:
    """4,096 steps of a process as columns."""
    return answered(await sessions.ask(key, "outline", chunk=chunk, process=process))


@router.get("/frames")
async def frames(key: str, chunk: Chunk, sessions: Service, process: Process = 0) -> Response:
    """4,096 frames of a process as columns."""
    return answered(await sessions.ask(key, "frames", chunk=chunk, process=process))


@router.get("/ops/{op}")
async def op_details(key: str, op: OpNumber, sessions: Service) -> Response:
    """Documentation, constraints, cost and maps of one op of the program."""
    return answered(await sessions.ask(key, "op", op=op))


@router.get("/prints")
async def prints(
    key: str, sessions: Service, start: Annotated[int, Query(alias="from", ge=0, le=2**31)] = 0,
    process: Process = 0,
) -> Response:  # fmt: skip
    """What the program has printed in a process and in which step, from a number on, some at a time."""
    return answered(await sessions.ask(key, "prints", start=start, process=process))


@router.get("/thumbnails")
async def thumbnails(
    key: str, addresses: Annotated[str, Query(max_length=8_000)], sessions: Service
) -> Response:
    """Small pictures of values, with their one-line summaries."""
    wanted = [address for address in addresses.split(",") if address][:MOST_THUMBNAILS]
    return answered(await sessions.ask(key, "thumbnails", addresses=wanted))


@router.get("/values/{address}.npy")
async def npy(key: str, address: str, sessions: Service) -> Response:
    """The value as a file for NumPy."""
    first = await sessions.ask(key, "npy", address=address, start=0)
    headers = {
        "Content-Disposition": f'attachment; filename="{address}.npy"',
        "Content-Length": str(_total(first)),
        "Cache-Control": FINAL,
    }
    body = _pieces(sessions, key, address, first)
    return StreamingResponse(body, media_type="application/octet-stream", headers=headers)


@router.get("/values/{address}/window")
async def window(
    key: str, address: str, rows: Short, columns: Short, sessions: Service,
    start: Annotated[str, Query(alias="from", max_length=400)], size: Short, at: Short = "", level: Short = "0",
) -> Response:  # fmt: skip
    """A rectangle of a value, exact or downsampled."""
    where = {"rows": rows, "columns": columns, "at": at, "from": start, "size": size, "level": level}
    return answered(await sessions.ask(key, "window", address=address, **where))


@router.get("/values/{address}")
async def summary(key: str, address: str, sessions: Service) -> Response:
    """Type, shape, statistics and histogram of a value."""
    return answered(await sessions.ask(key, "summary", address=address))


def _total(frame: Frame) -> int:
    return int(frame.message["answer"]["headers"]["X-Total"])


async def _pieces(sessions: Sessions, key: str, address: str, first: Frame) -> AsyncIterator[bytes]:
    total, sent, frame = _total(first), 0, first
    while True:
        piece = bytes(frame.buffers[0])
        yield piece
        sent += len(piece)
        if sent >= total or not piece:
            return
        frame = await sessions.ask(key, "npy", address=address, start=sent)
