"""Rooms: a teacher's session that a class follows; the server's messages and responses.

A client sends `hello` first and receives the whole state. From then on each change of the room arrives as a whole
snapshot with a higher version, so a missed one does no harm. The client's messages are in `room_messages`.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

from .lessons import AskKind
from .live import ErrorInfo

RoomRole: TypeAlias = Literal["owner", "member", "screen"]
"""The teacher, with the owner's secret; a follower; a presenter's screen, which only reads."""

PollValue: TypeAlias = str | int | list[int]
"""An answer: of a number its text (`3`, `-1.5e3`, `nan`, `true`), of a choice the option from 0, of a cell its index, of a shape its
sizes, of a step the process and the position before the step."""


class RoomPosition(TypedDict):
    """A position and the value shown, in the session of the room."""

    run: int
    step: int
    process: int
    tab: str | None
    value: int | None
    """A value of the program, by its number; null: the result of the step."""
    path: list[int]
    """The path of the value within a tuple."""
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
    """Cell poll: the target's elements that this one depends on are right; null: none is."""


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
    """The state of a room that all its participants receive."""

    code: str
    title: str
    session: str
    """The read-only link to the session that the room follows."""
    lesson: str | None
    position: RoomPosition
    lesson_step: str | None
    chalk: str | None
    """The name of the member who leads instead of the teacher."""
    locked: bool
    """Whether new members are refused."""
    paused: bool
    """Whether the teacher asks for everybody's attention."""
    members: int
    """The number of connected members, without the teacher and screens."""
    following: int
    poll: RoomPoll | None


# Routes.


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
    """The facts about a room before a page joins."""

    id: str
    title: str
    session: str
    lesson: str | None
    code: str
    locked: bool
    copies: int
    """Maximum copies of the session per member."""


class JoinedRoom(TypedDict):
    """The address of the room with a code."""

    id: str
    url: str


class NewCopy(TypedDict):
    """A private session: its id grants full access to it, and to nothing else."""

    id: str
    url: str


# The server's messages.


class PointedLine(TypedDict):
    """A character of a text in a panel."""

    kind: Literal["line"]
    line: int
    column: int


class PointedCell(TypedDict):
    """A position in a heat map of the panel, in fractional rows and columns."""

    kind: Literal["cell"]
    picture: int
    """The index of the heat map in the panel."""
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
    """The index among the panel's elements with this tag and name."""
    x: float
    y: float


class PointerPlace(TypedDict):
    """A place in a panel, in fractions of its width and height, and what is there: windows differ in what they show where."""

    panel: str
    x: float
    y: float
    thing: NotRequired[PointedLine | PointedCell | PointedControl | None]


class GivenAnswer(TypedDict):
    """A member's own answer to a poll."""

    poll: str
    value: PollValue


class RoomSelf(TypedDict):
    """A member's own identity. `member`: the secret to store in the browser for `hello`."""

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
    """The pointer position of the leader: the teacher, or the member `by`."""

    type: Literal["pointer"]
    at: PointerPlace | None
    by: str


class RoomHandMessage(TypedDict):
    """The teacher has lowered the member's hand."""

    type: Literal["hand"]
    up: bool


class ClassMember(TypedDict):
    """A member, in the teacher's view."""

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
    """Counts of members by state; `members` are all that have not left."""

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
    """An answer is stored, and survives a failure of the server."""

    type: Literal["answered"]
    poll: str
    value: PollValue


class PollBin(TypedDict):
    """The number of answers with this number, shape or step, as displayed."""

    label: str
    count: int
    right: bool | None


class PollHistogram(TypedDict):
    """Numbers, shapes or steps in rising order, twelve at most; the rarest others are in `other`."""

    bins: list[PollBin]
    other: int


class PollCell(TypedDict):
    """The number of clicks on this element."""

    element: list[int]
    count: int


class PollTruth(TypedDict):
    """The recorded truth of a poll."""

    shown: str | None
    """The element as the page prints it, where the poll is about one; the shape, the steps."""
    number_kind: Literal["integer", "float", "truth"] | None
    digits: int | None
    """Significant digits of a float that count."""
    options: list[int]
    """Of a choice: the options that are right."""
    cells: list[list[int]]
    """Cell poll: the first 10,000 right elements. Shape or step: the right answers."""
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
    """A failed request in a room."""

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
