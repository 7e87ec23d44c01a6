"""Numbers of an op's index maps: what is read and how often, tiles, accesses of warps."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query

from ...base.errors import ApiError
from ...wire.map_numbers import CoalescingInfo, MeasuresInfo, TileInfo
from ...wire.questions import CoalescingQuestion, MeasuresQuestion, TileQuestion
from .common import Process, Service, to_response
from .typed_route import AnswerResponse, TypedRoute

router = APIRouter(route_class=TypedRoute, prefix="/recordings/{key}/maps/{op}")

OpNumber = Annotated[int, Path(ge=0, le=2**31)]
Step = Annotated[int | None, Query(ge=0, le=2**53)]
Number = Annotated[int, Query(ge=0, le=2**20)]
Numbers = Annotated[str, Query(max_length=400)]
Small = Annotated[int, Query(ge=1, le=1024)]
Axis = Annotated[int, Query(ge=-64, le=64)]
LARGEST = 2**53


@router.get("/measures")
async def measures(
    key: str, op: OpNumber, sessions: Service, process: Process = 0, step: Step = None
) -> AnswerResponse[MeasuresInfo]:
    """Elements and bytes read, reuse, utilisation, bijections; of a step also starts and duplicate writers."""
    return to_response(await sessions.ask(key, MeasuresQuestion(op, process, step)))


@router.get("/tile")
async def tile(
    key: str, op: OpNumber, sessions: Service, sizes: Numbers, of: Number = 0, offsets: Numbers | None = None,
    strides: Numbers = "", direction: Literal["output-to-input", "input-to-output"] = "output-to-input",
    process: Process = 0, step: Step = None,
) -> AnswerResponse[TileInfo]:  # fmt: skip
    """What of each operand a tile of a result needs, or of each result a tile of an operand goes to.

    Without `offsets` it is any tile of a grid: offsets are formulas of the tile's numbers t0, t1, …
    """
    question = TileQuestion(
        op, process, step, of,
        sizes=_numbers("sizes", sizes),
        offsets=None if offsets is None else _numbers("offsets", offsets),
        strides=_numbers("strides", strides),
        inverse=direction == "input-to-output",
    )  # fmt: skip
    return to_response(await sessions.ask(key, question))


@router.get("/coalescing")
async def coalescing(
    key: str, op: OpNumber, sessions: Service, operand: Number = 0, result: Number = 0,
    kind: Literal["linear", "tiled"] = "linear", threads: Small = 128, vector: Annotated[int, Query(ge=1, le=16)] = 1,
    x: Axis = -1, y: Axis = -2, columns: Small = 32, rows: Small = 8, steps: Small = 4,
    padding: Annotated[int, Query(ge=0, le=1024)] = 0, order: Numbers = "", block: Numbers = "0,0,0",
    warp: Number = 0, loops: Numbers = "", process: Process = 0, step: Step = None,
) -> AnswerResponse[CoalescingInfo]:  # fmt: skip
    """Sectors, lines and conflicts of banks when warps compute a result: of one access and of all.

    `loops` are the values of the loops beside a thread's vector, `order` the operand's dimensions in memory, the
    minor one first.
    """
    place = _numbers("block", block)
    if len(place) != 3:
        raise _query_error("block", "has three numbers: x, y and z")
    question = CoalescingQuestion(
        op, process, step, operand, result, kind, threads, vector, x, y, columns, rows, steps, padding,
        order=_numbers("order", order), block=place, warp=warp, loops=_numbers("loops", loops),
    )  # fmt: skip
    return to_response(await sessions.ask(key, question))


def _numbers(name: str, text: str) -> list[int]:
    """`1,2,3`, or nothing."""
    try:
        found = [int(part) for part in text.split(",")] if text.strip() else []
    except ValueError:
        raise _query_error(name, "are whole numbers with commas between them") from None
    if any(abs(number) > LARGEST for number in found):
        raise _query_error(name, "are too large")
    return found


def _query_error(name: str, why: str) -> ApiError:
    return ApiError(422, "request", f"{name} {why}.")
