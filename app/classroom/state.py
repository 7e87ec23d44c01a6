"""The state of a room, and pure functions from a state and a message to the next state.

Permissions are checked here: `ApiError` 403 names the role that a message requires.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from ..base.errors import ApiError
from ..present.typed_answers import NumberKind
from ..wire import room_messages as said
from ..wire.rooms import PollTruth, RoomPoll, RoomPosition, RoomRole


@dataclass(frozen=True)
class Actor:
    """The sender of a message: a role, and the hash of a member's secret."""

    role: RoomRole
    member: str | None = None


@dataclass(frozen=True)
class RoomData:
    """The state of a room. `chalk`: the hash of the leading member; None: the teacher leads."""

    position: RoomPosition
    lesson_step: str | None = None
    chalk: str | None = None
    locked: bool = False
    paused: bool = False
    poll: RoomPoll | None = None
    shape: list[int] | None = None
    """Shape of the value that a cell poll is about."""
    number_kind: NumberKind | None = None
    """Kind of the element that a poll is about."""
    truth: PollTruth | None = None
    """Truth of the poll, once it is revealed."""
    class_size: int = 0
    """Number of members when the poll was revealed."""


UrgentMessage = said.ClosePoll | said.DiscardPoll | said.Chalk | said.SetRoom
"""Messages stored before listeners are notified, as are opened and revealed polls."""


def lead(data: RoomData, actor: Actor, message: said.Lead) -> RoomData:
    """Move the position of the class."""
    check_leads(data, actor)
    position = cast(RoomPosition, message.position.model_dump())
    return replace(data, position=position, lesson_step=message.lesson_step)


def change(data: RoomData, actor: Actor, message: UrgentMessage, members: Mapping[str, str]) -> RoomData:
    """Apply a teacher's message or return the chalk; `members`: hashes by name."""
    gives_back = isinstance(message, said.Chalk) and message.to is None
    if not (gives_back and data.chalk is not None and actor.member == data.chalk):
        check_teacher(actor)
    match message:
        case said.Chalk():
            if message.to is not None and message.to not in members:
                raise no_member(message.to)
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
    """Open a poll, in place of a closed one."""
    check_teacher(actor)
    if data.poll is not None and data.poll["open"]:
        raise ApiError(
            409, "poll_open", "A poll is open already.", hint="Close or discard it, then open the next one."
        )
    return replace(data, poll=poll, shape=shape, number_kind=kind, truth=None)


def reveal_poll(
    data: RoomData, actor: Actor, poll: str, truth: PollTruth | None, class_size: int
) -> RoomData:
    """Close the poll and set its truth."""
    check_teacher(actor)
    found = current_poll(data)
    if found["id"] != poll or found["revealed"]:
        raise ApiError(409, "poll_replaced", "This poll was revealed or replaced meanwhile.")
    return replace(data, poll={**found, "open": False, "revealed": True}, truth=truth, class_size=class_size)


def current_poll(data: RoomData, *, open: bool = False) -> RoomPoll:
    """The poll of the room; `open` requires that it accepts answers."""
    if data.poll is None:
        raise ApiError(409, "no_poll", "There is no poll.")
    if open and not data.poll["open"]:
        raise ApiError(409, "poll_closed", "This poll is closed.")
    return data.poll


def no_member(name: str) -> ApiError:
    """The error for a name that no member has."""
    return ApiError(404, "member", f"This room has no member {name}.", parts=[name])


def check_teacher(actor: Actor) -> None:
    """Raise `ApiError` unless the actor is the teacher."""
    if actor.role != "owner":
        raise ApiError(403, "role", "Only the teacher of the room may do this.")


def check_member(actor: Actor) -> str:
    """The hash of the member; `ApiError` for other roles."""
    if actor.role != "member" or actor.member is None:
        raise ApiError(403, "role", "Only members of the room may do this.")
    return actor.member


def check_leads(data: RoomData, actor: Actor) -> None:
    """Raise `ApiError` unless the actor leads the class."""
    if data.chalk is None:
        check_teacher(actor)
    elif actor.role == "owner":
        raise ApiError(403, "chalk", "Somebody else has the chalk.", hint="Take it back to lead the class.")
    elif actor.member != data.chalk:
        raise ApiError(403, "role", "Only the member with the chalk leads the class.")


# Stored form.


def start(run: int, lesson_step: str | None = None) -> RoomData:
    """The state of a new room."""
    return RoomData(position_at(run), lesson_step)


def position_at(run: int) -> RoomPosition:
    """The position at the beginning of a run."""
    return cast(RoomPosition, said.Position(run=run, step=0).model_dump())


def to_json(data: RoomData) -> dict[str, Any]:
    """The stored form of a state."""
    return dict(vars(data))


def of_json(kept: Any) -> RoomData:
    """The stored state; a damaged one is replaced by a new state."""
    try:
        position = said.Position.model_validate(kept["position"]).model_dump()
        rest = {name: kept[name] for name in RoomData.__dataclass_fields__ if name != "position"}
        if rest["poll"] is not None:
            said.Poll.model_validate({name: rest["poll"][name] for name in said.Poll.model_fields})
        return RoomData(cast(RoomPosition, position), **rest)
    except (KeyError, TypeError, ValueError):
        return start(1)
