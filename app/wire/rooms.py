"""Rooms: a teacher's session that a class follows. What the server says over a room's socket, and what its routes answer.

A client says `hello` first and is welcomed with the whole state. From then on each change of the room comes as a whole
snapshot with a higher version: one that was missed costs nothing. What a client says is in `room_words`.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

from .lessons import AskKind
from .live import ErrorInfo

RoomRole: TypeAlias = Literal["owner", "member", "screen"]
"""The teacher, with the owner's secret; somebody who follows; a presenter's screen, which reads alone."""

PollValue: TypeAlias = str | int | list[int]
"""An answer: of a number its text (`3`, `-1.5e3`, `nan`, `true`), of a choice the option from 0, of a cell its index, of a shape its
sizes, of a step the process and the position before the step."""


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
    """A poll that a teacher opens. One of a lesson's questions is named by `lesson_ask` alone; its kind and target are the
    question's, and its options, of which the page shows the lesson's words, are numbered from 1."""

    kind: AskKind
    """A shape and a step are asked for by questions of the room's lesson alone."""
    question: str
    options: list[str]
    """Of a choice; two or more."""
    target: PollTarget | None
    """Nothing for a choice that nothing recorded decides, and for most questions of lessons: the lesson knows what they are about."""
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
    """A new room for a session, by its id, or for a lesson, whose session it follows then; `run` is where it begins."""

    session: NotRequired[str | None]
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


# What the server says.


class PointedLine(TypedDict):
    """A character of a text in a panel."""

    kind: Literal["line"]
    line: int
    column: int


class PointedCell(TypedDict):
    """A place in a heat map of the panel, in rows and columns and parts of them."""

    kind: Literal["cell"]
    picture: int
    """Which one of the panel."""
    height: int
    width: int
    row: float
    column: float


class PointedControl(TypedDict):
    """A control, a paragraph or the like, and the place in it, in fractions of its width and height."""

    kind: Literal["control"]
    tag: str
    name: str
    nth: int
    """Which one of those in the panel that have this tag and name."""
    x: float
    y: float


class PointerPlace(TypedDict):
    """A place in a panel, in fractions of its width and height, and what is there: windows differ in what they show where."""

    panel: str
    x: float
    y: float
    thing: NotRequired[PointedLine | PointedCell | PointedControl | None]


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
    """How many have answered this number, shape or step, as it is shown."""

    label: str
    count: int
    right: bool | None


class PollHistogram(TypedDict):
    """Numbers, shapes or steps in rising order, twelve at most; the rarest others are in `other`."""

    bins: list[PollBin]
    other: int


class PollCell(TypedDict):
    """How many have clicked on this element."""

    element: list[int]
    count: int


class PollTruth(TypedDict):
    """What the recording says."""

    shown: str | None
    """The element as the page prints it, where the poll is about one; the shape, the steps."""
    number_kind: Literal["integer", "float", "truth"] | None
    digits: int | None
    """Significant digits of a float that count."""
    options: list[int]
    """Of a choice: the options that are right."""
    cells: list[list[int]]
    """Of a cell poll: the elements that are right, the first 10,000 of them. Of a shape and a step: the answers that are."""
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
