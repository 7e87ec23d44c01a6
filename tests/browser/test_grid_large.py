"""256 processes: each has its cell, and they are played."""

from playwright.sync_api import expect

from tests.browser import grid_programs as programs
from tests.browser.conftest import Check, Record


def test_256_processes_are_told_apart_and_play(
    paste: Record,
    axe: Check,
) -> None:
    debugger = paste(programs.many(256, 2))
    page = debugger.page
    expect(page.get_by_role("grid", name="Processes")).to_be_visible()
    debugger.press("F5")  # so many steps are recorded only when they are asked for
    debugger.stopped("has finished")
    debugger.press("Control+Shift+F5")
    debugger.wait_until_recorded()
    cells = page.get_by_role("gridcell")
    expect(cells).to_have_count(256)
    page.get_by_role("gridcell", name="process (0, 200),").hover()
    expect(page.get_by_role("region", name="Process (0, 200)")).to_contain_text("line 3")
    axe(page, "#panel-grid")

    page.get_by_role("combobox", name="Ticks per second").select_option("10 ticks/s")
    page.get_by_role("button", name="Play").click()
    expect(page.locator(".where .count")).to_contain_text(
        "end of 12 steps"
    )  # it stays there, however slow the browser
    page.get_by_role("button", name="Data moving").click()
    words = page.get_by_role("region", name="What moves")
    expect(words.get_by_role("listitem").first).to_be_visible()
    axe(page, "#panel-grid")
