"""The frame of the page: borders, panels that move, collapse and come back, drawers, presets, keys; and what is kept of it."""

import json
import re
from typing import Any, Literal

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Check, OpenPage, Record
from tests.browser.debugger_page import DebuggerPage
from tests.browser.page_frame import arrange, choose_in_menu, console, move_panel, pane
from tests.browser.settling import box_of, settle, show_tab

PROGRAM = """func.func @main(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.add %x, %y : tensor<8x8xf32>
  %1 = stablehlo.negate %0 : tensor<8x8xf32>
  %2 = stablehlo.multiply %1, %0 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
"""

FOCUSED = """() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return element?.getAttribute('role') === 'slider' ? 'slider' : element?.getAttribute('aria-label') ?? element?.textContent?.trim() ?? '';
}"""


@pytest.fixture
def debugger(record: Record) -> DebuggerPage:
    """A program at its second step, on a page with room for all."""
    opened = record(PROGRAM)
    opened.press("F10")
    settle(opened.page)
    return opened


def _focused(page: Page) -> str:
    """The focused element, once the page has handled a key."""
    settle(page)
    return str(page.evaluate(FOCUSED))


PLACES = "(tabs) => tabs.map(({ offsetLeft, offsetWidth }) => [offsetLeft, offsetWidth])"
SIDES: tuple[Literal["x", "y", "width", "height"], ...] = ("x", "y", "width", "height")


def _box(locator: Locator) -> dict[str, float]:
    """The box of an element, once nothing moves."""
    settle(locator.page)
    box = box_of(locator)
    return {side: float(box[side]) for side in SIDES}


def _border(page: Page, before: str, after: str) -> Locator:
    return page.get_by_role("separator", name=f"Border between {before} and {after}")


def _drag(page: Page, start: Locator, x: float, y: float) -> None:
    """Presses on the middle of `start` once it stands still, moves to (x, y) in some steps, and lets go."""
    start.hover()
    page.mouse.down()
    page.mouse.move(x, y, steps=8)
    page.mouse.up()
    settle(page)


def _tabs_beside(page: Page, title: str) -> list[str]:
    """The tabs of the group that a panel is in."""
    tab = page.get_by_role("tab", name=re.compile(rf"^{title}\b"))
    return tab.locator("..").get_by_role("tab").all_inner_texts()


def test_a_border_is_dragged_and_stays_where_it_is(debugger: DebuggerPage) -> None:
    page = debugger.page
    widths = [_box(pane(page, title))["width"] / 1440 for title in ("Program", "Tensor", "Variables")]
    assert all(abs(width - share) < 0.01 for width, share in zip(widths, (0.45, 0.40, 0.15), strict=True)), (
        widths
    )
    border = _border(page, "Program", "Tensor")
    expect(border).to_have_attribute("aria-valuenow", "53")
    _drag(page, border, 500, 400)
    assert abs(_box(pane(page, "Program"))["width"] - 500) < 3
    border.press("ArrowRight")
    assert abs(_box(pane(page, "Program"))["width"] - 524) < 3
    border.press("Home")
    assert round(_box(pane(page, "Program"))["width"]) == 221
    border.press("End")
    assert round(_box(pane(page, "Tensor"))["width"]) == 221
    border.dblclick()
    assert abs(_box(pane(page, "Program"))["width"] - _box(pane(page, "Tensor"))["width"]) < 3
    _drag(page, _border(page, "Program, Tensor, Variables", "Timeline"), 700, 700)
    assert _box(pane(page, "Timeline"))["height"] > 150

    before = {title: _box(pane(page, title)) for title in ("Program", "Tensor", "Variables", "Timeline")}
    page.reload()
    settle(page)
    assert {title: _box(pane(page, title)) for title in before} == before


