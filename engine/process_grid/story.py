"""Why a grid cannot go on, told so that one sees it: who waits where, for whom, and where those are instead."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ..errors import RunError
from ..program import BoundOperation
from ..refusals import blamed
from ..source import Source
from .events import Team
from .traffic import Post, Rendezvous, Traffic

StoryKind = Literal["deadlock", "ended", "unreceived", "groups", "mismatch", "overlap"]
_MOST_LINES = 16
"""Processes of which a sentence is told; the picture shows all of them."""
_MOST_NAMES = 4


@dataclass(frozen=True)
class Wait:
    """One process that waits."""

    process: int
    op: BoundOperation
    step: int
    channel: int
    group: tuple[int, ...]
    missing: tuple[int, ...]
    """The processes that have not come."""
    what: str
    """What it waits to do: `meet`, `send`, `receive`, or `await`, which it has started before."""
    any_of: bool = False
    """Whether one of those that are missing would do: it receives what anyone may send."""


@dataclass(frozen=True)
class Story:
    """Why nobody goes on."""

    kind: StoryKind
    sentence: str
    lines: tuple[str, ...]
    """More about it, a sentence each."""
    waits: tuple[Wait, ...]
    cycle: tuple[int, ...] = ()
    """Processes each of which waits for the next, and the last for the first."""


class Standstill(RunError):
    """The processes of a grid cannot go on together; `story` says why."""

    kind = "standstill"

    def __init__(self, story: Story, bound: BoundOperation, hint: str | None = None) -> None:
        told = "\n".join((story.sentence, *story.lines))
        super().__init__(told, hint=hint)
        self.story = story
        blamed(self, bound)


@dataclass(frozen=True)
class Teller:
    """Names processes and ops as the user knows them."""

    source: Source
    teams: Sequence[Team]

    def name(self, number: int) -> str:
        """`(0, 1)`: a process by its place in its grid."""
        team = next(team for team in self.teams if number in team.numbers)
        replica_id, partition_id = team.process_of(number)
        return f"({replica_id}, {partition_id})"

    def names(self, numbers: Sequence[int]) -> str:
        """`(0, 1) and (0, 2)`; of many the first."""
        shown = [self.name(number) for number in numbers[:_MOST_NAMES]]
        if more := len(numbers) - len(shown):
            shown.append(f"{more} more")
        return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"

    def at(self, bound: BoundOperation) -> str:
        """`stablehlo.all_reduce at line 7`."""
        line, _ = self.source.line_and_column(bound.operation.span.start)
        return f"{bound.operation.spelled} at line {line}"


def waits_of(traffic: Traffic) -> Iterator[Wait]:
    """Those that wait, or have started what is never finished, in the order of their numbers."""
    found = [*_in_rooms(traffic), *_on_lines(traffic), *_on_hosts(traffic)]
    return iter(sorted(found, key=lambda wait: (wait.process, wait.step)))


def _in_rooms(traffic: Traffic) -> Iterator[Wait]:
    for room in traffic.rooms.values():
        for meeting in room.meetings.values():
            for post in meeting.posts.values():
                if post.process not in meeting.released:
                    yield _wait_in(meeting, post)


def _wait_in(meeting: Rendezvous, post: Post) -> Wait:
    missing = tuple(number for number in post.awaited if number not in meeting.posts)
    what = "meet" if post.ticket is None else "await"
    return Wait(post.process, post.bound, post.step, meeting.channel, meeting.group, missing, what)


def _on_lines(traffic: Traffic) -> Iterator[Wait]:
    for (_, channel, *_), line in traffic.lines.items():
        for message in line.waiting:
            if message.sent is not None:
                yield _wait_at_end(message.sent, channel, "send")
            if message.wanted is not None:
                yield _wait_at_end(message.wanted, channel, "receive")


def _on_hosts(traffic: Traffic) -> Iterator[Wait]:
    for (_, channel), queue in traffic.hosts.items():
        for message in queue.wanted:
            if message.wanted is not None:
                yield replace(_wait_at_end(message.wanted, channel, "receive"), any_of=True)


def _wait_at_end(post: Post, channel: int, what: str) -> Wait:
    missing = tuple(number for number in post.awaited if number != post.process)
    return Wait(post.process, post.bound, post.step, channel, post.awaited, missing, what)


# Two that do not fit together


def differing(teller: Teller, first: Post, second: Post, channel: int, wrong: str) -> Standstill:
    """Two processes meet, but not for the same thing. `wrong` says what is here and what is there."""
    one, two = teller.name(first.process), teller.name(second.process)
    sentence = f"{one} and {two} meet{_on(channel)}, but their ops do not fit: {wrong}"
    lines = tuple(
        f"{'here' if post is first else 'there'}: {teller.name(post.process)} in {teller.at(post.bound)}"
        for post in (first, second)
    )
    hint = "let all processes of a group run the same op, in the same order"
    return Standstill(Story("mismatch", sentence, lines, _both(first, second, channel)), second.bound, hint)


def doubled(teller: Teller, first: Post, second: Post, channel: int, *, sends: bool) -> Standstill:
    """Two sends, or two receives, are pending on one channel."""
    verb, other = ("sends", "received") if sends else ("receives", "sent")
    sentence = (
        f"{teller.name(second.process)} {verb} on channel {channel}, where what {teller.name(first.process)} "
        f"{verb} has not been {other} yet"
    )
    lines = tuple(
        f"{teller.name(post.process)} {verb} in {teller.at(post.bound)}" for post in (first, second)
    )
    hint = "give each transfer that is under way a channel of its own"
    return Standstill(Story("overlap", sentence, lines, _both(first, second, channel)), second.bound, hint)


def _both(first: Post, second: Post, channel: int) -> tuple[Wait, ...]:
    return tuple(
        Wait(post.process, post.bound, post.step, channel, post.awaited, (), "meet")
        for post in (first, second)
    )


def _on(channel: int) -> str:
    return f" on channel {channel}" if channel else ""


# Nobody can go on


def standstill(teller: Teller, traffic: Traffic, ended: Collection[int]) -> Standstill | None:
    """Why the processes that have not ended wait for ever; `None` if nothing is left undone."""
    waits = tuple(waits_of(traffic))
    if not waits:
        return None
    if found := _doubled(teller, traffic):
        return found
    told = _Telling(teller, waits, ended)
    return told.groups() or told.unreceived() or told.ended() or told.deadlock()


def _doubled(teller: Teller, traffic: Traffic) -> Standstill | None:
    """Two sends, or two receives, that wait on one channel."""
    for (_, channel, *_), line in traffic.lines.items():
        if both := line.doubled:
            sends = any(message.sent is both[1] for message in line.waiting)
            return doubled(teller, *both, channel, sends=sends)
    return None


class _Telling:
    """The kinds of story, each told if it is the one."""

    def __init__(self, teller: Teller, waits: tuple[Wait, ...], ended: Collection[int]) -> None:
        self._teller, self._waits, self._ended = teller, waits, ended
        self._blocked = dict(sorted({wait.process: wait for wait in reversed(waits)}.items()))
        self._lines = tuple(self._line(wait) for wait in waits[:_MOST_LINES])

    def _story(
        self, kind: StoryKind, sentence: str, wait: Wait, hint: str, cycle: tuple[int, ...] = ()
    ) -> Standstill:
        more = len(self._waits) - len(self._lines)
        lines = (*self._lines, *([f"{more} more wait"] if more else []))
        return Standstill(Story(kind, sentence, lines, self._waits, cycle), wait.op, hint)

    def groups(self) -> Standstill | None:
        """Some that wait on one channel do not agree who meets."""
        for wait in self._waits:
            for number in wait.missing:
                other = self._blocked.get(number)
                if other is None or {wait.what, other.what} - {"meet", "await"}:
                    continue
                differ = set(other.group) != set(wait.group) and wait.process in other.group
                if differ and other.channel == wait.channel:
                    name = self._teller.name
                    sentence = (
                        f"{name(wait.process)} and {name(number)} wait for each other"
                        f"{_on(wait.channel)} in different groups: {self._group(wait)} and {self._group(other)}"
                    )
                    hint = "give all processes of a group the same replica_groups"
                    return self._story("groups", sentence, wait, hint)
        return None

    def unreceived(self) -> Standstill | None:
        """A message that nobody takes, or that never comes."""
        for wait in self._waits:
            if wait.what not in ("send", "receive"):
                continue
            if any(number not in self._ended for number in wait.missing):
                continue
            verb, other = ("sends", "receives") if wait.what == "send" else ("receives", "sends")
            nobody = f"nobody {'else ' if wait.any_of else ''}{other} there"
            who = self._gone(wait.missing) if wait.missing else nobody
            sentence = f"{self._teller.name(wait.process)} {verb} on channel {wait.channel}, but {who}"
            help = "put an item into its queue before the run" if wait.any_of else "leave the transfer out"
            hint = f"let a process {other.removesuffix('s')} on the channel, or {help}"
            return self._story("unreceived", sentence, wait, hint)
        return None

    def ended(self) -> Standstill | None:
        """Some wait for a process that has returned already."""
        for wait in self._waits:
            gone = [number for number in wait.missing if number in self._ended]
            if gone and not wait.any_of:
                sentence = (
                    f"{self._gone(gone)}, while {self._teller.name(wait.process)} waits in "
                    f"{self._teller.at(wait.op)}"
                )
                hint = "let every process of the group run the op as often as the others"
                return self._story("ended", sentence, wait, hint)
        return None

    def deadlock(self) -> Standstill:
        """Processes wait for each other."""
        cycle = self._cycle()
        wait = self._blocked[cycle[0]] if cycle else self._waits[0]
        if not cycle:
            sentence = f"deadlock: nobody can go on, and {len(self._waits)} wait"
        elif len(cycle) == 2:
            sentence = f"deadlock: {self._teller.names(cycle)} wait for each other"
        else:
            chain = ", which waits for ".join(self._teller.name(number) for number in (*cycle[1:], cycle[0]))
            sentence = f"deadlock: {self._teller.name(cycle[0])} waits for {chain}"
        return self._story(
            "deadlock", sentence, wait, "let all processes come to their meetings in one order", cycle
        )

    def _cycle(self) -> tuple[int, ...]:
        for start in self._blocked:
            path: list[int] = []
            number: int | None = start
            while number is not None and number not in path:
                path.append(number)
                number = self._next_blocked(number)
            if number is not None:
                ring = path[path.index(number) :]
                least = ring.index(min(ring))
                return (*ring[least:], *ring[:least])
        return ()

    def _next_blocked(self, number: int) -> int | None:
        missing = self._blocked[number].missing
        return next((other for other in missing if other in self._blocked), None)

    def _gone(self, numbers: Sequence[int]) -> str:
        return f"{self._teller.names(numbers)} {'has' if len(numbers) == 1 else 'have'} ended"

    def _group(self, wait: Wait) -> str:
        return f"{{{self._teller.names(wait.group)}}}"

    def _line(self, wait: Wait) -> str:
        does = {
            "meet": "waits",
            "send": "waits to send",
            "receive": "waits to receive",
            "await": "has started what never ends",
        }[wait.what]
        told = f"{self._teller.name(wait.process)} {does} in {self._teller.at(wait.op)}{_on(wait.channel)}"
        missing = [
            f"{self._teller.name(number)}, {self._whereabouts(number)}"
            for number in wait.missing[:_MOST_NAMES]
        ]
        if more := len(wait.missing) - len(missing):
            missing.append(f"{more} more")
        return f"{told}, for {'; '.join(missing)}" if missing else told

    def _whereabouts(self, number: int) -> str:
        if number in self._ended:
            return "which has ended"
        found = self._blocked.get(number)
        return f"which waits in {self._teller.at(found.op)}" if found else "which has not come"
