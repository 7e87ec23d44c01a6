"""One in a room: a page that follows the teacher, connects again when the line is lost, and answers polls; and the teacher."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from time import perf_counter, perf_counter_ns
from typing import Any

from .reader import Reader, Tally
from .wire import Lost, Socket

JSON = dict[str, Any]
QUICK_TRIES, QUICK_PAUSE, LEAST_PAUSE, LONGEST_PAUSE = 8, 1.0, 0.5, 5.0
"""When a page connects again: as in static/js/core/room.js, which a test compares."""
CONNECT_SECONDS = 10.0
PING_SECONDS = 5.0
PATIENCE, LATE_SECONDS, REVEAL_SECONDS = 60.0, 15.0, 12.0
NOT_COUNTED = -1
FOLLOWING, RIGHT, ASKING = 0.8, 0.7, 0.05
"""In a lesson: the parts of those who follow, of right answers, and of those who have a hand up or are lost."""
ANSWER_SECONDS = 2.0
"""Within so long after a poll was opened everybody has answered."""


EARLIEST, NEAR = 6, 4
"""So many steps earlier at most a page of a class asks for the next stretch, and so many steps before it needs it: as in
static/js/features/tensor/ahead.js, which a test compares."""


@dataclass
class RoomTally(Tally):
    """What has happened to all in a room."""

    told: list[float] = field(default_factory=list)
    """Seconds from the teacher's step until a follower was told of it."""
    shown: list[float] = field(default_factory=list)
    """Until a follower had what the page shows of it."""
    missed: int = 0
    """Steps that a follower was not told of, since the next one had come."""
    back: list[float] = field(default_factory=list)
    """Seconds from the loss of the line until one is back at the teacher's step and has a value of it."""
    acknowledged: int = 0
    lost_answers: int = 0
    """Answers that were acknowledged, and that the room did not know afterwards."""


def pause_before(tries: int, chance: float) -> float:
    """Seconds that a page waits before it connects again; `chance` is from 0 to 1."""
    most = min(LONGEST_PAUSE, QUICK_PAUSE * 2 ** max(0, tries - QUICK_TRIES + 1))
    return float(LEAST_PAUSE + chance * (most - LEAST_PAUSE))


class Line:
    """The socket of a room, connected again whenever it is lost."""

    def __init__(self, reader: Reader, room: str, hello: JSON, tally: RoomTally) -> None:
        self.reader, self._hello, self._tally = reader, {"type": "hello", **hello}, tally
        self._path = f"/api/rooms/{room}/live"
        self._socket: Socket | None = None
        self._opening: asyncio.Future[None] | None = None
        """Of the present socket: done once the room has said welcome, or once it is lost before."""
        self.welcome = asyncio.Event()
        self.lost_at: float | None = None
        self.closing = False
        self._again: asyncio.Task[None] | None = None

    async def come(self) -> None:
        """Come in; where that fails, go on trying as a page does."""
        try:
            await self._connect()
        except Lost as error:
            self._tally.errors.append(f"room: {error}")
            self._again = asyncio.create_task(self._connect_again())

    async def _connect(self) -> None:
        """Until the room says welcome; `Lost` if it does not, and nothing of the socket is left then."""
        opening = self._opening = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                self._socket = await self.reader.listen(self._path, self._heard, lambda: self._lost(opening))
                self.say(self._hello)
                await opening
        except (Lost, OSError, TimeoutError) as error:
            opening.cancel()
            self._hang_up()
            raise Lost(f"{type(error).__name__}: {error}") from error

    def say(self, message: JSON) -> None:
        """Says something, unless the line is lost."""
        if self._socket is not None:
            self._socket.say(json.dumps(message).encode())

    def _heard(self, text: bytes) -> None:
        self.hear(json.loads(text), perf_counter())

    def hear(self, message: JSON, now: float) -> None:
        """What the room says."""
        if message["type"] == "welcome":
            self._hello["member"] = message["you"]["member"] or self._hello.get("member")
            self.welcome.set()
            if self._opening is not None and not self._opening.done():
                self._opening.set_result(None)
        elif message["type"] == "error":
            self._tally.errors.append(f"room: {message['message']}")

    def _lost(self, opening: asyncio.Future[None]) -> None:
        """A socket has ended: who waits for its welcome is told; one that was welcome is opened again."""
        if not opening.done():
            opening.set_exception(Lost("closed before the welcome"))
        elif opening is self._opening and not opening.cancelled() and not self.closing:
            self.welcome.clear()
            self.lost_at = perf_counter()
            self._again = asyncio.create_task(self._connect_again())

    async def _connect_again(self) -> None:
        for tries in count():
            await asyncio.sleep(pause_before(tries, random.random()))
            with suppress(Lost):
                await self._connect()
                return

    def _hang_up(self) -> None:
        socket, self._socket = self._socket, None
        if socket is not None and socket.transport is not None:
            socket.transport.abort()

    def close(self) -> None:
        """Leaves the room."""
        self.closing = True
        if self._again is not None:
            self._again.cancel()
        self._hang_up()