@pytest.mark.main_path
def test_a_tab_is_dragged_to_each_zone_and_escape_gives_up(debugger: DebuggerPage) -> None:
    page = debugger.page
    page.get_by_role("tab", name="Graph").hover()
    page.mouse.down()
    page.mouse.move(300, 400, steps=5)
    expect(page.locator(".drop-mark")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".drop-mark")).to_have_count(0)
    page.mouse.up()
    settle(page)
    assert "Graph" in _tabs_beside(page, "Tensor")
    show_tab(page, "Tensor")

    provenance = page.get_by_role("tab", name="Provenance")
    tensor = _box(pane(page, "Tensor"))
    _drag(page, provenance, tensor["x"] + tensor["width"] / 2, tensor["y"] + tensor["height"] - 30)
    assert _tabs_beside(page, "Provenance") == ["Provenance"]
    assert _box(pane(page, "Provenance"))["y"] > _box(pane(page, "Tensor"))["y"] + 100, "below"

    program = _box(pane(page, "Program"))
    _drag(page, provenance, program["x"] + 60, program["y"] + 300)
    assert _box(pane(page, "Provenance"))["x"] < _box(pane(page, "Program"))["x"], "left of the program"
    _drag(page, provenance, *_middle(pane(page, "Variables")))
    assert _tabs_beside(page, "Provenance") == ["Variables", "Steps", "Findings", "Provenance"]
    expect(provenance).to_have_attribute("aria-selected", "true")

    index = _box(page.get_by_role("tab", name="Index map"))
    _drag(page, provenance, index["x"] + 6, index["y"] + 10)
    between = ["Tensor", "Provenance", "Index map", "Graph"]
    assert _tabs_beside(page, "Provenance") == between, "between two tabs"
    _drag(page, provenance, 1437, 300)
    assert _box(pane(page, "Provenance"))["x"] > 1000, "at the edge of the page"

    before = page.get_by_role("tab").all_inner_texts()
    page.reload()
    settle(page)
    assert page.get_by_role("tab").all_inner_texts() == before


@pytest.mark.main_path
def test_panels_opened_on_purpose_are_one_step_away_and_stay_until_they_are_closed(
    debugger: DebuggerPage, axe: Check
) -> None:
    page = debugger.page
    always = ["Tensor", "Index map", "Provenance", "Graph"]
    assert _tabs_beside(page, "Tensor") == always
    more = page.get_by_role("button", name="More panels")
    page.get_by_role("tab", name="Tensor").focus()
    page.keyboard.press("Tab")
    expect(more).to_be_focused()
    page.keyboard.press("Enter")
    items = page.get_by_role("menu", name="More panels").get_by_role("menuitem")
    assert [text.split("\n")[0] for text in items.all_inner_texts()] == [
        "Compare", "Op", "Memory", "Precision", "Profile",
    ]  # fmt: skip
    axe(page, ".pane-head:has(.more-panels)")
    page.keyboard.press("o")
    page.keyboard.press("Enter")
    expect(page.get_by_role("tab", name="Op")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#panel-op")).to_be_focused()

    page.keyboard.press("Control+Shift+P")
    page.keyboard.type("show memory")
    page.keyboard.press("Enter")
    expect(page.get_by_role("tab", name="Memory")).to_have_attribute("aria-selected", "true")
    page.reload()
    settle(page)
    assert _tabs_beside(page, "Tensor") == [*always, "Op", "Memory"]
    show_tab(page, "Memory")
    page.get_by_role("button", name="Close Memory").click()
    assert _tabs_beside(page, "Tensor") == [*always, "Op"]
    expect(page.locator("#panel-memory")).to_be_hidden()
    more.click()
    expect(page.get_by_role("menuitem", name=re.compile("^Memory"))).to_be_visible()
    page.keyboard.press("Escape")
    expect(more).to_be_focused()


def _middle(found: Locator) -> tuple[float, float]:
    box = _box(found)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.main_path
def test_a_panel_is_moved_by_the_keyboard(debugger: DebuggerPage, axe: Check) -> None:
    page = debugger.page
    page.get_by_role("tab", name="Steps").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Arrange Steps").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitem", name="Maximise")).to_be_focused()
    page.keyboard.press("m")  # the next item with this letter
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Move Steps")
    expect(dialog).to_be_visible()
    axe(page, "dialog")
    dialog.get_by_label("Where").select_option("below")
    dialog.get_by_label("Of what").select_option("Program")
    dialog.get_by_role("button", name="Move").press("Enter")
    settle(page)
    assert _tabs_beside(page, "Steps") == ["Steps"]
    assert _box(pane(page, "Steps"))["y"] > _box(pane(page, "Program"))["y"] + 100
    expect(page.get_by_role("listbox", name="Steps").get_by_role("option").first).to_be_visible()


