"""The rooms of a server: open, find, enter and end them; independent of HTTP."""

import asyncio
import contextlib
import logging
import secrets
from hashlib import sha256
from typing import Any, cast

from ..base.errors import ApiError, not_found, over_limit
from ..base.fair_shares import network_of
from ..base.keys import view_link_hash
from ..base.shared_work import SharedWork
from ..sessions.sessions import Sessions
from ..sessions.view_links import OWN_PREFIX
from ..store.pending_writes import StoreThread
from ..store.rooms import RoomRecord
from ..wire import room_messages as said
from ..wire.lessons import ChangeResult, LessonInfo
from ..wire.rooms import JoinedRoom, NewCopy, NewRoom, PastPoll, RecordsKind, RoomInfo, RoomPoll
from . import credentials, state
from .copies import Copies, check_copy
from .kept_room import Displaced, KeptRoom
from .lesson_polls import ask_of, is_typed_right, poll_of_lesson, truth_of_lesson
from .lesson_sessions import Lessons
from .live_room import LiveRoom
from .members import Member
from .outbox import Listener
from .polls import check_poll
from .records import class_table, name_typed, poll_table, questions_of
from .state import Actor
from .truths import cover_of, target_type, truth_of
from .visitors import Guesses

HOUR = 3600.0
VERSIONS_OF_A_START = 1_000
"""Version increment on loading a room, larger than the number of unstored versions."""
ATTEMPTS = 5
"""Maximum attempts to find a free code."""
FIXED = ("lesson", "language", "code", "records")
"""Fields of a room's stored state that never change."""
BEAT_SECONDS = 60.0
"""Interval of housekeeping."""
MOST_KEPT = 4
"""Maximum members that ever joined, as a multiple of the maximum connected ones."""
log = logging.getLogger("hloscope")

ENDED = ApiError(410, "ended", "This room is over.")
MOVED = ApiError(409, "moved", "Another server has taken this room over: reconnect.")


