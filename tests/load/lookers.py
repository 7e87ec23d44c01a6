"""Those who only look, in a real browser: how many worker processes they cause."""

from __future__ import annotations

import argparse
import re
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, Page, Response, sync_playwright

from tests.browser.find_browser import FLAGS, find_browser
from tests.browser.settling import settle
from tests.server_process import Server

from .class_session import PATIENCE, Shared, post_json, shared_program, shared_session
from .generators import load_average, verdict
from .proof import show, started

PAGES = ("/help/tutorial", "/ops", "/ops/stablehlo.gather", "/function", "/settings", "/-/api")
SIZES = ((1920, 1080), (1440, 900), (1280, 720), (1600, 1000))
"""Windows; the first visitor sees at least as much as the others."""
STEPS = 24
"""Steps of a visitor; each begins one step after the one before, so that their pages ask for other values together."""
STARTED, ALIVE = "hloscope_started_workers_total", "hloscope_workers"


@dataclass
class Lookers:
    """A server, a session that its owner has opened, and the browser of those who look."""

    server: Server
    shared: Shared
    browser: Browser
    failed: list[str] = field(default_factory=list)

    def open(self, number: int, path: str, *, signed_in: bool = False) -> Page:
        """A page in a browser with nothing in its cache; each visitor has a window of another size."""
        width, height = SIZES[number % len(SIZES)]
        context = self.browser.new_context(viewport={"width": width, "height": height})
        if signed_in:
            name, token, origin = self.server.cookie_name, self.server.token, self.server.origin
            context.add_cookies([{"name": name, "value": token, "url": origin}])
        page = context.new_page()
        page.on("response", self._note)
        page.goto(self.server.origin + path)
        return page

    def _note(self, answer: Response) -> None:
        if answer.status >= 400:
            self.failed.append(f"{answer.status} {answer.url}")

    def walk(self, page: Page, steps: int = STEPS) -> None:
        """Step on, and close the page."""
        page.wait_for_selector(".where .count")
        settle(page)
        for _ in range(steps):
            page.keyboard.press("F10")
            settle(page)
        page.context.close()

    def pages(self, number: int) -> None:
        """Pages without a program."""
        page = self.open(number, "/help", signed_in=True)
        for path in PAGES:
            settle(page)
            page.goto(self.server.origin + path)
        settle(page)
        page.context.close()

    def home(self, number: int) -> None:
        """The opening page, where a recorded run is shown."""
        page = self.open(number, "/", signed_in=True)
        page.wait_for_selector(".film li")
        settle(page)
        page.context.close()

    def example(self, number: int) -> None:
        """A session of one's own, with a program that others have run."""
        made = post_json(self.server, "/api/sessions", shared_program())["id"]
        self.walk(self.open(number, f"/s/{made}", signed_in=True))

    def link(self, number: int) -> None:
        """A read-only link, at another step than the visitor before."""
        self.walk(self.open(number, f"/s/{self.shared.link}?run=1&step={number}"))

    def room(self, number: int) -> None:
        """A room, whose teacher is not there at the moment."""
        room = post_json(self.server, "/api/rooms", {"session": self.shared.session})["id"]
        self.walk(self.open(number, f"/room/{room}"))

    def picture(self, number: int) -> None:
        """The picture of a step, as the page of a course shows it."""
        path = f"/s/{self.shared.link}/picture.svg?run=1&step=12"
        self.open(number, path).context.close()


def look(given: argparse.Namespace) -> bool:
    """Somebody looks at all of it; then, while no worker is left, others do: they cause none."""
    count = min(given.opens, len(SIZES))
    with (
        started(["session_idle_release_s=1", "check_workers=1", *given.settings]) as (server, _),
        sync_playwright() as playwright,
    ):
        found = find_browser(install=True).executable
        browser = playwright.chromium.launch(executable_path=found, args=list(FLAGS))
        looking = Lookers(server, shared_session(server), browser)
        looking.walk(looking.open(0, f"/s/{looking.shared.link}?tab=tensor"), 2 * STEPS)
        kinds: list[Callable[[int], None]] = [
            looking.pages, looking.home, looking.example, looking.link, looking.room, looking.picture,
        ]  # fmt: skip
        show(f"worker processes that {count} visitors cause who look; load average {load_average()}", ())
        caused = 0
        for kind in kinds:
            workers = _caused(server, kind, count)
            show("", [(kind.__name__, str(workers))])
            caused += workers
        browser.close()
        show("all of them", [
            ("failed requests", f"{len(looking.failed):,}"),
            *(("", text) for text in looking.failed[:5]),
            ("no worker", verdict(not caused)),
        ])  # fmt: skip
        return not caused and not looking.failed


def _caused(server: Server, visit: Callable[[int], None], count: int) -> int:
    """The workers that were started for visitors who came one after the other, after a first one."""
    visit(0)
    caused = 0
    for number in range(1, count + 1):
        _wait_until_asleep(server)
        before = _metrics(server)[STARTED]
        visit(number)
        caused += int(_metrics(server)[STARTED] - before)
    return caused


def _wait_until_asleep(server: Server) -> None:
    end = time.monotonic() + PATIENCE
    while _metrics(server)[ALIVE] > 1:  # that which checks programs stays
        assert time.monotonic() < end, "workers did not end"
        time.sleep(0.1)


def _metrics(server: Server) -> dict[str, float]:
    request = urllib.request.Request(f"{server.origin}/-/metrics", headers={"Cookie": server.cookie})
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        lines: Any = re.findall(r"^(\w+) (\S+)$", answer.read().decode(), re.MULTILINE)
    return {name: float(value) for name, value in lines}
