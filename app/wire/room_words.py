"""A page's messages over a room's socket; `room_messages` checks them.

`rooms` has the server's messages.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

from .rooms import NewPoll, PointerPlace, PollValue, RoomPosition


class HelloMessage(TypedDict):
    """First, within ten seconds. `member` is the secret of an earlier welcome; `version` the last one seen."""

    type: Literal["hello"]
    member: NotRequired[str | None]
    owner: NotRequired[str | None]
    screen: NotRequired[bool]
    version: NotRequired[int | None]


class LeadMessage(TypedDict):
    """Where the class is now: from the teacher, or from whoever has the chalk, who sends it after each welcome too."""

    type: Literal["state"]
    position: RoomPosition
    lesson_step: NotRequired[str | None]


class PointMessage(TypedDict):
    """The leader's pointer position; null hides the pointer."""

    type: Literal["pointer"]
    at: PointerPlace | None


class WhereMessage(TypedDict):
    """A follower's position, at most once a second. `own`: in a copy of their own."""

    type: Literal["where"]
    following: bool
    run: int
    step: int
    process: int
    lesson_step: NotRequired[str | None]
    own: NotRequired[bool]


class HandMessage(TypedDict):
    """Raise or lower a hand; the teacher lowers one with `member`, a name."""

    type: Literal["hand"]
    up: bool
    member: NotRequired[str | None]


class LostMessage(TypedDict):
    """Report "I am lost", or withdraw it."""

    type: Literal["lost"]
    lost: bool


class ProgressMessage(TypedDict):
    """A question or exercise of a lesson's step was answered."""

    type: Literal["progress"]
    lesson_step: str
    right: bool


class PollMessage(TypedDict):
    """Open a poll, as the teacher; a closed one before it is dropped."""

    type: Literal["poll"]
    poll: NewPoll


class ClosePollMessage(TypedDict):
    """Close the poll to further answers."""

    type: Literal["close_poll"]


class RevealPollMessage(TypedDict):
    """Close the poll, and show everybody the answers and the recorded truth."""

    type: Literal["reveal_poll"]


class DiscardPollMessage(TypedDict):
    """Forget the poll and its answers."""

    type: Literal["discard_poll"]


class AnswerMessage(TypedDict):
    """A member's answer, which may be changed until the poll is closed. It counts once `answered` has come."""

    type: Literal["answer"]
    poll: str
    value: PollValue


class ChalkMessage(TypedDict):
    """The teacher lends the chalk to a member, by name, or takes it back; a member who has it gives it back with null."""

    type: Literal["chalk"]
    to: str | None


class RoomSettingsMessage(TypedDict):
    """The teacher's settings."""

    type: Literal["settings"]
    locked: NotRequired[bool | None]
    paused: NotRequired[bool | None]


class PingMessage(TypedDict):
    """Sent every four seconds: a member silent for ten seconds counts as away."""

    type: Literal["ping"]


RoomMessage: TypeAlias = (
    HelloMessage
    | LeadMessage
    | PointMessage
    | WhereMessage
    | HandMessage
    | LostMessage
    | ProgressMessage
    | PollMessage
    | ClosePollMessage
    | RevealPollMessage
    | DiscardPollMessage
    | AnswerMessage
    | ChalkMessage
    | RoomSettingsMessage
    | PingMessage
)