class Rooms:
    """All rooms of one server; rooms in use are also in memory."""

    def __init__(self, sessions: Sessions, thread: StoreThread, token: str, lessons: Lessons) -> None:
        """`token`: the server's secret, which encrypts the ids that codes lead to."""
        self.sessions, self.settings = sessions, sessions.settings
        self.lessons = lessons
        self.guesses = Guesses()
        self._copies = Copies(sessions, thread)
        self._thread, self._store, self._token = thread, thread.store.rooms, token
        self._live: dict[str, LiveRoom] = {}
        """Rooms in memory, by hash."""
        self._loading = SharedWork[LiveRoom](outlives_callers=True)
        self._task: asyncio.Task[None] | None = None
        sessions.servers.add(self, room=self._on_ended)

    def start(self) -> None:
        """Start the housekeeping, which deletes old rooms."""
        self._task = asyncio.create_task(self._run_housekeeping())

    async def stop(self) -> None:
        """Store pending changes and close all connections; clients reconnect to the next server."""
        if self._task is not None:
            self._task.cancel()
        for room in list(self._live.values()):
            await room.close(ApiError(503, "stopped", "The server is being restarted."))
        self._live.clear()

    # Opening and finding.

    async def open(
        self, session: str | None, run: int | None, lesson: str | None, records: RecordsKind, address: str,
        language: str | None = None,
    ) -> NewRoom:  # fmt: skip
        """Open a room for a session, given by id or read-only link, or for a lesson's session.

        `address`: that of the teacher, where the code works however many wrong codes others type. `language`: of the
        lesson, for members who choose none.
        """
        if await self._thread.call(self._store.count) >= self.settings.max_rooms:
            message = "This server has the maximum number of rooms."
            raise over_limit(429, "max_rooms", self.settings.max_rooms, message, "rooms")
        record = await self.sessions.session(await self._followed(session, lesson))
        found = record.run(run) if run is not None else record.current
        if run is not None and found is None:
            raise not_found("run", "no_run")
        room, owner, code = credentials.new_room(), credentials.new_secret(), await self._free_code()
        data = state.start(found.number if found else 1)
        sealed = credentials.sealed_code(room, code)
        kept = {
            **state.to_json(data),
            "lesson": lesson,
            "language": language,
            "code": sealed,
            "records": records,
        }
        id_hash = credentials.room_hash(room)
        await self._thread.call(
            self._store.add,
            RoomRecord(
                id_hash, credentials.code_hash(self._token, code), credentials.seal(self._token, code, room),
                record.id_hash, view_link_hash(credentials.link_of(room)),
                credentials.secret_hash(room, owner), 0, 0, kept, 0.0, 0.0,
            ),
        )  # fmt: skip
        self.guesses.note_known(id_hash, network_of(address))
        log.info("a room was opened")
        url = f"/room/{room}"
        return {
            "id": room, "code": code, "url": url, "owner": owner, "owner_url": f"{url}#owner={owner}",
            "join_url": f"/j/{code}", "qr_url": f"/api/rooms/{room}/qr.svg",
        }  # fmt: skip

    async def _followed(self, session: str | None, lesson: str | None) -> str:
        """The session that a new room follows."""
        if lesson is None:
            if session is None:
                raise ApiError(422, "request", "A room follows a session or a lesson: name one.")
            return session
        found = (await self.lessons.info(lesson))["session"]
        links = self.sessions.links
        if session is not None and await links.hash_of(session) != await links.hash_of(found):
            raise ApiError(422, "request", "This session does not belong to the lesson.")
        return found

    async def lesson(self, room: str, language: str | None) -> LessonInfo | None:
        """The lesson of a room with the room's own link, or None; without `language`, in the room's."""
        live = await self.live(room)
        if live.lesson is None:
            return None
        return {**await self.lessons.info(live.lesson, language or live.language), "session": live.session}

    async def _free_code(self) -> str:
        for _ in range(ATTEMPTS):
            code = credentials.new_code()
            hash = credentials.code_hash(self._token, code)
            if await self._thread.call(self._store.of_code, hash) is None:
                return code
        raise ApiError(503, "no_code", "No free room code was found: try again.")

    async def join(self, typed: str, address: str) -> JoinedRoom:
        """The room of a code. `ApiError` for a wrong code; after too many, also for rooms not yet entered from that network."""
        network = network_of(address)
        code = credentials.read_code(typed)
        found = None
        if code is not None:
            hash = credentials.code_hash(self._token, code)
            found = await self._thread.call(self._store.of_code, hash)
        if not self.guesses.may_find(found.id_hash if found else None, network):
            raise ApiError(
                429, "guesses", "Too many wrong codes were typed in this network.",
                hint="Wait a minute, or ask for the link of the room.",
            )  # fmt: skip
        if code is None or found is None or self._is_code_expired(found):
            self.guesses.note_wrong(network)
            raise ApiError(
                404, "code", "No room has this code.",
                hint="Codes have eight letters and digits, and expire some hours after the teacher has left.",
            )  # fmt: skip
        self.guesses.note_known(found.id_hash, network)
        room = credentials.unseal(self._token, code, found.sealed)
        return {"id": room, "url": f"/room/{room}"}

    def _is_code_expired(self, record: RoomRecord) -> bool:
        since: float = self._thread.store.now() - record.seen
        return since > self.settings.room_code_hours * HOUR

    async def info(self, room: str) -> RoomInfo:
        """The data of a room for a page that has not joined yet."""
        live = await self.live(room)
        return {
            "id": room, "title": live.title, "session": live.session, "lesson": live.lesson, "code": live.code,
            "locked": live.data.locked, "copies": self.settings.copies_per_member,
            "records": live.records, "hours": self.settings.room_hours,
        }  # fmt: skip

    async def record(self, room: str) -> RoomRecord:
        """The stored room; `ApiError` 404 if it does not exist."""
        found = None
        if credentials.ROOM.fullmatch(room) is not None:
            found = await self._thread.call(self._store.room, credentials.room_hash(room))
        if found is None:
            raise not_found("room; it may have ended", "no_room")
        return found

    async def actor(self, room: str, owner: str | None, member: str | None) -> Actor:
        """The actor of a request, by the secret in a header; `ApiError` 403 for strangers."""
        record = await self.record(room)
        if owner and credentials.same(credentials.secret_hash(room, owner), record.owner_hash):
            return Actor("owner")
        live = await self.live(room)
        if member and (hash := credentials.secret_hash(room, member)) in live.members:
            return Actor("member", hash)
        raise ApiError(
            403, "not_member", "Only members of the room may do this.", hint="Open the room's page first."
        )

    async def copy(self, room: str, actor: Actor, run: int | None, text: str | None) -> NewCopy:
        """Create the member's own copy of a run of the room."""
        hash, link = credentials.room_hash(room), credentials.link_of(room)
        made = await self._copies.make(hash, actor.member or actor.role, link, run, text)
        member = (await self.live(room)).members.get(actor.member or "")
        if member is not None and not member.has_copy:
            member.has_copy = True
            (await self.live(room)).kept.note_said(member.hash, member.kept())
        return made

    async def check_change(
        self, room: str, step: str, text: str, actor: Actor, language: str | None = None
    ) -> ChangeResult:
        """Whether a changed program passes the exercise of a step of the room's lesson."""
        live = await self.live(room)
        if live.lesson is None:
            raise not_found("lesson in this room")
        await check_copy(self.sessions, OWN_PREFIX, text)
        found = await self.lessons.check_change(live.lesson, step, text, language)
        if actor.member is not None:
            live.note_answer(actor.member, step, found["message"], found["passed"])
        return found

    # Rooms in memory.

    async def live(self, room: str) -> LiveRoom:
        """The room in memory, loaded from the store if necessary."""
        hash = credentials.room_hash(room)
        if hash in self._live:
            return self._live[hash]
        await self.record(room)
        if hash in self._live:  # loaded meanwhile: of two copies, only the later one could be stored
            return self._live[hash]
        return await self._loading.join(hash, lambda: self._load(room, hash))

    async def _load(self, room: str, hash: str) -> LiveRoom:
        await self.sessions.servers.take(hash)
        record = await self._thread.call(self._store.take, hash, VERSIONS_OF_A_START)
        if record is None:
            raise not_found("room; it may have ended", "no_room")
        kept: dict[str, Any] = record.state if isinstance(record.state, dict) else {}
        link, data = credentials.link_of(room), state.of_json(kept)
        title = (await self.sessions.session(link)).name
        code = credentials.unsealed_code(room, str(kept.get("code", "")))
        records: RecordsKind = kept.get("records") or "none"  # rooms of earlier versions have none
        live = LiveRoom(title, link, kept.get("lesson"), code, data, record.version, records)
        live.language = kept.get("language")
        live.kept = KeptRoom(
            self._thread, hash, record.epoch, {name: kept.get(name) for name in FIXED},
            live.as_kept, lambda: self._displaced(hash, live), live.warn_teacher,
        )  # fmt: skip
        for found in await self._thread.call(self._store.members, hash):
            member = Member(found.member, found.number, name_of(hash, found.number))
            member.restore(found.said)
            live.add_member(member)
        if data.poll is not None:
            live.answers = await live.kept.answers(data.poll["id"])
        live.history = {past["poll"]["id"]: past for past in await live.kept.polls()}
        self._live[hash] = live
        return live

    # Several servers on one store.

    def needs(self, hash: str) -> bool:
        """Whether somebody is in the room."""
        return hash in self._live and bool(self._live[hash].listeners)

    async def leave(self, hash: str) -> None:
        """Write what is pending and drop the room, before another server gets it."""
        if hash in self._live and not self.needs(hash):
            await self._live.pop(hash).kept.close()

    def lost(self, hash: str) -> None:
        """Drop a room that another server has."""
        if (live := self._live.get(hash)) is not None:
            self._displaced(hash, live)

    async def _on_ended(self, hash: str) -> None:
        for known in [hash] if hash else list(self._live):
            if known in self._live and await self._thread.call(self._store.room, known) is None:
                self.lost(known)

    def _displaced(self, hash: str, live: LiveRoom) -> None:
        """Drop a room that another server has taken over or that was deleted."""
        if self._live.get(hash) is live:
            del self._live[hash]
            asyncio.get_running_loop().create_task(self._disconnect_all(hash, live))

    async def _disconnect_all(self, hash: str, live: LiveRoom) -> None:
        exists = await self._thread.call(self._store.room, hash) is not None
        await live.close(MOVED if exists else ENDED, ended=not exists)

    async def enter(self, room: str, hello: said.Hello, address: str) -> tuple[LiveRoom, Listener]:
        """A listener for a client, with the role that its secret proves; the caller lets it join at once."""
        record, live, network = await self.record(room), await self.live(room), network_of(address)
        self.guesses.note_known(record.id_hash, network)
        if hello.owner is not None:
            if not credentials.same(credentials.secret_hash(room, hello.owner), record.owner_hash):
                raise ApiError(403, "owner", "This is not the secret of the room's teacher.")
            return live, Listener(Actor("owner"), TEACHER, network=network)
        listener = await self._listener(room, live, hello, network)
        live.take_place(listener, self.settings.max_room_members)
        return live, listener

    async def _listener(self, room: str, live: LiveRoom, hello: said.Hello, network: str) -> Listener:
        if hello.screen:
            return Listener(Actor("screen"), SCREEN, network=network)
        member, secret = await self._member(room, live, hello.member, network)
        if live.records == "named" and hello.name is not None:
            member.records.name = name_typed(hello.name)
            live.kept.note_said(member.hash, member.kept())
        return Listener(Actor("member", member.hash), member.name, member, secret, network)

    async def _member(
        self, room: str, live: LiveRoom, secret: str | None, network: str
    ) -> tuple[Member, str]:
        known = live.members.get(credentials.secret_hash(room, secret)) if secret else None
        if known is not None and secret is not None:
            return known, secret
        if live.data.locked:
            raise ApiError(
                423, "locked", "The teacher has locked this room.", hint="Ask the teacher to unlock it."
            )
        secret = credentials.new_secret()
        hash, of_room = credentials.secret_hash(room, secret), credentials.room_hash(room)
        member = await live.admit(
            hash, network, MOST_KEPT * self.settings.max_room_members, lambda number: name_of(of_room, number)
        )
        return member, secret

    # Messages that need the recording.

    async def handle(self, live: LiveRoom, listener: Listener, message: said.Message) -> None:
        """Handle a message; raises `ApiError`."""
        self.sessions.servers.check()
        try:
            match message:
                case said.OpenPoll():
                    await self._open_poll(live, listener.actor, message.poll)
                case said.RevealPoll():
                    poll = await live.close_to_reveal(listener.actor)
                    truth = await self._truth(live, poll)
                    await live.reveal(listener.actor, poll["id"], truth)
                case said.Progress(ask=str()) if live.records != "none":
                    await self._note_answer(live, listener.actor, message)
                    await live.handle(listener, message)
                case _:
                    await live.handle(listener, message)
        except Displaced:
            hash = next((hash for hash, room in self._live.items() if room is live), None)
            if hash is not None:
                self._displaced(hash, live)

    async def _open_poll(self, live: LiveRoom, actor: Actor, request: said.Poll) -> None:
        state.check_teacher(actor)
        poll = cast(
            RoomPoll, {**request.model_dump(), "id": secrets.token_hex(6), "open": True, "revealed": False}
        )
        shape, kind = None, None
        if request.lesson_ask is not None:
            poll, kind = await poll_of_lesson(self.lessons, live.lesson, poll)
        else:
            check_poll(poll)
        if poll["target"] is not None:
            shape, of_element = await target_type(self.sessions, live.session, poll["target"])
            kind = kind or of_element
            if request.lesson_ask is None:
                poll["cover"] = await cover_of(self.sessions, live.session, poll["target"])
        await live.open_poll(actor, poll, shape, kind)

    async def _note_answer(self, live: LiveRoom, actor: Actor, message: said.Progress) -> None:
        """Judge and record the answer to a question of the lesson, whatever the page judged."""
        member = state.check_member(actor)
        ask = await ask_of(self.lessons, live.lesson, message.ask or "")
        if message.said is None:
            live.note_answer(member, ask["id"], None, False)
        elif (right := is_typed_right(ask, message.said)) is not None:
            words = str(int(message.said) + 1) if ask["ask"] == "choice" else message.said
            live.note_answer(member, ask["id"], words, right)

    # Records.

    async def class_table(self, room: str) -> str:
        """The answers of each member as CSV; `ApiError` 409 for a room without records."""
        live = await self.live(room)
        if live.records == "none":
            raise ApiError(
                409, "records", "This room keeps no record of its members' answers.",
                hint="Choose records when you open a room: members must be told before they join.",
            )  # fmt: skip
        lesson = await self.lessons.info(live.lesson) if live.lesson else None
        members = sorted(live.members.values(), key=lambda member: member.number)
        found = [(member.name, member.records) for member in members]
        return await asyncio.to_thread(class_table, found, lesson)

    async def polls(self, room: str) -> list[PastPoll]:
        """All polls of a room with their results, the oldest first."""
        return list((await self.live(room)).history.values())

    async def poll_table(self, room: str) -> str:
        """All polls of a room with their results, as CSV."""
        live = await self.live(room)
        lesson = await self.lessons.info(live.lesson) if live.lesson else None
        return poll_table(live.history.values(), questions_of(lesson) if lesson else {})

    async def _truth(self, live: LiveRoom, poll: RoomPoll) -> Any:
        if poll["lesson_ask"] is not None:
            return await truth_of_lesson(self.lessons, live.lesson, poll, live.counted_answers())
        return await truth_of(self.sessions, live.session, poll, live.counted_answers())

    # The end of rooms.

    async def end(self, room: str) -> None:
        """Delete the room with its answers and its members' sessions."""
        await self.record(room)
        await self._end(credentials.room_hash(room))

    async def _end(self, hash: str) -> None:
        live = self._live.pop(hash, None)
        if live is not None:
            await live.close(ENDED, ended=True)
        joined = len(await self._thread.call(self._store.members, hash))
        copies = await self._thread.free(self._store.delete, hash)
        for session in copies:
            await self.sessions.stored.forget(session)
        self.sessions.links.forget()
        await self.sessions.follow_deletion()
        log.info("a room with %d members and %d copies was deleted", joined, len(copies))

    async def _run_housekeeping(self) -> None:
        while True:
            with contextlib.suppress(ApiError):
                await self._forget_old()
                await self._unload_idle()
            await asyncio.sleep(BEAT_SECONDS)

    async def _forget_old(self) -> None:
        old = await self._thread.call(self._store.older_than, self.settings.room_hours * HOUR)
        for hash in old:
            await self._end(hash)
        if old:
            log.info("%d rooms deleted that were opened %d hours ago", len(old), self.settings.room_hours)

    async def _unload_idle(self) -> None:
        """Drop empty rooms from memory, and disconnect rooms whose session was deleted."""
        for hash, live in list(self._live.items()):
            if live.is_idle():
                del self._live[hash]
                await live.kept.close()
            elif await self._thread.call(self._store.room, hash) is None:
                self._displaced(hash, live)


