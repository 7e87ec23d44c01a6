"""Pictures of the pages: those of the README, `make screenshots`, or all that one may want to look at.

`python -m tests.browser.screenshots --all FOLDER` takes the pages of `scenes.py`, in each size and look; `--only` chooses
some by a regular expression for their names.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser import miscompile
from tests.browser.debugger_page import DebuggerPage
from tests.browser.find_browser import FLAGS, find_browser
from tests.browser.scenes import taken
from tests.browser.settling import settle, show_tab
from tests.server_process import ROOT, serving

TRAINING_STEP = ROOT / "tests" / "data" / "unshifted_softmax_step.mlir"
FOLDER = ROOT / "static" / "images"
SIZE = {"width": 1440, "height": 900}


def main() -> None:
    """Starts a server and a browser, and writes what is seen."""
    given = _arguments().parse_args()
    with tempfile.TemporaryDirectory() as data, serving(Path(data)) as (server, _), sync_playwright() as tool:
        browser = tool.chromium.launch(
            executable_path=find_browser(install=True).executable, args=list(FLAGS)
        )
        if given.all:
            given.all.mkdir(parents=True, exist_ok=True)
            for name, page in taken(browser, server, given.only):
                page.screenshot(path=given.all / f"{name}.png")
                print(name, flush=True)
        else:
            _of_the_readme(browser, server.url)
            _of_the_miscompile(browser, server.url)
        browser.close()


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.browser.screenshots", description=__doc__)
    parser.add_argument("--all", type=Path, metavar="FOLDER", help="take all scenes, into this folder")
    parser.add_argument("--only", default="", metavar="PATTERN", help="of these the ones with such names")
    return parser


def _of_the_readme(browser: Browser, url: str) -> None:
    FOLDER.mkdir(exist_ok=True)
    _probabilities(_opened(browser, url, "light", "MLP, forward"))
    _culprit_element(_new_page(browser, "dark"), url)
    _exchange(_opened(browser, url, "light", "All-to-all as a transpose"))
    _window(_new_page(browser, "light"), url)


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


def _of_the_miscompile(browser: Browser, url: str) -> None:
    """docs/finding-a-miscompile.md. Without jaxlib, or with one that has no fault, the pictures stay as they are."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if find_spec("jaxlib") is None or not miscompile.export(folder):
            print("No jaxlib, or one without jax-ml/jax#39103: its pictures are not taken anew.")
            return
        for show, picture in ((miscompile.show_passes, "passes"), (miscompile.show_comparison, "compare")):
            page = _new_page(browser, "light")
            page.goto(url)
            show(page, folder)
            page.mouse.move(720, 880)
            page.screenshot(path=FOLDER / f"miscompile-{picture}.png")


def _probabilities(page: Page) -> None:
    """Near the end of @main, a breakpoint behind it, the probabilities drawn."""
    debugger = DebuggerPage(page)
    debugger.toggle_breakpoint(10)
    debugger.press("F5")
    for _ in range(23):
        debugger.press("F10")
    _take(page, "light")


def _culprit_element(page: Page, url: str) -> None:
    """A training step whose loss is NaN: its findings, at the element with which it began."""
    page.goto(url)
    DebuggerPage.pasted(page, TRAINING_STEP.read_text("utf-8")).wait_until_recorded()
    show_tab(page, "Findings")
    page.locator(".finding-row").first.get_by_role("button").first.click()
    _take(page, "findings")


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