def test_a_panel_keeps_what_it_holds_and_its_place_when_it_is_hidden_and_when_it_moves(
    debugger: DebuggerPage,
) -> None:
    page = debugger.page
    editor = page.locator(".cm-content")
    editor.click()
    page.keyboard.press("Control+End")
    page.keyboard.insert_text("\n// mine" * 80)
    settle(page)
    scroller = page.locator(".cm-scroller")
    scrolled = scroller.evaluate("(element) => element.scrollTop")
    assert scrolled > 100
    show_tab(page, "Steps")
    _drag(page, page.get_by_role("tab", name="Program"), *_middle(pane(page, "Tensor")))
    assert _tabs_beside(page, "Program")[-1] == "Program"
    assert abs(scroller.evaluate("(element) => element.scrollTop") - scrolled) < 30
    show_tab(page, "Tensor")
    expect(editor).to_be_hidden()
    show_tab(page, "Program")
    expect(editor).to_contain_text("// mine")
    page.keyboard.press("F6")
    page.keyboard.press("Control+z")

    page.get_by_role("tab", name="Tensor").click()
    page.get_by_role("button", name="Numbers").click()
    table = page.get_by_role("grid")
    expect(table).to_be_visible()
    table.evaluate("(element) => element.dataset.mark = 'same'")
    show_tab(page, "Op")
    show_tab(page, "Tensor")
    expect(page.locator("[data-mark=same]")).to_be_visible()

    show_tab(page, "Variables")
    tree = page.get_by_role("tree", name="Variables")
    tree.focus()
    for key in ("Home", "ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
    settle(page)
    row = str(tree.locator(".row.at").get_attribute("aria-label"))
    _drag(page, page.get_by_role("tab", name="Variables"), *_middle(pane(page, "Tensor")))
    assert _tabs_beside(page, "Variables")[-1] == "Variables"
    expect(tree.locator(".row.at")).to_have_attribute("aria-label", row)
    show_tab(page, "Tensor")
    debugger.press("F10")
    debugger.press("Alt+Shift+F11")
    show_tab(page, "Variables")
    expect(tree.locator(".row.at")).to_have_attribute("aria-label", row)


DEEP = """func.func @main(%x: tensor<8x8xf32>) -> tensor<2x2x16xf32> {
  %a = stablehlo.reshape %x : (tensor<8x8xf32>) -> tensor<4x16xf32>
  %b = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x16xf32>) -> tensor<16x4xf32>
  %c = stablehlo.reshape %b : (tensor<16x4xf32>) -> tensor<2x2x16xf32>
  return %c : tensor<2x2x16xf32>
}
"""


def test_what_is_open_stays_open_where_a_panel_goes(record: Record) -> None:
    opened = record(DEEP)
    page = opened.page
    show_tab(page, "Index map")
    settle(page)
    numbers, rewrites = page.locator("details.index-numbers"), page.locator("details.index-rewrites").first
    for details in (numbers, rewrites):
        details.locator("summary").first.click()
        expect(details).to_have_attribute("open", "")
    settle(page)
    panel = page.locator("#panel-index")
    panel.evaluate("(element) => element.scrollTo(0, 90)")
    for where, of in (("bottom", "Program"), ("center", "Tensor")):
        move_panel(page, "Index map", where, of)
        expect(numbers).to_have_attribute("open", "")
        expect(rewrites).to_have_attribute("open", "")
        assert abs(panel.evaluate("(element) => element.scrollTop") - 90) < 2

    show_tab(page, "Tensor")
    opened.press("F10")  # the step unmounts a panel that is not shown
    settle(page)
    opened.press("F10")
    settle(page)
    show_tab(page, "Index map")
    settle(page)
    expect(numbers).to_have_attribute("open", "")
    expect(rewrites).to_have_attribute("open", "")


DAMAGED = '{"version":2,"tree":{"kind":"tabs","tabs":["tensor","abacus"],"active":"abacus"},"closed":"all"}'


def test_panels_collapse_close_and_come_back_also_from_a_damaged_layout(debugger: DebuggerPage) -> None:
    """tests/js/saved_layout.test.mjs reads the other damages."""
    page = debugger.page
    arrange(page, "Call stack", "Collapse")
    assert _box(page.locator('.pane[data-panel="frames"]'))["height"] < 50
    expect(page.locator(".frame.current")).to_be_hidden()
    page.get_by_role("tab", name="Call stack").click()
    expect(page.locator(".frame.current")).to_be_visible()

    arrange(page, "Program", "Collapse")
    expect(page.locator(".cm-content")).to_be_hidden()
    page.get_by_role("button", name="Program", exact=True).click()
    expect(page.locator(".cm-content")).to_be_visible()
    page.get_by_role("button", name="Keep the drawer open beside the others").click()
    settle(page)
    assert _box(pane(page, "Tensor"))["x"] >= _box(pane(page, "Program"))["width"]

    arrange(page, "Breakpoints", "Close")
    expect(page.get_by_role("tab", name="Breakpoints")).to_have_count(0)
    page.reload()
    settle(page)
    expect(page.get_by_role("tab", name="Breakpoints")).to_have_count(0)
    choose_in_menu(page, "Layout", "Breakpoints")
    expect(page.get_by_role("tab", name="Breakpoints")).to_be_visible()
    choose_in_menu(page, "Layout", "Timeline")
    expect(page.get_by_role("slider", name="Timeline")).to_have_count(0)
    choose_in_menu(page, "Layout", "Reset layout")
    expect(page.get_by_role("slider", name="Timeline")).to_be_visible()

    show_tab(page, "Op")
    kept: dict[str, Any] = json.loads(page.evaluate("localStorage.getItem('hloscope.layout')"))
    assert kept["version"] == 2
    assert kept["isOwn"] is False, "which tab is in front says nothing of how wide panels are"
    page.evaluate("(text) => localStorage.setItem('hloscope.layout', text)", DAMAGED)
    page.reload()
    settle(page)
    for title in ("Program", "Tensor", "Variables", "Call stack", "Breakpoints", "Timeline"):
        shown = pane(page, title).or_(page.get_by_role("tab", name=title, exact=True)).first
        expect(shown).to_be_visible()


def test_a_panel_is_maximised_and_restored(debugger: DebuggerPage) -> None:
    page = debugger.page
    arrange(page, "Tensor", "Maximise")
    assert _box(pane(page, "Tensor"))["width"] == 1440
    expect(page.locator(".cm-content")).to_be_hidden()
    debugger.press("F10")
    debugger.at_step(2)
    page.reload()
    settle(page)
    assert _box(pane(page, "Tensor"))["width"] == 1440
    debugger.press("Control+Alt+m")
    expect(page.locator(".cm-content")).to_be_visible()
    expect(pane(page, "Variables")).to_be_visible()


def test_the_inspector_is_a_drawer_where_there_is_no_room_and_the_toolbar_is_one_row(
    page: Page, record: Record, axe: Check
) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    debugger = record(PROGRAM)
    bar = page.get_by_role("toolbar", name="Tools")
    assert _box(bar)["height"] < 40
    overflowing = (
        "(bar) => [...bar.querySelectorAll('button')].filter((b) => b.scrollWidth > b.clientWidth).length"
    )
    assert bar.evaluate(overflowing) == 0
    page.get_by_role("button", name="Continue").focus()
    for name in ("Step over", "Step into", "Step out", "Step back", "More ways to step"):
        page.keyboard.press("ArrowRight")
        assert _focused(page) == name
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitem", name="Restart")).to_be_visible()
    for name, why in (("Pause", "No command is in progress."), ("Record the rest", "The run has ended.")):
        item = page.get_by_role("menuitem", name=name)
        expect(item).to_have_attribute("title", why)
        expect(item).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("Escape")
    assert _focused(page) == "More ways to step"

    expect(page.locator(".variable").first).to_be_hidden()
    debugger.press("Control+b")
    expect(page.locator(".variable").first).to_be_visible()
    axe(page, ".drawer-body")
    drawer = page.locator(".drawer-body")
    width = _box(drawer)["width"]
    page.get_by_role("separator", name="Width of the drawer").press("ArrowLeft")
    assert _box(drawer)["width"] == width + 24
    assert _box(pane(page, "Tensor"))["x"] + _box(pane(page, "Tensor"))["width"] > _box(drawer)["x"], (
        "it lies over it"
    )
    page.locator(".variable").first.click()
    debugger.press("F10")
    expect(page.locator(".variable").first).to_be_visible()
    page.locator(".variable").first.click()
    debugger.press("Escape")
    expect(drawer).to_be_hidden()
    assert "Variables" in _focused(page)
    page.get_by_role("button", name="Breakpoints", exact=True).click()
    expect(pane(page, "Breakpoints")).to_be_visible()
    page.get_by_role("button", name="Breakpoints", exact=True).click()
    expect(drawer).to_be_hidden()


def test_escape_leaves_a_field_of_the_drawer_before_it_closes_the_drawer(page: Page, record: Record) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    debugger = record(PROGRAM)
    drawer = page.locator(".drawer-body")
    debugger.press("Control+b")
    page.get_by_role("searchbox", name="Filter variables").click()
    debugger.press("F9")
    debugger.press("Escape")
    expect(drawer).to_be_visible()
    debugger.press("Escape")
    expect(drawer).to_be_hidden()

    page.get_by_role("button", name="Breakpoints", exact=True).click()
    edit = page.get_by_role("button", name="Edit the breakpoint: line 2")
    edit.click()
    condition = page.get_by_label("Condition: line 2", exact=True)
    expect(condition).to_be_focused()
    page.keyboard.type("ma")
    expect(page.get_by_role("listbox", name="Completions")).to_be_visible()
    debugger.press("Escape")  # closes the completions
    expect(page.get_by_role("listbox", name="Completions")).to_be_hidden()
    expect(condition).to_be_focused()
    debugger.press("Escape")
    expect(edit).to_be_focused()
    expect(drawer).to_be_visible()
    debugger.press("Escape")
    expect(drawer).to_be_hidden()

    page.get_by_role("button", name="Watch", exact=True).click()
    page.get_by_role("combobox", name="New watch expression").fill("max(%x)")
    debugger.press("Enter")
    watched = page.get_by_role("button", name="max(%x)", exact=True)
    watched.click()
    expect(page.get_by_label("Edit max(%x)", exact=True)).to_be_focused()
    debugger.press("Escape")
    expect(watched).to_be_focused()
    debugger.press("Escape")
    expect(drawer).to_be_hidden()


def test_all_breakpoints_and_the_fields_of_one_are_visible(record: Record) -> None:
    debugger = record(PROGRAM)
    page = debugger.page
    for line in (2, 3, 4):
        debugger.toggle_breakpoint(line)
    page.get_by_role("button", name="Edit the breakpoint: line 4").click()
    settle(page)
    inside = "(panel) => panel.scrollHeight <= panel.clientHeight && panel.clientHeight > 0"
    assert page.locator("#panel-breakpoints").evaluate(inside)
    assert _box(page.get_by_role("textbox", name="Hit count: line 4"))["height"] > 0


def test_presets_and_few_stops_to_the_timeline(open_page: OpenPage) -> None:
    page = open_page("/")
    page.set_viewport_size({"width": 1280, "height": 720})
    debugger = DebuggerPage.example(page, "All-to-all as a transpose")
    settle(page)
    page.evaluate("document.activeElement.blur()")
    stops: list[str] = []
    while not stops or stops[-1] != "slider":
        page.keyboard.press("Tab")
        stops.append(_focused(page))
        assert len(stops) <= 10, stops
    page.keyboard.press("ArrowRight")
    debugger.at_step(1)
    in_front = {"Index map": "Index map", "Grid": "Grid", "Teaching": "Op", "Debug": "Tensor"}
    for preset, panel in in_front.items():
        choose_in_menu(page, "Layout", preset)
        settle(page)
        expect(pane(page, "Program")).to_be_visible()
        expect(pane(page, panel)).to_be_visible()
        page.get_by_role("button", name="Layout", exact=True).click()
        chosen = page.get_by_role("menuitemradio", checked=True)
        expect(chosen).to_have_text(re.compile(preset))
        page.keyboard.press("Escape")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), preset


