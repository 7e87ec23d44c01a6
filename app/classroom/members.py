"""Members of a room: their reported state, and the teacher's view of the class."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, cast

from ..wire import room_messages as said
from ..wire.encoding import encoded
from ..wire.rooms import ClassCounts, ClassMember, ClassMessage, RoomPosition, StepProgress
from .records import MemberRecords
from .state import position_at

AWAY_SECONDS = 10.0
"""Idle timeout after which a member counts as away."""
GONE_SECONDS = 180.0
"""Timeout after which a disconnected member is no longer counted."""
MOST_LISTED = 300
"""Maximum members in the teacher's list."""
MOST_STEPS = 100
"""Maximum lesson steps whose progress is stored for a member."""

FromMember = said.Where | said.Hand | said.Lost | said.Progress


@dataclass
class Member:
    """A member of the class. `heard`: time of their last message, by the loop's clock."""

    hash: str
    number: int
    name: str
    heard: float = float("-inf")
    acted: float = float("-inf")
    """Time of their last message about themselves."""
    connections: int = 0
    joined: float = float("-inf")
    network: str = ""
    """The address of the last connection, see `fair_shares.network_of`; never stored."""
    is_counted: bool = True
    """Whether the class and its polls count the member, who came at the pace of people or was admitted by the teacher."""
    has_copy: bool = False
    following: bool = True
    lost: bool = False
    hand: bool = False
    own: bool = False
    position: RoomPosition = field(default_factory=lambda: position_at(1))
    lesson_step: str | None = None
    progress: dict[str, bool] = field(default_factory=dict)
    """Whether the question of a lesson step was answered correctly, by step."""
    records: MemberRecords = field(default_factory=MemberRecords)

    def take(self, message: FromMember) -> bool:
        """Apply a member's message; returns whether the change must be stored."""
        match message:
            case said.Where():
                self.following, self.own = message.following, message.own
                self.position = cast(RoomPosition, message.position.model_dump())
                self.lesson_step = message.lesson_step
                return False
            case said.Hand():
                changed, self.hand = self.hand != message.up, message.up
            case said.Lost():
                changed, self.lost = self.lost != message.lost, message.lost
            case said.Progress():
                known = message.lesson_step in self.progress
                changed = self.progress.get(message.lesson_step) != message.right
                if known or len(self.progress) < MOST_STEPS:
                    self.progress[message.lesson_step] = message.right
        return changed

    @property
    def is_silent(self) -> bool:
        """Whether the member's page has reported nothing since the room was loaded."""
        return self.acted == float("-inf")

    @property
    def has_said(self) -> bool:
        """Whether the room has data of the member that they would miss."""
        records = self.records
        known = self.progress or records.answers or records.name
        return self.lost or self.hand or self.has_copy or bool(known)

    def is_here(self, now: float) -> bool:
        """Whether the member is connected and not away."""
        return self.connections > 0 and not self.is_away(now)

    def is_away(self, now: float) -> bool:
        """Whether the idle timeout has passed."""
        return self.heard < now - AWAY_SECONDS

    def is_gone(self, now: float) -> bool:
        """Whether the member is disconnected for longer than the timeout."""
        return self.connections == 0 and self.heard < now - GONE_SECONDS

    def idle_minutes(self, now: float) -> int:
        """Whole minutes since the member's page last moved or answered; 0 before it did."""
        return 0 if self.is_silent else int((now - self.acted) / 60)

    # Stored form.

    def kept(self) -> dict[str, Any]:
        """The stored state of a member."""
        return {
            "lost": self.lost, "hand": self.hand, "progress": self.progress, "records": self.records.kept(),
            "counted": self.is_counted, "copy": self.has_copy,
        }  # fmt: skip

    def restore(self, kept: Any) -> None:
        """Restore the stored state, except damaged parts."""
        if not isinstance(kept, dict):
            return
        self.lost, self.hand = kept.get("lost") is True, kept.get("hand") is True
        self.is_counted, self.has_copy = kept.get("counted") is not False, kept.get("copy") is True
        self.records.restore(kept.get("records"))
        progress = kept.get("progress")
        if isinstance(progress, dict):
            self.progress = {str(step): right is True for step, right in progress.items()}


def class_of(members: Iterable[Member], now: float) -> ClassMessage:
    """The teacher's view of the class."""
    there = [member for member in members if not member.is_gone(now)]
    present = [member for member in there if member.is_counted]
    listed = sorted(present, key=lambda member: _order(member, now))[:MOST_LISTED]
    counts: ClassCounts = {
        "members": len(present),
        "following": sum(member.following and not member.is_away(now) for member in present),
        "lost": sum(member.lost for member in present),
        "hand": sum(member.hand for member in present),
        "away": sum(member.is_away(now) for member in present),
        "own": sum(member.own for member in present),
        "uncounted": len(there) - len(present),
    }
    return {
        "type": "class",
        "members": [_as_seen(member, now) for member in listed],
        "counts": counts,
        "progress": _progress(present),
    }


def _order(member: Member, now: float) -> tuple[bool, bool, bool, int, int]:
    """Sort key: raised hands first, then lost members, absent ones last; of the others, most wrong answers first."""
    right = sum(member.progress.values())
    return not member.hand, not member.lost, member.is_away(now), right - len(member.progress), member.number


def _as_seen(member: Member, now: float) -> ClassMember:
    return encoded(
        ClassMember,
        member,
        called=member.records.name,
        away=member.is_away(now),
        idle=member.idle_minutes(now),
        answers=member.progress,
    )


def _progress(present: list[Member]) -> list[StepProgress]:
    here = Counter(member.lesson_step for member in present if member.lesson_step)
    answered = Counter(item for member in present for item in member.progress.items())
    steps = dict.fromkeys([*here, *(step for step, _ in answered)])
    return [
        {
            "lesson_step": step,
            "here": here[step],
            "right": answered[step, True],
            "wrong": answered[step, False],
        }
        for step in steps
    ]
