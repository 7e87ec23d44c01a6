"""More sessions than workers: the page says how many are before it and goes on by itself, without being loaded again."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.app.serving import ADD, ENDLESS
from tests.browser.conftest import PATIENT, Check, Complaints, NewPage
from tests.browser.debugger_page import DebuggerPage
from tests.server_process import serving

CROWDED = PATIENT | {
    "max_active_sessions": 1, "record_first_steps": 50, "run_time_limit_ms": 10**9,
}  # fmt: skip

STEPS = re.compile(r"/(outline|frames)\?chunk=")


def continuing(page: Page) -> DebuggerPage:
    """A page whose session keeps the only worker busy.

    It does not read the steps: all pages share a process, in which millions of them would keep the others from their turn.
    """
    debugger = DebuggerPage.pasted(page, ENDLESS)
    expect(page.locator(".where .count")).to_contain_text("+")
    page.route(STEPS, lambda _: None)
    debugger.press("F5")
    expect(page.locator(".busy")).to_contain_text("Still recording")
    return debugger


def test_pages_wait_in_turn(new_page: NewPage, axe: Check, complaints: Complaints, tmp_path: Path) -> None:
    """One that needs more of its run than is recorded, and two that are opened."""
    complaints.allow("status of 503")  # the browser logs each refusal, after which the page asks again
    with serving(tmp_path, settings=CROWDED) as (server, _):
        busy = new_page()
        longer, first, second = (busy.context.new_page() for _ in range(3))
        for page in (busy, longer, first, second):
            page.goto(server.url)
        debugger = DebuggerPage.pasted(longer, ENDLESS.replace("%one", "%uno"))
        expect(longer.locator(".where .count")).to_contain_text("of 50+")
        continuing(busy)
        debugger.press("F5")  # needs more than is recorded
        expect(longer.locator(".in-turn")).to_contain_text(
            re.compile("Your run is next.*; it continues automatically")
        )
        for number, page in enumerate((first, second)):
            page.get_by_role("textbox").first.fill(ADD.replace("%0", f"%a{number}"))
            page.get_by_role("button", name="Open in the debugger").click()
            page.wait_for_url(re.compile("/s/"))
            expect(page.get_by_role("status")).to_contain_text(
                f"{('2nd of 2', '3rd of 3')[number]} runs waiting; your run continues automatically."
            )
        axe(second, ".in-turn")
        second.evaluate("window.stayed = true")
        busy.get_by_role("button", name="Pause").first.click()
        expect(longer.locator(".in-turn")).to_have_count(0)
        busy.close()  # or it asks for what it recorded, which takes as long again where a machine is slow
        expect(longer.locator(".busy")).to_contain_text("Still recording")
        longer.get_by_role("button", name="Pause").first.click()
        expect(longer.locator(".busy")).to_have_count(0)
        longer.close()
        for page in (first, second):
            DebuggerPage(page).wait_until_recorded()
            expect(page.locator(".in-turn")).to_have_count(0)
        assert second.evaluate("window.stayed")
        for page in (first, second):
            page.close()
