"""What a room is, and what each message changes of it: functions of the state before, without a clock or a store.

Rights are decided here: `ApiError` 403 says who may do what was asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from ..base.errors import ApiError
from ..lessons.answers import NumberKind
from ..wire import room_messages as said
from ..wire.rooms import PollTruth, RoomPoll, RoomPosition, RoomRole


@dataclass(frozen=True)
class Actor:
    """Who says something: a role, and of a member the hash of its secret."""

    role: RoomRole
    member: str | None = None


@dataclass(frozen=True)
class RoomData:
    """The state of a room. `chalk` is the hash of the member who has it; None: the teacher leads."""

    position: RoomPosition
    lesson_step: str | None = None
    chalk: str | None = None
    locked: bool = False
    paused: bool = False
    poll: RoomPoll | None = None
    shape: list[int] | None = None
    """Of a cell poll: that of the value which is clicked on."""
    number_kind: NumberKind | None = None
    """Of the element that a poll is about."""
    truth: PollTruth | None = None
    """Of the poll, once it is revealed."""
    class_size: int = 0
    """How many members there were then."""


UrgentMessage = said.ClosePoll | said.DiscardPoll | said.Chalk | said.SetRoom
"""What is kept before anybody is told of it; so are polls that are opened and revealed, which need the recording."""


def lead(data: RoomData, actor: Actor, message: said.Lead) -> RoomData:
    """Whoever leads is somewhere else."""
    check_leads(data, actor)
    position = cast(RoomPosition, message.position.model_dump())
    return replace(data, position=position, lesson_step=message.lesson_step)


def change(data: RoomData, actor: Actor, message: UrgentMessage, members: Mapping[str, str]) -> RoomData:
    """What the teacher sets, and the chalk on its way; `members` has the hash of each name."""
    gives_back = isinstance(message, said.Chalk) and message.to is None
    if not (gives_back and data.chalk is not None and actor.member == data.chalk):
        check_teacher(actor)
    match message:
        case said.Chalk():
            if message.to is not None and message.to not in members:
                raise ApiError(404, "member", f"Nobody here is called {message.to}.")
            return replace(data, chalk=members[message.to] if message.to else None)
        case said.SetRoom(locked=locked, paused=paused):
            return replace(
                data,
                locked=data.locked if locked is None else locked,
                paused=data.paused if paused is None else paused,
            )
        case said.ClosePoll():
            return replace(data, poll={**current_poll(data, open=True), "open": False})
        case said.DiscardPoll():
            current_poll(data)
            return replace(data, poll=None, shape=None, number_kind=None, truth=None)


def open_poll(
    data: RoomData, actor: Actor, poll: RoomPoll, shape: list[int] | None, kind: NumberKind | None = None
) -> RoomData:
    """A new poll, in the place of one that is over."""
    check_teacher(actor)
    if data.poll is not None and data.poll["open"]:
        raise ApiError(
            409, "poll", "A poll is open already.", hint="Close or discard it, then open the next one."
        )
    return replace(data, poll=poll, shape=shape, number_kind=kind, truth=None)


def reveal_poll(
    data: RoomData, actor: Actor, poll: str, truth: PollTruth | None, class_size: int
) -> RoomData:
    """The poll is over, and this is what is recorded."""
    check_teacher(actor)
    found = current_poll(data)
    if found["id"] != poll or found["revealed"]:
        raise ApiError(409, "poll", "This poll was revealed or replaced meanwhile.")
    return replace(data, poll={**found, "open": False, "revealed": True}, truth=truth, class_size=class_size)


def current_poll(data: RoomData, *, open: bool = False) -> RoomPoll:
    """The poll of the room; `open`: which takes answers."""
    if data.poll is None:
        raise ApiError(409, "poll", "There is no poll.")
    if open and not data.poll["open"]:
        raise ApiError(409, "poll", "This poll is closed.")
    return data.poll


def check_teacher(actor: Actor) -> None:
    """Raises `ApiError` unless it is the teacher."""
    if actor.role != "owner":
        raise ApiError(403, "role", "Only the teacher of the room does this.")


def check_member(actor: Actor) -> str:
    """The hash of the member; `ApiError` for anybody else."""
    if actor.role != "member" or actor.member is None:
        raise ApiError(403, "role", "Only members of the room do this.")
    return actor.member


def check_leads(data: RoomData, actor: Actor) -> None:
    """Raises `ApiError` unless it is who has the chalk: one leads at a time."""
    if data.chalk is None:
        check_teacher(actor)
    elif actor.role == "owner":
        raise ApiError(403, "chalk", "Somebody else has the chalk.", hint="Take it back to lead the class.")
    elif actor.member != data.chalk:
        raise ApiError(403, "role", "Only who has the chalk leads the class.")


# As it is kept.


def start(run: int, lesson_step: str | None = None) -> RoomData:
    """The state of a new room."""
    return RoomData(position_at(run), lesson_step)


def position_at(run: int) -> RoomPosition:
    """The beginning of a run."""
    return {"run": run, "step": 0, "process": 0, "tab": None, "value": None, "path": [], "element": None}


def to_json(data: RoomData) -> dict[str, Any]:
    """As the store has it."""
    return dict(vars(data))


def of_json(kept: Any) -> RoomData:
    """The state that was kept; one that is damaged costs where the class was, not the room."""
    try:
        position = said.Position.model_validate(kept["position"]).model_dump()
        rest = {name: kept[name] for name in RoomData.__dataclass_fields__ if name != "position"}
        if rest["poll"] is not None:
            said.Poll.model_validate({name: rest["poll"][name] for name in said.Poll.model_fields})
        return RoomData(cast(RoomPosition, position), **rest)
    except (KeyError, TypeError, ValueError):
        return start(1)
