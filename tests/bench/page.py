"""How soon the page of a session can be used: opened in a headless browser with an empty cache, and once more.

The session is that of the MLP, as its link opens it: made before, its run recorded. A page is interactive once a step
key has moved the current op; the key is pressed, within the page, as soon as the current op is shown. It is complete
once nothing is asked for any more: values and pictures have come.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median
from typing import Any

import httpx
from playwright.sync_api import BrowserContext, CDPSession, Page

from tests.server_process import Server, descendants

from .browsing import browsing
from .measure import seconds, table

EXAMPLE = "mlp"
QUIET_SECONDS = 0.5
PATIENCE_SECONDS = 60
ROWS = (
    "first op shown", "interactive", "complete", "page and session from the server", "processor time of the server",
    "requests", "requests until interactive", "kilobytes received",
)  # fmt: skip

STEP_AS_SOON_AS_POSSIBLE = """
    window.reached = {};
    new MutationObserver((_, observer) => {
        const at = document.querySelector(".where .count")?.textContent ?? "";
        const line = document.querySelector(".frame.current .line");
        if (!("shown" in reached) && at.startsWith("step 0 ") && line) {
            reached.shown = performance.now();
            reached.line = line.textContent;
            const key = { key: "F11", code: "F11", bubbles: true, cancelable: true };
            document.body.dispatchEvent(new KeyboardEvent("keydown", key));
        }
        if (at.startsWith("step 1 ") && line && line.textContent !== reached.line) {
            reached.interactive = performance.now();
            observer.disconnect();
        }
    }).observe(document, { subtree: true, childList: true, characterData: true });
"""

READ = """() => ({
    ...reached,
    entries: [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].map(
        ({ name, requestStart, responseEnd }) => ({ name, requestStart, responseEnd })),
})"""


Figures = Mapping[str, float]
"""Of one opening of the page, those of `ROWS`; times in seconds."""


class Traffic:
    """What a page asks for and gets, as the browser counts it, headers included."""

    def __init__(self, page: Page) -> None:
        self.started: list[float] = []
        self.received = 0
        self._last = time.monotonic()
        self._open: set[str] = set()
        session: CDPSession = page.context.new_cdp_session(page)
        session.on("Network.requestWillBeSent", self._asked)
        session.on("Network.loadingFinished", self._came)
        session.on("Network.loadingFailed", self._came)
        session.on("Network.webSocketWillSendHandshakeRequest", lambda event: self._count(event["timestamp"]))
        session.send("Network.enable")

    def _asked(self, event: Mapping[str, Any]) -> None:
        self._open.add(event["requestId"])
        self._count(event["timestamp"])

    def _count(self, timestamp: float) -> None:
        self.started.append(timestamp)
        self._last = time.monotonic()

    def _came(self, event: Mapping[str, Any]) -> None:
        self._open.discard(event["requestId"])
        self.received += int(event.get("encodedDataLength", 0))
        self._last = time.monotonic()

    @property
    def quiet_for(self) -> float:
        """Seconds since anything was asked for or came; 0 while something is awaited."""
        return 0.0 if self._open else time.monotonic() - self._last


def lines(repetitions: int) -> Iterator[str]:
    """What to print: medians, and the load of the machine meanwhile."""
    before = os.getloadavg()[0]
    cold, warm = _measured(repetitions)
    rows = [[row, *(_shown(row, [run[row] for run in runs]) for runs in (cold, warm))] for row in ROWS]
    yield table(["page of a session (MLP)", "cold", "warm"], rows)
    yield f"load of the machine: {before:.2f} before, {os.getloadavg()[0]:.2f} after"


def _shown(row: str, found: list[float]) -> str:
    if "kilobytes" in row:
        return f"{median(found):,.0f}"
    if "requests" in row:
        return f"{median(found):.0f}"
    return f"{seconds(median(found))} ({seconds(min(found))} to {seconds(max(found))})"


def _measured(repetitions: int) -> tuple[list[Figures], list[Figures]]:
    with browsing() as (server, process, browser):
        address = f"{server.origin}{_session(server)}?step=0"  # not where the opening before has stepped to
        cold, warm = [], []
        for number in range(repetitions + 1):
            context = browser.new_context(viewport={"width": 1440, "height": 900})
            context.add_cookies([_cookie(server)])
            runs = [_opened(context, address, process.pid) for _ in range(2)]
            context.close()
            if number:  # the first one warms up the server and the system's caches of files
                cold.append(runs[0])
                warm.append(runs[1])
        browser.close()
        return cold, warm


def _cookie(server: Server) -> Any:
    name, _, value = server.cookie.partition("=")
    return {"name": name, "value": value, "url": server.origin}


def _session(server: Server) -> str:
    """The path of a new session whose run is recorded."""
    headers = {"Cookie": server.cookie, "Origin": server.origin}
    with httpx.Client(base_url=server.origin, headers=headers, timeout=PATIENCE_SECONDS) as client:
        made = client.post("/api/sessions", json={"example": EXAMPLE}).json()
        end = time.monotonic() + PATIENCE_SECONDS
        while client.get(f"/api/sessions/{made['id']}").json()["run"]["state"]["kind"] != "done":
            assert time.monotonic() < end, "the run does not end"
            time.sleep(0.05)
        return str(made["url"])


def _opened(context: BrowserContext, address: str, server: int) -> Figures:
    page = context.new_page()
    page.add_init_script(STEP_AS_SOON_AS_POSSIBLE)
    traffic = Traffic(page)
    used = _processor_seconds(server)
    begin = time.monotonic()
    page.goto(address, wait_until="commit")
    end = begin + PATIENCE_SECONDS
    while traffic.quiet_for < QUIET_SECONDS or not page.evaluate("() => 'interactive' in reached"):
        assert time.monotonic() < end, "the page does not become interactive"
        page.wait_for_timeout(100)
    found = page.evaluate(READ)
    complete = time.monotonic() - traffic.quiet_for - begin
    used = _processor_seconds(server) - used
    page.close()
    reached = found["interactive"]
    figures = (
        found["shown"] / 1e3, reached / 1e3, complete, _awaited(found["entries"]), used, len(traffic.started),
        sum(1 for entry in found["entries"] if entry["requestStart"] <= reached), traffic.received / 1e3,
    )  # fmt: skip
    return dict(zip(ROWS, figures, strict=True))


def _awaited(entries: list[dict[str, Any]]) -> float:
    """Seconds in which the page itself and the description of its session were awaited."""
    asked = (entry for entry in entries if "/s/" in entry["name"] or "/api/sessions/" in entry["name"])
    return float(sum(entry["responseEnd"] - entry["requestStart"] for entry in asked)) / 1e3


def _processor_seconds(server: int) -> float:
    """Of the server and its workers, so far."""
    ticks = 0
    for pid in (server, *descendants(server)):
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")
