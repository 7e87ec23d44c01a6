"""Rooms: a teacher's session that a class follows. What both sides say over a room's socket, and what its routes answer.

A client says `hello` first and is welcomed with the whole state. From then on each change of the room comes as a whole
snapshot with a higher version: one that was missed costs nothing. What a client says is checked in `room_messages`.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

from .live import ErrorInfo

RoomRole: TypeAlias = Literal["owner", "member", "screen"]
"""The teacher, with the owner's secret; somebody who follows; a presenter's screen, which reads alone."""

PollKind: TypeAlias = Literal["number", "choice", "cell"]
"""A number typed, one of several options, an element clicked on."""

PollValue: TypeAlias = str | int | list[int]
"""An answer: of a number its text (`3`, `-1.5e3`, `nan`, `true`), of a choice the option from 0, of a cell its index."""


class RoomPosition(TypedDict):
    """Where one is and what one looks at, in the session of the room."""

    run: int
    step: int
    process: int
    tab: str | None
    value: int | None
    """A value of the program, by its number; null: what the step made."""
    path: list[int]
    """Which element of a tuple the value is."""
    element: list[int] | None


class PollSource(TypedDict):
    """An element of a recorded value."""

    address: str
    element: list[int]


class PollTarget(TypedDict):
    """What a poll is about: a recorded value, or one element of it; of a cell poll the value that is clicked on."""

    run: int
    process: int
    address: str
    element: list[int] | None
    read_by: PollSource | None
    """Of a cell poll: right are the elements of the target that this one was made of; null: none is right."""


class NewPoll(TypedDict):
    """A poll that a teacher opens. One of a lesson's questions is named by `lesson_ask` alone; its kind is the question's."""

    kind: PollKind
    question: str
    options: list[str]
    """Of a choice; two or more."""
    target: PollTarget | None
    """Nothing for a choice that nothing recorded decides."""
    lesson_ask: str | None
    """The id of a question of the room's lesson: the page shows its words, and its truth is the lesson's."""


class RoomPoll(NewPoll):
    """The poll of a room."""

    id: str
    open: bool
    revealed: bool


class RoomState(TypedDict):
    """All that everybody in a room knows of it."""

    code: str
    title: str
    session: str
    """The read-only link to the session that the room follows."""
    lesson: str | None
    position: RoomPosition
    lesson_step: str | None
    chalk: str | None
    """Who leads instead of the teacher, by name."""
    locked: bool
    """Nobody new may join."""
    paused: bool
    """The teacher asks for everybody's attention."""
    members: int
    """Members that are connected, without the teacher and screens."""
    following: int
    poll: RoomPoll | None


# Routes.


class RoomRequestInfo(TypedDict):
    """A new room for a session, by its id; `run` is where it begins, the current one if it is not stated."""

    session: str
    run: NotRequired[int | None]
    lesson: NotRequired[str | None]


class NewRoom(TypedDict):
    """A room that was opened. `owner` is the teacher's secret: it belongs behind the # of an address, never in a path."""

    id: str
    code: str
    url: str
    owner: str
    owner_url: str
    """`url` with the secret behind the #."""
    join_url: str
    """The short address, `/j/CODE`."""
    qr_url: str


class RoomInfo(TypedDict):
    """What a page is told of a room before it joins."""

    id: str
    title: str
    session: str
    lesson: str | None
    code: str
    locked: bool
    copies: int
    """How many copies of the session a member may make."""


class JoinedRoom(TypedDict):
    """Where the room of a code is."""

    id: str
    url: str


class NewCopy(TypedDict):
    """A session of one's own: whoever has this id may do everything with it, and nothing else."""

    id: str
    url: str


# What a client says.


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


class PointerPlace(TypedDict):
    """A place in a panel, in fractions of its width and height."""

    panel: str
    x: float
    y: float


class PointMessage(TypedDict):
    """Where the one who leads points; null: nowhere any more."""

    type: Literal["pointer"]
    at: PointerPlace | None


class WhereMessage(TypedDict):
    """Where a follower is, at most once a second. `own`: in a copy of their own."""

    type: Literal["where"]
    following: bool
    run: int
    step: int
    process: int
    lesson_step: NotRequired[str | None]
    own: NotRequired[bool]


class HandMessage(TypedDict):
    """A hand goes up or down; the teacher takes one down with `member`, a name."""

    type: Literal["hand"]
    up: bool
    member: NotRequired[str | None]


class LostMessage(TypedDict):
    """ "I am lost", or no more."""

    type: Literal["lost"]
    lost: bool


