"""One machine against a class in a room: false votes, all connections, all members, wrong codes; bounded, on 127.0.0.0/8."""

from __future__ import annotations

import argparse
import asyncio
import json
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from hloscope.app.classroom.door import PACE, SETTLED_SECONDS
from tests.bench.measure import seconds

from .class_session import post_json, shared_session
from .generators import load_average, verdict
from .proof import show, started
from .wire import Browser, Lost, Socket

JSON = dict[str, Any]
SCHOOL, MACHINE = "127.0.0.2", "127.0.0.9"
STUDENTS, FALSE, WRONG_CODES = 30, 260, 301
PINGS_SECONDS, PATIENCE, AT_ONCE = 4.0, 20.0, 40
POLL = {"kind": "choice", "question": "Which?", "options": ["true", "false"]}


@dataclass
class Page:
    """A socket of the room."""

    browser: Browser
    room: str
    hello: JSON = field(default_factory=dict)
    socket: Socket | None = None
    welcome: asyncio.Event = field(default_factory=asyncio.Event)
    results: JSON = field(default_factory=dict)
    poll: asyncio.Event = field(default_factory=asyncio.Event)
    poll_id: str = ""
    has_ended: asyncio.Event = field(default_factory=asyncio.Event)

    async def come(self) -> bool:
        """Whether the room lets the page in."""
        self.welcome.clear()
        self.has_ended.clear()
        try:
            path = f"/api/rooms/{self.room}/live"
            self.socket = await self.browser.listen(path, self._heard, self.has_ended.set)
        except Lost:
            return False
        self.say(type="hello", **self.hello)
        ends = [asyncio.create_task(event.wait()) for event in (self.welcome, self.has_ended)]
        await asyncio.wait(ends, timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        for task in ends:
            task.cancel()
        return self.welcome.is_set()

    def _heard(self, text: bytes) -> None:
        message = json.loads(text)
        if message["type"] == "welcome":
            self.hello["member"] = message["you"]["member"]
            self.welcome.set()
        if message["type"] == "results":
            self.results = message
        poll = (message.get("room") or {}).get("poll")
        if poll and poll["open"]:
            self.poll_id = poll["id"]
            self.poll.set()

    def say(self, **message: Any) -> None:
        """A message."""
        if self.socket is not None:
            self.socket.say(json.dumps(message).encode())

    def close(self) -> None:
        """Leave the room."""
        if self.socket is not None and self.socket.transport is not None:
            self.socket.transport.abort()


def one_machine(given: argparse.Namespace) -> bool:
    """A class of 30, and one machine that does what it can, first from another address, then from the school's."""
    met = True
    for address in (MACHINE, SCHOOL):
        with started(given.settings) as (server, _):
            session = shared_session(server).session
            made = post_json(server, "/api/rooms", {"session": session})
            met = asyncio.run(_attack(server.port, made, address)) and met
    return met


async def _attack(port: int, room: JSON, address: str) -> bool:
    def page(at: str, **hello: Any) -> Page:
        return Page(Browser(port, address=at), room["id"], hello)

    students = [page(SCHOOL) for _ in range(STUDENTS)]
    teacher = page("127.0.0.1", owner=room["owner"])
    await _all_come([teacher, *students])
    pinging = asyncio.create_task(_ping([teacher, *students]))
    await asyncio.sleep(SETTLED_SECONDS + 1)
    teacher.say(type="poll", poll=POLL)
    await asyncio.gather(*(asyncio.wait_for(student.poll.wait(), PATIENCE) for student in students))
    for student in students:
        student.say(type="answer", poll=student.poll_id, value=0)

    begin = perf_counter()
    machine = [page(address) for _ in range(FALSE)]
    inside = await _all_come(machine)
    for one in machine:
        one.say(type="answer", poll=students[0].poll_id, value=1)
    attacked = perf_counter() - begin
    await asyncio.sleep(2)  # as long as the teacher's page needs to hear of it
    true, false = teacher.results.get("choices", [0, 0])

    extra = [page(address) for _ in range(100)]
    full = await _all_come(extra)
    for student in students:
        student.close()
    back = await _all_come(students)

    for _ in range(3):
        for one in [*machine, *extra]:
            one.close()
        machine, extra = [page(address) for _ in range(FALSE)], []
        await _all_come(machine)
    for one in machine:
        one.close()
    new = page("127.0.0.3")
    is_new_in = await new.come()

    wrong = Browser(port, address=SCHOOL)
    codes = [(await wrong.get("/j/CCCCCCCC")).status for _ in range(WRONG_CODES)]
    right = (await Browser(port, address=SCHOOL).get(f"/j/{room['code']}")).status
    pinging.cancel()
    for one in [teacher, new, *students]:
        one.close()
    goals = [true == STUDENTS and false <= PACE, back == STUDENTS, is_new_in, right == 303 and 429 in codes]
    where = "the school's address" if address == SCHOOL else "another address"
    show(f"one machine at {where}; load average {load_average()}", [
        ("its connections that came in", f"{inside} of {FALSE}, then {full} of 100; {seconds(attacked)}"),
        ("votes counted", f"{true} true, {false} of {inside} false  {verdict(goals[0])}"),
        ("students back after a reload", f"{back} of {STUDENTS}  {verdict(goals[1])}"),
        ("a new student after many members", f"{'in' if is_new_in else 'refused'}  {verdict(goals[2])}"),
        ("wrong codes", f"{codes.count(404)} answered, {codes.count(429)} refused"),
        ("the right code from there", f"{right}  {verdict(goals[3])}"),
    ])  # fmt: skip
    return all(goals)


async def _all_come(pages: list[Page]) -> int:
    limit = asyncio.Semaphore(AT_ONCE)

    async def come(one: Page) -> bool:
        async with limit:
            return await one.come()

    return sum(await asyncio.gather(*map(come, pages)))


async def _ping(pages: list[Page]) -> None:
    while True:
        await asyncio.sleep(PINGS_SECONDS)
        for one in pages:
            one.say(type="ping")
