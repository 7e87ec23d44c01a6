"""Rooms, in which a class follows a session: signed-in users open them, the id admits.

A secret in a header identifies the teacher or a member: `X-Room-Owner` or `X-Room-Member`.
"""

import io
from typing import Annotated, Any, cast

import segno
from fastapi import Depends, Header, Request, Response
from starlette.requests import HTTPConnection

from ...classroom.service import Rooms
from ...classroom.state import check_teacher
from ...wire.lessons import ChangeResult
from ...wire.requests import ChangeRequest
from ...wire.room_messages import CopyRequest, JoinRequest, RoomRequest
from ...wire.rooms import JoinedRoom, NewCopy, NewRoom, PastPoll, RoomInfo
from ..cache_rules import FINAL
from ..routes import Routes
from .common import Language, address_of

router = Routes("/api/rooms")
QR_SCALE, QR_BORDER = 8, 4
CSV: dict[str, Any] = {"text/csv": {"schema": {"type": "string"}}}
SVG: dict[str, Any] = {"image/svg+xml": {"schema": {"type": "string"}}}


async def _rooms(connection: HTTPConnection) -> Rooms:
    return cast(Rooms, connection.app.state.rooms)


RoomService = Annotated[Rooms, Depends(_rooms)]
Owner = Annotated[str | None, Header(alias="X-Room-Owner", max_length=100)]
Member = Annotated[str | None, Header(alias="X-Room-Member", max_length=100)]


@router.post("", status_code=201)
async def open_room(request: RoomRequest, connection: Request, rooms: RoomService) -> NewRoom:
    """Open a room that follows a session. The secret `owner` identifies its teacher."""
    address = address_of(connection)
    return await rooms.open(
        request.session, request.run, request.lesson, request.records, address, request.language
    )


@router.post("/join")
async def join(request: JoinRequest, connection: Request, rooms: RoomService) -> JoinedRoom:
    """The room of a code. After 300 wrong codes in a minute, a network finds only rooms that it knows."""
    return await rooms.join(request.code, address_of(connection))


@router.get("/{room}")
async def info(room: str, rooms: RoomService) -> RoomInfo:
    """The data of a room for a page that has not joined yet."""
    return await rooms.info(room)


@router.delete("/{room}", status_code=204, response_class=Response)
async def end(room: str, rooms: RoomService, owner: Owner = None, member: Member = None) -> None:
    """End the room and delete it with all answers and copies; for its teacher only."""
    check_teacher(await rooms.actor(room, owner, member))
    await rooms.end(room)


@router.get("/{room}/qr.svg", response_class=Response, responses={200: {"content": SVG}})
async def qr(room: str, request: Request, rooms: RoomService) -> Response:
    """The room's address on this server as a QR code."""
    await rooms.record(room)
    origin = request.app.state.origin_of(request.url.scheme, request.headers["host"])
    picture = io.BytesIO()
    code = segno.make(f"{origin}/room/{room}", error="m", micro=False)
    code.save(
        picture, kind="svg", scale=QR_SCALE, border=QR_BORDER, light="#fff", xmldecl=False, omitsize=True
    )
    return Response(picture.getvalue(), media_type="image/svg+xml", headers={"Cache-Control": FINAL})


@router.post("/{room}/copies", status_code=201)
async def make_copy(
    room: str, request: CopyRequest, rooms: RoomService, owner: Owner = None, member: Member = None
) -> NewCopy:
    """Create the member's own copy of a run, which can be changed and ends with the room."""
    actor = await rooms.actor(room, owner, member)
    return await rooms.copy(room, actor, request.run, request.text)


@router.post("/{room}/changes/{step}")
async def check_change(
    room: str,
    step: str,
    request: ChangeRequest,
    rooms: RoomService,
    owner: Owner = None,
    member: Member = None,
    language: Language = None,
) -> ChangeResult:
    """Whether a changed program passes the exercise of a step of the room's lesson."""
    actor = await rooms.actor(room, owner, member)
    return await rooms.check_change(room, step, request.text, actor, language)


@router.get("/{room}/records.csv", response_class=Response, responses={200: {"content": CSV}})
async def records(room: str, rooms: RoomService, owner: Owner = None, member: Member = None) -> Response:
    """Each member's answers as CSV, in a room that keeps records; for its teacher only."""
    check_teacher(await rooms.actor(room, owner, member))
    return _table(await rooms.class_table(room))


@router.get("/{room}/polls")
async def polls(room: str, rooms: RoomService, owner: Owner = None, member: Member = None) -> list[PastPoll]:
    """All polls of the room with their results, the oldest first; for its teacher only."""
    check_teacher(await rooms.actor(room, owner, member))
    return await rooms.polls(room)


@router.get("/{room}/polls.csv", response_class=Response, responses={200: {"content": CSV}})
async def polls_table(room: str, rooms: RoomService, owner: Owner = None, member: Member = None) -> Response:
    """All polls of the room with their results as CSV; for its teacher only."""
    check_teacher(await rooms.actor(room, owner, member))
    return _table(await rooms.poll_table(room))


def _table(text: str) -> Response:
    """A CSV response; the file itself tells that it is UTF-8."""
    return Response(text, headers={"Content-Type": "text/csv"})