class ProgressMessage(TypedDict):
    """A question or exercise of a lesson's step was answered."""

    type: Literal["progress"]
    lesson_step: str
    right: bool


class PollMessage(TypedDict):
    """The teacher opens a poll; a closed one before it is dropped."""

    type: Literal["poll"]
    poll: NewPoll


class ClosePollMessage(TypedDict):
    """No more answers."""

    type: Literal["close_poll"]


class RevealPollMessage(TypedDict):
    """Close the poll, and show everybody the answers and what is recorded."""

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
    """What the teacher sets."""

    type: Literal["settings"]
    locked: NotRequired[bool | None]
    paused: NotRequired[bool | None]


class PingMessage(TypedDict):
    """Every four seconds: whoever has said nothing for ten is away."""

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


# What the server says.


class GivenAnswer(TypedDict):
    """What one has answered to a poll."""

    poll: str
    value: PollValue


class RoomSelf(TypedDict):
    """Who one is in a room. `member`: the secret to keep in the browser and to say hello with next time."""

    name: str
    role: RoomRole
    member: str | None
    hand: bool
    lost: bool
    answer: GivenAnswer | None


class RoomWelcomeMessage(TypedDict):
    """The answer to `hello`."""

    type: Literal["welcome"]
    you: RoomSelf
    room: RoomState
    version: int


class RoomStateMessage(TypedDict):
    """The room as it is now."""

    type: Literal["room"]
    room: RoomState
    version: int


class RoomPointerMessage(TypedDict):
    """Where the one who leads points: the teacher, or `by` name."""

    type: Literal["pointer"]
    at: PointerPlace | None
    by: str


class RoomHandMessage(TypedDict):
    """The teacher has taken one's hand down."""

    type: Literal["hand"]
    up: bool


class ClassMember(TypedDict):
    """A member, as the teacher sees them."""

    name: str
    following: bool
    lost: bool
    hand: bool
    away: bool
    own: bool
    run: int
    step: int
    lesson_step: str | None


class ClassCounts(TypedDict):
    """How many members are so; `members` are all that have not left."""

    members: int
    following: int
    lost: int
    hand: int
    away: int
    own: int


class StepProgress(TypedDict):
    """How many members are at a step of the lesson, and have answered what it asks, rightly at last or not."""

    lesson_step: str
    here: int
    right: int
    wrong: int


class ClassMessage(TypedDict):
    """For the teacher, at most twice a second. Of a large class those first who need something, and not all."""

    type: Literal["class"]
    members: list[ClassMember]
    counts: ClassCounts
    progress: list[StepProgress]


class AnsweredMessage(TypedDict):
    """An answer is kept: no fault of the server loses it."""

    type: Literal["answered"]
    poll: str
    value: PollValue


class PollBin(TypedDict):
    """How many have answered this number, as it is shown."""

    label: str
    count: int
    right: bool | None


class PollHistogram(TypedDict):
    """Numbers in rising order, twelve at most; the rarest others are in `other`."""

    bins: list[PollBin]
    other: int


class PollCell(TypedDict):
    """How many have clicked on this element."""

    element: list[int]
    count: int


class PollTruth(TypedDict):
    """What the recording says."""

    shown: str | None
    """The element as the page prints it, where the poll is about one."""
    options: list[int]
    """Of a choice: the options that are right."""
    cells: list[list[int]]
    """Of a cell poll: the elements that are right, the first 10,000 of them."""
    right: int
    """How many answers were right."""


class PollResultsMessage(TypedDict):
    """For the teacher while a poll is open, for all once it is revealed. Of fewer than five answers the count alone."""

    type: Literal["results"]
    poll: str
    count: int
    histogram: NotRequired[PollHistogram]
    choices: NotRequired[list[int]]
    """The number of answers of each option."""
    heat: NotRequired[list[PollCell]]
    truth: NotRequired[PollTruth | None]
    """Once it is revealed; null where nothing recorded decides."""


class RoomEndedMessage(TypedDict):
    """The room is over and deleted; the socket is closed with 4410."""

    type: Literal["ended"]


class RoomErrorMessage(ErrorInfo):
    """What was asked for and cannot be."""

    type: Literal["error"]


RoomServerMessage: TypeAlias = (
    RoomWelcomeMessage
    | RoomStateMessage
    | RoomPointerMessage
    | RoomHandMessage
    | ClassMessage
    | AnsweredMessage
    | PollResultsMessage
    | RoomEndedMessage
    | RoomErrorMessage
)