class Follower(Line):
    """A member who follows, and whose page asks for what each step shows."""

    def __init__(
        self, reader: Reader, room: str, number: int, tally: RoomTally, steps: Sequence[str] = ()
    ) -> None:
        super().__init__(reader, room, {}, tally)
        self.number, self.steps = number, steps
        self.step = -1
        self._early = random.randrange(EARLIEST)
        self._asked: dict[int, asyncio.Task[bool]] = {}
        """What the page of the recording asked for at a step, once this one has asked for it."""
        self._poll: str | None = None
        self._answer: str | None = None
        self._is_acknowledged = False
        self.revealed = asyncio.Event()
        """Set once the poll is over."""
        self._tasks: set[asyncio.Task[Any]] = set()

    def hear(self, message: JSON, now: float) -> None:
        """Follows; answers a poll after a while; sends an answer that nobody has acknowledged once more."""
        super().hear(message, now)
        kind = message["type"]
        if kind == "welcome":
            self._welcomed(message)
        elif kind == "answered":
            self._is_acknowledged = True
            self._tally.acknowledged += 1
        if kind not in ("welcome", "room"):
            return
        room = message["room"]
        poll = room["poll"]
        if poll is not None and poll["revealed"]:
            self.revealed.set()
        if poll is not None and poll["open"] and self._poll is None:
            self._poll = poll["id"]
            self._spawn(self._answer_later())
        if room["position"] is not None:
            self._follow(room["position"], now, is_news=kind == "room")

    def _welcomed(self, message: JSON) -> None:
        kept = message["you"]["answer"]
        if self._is_acknowledged and (kept is None or kept["value"] != self._answer):
            self._tally.lost_answers += 1
        if self._answer is not None and not self._is_acknowledged:
            self._send_answer()

    def _follow(self, position: JSON, now: float, *, is_news: bool) -> None:
        step, path = position["step"], position["path"]
        # What the room remembered may be a moment old; back is who knows where the teacher has gone since.
        if self.lost_at is not None and path and path[0] / 1e6 > self.lost_at:
            self._spawn(self._come_back(step, self.lost_at))
            self.lost_at = None
        if step == self.step:
            return
        if is_news and path:
            begun = path[0] / 1e6
            self._tally.told.append(now - begun)
            self._tally.missed += max(0, step - self.step - 1) if self.step >= 0 else 0
            self._ask_until(step + self._early)
            self._spawn(self._show(step, begun))
        self.step = step

    def _ask_until(self, last: int) -> None:
        """Asks for what the recorded page had asked for up to this step."""
        for step in range(max(self._asked, default=max(-1, last - EARLIEST)) + 1, last + 1):
            self._asked[step] = self._spawn(self.reader.fetch_step(step, self._tally))

    async def _show(self, step: int, begun: float) -> None:
        """The step is shown once that has come which was asked for so many steps before that it is needed now."""
        late = [asked for number, asked in self._asked.items() if number <= step - NEAR and not asked.done()]
        if all([await asked for asked in late]):
            self._tally.shown.append(perf_counter() - begun)

    async def _come_back(self, step: int, lost: float) -> None:
        """Back: at the step, and with a value of it, which a worker has to have again."""
        if await self.reader.fetch_value(step, self._tally):
            self._tally.back.append(perf_counter() - lost)

    async def _answer_later(self) -> None:
        await asyncio.sleep(random.uniform(0, ANSWER_SECONDS))
        self._answer = str(self.number)
        self._send_answer()

    def _send_answer(self) -> None:
        self.say({"type": "answer", "poll": self._poll, "value": self._answer})

    async def stay(self) -> None:
        """Says now and then where one is, as pages do; in a lesson also answers, asks for help, and goes ways of one's own."""
        while not self.closing:
            await asyncio.sleep(random.uniform(0.8, 1.0) * PING_SECONDS)
            place = {"run": 1, "step": max(0, self.step), "process": 0}
            following = not self.steps or random.random() < FOLLOWING
            lesson_step = random.choice(self.steps) if self.steps else None
            self.say({"type": "where", "following": following, "position": place, "lesson_step": lesson_step})
            if lesson_step is not None:
                self.say({"type": "progress", "lesson_step": lesson_step, "right": random.random() < RIGHT})
                self.say({"type": "hand", "up": random.random() < ASKING})
                self.say({"type": "lost", "lost": random.random() < ASKING})

    async def settle(self) -> None:
        """Until the page has what it asked for."""
        await asyncio.gather(*self._tasks)

    def _spawn(self, work: Any) -> asyncio.Task[Any]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


