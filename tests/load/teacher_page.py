"""The teacher's page in a real browser, with the panel of the class open, while the class goes on."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.find_browser import FLAGS, find_browser
from tests.server_process import Server, descendants

TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class PageLoad:
    """What the page costs: shares of a core, of its own process and of the whole browser."""

    page: float = 0.0
    browser: float = 0.0
    rows: int = 0
    problems: list[str] = field(default_factory=list)


@contextmanager
def teacher_page(
    server: Server, owner_url: str, begin: float, lasting: float, picture: Path | None
) -> Iterator[PageLoad]:
    """The page is open until the block ends; it is measured from `begin` seconds on, for `lasting` seconds."""
    found = PageLoad()
    with sync_playwright() as playwright:
        program = find_browser(install=True).executable
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.on("pageerror", lambda error: found.problems.append(str(error)))
        page.goto(server.url)
        page.goto(server.origin + owner_url)
        page.get_by_role("button", name="The class", exact=True).click()
        page.locator(".panel-class").wait_for()
        measuring = threading.Thread(target=_measure, args=(found, begin, lasting))
        measuring.start()
        yield found
        measuring.join()
        found.rows = page.locator(".class-table tbody tr").count()
        if picture is not None:
            page.screenshot(path=picture)
        browser.close()


def _measure(found: PageLoad, begin: float, lasting: float) -> None:
    time.sleep(begin)
    before, start = _used(), time.monotonic()
    time.sleep(lasting)
    after, passed = _used(), time.monotonic() - start
    found.page = sum(after[pid] - before.get(pid, 0.0) for pid in after if _is_page(pid)) / passed
    found.browser = sum(after[pid] - before.get(pid, 0.0) for pid in after) / passed


def _used() -> dict[int, float]:
    """Seconds of processor time of each process of the browser."""
    return {
        pid: _seconds(pid) for pid in descendants(os.getpid()) if "--type=" in _command(pid) or _is_root(pid)
    }


def _is_root(pid: int) -> bool:
    return "--headless" in _command(pid)


def _is_page(pid: int) -> bool:
    return "--type=renderer" in _command(pid)


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def _seconds(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICKS
