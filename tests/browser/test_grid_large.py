"""256 processes: no blur, and no stutter."""

from collections.abc import Callable
from statistics import median, quantiles

from playwright.sync_api import Page, expect

from tests.browser import grid_programs as programs
from tests.browser.debugger_page import DebuggerPage
from tests.browser.frames import FRAMES, undisturbed
from tests.browser.settling import settle

SMOOTH_MS = 34
"""Two frames at 60 a second."""


def test_256_processes_are_told_apart_and_play_smoothly(
    paste: Callable[[str], DebuggerPage],
    axe: Callable[[Page], None],
    record_property: Callable[[str, object], None],
) -> None:
    debugger = paste(programs.many(256, 20))
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
    axe(page)

    still = page.evaluate(FRAMES, 60)
    record_property("measured", _frames("256 processes, nothing moves", still))
    page.get_by_role("combobox", name="Ticks per second").select_option("10 ticks/s")
    page.get_by_role("button", name="Play").click()
    playing = page.evaluate(FRAMES, 180)
    record_property("measured", _frames("256 processes, 10 ticks a second", playing))
    assert undisturbed(playing) < max(SMOOTH_MS, 2 * median(still))

    page.get_by_role("button", name="Pause").or_(page.get_by_role("button", name="Play")).first.click()
    page.get_by_role("button", name="Data moving").click()
    words = page.get_by_role("region", name="What moves")
    expect(words.get_by_role("listitem").first).to_be_visible()
    settle(page)
    page.get_by_role("button", name="Play").click()
    moving = page.evaluate(FRAMES, 120)
    record_property("measured", _frames("256 processes, chunks moving", moving))
    assert undisturbed(moving) < max(SMOOTH_MS, 2 * median(still))
    axe(page)


def _frames(what: str, times: list[float]) -> str:
    return f"{what}: median frame {median(times):.1f} ms, 95th percentile {quantiles(times, n=20)[-1]:.1f} ms"
