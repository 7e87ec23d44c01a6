"""Schemas of room requests, and of a page's messages over a room's socket.

`rooms` has the server's messages. The browser's types of these messages are made from the schemas.
"""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from .requests import MOST_PROCESSES, Part, RunNumber, Schema, Step

SHORT = 40
MOST_DIMENSIONS = 64
MOST_OPTIONS = 8

Secret = Annotated[str, Field(min_length=16, max_length=100)]
MemberName = Annotated[str, Field(max_length=SHORT)]
LessonStep = Annotated[str, Field(min_length=1, max_length=80)]
Index = Annotated[list[Annotated[int, Field(ge=0, le=2**53)]], Field(max_length=MOST_DIMENSIONS)]
Address = Annotated[str, Field(max_length=80)]
Process = Annotated[int, Field(ge=0, le=MOST_PROCESSES)]
Count = Annotated[int, Field(ge=0, le=2**53)]
Fraction = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class RoomRequest(Schema):
    """A new room. `records`: see `rooms.RecordsKind`; `language`: of its lesson, for members who choose none."""

    session: Annotated[str, Field(max_length=100)] | None = None
    run: RunNumber | None = None
    lesson: Annotated[str, Field(max_length=80)] | None = None
    language: Annotated[str, Field(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})?$")] | None = None
    records: Literal["none", "anonymous", "named"] = "none"


class JoinRequest(Schema):
    """The room's code, which the teacher shows."""

    code: Annotated[str, Field(max_length=SHORT)]


class CopyRequest(Schema):
    """A copy of a run of the room's session, with another text if one is stated."""

    run: RunNumber | None = None
    text: str | None = None


class Position(Part):
    """See `rooms.RoomPosition`."""

    run: RunNumber
    step: Step
    process: Process = 0
    tab: Annotated[str, Field(max_length=SHORT)] | None = None
    value: Annotated[int, Field(ge=0, le=2**53)] | None = None
    path: Index = Field(default_factory=list)
    element: Index | None = None
    line: Annotated[int, Field(ge=1, le=2**53)] | None = None


class Source(Part):
    """See `rooms.PollSource`."""

    address: Address
    element: Index


class Target(Part):
    """See `rooms.PollTarget`."""

    run: RunNumber
    process: Process = 0
    address: Address
    element: Index | None = None
    read_by: Source | None = None


class Poll(Part):
    """See `rooms.NewPoll`."""

    kind: Literal["number", "choice", "cell", "shape", "step"] = "number"
    question: Annotated[str, Field(max_length=400)] = ""
    options: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=120)]], Field(max_length=MOST_OPTIONS)
    ] = Field(default_factory=list)
    target: Target | None = None
    lesson_ask: Annotated[str, Field(min_length=1, max_length=120)] | None = None


class Line(Part):
    """See `rooms.PointedLine`."""

    kind: Literal["line"]
    line: Count
    column: Count


class Cell(Part):
    """See `rooms.PointedCell`."""

    kind: Literal["cell"]
    picture: Annotated[int, Field(ge=0, le=1000)]
    height: Count
    width: Count
    row: Annotated[float, Field(ge=0, le=2**53, allow_inf_nan=False)]
    column: Annotated[float, Field(ge=0, le=2**53, allow_inf_nan=False)]


class Control(Part):
    """See `rooms.PointedControl`."""

    kind: Literal["control"]
    tag: Annotated[str, Field(pattern=r"^[a-z][a-z0-9]{0,19}$")]
    name: Annotated[str, Field(max_length=60)]
    nth: Annotated[int, Field(ge=0, le=100_000)]
    x: Fraction
    y: Fraction


class PointerPlace(Part):
    """See `rooms.PointerPlace`."""

    panel: Annotated[str, Field(max_length=SHORT)]
    x: Fraction
    y: Fraction
    thing: Annotated[Line | Cell | Control, Field(discriminator="kind")] | None = None


class Hello(Part):
    """First, within ten seconds. `name`: as the member gave it, in a room that asks for names. `member` is the secret of an earlier welcome; `version` the last one seen."""

    type: Literal["hello"]
    member: Secret | None = None
    owner: Secret | None = None
    screen: bool = False
    name: Annotated[str, Field(max_length=60)] | None = None
    version: Annotated[int, Field(ge=0, le=2**53)] | None = None


class Lead(Part):
    """The position of the class, from the teacher or the member with the chalk, after each welcome too."""

    type: Literal["state"]
    position: Position
    lesson_step: LessonStep | None = None


class Point(Part):
    """The leader's pointer position; null hides the pointer."""

    type: Literal["pointer"]
    at: PointerPlace | None


class Where(Part):
    """A follower's position, at most once a second. `own`: in their private copy."""

    type: Literal["where"]
    following: bool
    position: Position
    lesson_step: LessonStep | None = None
    own: bool = False


class Hand(Part):
    """Raise or lower a hand; the teacher lowers one with `member`, a name."""

    type: Literal["hand"]
    up: bool
    member: MemberName | None = None


class Lost(Part):
    """Report "I am lost", or withdraw it."""

    type: Literal["lost"]
    lost: bool


class Progress(Part):
    """A question or exercise of a lesson's step was answered.

    `ask`: the id of a question, and `said`: the answer as typed, which the server judges for the room's records; null if
    the member asked for the right answer.
    """

    type: Literal["progress"]
    lesson_step: LessonStep
    right: bool
    ask: Annotated[str, Field(min_length=1, max_length=120)] | None = None
    said: Annotated[str, Field(max_length=200)] | None = None


class OpenPoll(Part):
    """Open a poll, as the teacher; it replaces a closed one."""

    type: Literal["poll"]
    poll: Poll


class ClosePoll(Part):
    """Close the poll to further answers."""

    type: Literal["close_poll"]


class RevealPoll(Part):
    """Close the poll, and show all members the answers and the recorded truth."""

    type: Literal["reveal_poll"]


class DiscardPoll(Part):
    """Delete the poll and its answers."""

    type: Literal["discard_poll"]


class GiveAnswer(Part):
    """A member's answer, which may be changed until the poll is closed. It counts once `answered` arrives."""

    type: Literal["answer"]
    poll: Annotated[str, Field(max_length=SHORT)]
    value: (
        Annotated[str, Field(max_length=SHORT)]
        | Annotated[int, Field(strict=True, ge=0, le=MOST_OPTIONS)]
        | Index
    )


class Chalk(Part):
    """The teacher lends the chalk to a member, by name, or takes it back; a member returns it with null."""

    type: Literal["chalk"]
    to: MemberName | None


class SetRoom(Part):
    """The teacher's settings."""

    type: Literal["settings"]
    locked: bool | None = None
    paused: bool | None = None


class CountAll(Part):
    """The teacher counts the members who came in a rush, and their answers."""

    type: Literal["count_all"]


class Ping(Part):
    """Sent every four seconds: a member silent for ten seconds counts as away."""

    type: Literal["ping"]


Message = (
    Lead
    | Point
    | Where
    | Hand
    | Lost
    | Progress
    | OpenPoll
    | ClosePoll
    | RevealPoll
    | DiscardPoll
    | GiveAnswer
    | Chalk
    | SetRoom
    | CountAll
    | Ping
)
"""All messages after `hello`."""
AnyMessage = Annotated[Message, Field(discriminator="type")]
RoomMessage: TypeAlias = Annotated[Hello | Message, Field(discriminator="type")]
"""All messages, including the first."""
