"""Large programs: their text is there before they are verified, with progress, and one can stop waiting."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import Check
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import settle
from tests.large_programs import optimised_hlo
from tests.server_process import Server

PATIENCE_MS = 120_000


def test_a_large_program_is_shown_while_it_is_verified_which_can_be_cancelled_and_begun_again(
    page: Page, server: Server, tmp_path: Path, axe: Check
) -> None:
    file = tmp_path / "step.hlo"
    file.write_text(optimised_hlo(30_000), "utf-8")
    page.goto(server.url)
    page.locator("input[type=file]").set_input_files(file)
    expect(page.get_by_role("textbox").first).to_have_value(re.compile("^HloModule"))
    expect(page.get_by_text("all of them are opened")).to_be_visible()
    page.get_by_role("button", name="Open in the debugger").click(no_wait_after=True)
    page.wait_for_url(re.compile("/s/"))
    expect(page.locator(".cm-content")).to_contain_text("HloModule jit_step")
    progress = page.get_by_text(re.compile(r"^Verifying: [\d,]+ of 30,247 lines$"))
    expect(progress).to_be_visible()
    expect(page.locator(".where .count")).to_contain_text("no run")
    page.get_by_role("button", name="Cancel").click()
    expect(
        page.get_by_text("You cancelled the verification, so the program was not run.").first
    ).to_be_visible()
    expect(progress).to_have_count(0)
    expect(page.locator(".cm-content")).to_contain_text("HloModule jit_step")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(progress).to_be_visible()
    axe(page, ".status-line")
    expect(page.locator(".where .count")).to_contain_text("step 0 of", timeout=PATIENCE_MS)
    expect(progress).to_have_count(0)
    settle(page)
    page.keyboard.press("F10")
    DebuggerPage(page).at_step(1)
