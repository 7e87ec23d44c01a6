"""Recordings: what never changes once it is complete, so that the browser keeps it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import StreamingResponse

from ...base.errors import ApiError
from ...sessions.complete_answers import FINAL
from ...sessions.sessions import Sessions
from ...wire.program import OpDetails, ProgramInfo
from ...wire.questions import (
    Answer,
    FramesQuestion,
    NonfiniteQuestion,
    NpyQuestion,
    OpQuestion,
    OutlineQuestion,
    PrintsQuestion,
    ProgramQuestion,
    SummariesQuestion,
    SummaryQuestion,
    ThumbnailsQuestion,
    WindowQuestion,
    WindowsQuestion,
)
from ...wire.values import NonfiniteElement, PlainSummary, PrintedText, ThumbnailInfo, ValueSummary
from .common import Process, Service, to_response
from .typed_route import AnswerResponse, TypedRoute

router = APIRouter(route_class=TypedRoute, prefix="/recordings/{key}")

Chunk = Annotated[int, Query(ge=0, le=2**24)]
OpNumber = Annotated[int, Path(ge=0, le=2**31)]
Short = Annotated[str, Query(max_length=400)]
Addresses = Annotated[str, Query(max_length=8_000)]
MOST_THUMBNAILS = 128
MOST_SUMMARIES = 32
MOST_WINDOWS = 32
WINDOW_FIELDS = ("address", "rows", "columns", "at", "from", "size", "level")
"""What a window of several is asked by, with semicolons between them."""


@router.get("/program")
async def program(key: str, sessions: Service) -> AnswerResponse[ProgramInfo]:
    """Ops, values, blocks and functions of the program."""
    return to_response(await sessions.ask(key, ProgramQuestion()))


@router.get("/outline")
async def outline(key: str, chunk: Chunk, sessions: Service, process: Process = 0) -> AnswerResponse[bytes]:
    """4,096 steps of a process as columns.

    Little-endian, one column after the other: op u32, frame u32, depth u16. `X-Steps` says how many steps the process has.
    """
    return to_response(await sessions.ask(key, OutlineQuestion(chunk, process)))


@router.get("/frames")
async def frames(key: str, chunk: Chunk, sessions: Service, process: Process = 0) -> AnswerResponse[bytes]:
    """4,096 frames of a process as columns.

    Little-endian u32, one column after the other: block, parent, opener, iteration; 0xFFFFFFFF is none. `X-Frames` says
    how many frames the process has.
    """
    return to_response(await sessions.ask(key, FramesQuestion(chunk, process)))


@router.get("/ops/{op}")
async def op_details(key: str, op: OpNumber, sessions: Service) -> AnswerResponse[OpDetails]:
    """Documentation, constraints, cost and maps of one op of the program."""
    return to_response(await sessions.ask(key, OpQuestion(op)))


@router.get("/prints")
async def prints(
    key: str, sessions: Service, start: Annotated[int, Query(alias="from", ge=0, le=2**31)] = 0,
    process: Process = 0,
) -> AnswerResponse[list[PrintedText]]:  # fmt: skip
    """What the program has printed in a process and in which step, from a number on, some at a time."""
    return to_response(await sessions.ask(key, PrintsQuestion(start, process)))


@router.get("/thumbnails")
async def thumbnails(
    key: str, addresses: Addresses, sessions: Service
) -> AnswerResponse[dict[str, ThumbnailInfo]]:
    """Small pictures of values, with their one-line summaries."""
    return to_response(await sessions.ask(key, ThumbnailsQuestion(_listed(addresses, MOST_THUMBNAILS))))


@router.get("/summaries")
async def summaries(
    key: str, addresses: Addresses, sessions: Service
) -> AnswerResponse[dict[str, ValueSummary | PlainSummary]]:
    """Type, shape, statistics and histogram of several values."""
    return to_response(await sessions.ask(key, SummariesQuestion(_listed(addresses, MOST_SUMMARIES))))


@router.get("/windows")
async def windows(
    key: str, window: Annotated[list[Short], Query(max_length=MOST_WINDOWS)], sessions: Service
) -> AnswerResponse[bytes]:
    """Rectangles of several values.

    For each in the order in which they are asked for: its number of bytes as little-endian u64, the bytes as `window` of a value answers
    them, zeros up to a multiple of 8. One that is not recorded, or is more than fits in one answer, has no bytes.
    """
    return to_response(await sessions.ask(key, WindowsQuestion([_window_fields(each) for each in window])))


def _listed(addresses: str, most: int) -> list[str]:
    return [address for address in addresses.split(",") if address][:most]


def _window_fields(text: str) -> list[str]:
    fields = text.split(";")
    if len(fields) != len(WINDOW_FIELDS):
        raise ApiError(
            422,
            "request",
            f"window={text[:80]}: a window is {len(WINDOW_FIELDS)} fields with semicolons between them:"
            f" {', '.join(WINDOW_FIELDS)}.",
        )
    return fields


@router.get("/values/{address}.npy")
async def npy(key: str, address: str, sessions: Service) -> Response:
    """The value as a file for NumPy."""
    first = await sessions.ask(key, NpyQuestion(address, 0))
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
) -> AnswerResponse[bytes]:  # fmt: skip
    """A rectangle of a value, exact or downsampled.

    The length of a JSON header as little-endian u32, the header (`WindowHeader`), zeros up to a multiple of 8, the planes.
    """
    question = WindowQuestion(address, rows, columns, at, start, size, level)
    return to_response(await sessions.ask(key, question))


@router.get("/values/{address}/nonfinite")
async def nonfinite(
    key: str,
    address: str,
    sessions: Service,
    after: Annotated[int, Query(ge=-1, le=2**62)] = -1,
    direction: Literal["forward", "back"] = "forward",
) -> AnswerResponse[NonfiniteElement]:
    """The nearest element that is NaN or infinite, after or before the element of that number in row-major order."""
    return to_response(await sessions.ask(key, NonfiniteQuestion(address, after, direction)))


@router.get("/values/{address}")
async def summary(key: str, address: str, sessions: Service) -> AnswerResponse[ValueSummary | PlainSummary]:
    """Type, shape, statistics and histogram of a value."""
    return to_response(await sessions.ask(key, SummaryQuestion(address)))


def _total(answer: Answer[bytes]) -> int:
    return int(answer.headers["X-Total"])


async def _pieces(sessions: Sessions, key: str, address: str, first: Answer[bytes]) -> AsyncIterator[bytes]:
    total, sent, answer = _total(first), 0, first
    while True:
        piece = bytes(answer.body)
        yield piece
        sent += len(piece)
        if sent >= total or not piece:
            return
        answer = await sessions.ask(key, NpyQuestion(address, sent))
