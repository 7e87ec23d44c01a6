"""`python -m tests.load record`: what a real page asks for, opened by a read-only link and stepped through; kept as JSON.

The loads replay it, so that what they ask for is what browsers ask for. Addresses below `{recording}` are those of the
recording; what the page's HTML names itself (modules, styles, what is loaded beforehand) is left out: whoever replays it
reads the HTML, as a browser does.
"""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.browser.find_browser import FLAGS, find_browser
from tests.browser.settling import settle
from tests.server_process import Server, serving

from .class_session import PROGRAM, post_json, shared_program
from .page_requests import KEPT, RECORDED, WALKS, Asked, PageRequests

STEPS = 60
RECORDING = re.compile(r"/api/recordings/[^/]+/")


def record() -> None:
    """Opens the page in a browser, steps, and keeps what it asks for."""
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as (server, _):
        session = post_json(server, "/api/sessions", shared_program())["id"]
        link = post_json(server, f"/api/sessions/{session}/links", {})["id"]
        with sync_playwright() as playwright:
            found = find_browser(install=True).executable
            browser = playwright.chromium.launch(executable_path=found, args=list(FLAGS))
            walks: dict[str, list[list[str]]] = {}
            opened: list[Asked] = []
            for tab in WALKS:
                page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
                first, walks[tab] = _walked(page, server, link, tab)
                opened = opened or first
            browser.close()
    kept: PageRequests = {"program": PROGRAM, "open": opened, "walks": walks}
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
    asked = {tab: sum(map(len, steps)) for tab, steps in walks.items()}
    print(f"{KEPT.name}: {len(opened)} requests to open, in {STEPS} steps {asked}")


def _walked(page: Page, server: Server, link: str, tab: str) -> tuple[list[Asked], list[list[str]]]:
    asked: list[Asked] = []
    finished: list[str] = []
    page.on("request", lambda request: _note(asked, request.url, len(finished)))
    page.on("requestfinished", lambda request: finished.append(_generic(request.url)))
    page.goto(f"{server.origin}/s/{link}?tab={tab}")
    page.wait_for_selector(".where .count")
    settle(page)
    html = page.evaluate("fetch(location.href).then((answer) => answer.text())")
    named = {_generic(path) for path in re.findall(r'(?:href|src)="(/[^"]+)"', html.replace("&amp;", "&"))}
    own = [item for item in asked if item["path"].startswith("/api/") and item["path"] not in named]
    before = min(item["after"] for item in own)
    opened: list[Asked] = [
        {"path": item["path"], "after": min(item["after"] - before, place)} for place, item in enumerate(own)
    ]  # nobody waits for more answers than there are questions before
    steps = []
    for _ in range(STEPS):
        asked.clear()
        page.keyboard.press("F10")
        settle(page)
        steps.append([item["path"] for item in asked if item["path"].startswith(RECORDED)])
    return opened, steps


def _note(asked: list[Asked], url: str, after: int) -> None:
    path = _generic(url)
    if all(item["path"] != path for item in asked):
        asked.append({"path": path, "after": after})


def _generic(url: str) -> str:
    path = re.sub(r"^https?://[^/]+", "", url)
    return RECORDING.sub(lambda _: RECORDED, path)