@pytest.mark.main_path
def test_the_keyboard_walks_the_panels(debugger: DebuggerPage) -> None:
    page = debugger.page
    page.get_by_role("button", name="Continue").focus()
    seen = []
    for _ in range(9):
        page.keyboard.press("F6")
        seen.append(_focused(page))
    titles = ["Program", "Tensor", "Variables", "Call stack", "Breakpoints", "slider"]
    assert seen[:6] == titles
    assert seen[6].startswith("Open the console")
    assert seen[7:] == ["Continue", "Program"]
    page.keyboard.press("Shift+F6")
    page.keyboard.press("Shift+F6")
    assert _focused(page).startswith("Open the console")


@pytest.mark.main_path
def test_the_console_is_a_line_until_there_is_an_error(debugger: DebuggerPage) -> None:
    page = debugger.page
    line = page.locator(".status-line")
    assert _box(line)["height"] < 32
    assert "Stepped over" not in line.inner_text()
    expect(page.get_by_role("log")).to_have_count(0)
    expect(console(page)).to_contain_text("Current op: line 2")
    expect(line).to_have_count(0)
    expect(page.get_by_role("combobox", name="Expression or command")).to_be_focused()
    page.get_by_role("button", name="Close Console").click()
    expect(line).to_be_visible()
    debugger.press("Control+`")
    expect(page.get_by_role("log")).to_be_visible()
    debugger.press("Control+`")
    expect(page.get_by_role("log")).to_have_count(0)

    page.locator(".cm-content").click()
    debugger.press("Control+a")
    page.keyboard.insert_text(PROGRAM.replace("negate %0", "negate %7"))
    expect(line).to_contain_text("line 3")
    expect(page.get_by_role("log")).to_have_count(0)
    debugger.press("Control+Enter")
    expect(page.get_by_role("log")).to_contain_text("The program has errors, so it was not run.")


