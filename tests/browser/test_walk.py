"""An afternoon with an optimised module: opened, searched, stopped in, looked at, saved, left and found again."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import Check, NewPage
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import settle, show_tab
from tests.large_programs import optimised_hlo
from tests.server_process import Server

VALUE = "%scores_fusion.2"


def test_a_module_is_worked_with_left_and_come_back_to(
    new_page: NewPage, server: Server, tmp_path: Path, axe: Check
) -> None:
    file = tmp_path / "module_0001.after_optimizations.hlo"
    file.write_text(optimised_hlo(1_000), "utf-8")
    page = new_page(viewport={"width": 1280, "height": 720})
    page.goto(server.url)
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_role("button", name="Open in the debugger").click()
    page.wait_for_url(re.compile("/s/"))
    debugger = DebuggerPage(page)
    debugger.wait_until_recorded()
    settle(page)

    page.keyboard.press("Control+p")
    page.keyboard.type(VALUE)
    expect(page.get_by_role("option").first).to_contain_text(VALUE)
    page.keyboard.press("Enter")
    settle(page)
    expect(page.locator(".tensor-header .name")).to_have_text(VALUE)
    at = debugger.step
    page.keyboard.press("F9")  # means the line that one has come to
    debugger.press("Control+Shift+F5")
    debugger.at_step(0)
    expect(page.locator(".where .reason")).to_contain_text("Start of the run")
    debugger.press("F5")
    settle(page)
    debugger.stopped("breakpoint")
    debugger.at_step(at)

    show_tab(page, "Index map")
    settle(page)
    page.locator('.index-tensor[data-side="result"] canvas').first.click()
    expect(page.locator(".index-readout")).to_contain_text(re.compile(r"reads [\d,]+ of"))
    axe(page)
    page.get_by_role("group", name="This picture").get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name="PNG").click()
    assert download.value.path().read_bytes().startswith(b"\x89PNG")

    page.get_by_role("link", name="hloscope").click()
    card = page.get_by_role("region", name="Recent sessions").get_by_role("listitem").first
    expect(card).to_contain_text("module_0001.after_optimizations.hlo")
    expect(card).to_contain_text(f"step {at:,} of")
    card.get_by_role("link").click()
    page.wait_for_url(re.compile("/s/"))
    settle(page)
    debugger.at_step(at)
    expect(page.get_by_role("tab", name="Index map")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("button", name="Breakpoints")).to_be_visible()