class Teacher(Line):
    """Who steps, and asks."""

    def __init__(self, reader: Reader, room: str, owner: str, tally: RoomTally) -> None:
        super().__init__(reader, room, {"owner": owner}, tally)
        self.step = 0
        self.results: JSON = {}
        self.back_at: float | None = None
        """When the line was there again, if it was lost."""
        self.poll: str | None = None

    def hear(self, message: JSON, now: float) -> None:
        """After a lost line, tells the room where the class is: the teacher's page knows best."""
        super().hear(message, now)
        if message["type"] == "results":
            self.results = dict(message)
        if message["type"] in ("welcome", "room") and message["room"]["poll"] is not None:
            self.poll = message["room"]["poll"]["id"]
        if message["type"] == "welcome" and self.lost_at is not None:
            self.lost_at, self.back_at = None, now
            self.lead()

    def lead(self) -> None:
        """Tells the class where one is; when that was, stands where the path of a value stands otherwise."""
        position = {"run": 1, "step": self.step, "process": 0, "path": [perf_counter_ns() // 1000]}
        self.say({"type": "state", "position": position})

    def ask(self) -> None:
        """Opens a poll about a number."""
        target = {"run": 1, "process": 0, "address": "0.s0.0", "element": [0, 0]}
        self.say(
            {"type": "poll", "poll": {"kind": "number", "question": "What will it be?", "target": target}}
        )

    async def count(self, expected: int) -> int:
        """Closes and reveals the poll, once so many have answered or nobody seems to come any more; how many answers there are."""
        try:
            await asyncio.wait_for(self.welcome.wait(), PATIENCE)
        except TimeoutError:
            return NOT_COUNTED
        end = perf_counter() + LATE_SECONDS
        while perf_counter() < end and self.results.get("count", 0) < expected:
            await asyncio.sleep(0.1)
        self.results.clear()
        self.say({"type": "close_poll"})
        end, asked = perf_counter() + PATIENCE, float("-inf")
        while perf_counter() < end and "truth" not in self.results:
            if (
                perf_counter() > asked + REVEAL_SECONDS
            ):  # a worker that has to be started first may take longer than it may
                self.say({"type": "reveal_poll"})
                asked = perf_counter()
            await asyncio.sleep(0.1)
        return int(self.results["count"]) if "truth" in self.results else NOT_COUNTED