def test_tabs_stay_while_one_steps_and_help_is_there_at_the_head(debugger: DebuggerPage) -> None:
    page = debugger.page
    tabs = page.get_by_role("tablist", name=re.compile("^Tensor, ")).get_by_role("tab")
    before = tabs.all_inner_texts()
    assert before == ["Tensor", "Index map", "Provenance", "Graph"]
    places = tabs.evaluate_all(PLACES)
    for _ in range(4):
        debugger.press("F10")
        settle(page)
        assert tabs.evaluate_all(PLACES) == places
    show_tab(page, "Op")
    expect(pane(page, "Op")).to_contain_text(re.compile("At an op, this tab describes"))
    show_tab(page, "Tensor")

    link = page.get_by_role("link", name="Help: Tensor")
    page.mouse.move(300, 500)
    expect(link).to_have_css("opacity", "0")
    page.get_by_role("tab", name="Tensor").hover()
    expect(link).to_have_css("opacity", "1")
    page.mouse.move(300, 500)
    page.get_by_role("tab", name="Tensor").focus()
    page.keyboard.press("Tab")
    assert _focused(page) == "More panels"
    page.keyboard.press("Tab")
    assert _focused(page).startswith("Help: Tensor")
    expect(link).to_have_css("opacity", "1")


def test_one_pane_at_a_time_on_a_phone(page: Page, record: Record) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    record(PROGRAM)
    expect(pane(page, "Program")).to_be_visible()
    show_tab(page, "Inspector")
    expect(pane(page, "Program")).to_be_hidden()
    show_tab(page, "Breakpoints")
    show_tab(page, "Stage")
    show_tab(page, "Op")
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.reload()
    settle(page)
    assert page.evaluate("localStorage.getItem('hloscope.layout')") is None, (
        "a phone changes no layout of a screen"
    )
