"""More sessions than workers: the page says how many are before it and goes on by itself, without being loaded again."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.app.serving import ADD, ENDLESS
from tests.browser.conftest import PATIENT, SCREENSHOTS
from tests.browser.debugger_page import DebuggerPage
from tests.server_process import serving

pytestmark = pytest.mark.main_path

CROWDED = PATIENT | {"max_active_sessions": 1, "run_step_limit": 10**9, "run_time_limit_ms": 10**9}


def continuing(page: Page) -> DebuggerPage:
    """A page whose session keeps the only worker busy."""
    debugger = DebuggerPage.pasted(page, ENDLESS)
    expect(page.locator(".where .count")).to_contain_text("+")
    debugger.press("F5")
    expect(page.locator(".busy")).to_contain_text("Still recording")
    return debugger


def test_pages_wait_in_turn(
    new_page: Callable[..., Page], axe: Callable[[Page], None], tmp_path: Path
) -> None:
    with serving(tmp_path, settings=CROWDED) as (server, _):
        busy, first, second = new_page(), new_page(), new_page()
        for page in (busy, first, second):
            page.goto(server.url)
        continuing(busy)
        for number, page in enumerate((first, second)):
            page.get_by_role("textbox").first.fill(ADD.replace("%0", f"%a{number}"))
            page.get_by_role("button", name="Open in the debugger").click()
            page.wait_for_url(re.compile("/s/"))
        expect(first.get_by_role("status")).to_contain_text("Your run is next; it continues automatically.")
        expect(second.get_by_role("status")).to_contain_text(
            "2nd of 2 runs waiting; your run continues automatically."
        )
        axe(second)
        SCREENSHOTS.mkdir(exist_ok=True)
        second.screenshot(path=SCREENSHOTS / "turns-opening.png")
        second.evaluate("window.stayed = true")
        busy.get_by_role("button", name="Pause").first.click()
        for page in (first, second):
            DebuggerPage(page).wait_until_recorded()
            expect(page.locator(".in-turn")).to_have_count(0)
        assert second.evaluate("window.stayed")
        for page in (busy, first, second):
            page.close()


def test_an_open_page_waits_in_turn_for_values(new_page: Callable[..., Page], tmp_path: Path) -> None:
    with serving(tmp_path, settings=CROWDED | {"record_first_steps": 50}) as (server, _):
        busy, page = new_page(), new_page()
        for each in (busy, page):
            each.goto(server.url)
        other = ENDLESS.replace("%one", "%uno")
        debugger = DebuggerPage.pasted(page, other)
        expect(page.locator(".where .count")).to_contain_text("of 50+")
        continuing(busy)
        debugger.press("F5")  # needs more than is recorded
        expect(page.locator(".in-turn")).to_contain_text(
            re.compile("Your run is next.*; it continues automatically")
        )
        page.screenshot(path=SCREENSHOTS / "turns-open.png")
        busy.get_by_role("button", name="Pause").first.click()
        expect(page.locator(".in-turn")).to_have_count(0)
        expect(page.locator(".busy")).to_contain_text("Still recording")
        for each in (busy, page):
            each.close()
