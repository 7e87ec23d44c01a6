"""A room: 200 follow a teacher; and what is left of it when server and workers are killed in the middle."""

from __future__ import annotations

import argparse
import os
import signal
import tempfile
import threading
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from tests.bench.measure import seconds
from tests.server_process import descendants, serving

from .census import MEBIBYTE
from .class_lesson import NAME, STEPS, write_lesson
from .class_session import get_json, post_json, shared_session
from .generators import (
    START_SECONDS,
    generate,
    generator_lines,
    load_average,
    percentile,
    percentiles,
    verdict,
)
from .one_link import watched
from .proof import show, started
from .teacher_page import teacher_page

JSON = dict[str, Any]
RATE = 5.0
BEHIND_SECONDS = 0.1
PAGE_CORES = 0.6
"""What the teacher's page may take of a core."""
GROWTH_BYTES = 600 * MEBIBYTE
BACK_SECONDS = 5.0
COME_SECONDS = 8.0
"""In which everybody opens the page and comes in."""
KILL_SECONDS, ASK_AFTER, KILL_AFTER = 20.0, 2.0, 3.0
"""How long the room is that is killed; when the poll opens and when the server dies, after the teacher has begun."""


def in_room(given: argparse.Namespace) -> bool:
    """200 follow a teacher who goes five steps a second: how far behind they are, and what server and teacher's page need."""
    with (
        tempfile.TemporaryDirectory() as folder,
        started(given.settings, ("lesson", "preview", str(write_lesson(Path(folder))))) as (server, census),
    ):
        before = census.now()
        job = _lesson_room(server)
        used = census.server_seconds
        begin = START_SECONDS + COME_SECONDS
        with (
            teacher_page(server, job["owner_url"], begin, given.seconds, given.picture) as page,
            watched(census) as most,
        ):
            found = generate(
                "room", given.opens, given.generators,
                **job, rate=RATE, seconds=given.seconds, lead_at=COME_SECONDS, ask_at=None,
            )  # fmt: skip
        grown = _bytes(most[0]) - _bytes(before)
        is_light = page.page <= PAGE_CORES
        told, shown = (percentile(found[name], 0.99) <= BEHIND_SECONDS for name in ("told", "shown"))
        show(f"{given.opens} follow {RATE:g} steps/s for {given.seconds:g} s; load average {load_average()}", [
            ("inside", f"{found['inside']} of {given.opens}"),
            ("told of a step after", percentiles(found["told"])),
            ("had what it shows after", percentiles(found["shown"])),
            (f"p99 within {seconds(BEHIND_SECONDS)}", verdict(told and shown)),
            ("steps that were overtaken", f"{found['missed']:,} of {len(found['told']):,}"),
            ("members in the teacher's panel", f"{page.rows}"),
            ("teacher's page, of a core", f"{page.page:.0%}, with the whole browser {page.browser:.0%}"),
            (f"at most {PAGE_CORES:.0%}", verdict(is_light)),
            ("memory over the server at rest", f"{grown / MEBIBYTE:,.0f} MiB"),
            (f"at most {GROWTH_BYTES // MEBIBYTE} MiB", verdict(grown <= GROWTH_BYTES)),
            *((f"{name}, at most", value) for name, value in most[0].lines()),
            ("processor time of the server", seconds(census.server_seconds - used)),
            *generator_lines(found),
        ])  # fmt: skip
    is_whole = not found["errors"] and not page.problems and found["inside"] == page.rows == given.opens
    return told and shown and is_light and grown <= GROWTH_BYTES and is_whole


def killed(given: argparse.Namespace) -> bool:
    """As `room`, with a poll; server and workers are killed while it is answered, and the server is started again."""
    settings = dict(assignment.split("=", 1) for assignment in given.settings)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as servers:
        server, process = servers.enter_context(serving(Path(folder), settings=settings))
        job = _room(server)

        down: list[float] = []

        def kill() -> None:
            time.sleep(START_SECONDS + COME_SECONDS + KILL_AFTER)
            begin = time.perf_counter()
            for pid in (process.pid, *descendants(process.pid)):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            process.wait()
            servers.enter_context(serving(Path(folder), port=server.port, settings=settings))
            down.append(time.perf_counter() - begin)

        killing = threading.Thread(target=kill)
        killing.start()
        found = generate(
            "room", given.opens, given.generators,
            **job, rate=RATE, seconds=KILL_SECONDS, lead_at=COME_SECONDS, ask_at=COME_SECONDS + ASK_AFTER,
        )  # fmt: skip
        killing.join()
    return _show_killed(given.opens, found, down[0])


def _show_killed(count: int, found: JSON, down: float) -> bool:
    back = len(found["back"]) == count and max(found["back"]) <= BACK_SECONDS
    is_right = len(set(found["steps_at_end"])) == 1
    is_kept = not found["lost_answers"] and found["count"] == count
    show(f"server and workers killed while {count} follow and answer; load average {load_average()}", [
        ("the server answered again after", seconds(down)),
        ("back at the teacher's step", f"{len(found['back'])} of {count}"),
        ("after the line was lost", percentiles(found["back"])),
        (f"within {seconds(BACK_SECONDS)}", verdict(back)),
        ("all at the teacher's step at the end", verdict(is_right)),
        ("acknowledged answers that were lost", f"{found['lost_answers']:,}"),
        ("answers that the room counts", f"{found['count']:,} of {count:,}  {verdict(is_kept)}"),
        *generator_lines(found),
    ])  # fmt: skip
    return back and is_right and is_kept


def _room(server: Any) -> JSON:
    """A room for a session that is recorded, as a job for those who come."""
    shared = shared_session(server)
    made = post_json(server, "/api/rooms", {"session": shared.session})
    info = get_room(server, made["id"])
    key = shared.key.partition(".")[2]
    link = info["session"]
    return {
        "port": server.port,
        "room": made["id"],
        "owner": made["owner"],
        "link": link,
        "key": f"{link}.{key}",
    }


def _lesson_room(server: Any) -> JSON:
    """A room for the lesson of the class."""
    made = post_json(server, "/api/rooms", {"lesson": NAME})
    link = get_room(server, made["id"])["session"]
    key = get_json(server, f"/api/sessions/{link}")["run"]["key"]
    return {
        "port": server.port, "room": made["id"], "owner": made["owner"], "owner_url": made["owner_url"],
        "link": link, "key": key, "steps": STEPS,
    }  # fmt: skip


def get_room(server: Any, room: str) -> JSON:
    """What a page is told of a room."""
    found: JSON = get_json(server, f"/api/rooms/{room}")
    return found


def _bytes(count: Any) -> int:
    return int(count.server_bytes + count.worker_bytes)