COLOURS = (
    "amber", "aqua", "blue", "bronze", "coral", "cyan", "gold", "green", "grey", "indigo", "ivory", "jade", "lilac",
    "lime", "orange", "pearl", "pink", "plum", "red", "ruby", "silver", "teal", "violet", "yellow",
)  # fmt: skip
ANIMALS = (
    "badger", "bat", "bear", "beaver", "bison", "camel", "crane", "deer", "dolphin", "eagle", "falcon", "finch",
    "fox", "gecko", "goat", "hare", "hawk", "heron", "horse", "ibis", "koala", "lark", "lemur", "lion", "llama",
    "lynx", "mole", "moose", "newt", "otter", "owl", "panda", "puffin", "quail", "raven", "robin", "salmon", "seal",
    "stork", "swan", "tapir", "tiger", "trout", "turtle", "vole", "whale", "wolf", "zebra",
)  # fmt: skip
TEACHER, SCREEN = "teacher", "screen"


def name_of(room: str, number: int) -> str:
    """The anonymous name of a room's member by their number, from 1, such as `teal otter 14`."""
    digest = sha256(room.encode()).digest()
    colour = (digest[0] + 7 * number) % len(COLOURS)
    animal = (digest[1] + 11 * number + number // len(COLOURS)) % len(ANIMALS)
    return f"{COLOURS[colour]} {ANIMALS[animal]} {number}"
