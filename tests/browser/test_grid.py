"""Programs of several processes in the browser: cells, timeline, stepping, collectives in motion, deadlocks."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.app.serving import until
from tests.browser import grid_programs as programs
from tests.browser.conftest import Check, Record
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import box_of, settle, show_tab

SAVED = """async () => {
    const session = await (await fetch(location.pathname.replace("/s/", "/api/sessions/"))).json();
    return session.breakpoints;
}"""
"""The breakpoints as the server has them."""


@pytest.fixture
def late(paste: Record) -> DebuggerPage:
    return _recorded(paste(programs.LATE))


def _recorded(debugger: DebuggerPage) -> DebuggerPage:
    debugger.wait_until_recorded()
    expect(debugger.page.get_by_role("grid", name="Processes")).to_be_visible()
    return debugger


def _cell(debugger: DebuggerPage, name: str) -> Locator:
    return debugger.page.get_by_role("gridcell", name=re.compile(f"^process {re.escape(name)},"))


def _says(debugger: DebuggerPage, name: str, *words: str) -> None:
    for said in words:
        expect(_cell(debugger, name)).to_have_accessible_name(re.compile(re.escape(said)))


def _step_to(debugger: DebuggerPage, line: int) -> None:
    count = debugger.page.locator(".where .count")
    for _ in range(40):
        settle(debugger.page)  # the call stack follows the step
        if debugger.page.locator(".frame.current .line").inner_text() == f"line {line}":
            return
        before = count.inner_text()
        debugger.press("F11")
        expect(count).not_to_have_text(before)
    raise AssertionError(f"line {line} was not reached")


@pytest.mark.main_path
def test_all_processes_step_together_and_wait_for_the_late_one(late: DebuggerPage) -> None:
    _says(late, "(0, 0)", "running", "partition_id, line 3", "shown")
    _says(late, "(0, 3)", "running", "partition_id, line 3")
    _step_to(late, programs.PAIRS)
    _says(late, "(0, 0)", "waiting", f"all_reduce, line {programs.PAIRS}", "waits for (0, 1)", "group 0")
    _says(late, "(0, 1)", "running", "group 0")
    _says(late, "(0, 2)", "group 1")
    late.press("F10")
    late.at_line(programs.ALL)
    _says(late, "(0, 1)", f"all_reduce, line {programs.ALL}", "group 0")
    _says(late, "(0, 3)", f"all_reduce, line {programs.ALL}", "waiting")


def test_one_process_steps_alone_and_cells_are_walked_and_chosen_by_keys(late: DebuggerPage) -> None:
    page = late.page
    page.get_by_role("combobox", name="Processes that step").select_option("this process")
    _step_to(late, programs.PAIRS)
    _says(late, "(0, 1)", "partition_id, line 3", "running")
    late.press("F11")
    late.at_line(programs.PAIRS)
    late.stopped(f"Process (0, 0) waits in all_reduce on line {programs.PAIRS} for (0, 1).")
    page.get_by_role("combobox", name="Process", exact=True).select_option("(0, 1)")
    late.at_line(3)
    late.press("Control+F11")
    late.stopped("waits in all_reduce")
    page.get_by_role("combobox", name="Processes that step").select_option("all in lockstep")
    late.press("Alt+PageUp")
    _says(late, "(0, 0)", "shown")
    late.press("Control+Shift+F5")
    for name in ("(0, 0)", "(0, 1)", "(0, 2)", "(0, 3)"):
        _says(late, name, "line 3")

    _cell(late, "(0, 0)").focus()
    page.keyboard.press("ArrowRight")
    expect(_cell(late, "(0, 1)")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(_cell(late, "(0, 3)")).to_be_focused()
    page.keyboard.press("Enter")
    expect(_cell(late, "(0, 3)")).to_have_attribute("aria-current", "true")
    expect(page.get_by_role("combobox", name="Process", exact=True)).to_have_value("3")
    for _ in range(2):
        late.press("F11")
    late.choose_in_grid("%id")
    expect(page.get_by_role("region", name="Process (0, 3)")).to_contain_text("ui32 3")
    _cell(late, "(0, 1)").focus()
    page.keyboard.press("Space")
    expect(_cell(late, "(0, 1)")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("combobox", name="Processes that step")).to_have_value("chosen")
    late.press("F11")
    _says(late, "(0, 1)", "compare, line 6")
    _says(late, "(0, 0)", "constant, line 5")


def test_values_breakpoints_and_the_timeline_are_those_of_a_process(late: DebuggerPage) -> None:
    page = late.page
    for _ in range(3):
        late.press("F11")
    number = late.variable("%number", "Locals").locator(".range")
    for name, value in (("(0, 0)", "0"), ("(0, 2)", "2")):
        page.get_by_role("combobox", name="Process", exact=True).select_option(name)
        expect(number).to_have_text(value)
    expect(page).to_have_url(re.compile("process=2"))
    page.reload()
    expect(page.get_by_role("combobox", name="Process", exact=True)).to_have_value("2")
    expect(page.locator(".where .count")).to_have_text(re.compile("^step 3"))

    late.press("Control+Enter")
    expect(page.locator(".where .count")).to_have_text(re.compile("^step 0"))
    expect(page.get_by_role("combobox", name="Process", exact=True)).to_have_value("2")
    late.wait_until_recorded()
    page.get_by_role("combobox", name="Process", exact=True).select_option("(0, 0)")
    late.press("Control+Shift+F5")
    late.toggle_breakpoint(programs.ONLY_THE_LATE)
    late.press("F5")
    late.stopped(f"Process (0, 1) stopped at the breakpoint on line {programs.ONLY_THE_LATE}")
    expect(page.get_by_role("combobox", name="Process", exact=True)).to_have_value("1")
    late.toggle_breakpoint(15)
    late.press("Control+Shift+F5")
    page.get_by_role("combobox", name="Process", exact=True).select_option("(0, 2)")
    limit = page.get_by_role("combobox", name="Processes that stop on line 15")
    limit.select_option("only (0, 2)")
    page.get_by_role("combobox", name="Process", exact=True).select_option("(0, 0)")
    late.press("F5")
    late.stopped(f"(0, 1) stopped at the breakpoint on line {programs.ONLY_THE_LATE}, (0, 2) on line 15.")
    until(lambda: page.evaluate(SAVED) == [programs.ONLY_THE_LATE, [15, [2]]])
    page.reload()
    expect(limit).to_have_value("2")
    settle(page)

    timeline = page.get_by_role("slider", name="Timeline")
    last = int(timeline.get_attribute("aria-valuemax") or 0)
    assert last > 12
    box = box_of(timeline)
    page.mouse.click(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.9)
    expect(timeline).to_have_attribute("aria-valuetext", re.compile(r"process \(0, 3\)"))
    assert abs(int(timeline.get_attribute("aria-valuenow") or 0) - last / 2) <= 1
    timeline.press("ArrowUp")
    expect(timeline).to_have_attribute("aria-valuetext", re.compile(r"process \(0, 2\)"))
    timeline.press("End")
    expect(timeline).to_have_attribute("aria-valuenow", str(last))
    late.stopped("Process (0, 2) has finished")


def test_a_manual_computation_moves_its_parts(paste: Record) -> None:
    debugger = _recorded(paste(programs.MANUAL))
    page = debugger.page
    debugger.press("F11")
    _says(debugger, "(0, 5)", "all_gather, line 5", "group 1")
    page.get_by_role("button", name="Data moving").click()
    words = page.get_by_role("region", name="What moves")
    expect(words.get_by_role("listitem")).to_have_text(
        [f"all of (0, {source}) to rows {4 * source} to {4 * source + 3} of (0, 0)" for source in range(4)]
    )
    page.get_by_role("combobox", name="Receiver").select_option("(0, 2)")
    expect(words.get_by_role("listitem").nth(1)).to_have_text("all of (0, 1) to rows 4 to 7 of (0, 2)")
    page.get_by_role("combobox", name="Order").select_option("by sender")
    expect(words.get_by_role("listitem").first).to_have_text("all of (0, 0) to rows 0 to 3 of (0, 0)")
    page.get_by_role("combobox", name="Speed").select_option("4 ×")
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_role("combobox", name="Sender")).to_have_value("3")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.get_by_role("button", name="Next execution").click()
    page.get_by_role("button", name="Next execution").click()
    expect(page.get_by_role("group", name="Collective execution")).to_contain_text("all_reduce")
    page.get_by_role("combobox", name="Order").select_option("by receiver")
    expect(words.get_by_role("listitem").first).to_contain_text("combined into")

    # With reduced motion nothing plays.
    page.emulate_media(reduced_motion="reduce")
    page.reload()
    page.get_by_role("button", name="Data moving").click()
    expect(words.get_by_role("listitem")).to_have_count(4)
    expect(page.get_by_role("button", name="Play")).to_have_count(0)
    page.get_by_role("button", name="Next chunks").click()
    expect(page.get_by_role("combobox", name="Receiver")).to_have_value("1")


@pytest.mark.main_path
def test_a_deadlock_is_a_stop_with_a_picture(paste: Record, axe: Check) -> None:
    debugger = paste(programs.DEADLOCK)
    page = debugger.page
    expect(page.get_by_role("log")).to_contain_text("deadlock: (0, 0) and (0, 1) wait for each other")
    page.get_by_role("button", name="Show what each process waits for").click()
    report = page.get_by_role("region", name="Deadlock")
    expect(report).to_contain_text("Deadlock: (0, 0) and (0, 1) wait for each other.")
    expect(report.get_by_role("listitem")).to_have_count(2)
    expect(report).to_contain_text("line 11")
    _says(debugger, "(0, 0)", "waiting", "line 7", "waits for (0, 1)")
    _says(debugger, "(0, 1)", "waiting", "line 11", "waits for (0, 0)")
    expect(page.locator(".grid-arrows .cycle")).to_have_count(2)
    axe(page, "#panel-grid")
    debugger.press("Alt+Shift+F11")
    expect(page.locator(".grid-arrows")).to_have_count(0)
    report.get_by_role("button", name="Show where it stopped").click()
    expect(page.locator(".grid-arrows .cycle")).to_have_count(2)


def test_a_narrow_window_and_no_grid_of_one_process(page: Page, record: Record) -> None:
    page.set_viewport_size({"width": 420, "height": 900})
    record(programs.LATE)
    show_tab(page, "Stage")
    expect(page.get_by_role("grid", name="Processes")).to_be_visible()
    cells = page.get_by_role("gridcell")
    expect(cells).to_have_count(4)
    for cell in cells.all():
        box = box_of(cell)
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 420
    page.set_viewport_size({"width": 1440, "height": 900})
    record("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %x : tensor<4xf32>\n}\n")
    expect(page.get_by_role("tab", name="Tensor")).to_be_visible()
    expect(page.get_by_role("tab", name="Grid")).to_have_count(0)
    expect(page.get_by_role("combobox", name="Processes that step")).to_have_count(0)


def test_cells_have_the_shape_of_the_mesh_and_groups_name_their_axes(record: Record, axe: Check) -> None:
    page = record(programs.MANUAL).page
    show_tab(page, "Grid")
    page.keyboard.press("F11")
    settle(page)
    names = page.locator(".mesh-names > span")
    expect(names).to_have_text(["y = 0", "y = 1", "y = 2", "y = 3", "x = 0", "x = 1"])
    expect(page.locator(".grid-meets")).to_have_text(
        "all_gather, line 5, channel 1: 2 groups along y of @mesh"
    )
    expect(page.locator(".mesh-links polyline")).to_have_count(2)
    axe(page, "#panel-grid")
    cell = page.get_by_role("gridcell", name=re.compile(r"process \(0, 1\)"))
    cell.focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("gridcell", name=re.compile(r"process \(0, 5\)"))).to_be_focused()
    page.get_by_label("Shape").select_option("replicas × partitions")
    settle(page)
    expect(names).to_have_count(0)
    expect(page.locator(".grid-meets")).to_contain_text("along y of @mesh")
