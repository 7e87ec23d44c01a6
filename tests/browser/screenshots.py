"""The pictures of the README: `make screenshots` takes them anew."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.debugger_page import DebuggerPage
from tests.browser.find_browser import FLAGS, find_browser
from tests.browser.settling import settle, show_tab

FOLDER = Path(__file__).parent.parent.parent / "static" / "images"
SIZE = {"width": 1440, "height": 900}


def main() -> None:
    """Starts a server, steps through three examples, opens the playground, and writes what is seen."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as data, _server(data) as server, sync_playwright() as playwright:
        assert server.stdout is not None
        address = re.search(r"http://\S+", server.stdout.readline())
        assert address
        browser = playwright.chromium.launch(
            executable_path=find_browser(install=True).executable, args=list(FLAGS)
        )
        _probabilities(_opened(browser, address[0], "light", "MLP, forward"))
        _attention(_opened(browser, address[0], "dark", "Transformer block"))
        _exchange(_opened(browser, address[0], "light", "All-to-all as a transpose"))
        _window(_new_page(browser, "light"), address[0])
        browser.close()


@contextmanager
def _server(data: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "hloscope", "serve", "--port", "0", "--no-browser"]
    environment = {**os.environ, "HLOSCOPE_DATA_DIR": data, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as server:
        try:
            yield server
        finally:
            server.terminate()


def _opened(browser: Browser, url: str, theme: Literal["light", "dark"], example: str) -> Page:
    page = _new_page(browser, theme)
    page.goto(url)
    page.get_by_role("link", name=re.compile(example)).or_(
        page.get_by_role("button", name=re.compile(example))
    ).first.click()
    page.wait_for_url(re.compile("/s/"))
    DebuggerPage(page).wait_until_recorded()
    return page


def _new_page(browser: Browser, theme: Literal["light", "dark"]) -> Page:
    page = browser.new_context(viewport=SIZE, color_scheme=theme).new_page()  # type: ignore[arg-type]
    return page


def _probabilities(page: Page) -> None:
    """Near the end of @main, a breakpoint behind it, the probabilities drawn."""
    debugger = DebuggerPage(page)
    debugger.toggle_breakpoint(10)
    debugger.press("F5")
    for _ in range(23):
        debugger.press("F10")
    _take(page, "light")


def _attention(page: Page) -> None:
    """At the attention weights, after softmax."""
    debugger = DebuggerPage(page)
    for _ in range(54):
        debugger.press("F10")
    _take(page, "dark")


def _exchange(page: Page) -> None:
    """At the all-to-all, its blocks on their way between four processes."""
    debugger = DebuggerPage(page)
    show_tab(page, "Grid")
    settle(page)
    for _ in range(20):
        if page.get_by_text(re.compile("^all_to_all, line")).count():
            break
        debugger.press("F10")
        settle(page)
    page.get_by_role("tab", name="Data moving").or_(page.get_by_role("button", name="Data moving")).click()
    _take(page, "grid")


def _window(page: Page, url: str) -> None:
    """The playground's gather, with one element of its result chosen."""
    page.goto(url)  # the address has the token that lets one in
    page.get_by_role("link", name="Playground").first.click()
    page.goto(page.url.partition("?")[0].rstrip("/") + "/gather")
    page.locator('.index-tensor[data-side="result"] canvas').click()
    settle(page)
    page.screenshot(path=FOLDER / "screenshot-index-map.png")


def _take(page: Page, name: str) -> None:
    settle(page)
    page.mouse.move(720, 880)
    page.screenshot(path=FOLDER / f"screenshot-{name}.png")


if __name__ == "__main__":
    main()
