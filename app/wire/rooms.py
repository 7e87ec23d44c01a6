"""Rooms: a teacher's session that a class follows; the server's messages and responses.

A client sends `hello` first and receives the whole state. From then on each change of the room arrives as a whole
snapshot with a higher version, so a missed one does no harm. The client's messages are in `room_messages`.
"""

from typing import Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

from .lessons import AskKind
from .live import ErrorInfo

RoomRole: TypeAlias = Literal["owner", "member", "screen"]
"""The teacher, with the owner's secret; a follower; a presenter's screen, which only reads."""

RecordsKind: TypeAlias = Literal["none", "anonymous", "named"]
"""What a room keeps of each member's answers for its teacher: nothing, the answers, or also the names that members give."""

PollValue: TypeAlias = str | int | list[int]
"""An answer: the text of a number (`3`, `-1.5e3`, `nan`, `true`), the option of a choice from 0, the index of a cell, the
sizes of a shape, or for a step the process and the number of the next step."""


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
    line: int | None
    """The first line of the program text in view, which only screens follow: other windows differ in size."""


class PollSource(TypedDict):
    """An element of a recorded value."""

    address: str
    element: list[int]


class PollTarget(TypedDict):
    """The subject of a poll: a recorded value or one element of it; for a cell poll the value to click in."""

    run: int
    process: int
    address: str
    element: list[int] | None
    read_by: PollSource | None
    """Cell poll: elements of the target that this element depends on are right; null: no element is."""


class NewPoll(TypedDict):
    """A poll that a teacher opens.

    `lesson_ask` alone names a question of a lesson, which supplies the kind, the target, and options numbered from 1;
    the page shows the lesson's text.
    """

    kind: AskKind
    """Only questions of the room's lesson ask for a shape or a step."""
    question: str
    options: list[str]
    """The options of a choice, two or more."""
    target: PollTarget | None
    """Null for a choice without a recorded answer, and for most questions of lessons, which state their own subject."""
    lesson_ask: str | None
    """The id of a question of the room's lesson, which supplies the text and the correct answer."""


class PollBeyond(TypedDict):
    """The results of the steps of a process, and the arguments of its frames, from these on."""

    process: int
    step: int
    frame: int


class PollCover(TypedDict):
    """The values of a poll's run that members' pages cover until the answers are shown.

    `addresses`: the asked value, also in other processes, and values that repeat it; `beyond`: all that was not searched.
    """

    addresses: list[str]
    beyond: list[PollBeyond]


class RoomPoll(NewPoll):
    """The poll of a room."""

    id: str
    open: bool
    revealed: bool
    cover: NotRequired[PollCover | None]
    """Absent for questions of lessons, which state what they hide; null without a recorded answer."""


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
    records: RecordsKind
    locked: bool
    """Whether new members are refused."""
    paused: bool
    """Whether the teacher asks for the class's attention."""
    members: int
    """The number of connected members, without the teacher and screens."""
    following: int
    poll: RoomPoll | None


# Routes.


class NewRoom(TypedDict):
    """A new room. `owner`: the teacher's secret, which belongs in the fragment of a URL, never in a path."""

    id: str
    code: str
    url: str
    owner: str
    owner_url: str
    """`url` with the secret as its fragment."""
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
    records: RecordsKind
    hours: int
    """Maximum hours for which the room and all of this is kept."""


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
    """A control, a paragraph or the like, and a position in it, in fractions of its width and height."""

    kind: Literal["control"]
    tag: str
    name: str
    nth: int
    """The index among the panel's elements with this tag and name."""
    x: float
    y: float


class PointerPlace(TypedDict):
    """A position in a panel, in fractions of its size, and the element there: layouts differ between windows."""

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
    """The current state of the room."""

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
    """A member, in the teacher's view. `called`: the name that the member gave, if any."""

    name: str
    called: str
    following: bool
    lost: bool
    hand: bool
    away: bool
    own: bool
    idle: int
    """Whole minutes since the member's page last moved or answered."""
    position: RoomPosition
    lesson_step: str | None
    answers: dict[str, bool]
    """Whether the last answer was right, by step of the lesson."""


class ClassCounts(TypedDict):
    """Counts of members by state; `members` are all that have not left. `uncounted`: more who came in a rush."""

    members: int
    following: int
    lost: int
    hand: int
    away: int
    own: int
    uncounted: int


class StepProgress(TypedDict):
    """The number of members at a step of the lesson, and of right and wrong last answers there."""

    lesson_step: str
    here: int
    right: int
    wrong: int


class ClassMessage(TypedDict):
    """The teacher's view, at most twice a second: of a large class, the members who need help come first."""

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
    """Numbers, shapes or steps in ascending order, at most twelve; `other` counts the rarest."""

    bins: list[PollBin]
    other: int


class PollCell(TypedDict):
    """The number of clicks on this element."""

    element: list[int]
    count: int


class PollTruth(TypedDict):
    """The recorded truth of a poll."""

    shown: str | None
    """The element as the page prints it, the shape, or the steps."""
    number_kind: Literal["integer", "float", "truth"] | None
    digits: int | None
    """Significant digits of a float that count."""
    options: list[int]
    """The right options of a choice."""
    cells: list[list[int]]
    """Cell poll: the first 10,000 right elements. Shape or step: the right answers."""
    right: int
    """The number of right answers."""


class PollResultsMessage(TypedDict):
    """For the teacher while a poll is open, for all members once it is revealed; fewer than five answers: only the count."""

    type: Literal["results"]
    poll: str
    count: int
    histogram: NotRequired[PollHistogram]
    choices: NotRequired[list[int]]
    """The number of answers of each option."""
    heat: NotRequired[list[PollCell]]
    truth: NotRequired[PollTruth | None]
    """Set once the poll is revealed; null without a recorded answer."""


class PastPoll(TypedDict):
    """A poll of the room's history. Individual answers are deleted with the poll; `results` are totals.

    `number`: from 1; `opened`: Unix seconds; `members`: of the class when it ended. `results` is null until it is closed.
    """

    number: int
    opened: float
    members: int
    poll: RoomPoll
    results: PollResultsMessage | None


class AnswerRecord(TypedDict):
    """A member's answers to one question, in a room that keeps records.

    `first`: the first answer; `right`: whether the last one was, null if unknown; `shown`: whether the member was shown
    the right one. `began`, `at`: Unix seconds of the arrival at the step, and of the last answer.
    """

    tries: int
    first: str
    right: bool | None
    shown: bool
    began: float
    at: float


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
