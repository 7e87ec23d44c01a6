"""What a small screen, a phone and an audience see: nothing lies out of view, no words are cut, no rows broken."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.browser.conftest import Check, NewPage, Record
from tests.browser.debugger_page import DebuggerPage
from tests.browser.grid_programs import MANUAL
from tests.browser.scenes import ALL_NAN, BROKEN
from tests.browser.settling import box_of, settle, show_tab
from tests.server_process import Server

NOTEBOOK: ViewportSize = {"width": 1280, "height": 720}
PHONE: ViewportSize = {"width": 390, "height": 844}

FUSIONS = """HloModule fusions

ENTRY main {
  input_of_the_layer.7 = f32[8,16]{1,0} parameter(0)
  exponential_fusion.7 = f32[8,16]{1,0} exponential(input_of_the_layer.7)
  negated_fusion.7 = f32[8,16]{1,0} negate(exponential_fusion.7)
  ROOT difference_fusion.7 = f32[8,16]{1,0} subtract(input_of_the_layer.7, negated_fusion.7)
}
"""

LONG_FUSION = """HloModule program

fused_computation_of_a_broadcast_and_an_addition.12 {
  p = f32[8,16]{1,0} parameter(0)
  ROOT e = f32[8,16]{1,0} exponential(p)
}

ENTRY main {
  x = f32[8,16]{1,0} parameter(0)
  ROOT fusion_of_the_layer.1 = f32[8,16]{1,0} fusion(x), kind=kLoop, calls=fused_computation_of_a_broadcast_and_an_addition.12
}
"""

ATTENTION = """\
func.func @main(%q: tensor<64x12x64xf32>, %k: tensor<64x12x64xf32>) -> tensor<12x64x64xf32> {
  %0 = stablehlo.dot_general %q, %k, batching_dims = [1] x [1], contracting_dims = [2] x [2] : (tensor<64x12x64xf32>, tensor<64x12x64xf32>) -> tensor<12x64x64xf32>
  return %0 : tensor<12x64x64xf32>
}
"""


FOUR_DIMENSIONS = """HloModule room

ENTRY main {
  weights_of_the_first_layer = f32[2,4,16,32]{3,2,1,0} parameter(0)
  weights_of_the_other_layer = f32[2,4,16,32]{3,2,1,0} parameter(1)
  sum_of_both = f32[2,4,16,32]{3,2,1,0} add(weights_of_the_first_layer, weights_of_the_other_layer)
  ROOT turned = f32[2,4,32,16]{3,2,1,0} transpose(sum_of_both), dimensions={0,1,3,2}
}
"""

STAGE = ("Tensor", "Index map", "Provenance", "Op", "Memory")
INSPECTOR = ("Variables", "Steps", "Findings", "Call stack", "Watch", "Breakpoints")
PRESENTER = "localStorage.setItem('hloscope.presenter', 'on')"

OUT_OF_VIEW = """() => [...document.querySelectorAll("button, select, input, a, h2, h3, output, canvas")]
    .filter((element) => !element.closest(".hidden, .skip, .cm-editor, .tabs"))
    .map((element) => [element, element.getBoundingClientRect()])
    .filter(([, { width, left, right }]) => width > 0 && (left < -1 || right > innerWidth + 1))
    .map(([element]) => (element.getAttribute("aria-label") ?? element.textContent).trim().slice(0, 60))"""
"""What is beside the window; tabs scroll, and so does the text of the program."""


SCROLLED_TABLES = """() => [...document.querySelectorAll(".table")]
    .filter((table) => table.scrollWidth > table.clientWidth)
    .map((table) => table.getAttribute("aria-labelledby"))"""
"""Tables that have to be scrolled sideways."""


def _stage_is_in_view(page: Page, panels: Sequence[str]) -> None:
    for name in panels:
        show_tab(page, name)
        settle(page)
        assert page.evaluate(OUT_OF_VIEW) == [], name


def _is_whole(locator: Locator) -> bool:
    """Whether nothing of its text is cut."""
    return bool(locator.evaluate("(element) => element.scrollWidth <= element.clientWidth"))


CHARACTERS = """() => {
    const root = document.querySelector(".editor").shadowRoot;
    const [before, after] = ["before", "after"].map((side) => root.querySelector(`.cm-gutters-${side}`).getBoundingClientRect());
    const context = document.createElement("canvas").getContext("2d");
    const { fontSize, fontFamily } = getComputedStyle(root.querySelector(".cm-line"));
    context.font = `${fontSize} ${fontFamily}`;
    return (after.left - before.right) / context.measureText("0").width;
}"""


def _below(page: Page, part: str, contain: str) -> bytes:
    """A picture of what is just below the line of a part of the program, where a line that is laid out by itself paints nothing."""
    box = page.locator(part).first.evaluate(
        """(part, contain) => {
            const line = part.closest(".cm-line");
            line.style.contain = contain;
            return [part.getBoundingClientRect().x - 4, line.getBoundingClientRect().bottom];
        }""",
        contain,
    )
    settle(page)
    return page.screenshot(clip={"x": box[0], "y": box[1], "width": 60, "height": 2})


HEIGHTS = """func.func @main(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %zeros = stablehlo.constant dense<0.0> : tensor<6x8xf32>
  %sum = stablehlo.add %x, %zeros : tensor<6x8xf32>
  %less = stablehlo.compare LT, %sum, %zeros : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xi1>
  %places = stablehlo.iota dim = 1 : tensor<6x8xi32>
  %deep = stablehlo.broadcast_in_dim %sum, dims = [1, 2] : (tensor<6x8xf32>) -> tensor<2x6x8xf32>
  %again = stablehlo.tanh %sum : tensor<6x8xf32>
  return %again : tensor<6x8xf32>
}
"""


LONG_NAMES = """HloModule names

ENTRY main {
  input_of_it.7 = f32[64,16]{1,0} parameter(0)
  back_dot.7 = f32[64,16]{1,0} negate(input_of_it.7)
  mean_fusion.8 = f32[64,16]{1,0} exponential(back_dot.7)
  ROOT the_difference_of_all.9 = f32[64,16]{1,0} subtract(back_dot.7, mean_fusion.8)
}
"""


def _many_inputs(count: int) -> str:
    arguments = ", ".join(f"%x{at}: tensor<64x64xf32>" for at in range(count))
    return f"""func.func @main({arguments}) -> tensor<64x64xf32> {{
  %0 = stablehlo.add %x0, %x1 : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}}
"""


@pytest.mark.main_path
def test_names_and_ranges_have_room_and_the_program_has_most_of_its_column(record: Record) -> None:
    debugger = record(FUSIONS)
    page = debugger.page
    debugger.press("F10")
    debugger.press("F10")
    settle(page)
    rows = page.get_by_role("tree", name="Variables").locator(".variable")
    expect(rows).to_have_count(4)
    for row in rows.all():
        expect(row.locator(".range")).not_to_be_empty()
        assert _is_whole(row.locator(".range")), row.inner_text()
        letters = "(head) => head.clientWidth / (head.nextElementSibling.clientWidth / 2)"
        expect(row.locator(".tail")).to_have_text(".7")
        assert row.locator(".head").evaluate(letters) >= 5, row.inner_text()
    assert page.evaluate(CHARACTERS) > 53
    assert box_of(page.locator(".cm-gutter-lint"))["width"] == 0

    record(LONG_NAMES)
    for _ in range(2):
        debugger.press("F10")
    settle(page)
    whole = "(head) => head.scrollWidth <= head.clientWidth"
    assert debugger.variable("%back_dot.7").locator(".head").evaluate(whole)
    one_line = "(range) => range.scrollHeight <= range.clientHeight"
    assert debugger.variable("%back_dot.7").locator(".range").evaluate(one_line)
    for name in ("%back_dot.7", "%input_of_it.7"):
        row = debugger.variable(name)
        assert row.locator(".tail").evaluate(whole), name
        expect(row.locator(".range")).to_have_text(re.compile(r"^\s*-\d"))


@pytest.mark.main_path
def test_the_picture_stays_where_it_is_while_one_steps_and_lists_know_types(record: Record) -> None:
    debugger = record(HEIGHTS)
    page = debugger.page
    places = []
    for name in ("%zeros", "%sum", "%less", "%places", "%deep", "%again"):
        expect(page.locator(".tensor-header .name")).to_have_text(name)
        places.append(box_of(page.locator(".tensor-frame")))
        debugger.press("F10")
        settle(page)
    assert all(place == places[0] for place in places), places
    names = {"f32[6,8]": "%x", "[2,6": "%deep", "tensor<2x6": "%deep", "6x8xi1": "%less"}
    for words, name in names.items():
        page.get_by_label("Filter variables").first.fill(words)
        settle(page)
        expect(debugger.variable(name)).to_be_visible()
        expect(debugger.variable("%places")).to_have_count(0)


@pytest.mark.main_path
def test_attributes_over_several_lines_fold_and_processes_stand_beside_each_other(record: Record) -> None:
    debugger = record(MANUAL)
    page = debugger.page
    line = page.locator(".cm-line", has_text="all_reduce")
    expect(line).to_contain_text("groups [[0,1,2,3],[4,5,6,7]]")
    expect(page.locator(".cm-content")).not_to_contain_text("replica_groups")
    line.get_by_role("button", name=re.compile("^groups")).click()
    expect(page.locator(".cm-content")).to_contain_text("replica_groups = dense<[[0, 1, 2, 3]")
    show_tab(page, "Grid")
    settle(page)
    cells = page.locator(".grid-cell")
    assert len({box_of(cell)["y"] for cell in cells.all()}) == 2, "four in a row"


@pytest.mark.main_path
def test_long_lines_are_seen_to_continue_and_long_names_keep_their_end(page: Page, record: Record) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    debugger = record(LONG_FUSION)
    place = page.locator(".editor-place")
    expect(place).to_have_attribute("data-continues", "")
    page.locator(".cm-line", has_text="fusion_of_the_layer.1").click()
    page.keyboard.press("End")
    expect(place).not_to_have_attribute("data-continues", "")
    page.keyboard.press("Home")
    page.keyboard.press("Home")
    expect(place).to_have_attribute("data-continues", "")

    debugger.press("Escape")
    debugger.press("F11")
    title = page.locator(".frame.current .title")
    expect(title).to_have_text("fusion · fused_computation_of_a_broadcast_and_an_addition.12")
    beginning = title.locator(".beginning").last
    assert beginning.evaluate("(text) => text.scrollWidth > text.clientWidth"), "the name has to be cut"
    end, frame = box_of(title.locator("span").last), box_of(page.locator(".frame.current .line"))
    assert end["x"] + end["width"] <= frame["x"]
    assert box_of(title.locator(".name").last)["height"] < 2 * end["height"], "one line"


def test_on_a_notebook_nothing_of_the_stage_is_beside_the_screen(page: Page, record: Record) -> None:
    page.set_viewport_size(NOTEBOOK)
    record(FOUR_DIMENSIONS)
    _stage_is_in_view(page, STAGE)
    show_tab(page, "Provenance")
    settle(page)
    assert box_of(page.locator(".provenance-bar"))["height"] < 40
    show_tab(page, "Index map")
    settle(page)
    assert box_of(page.locator(".index-bar").first)["height"] < 40
    indices = page.locator(".index-tensor").first.get_by_role("slider", name=re.compile("^Index of"))
    assert box_of(indices.nth(0))["y"] == box_of(indices.nth(1))["y"], (
        "two held dimensions stand side by side"
    )

    show_tab(page, "Op")
    heads = page.locator(".op-panel h3")
    expect(heads.first).to_have_text("Operands")
    expect(heads.last).to_have_text("What it does")
    page.locator(".cm-content").get_by_text(re.compile("weights_of_the_first_layer")).first.hover()
    card = page.locator(".cm-tooltip .value")
    expect(card).to_be_visible()
    bar = box_of(page.get_by_role("toolbar", name="Tools"))
    assert box_of(card)["y"] >= bar["y"] + bar["height"]

    page.mouse.move(1, 1)
    record(MANUAL)
    _stage_is_in_view(page, ("Tensor", "Grid"))

    record(ALL_NAN).press("F10")
    settle(page)
    outcome = page.locator(".where .outcome")
    expect(outcome).to_have_text("%root: 96 of 96 elements NaN")
    assert _is_whole(outcome)
    assert _is_whole(page.locator(".where .reason")), "the reason for the stop has a row of its own"
    expect(page.locator(".tensor-statistics")).to_contain_text(re.compile(r"min\s*–"))
    DebuggerPage(page).press("F10")
    settle(page)
    legend = page.locator(".tensor-legend")
    expect(legend).to_contain_text("no element is a number")
    expect(legend.get_by_role("button")).to_have_count(0)


def test_on_a_phone_nothing_is_beside_the_screen(new_page: NewPage, server: Server, axe: Check) -> None:
    page = new_page(viewport=PHONE, has_touch=True, is_mobile=True)
    debugger = DebuggerPage.opened(page, server, MANUAL)
    debugger.press("F10")
    debugger.stopped("Current op: line")
    cut = "(reason) => reason.scrollWidth > reason.clientWidth || reason.scrollHeight > reason.clientHeight"
    assert not page.locator(".where .reason").evaluate(cut)
    for pane, panels in {"Stage": (*STAGE, "Grid"), "Inspector": INSPECTOR}.items():
        page.get_by_role("tab", name=pane, exact=True).click()
        _stage_is_in_view(page, panels)
        axe(page)
    page.keyboard.press("Control+p")
    page.keyboard.type("all_reduce")
    words = page.locator(".find-enter")
    expect(words).to_contain_text("Ctrl+Enter")
    assert box_of(words)["x"] + box_of(words)["width"] <= PHONE["width"]
    assert words.evaluate("(words) => words.scrollWidth <= words.clientWidth")
    page.keyboard.press("Escape")
    page.get_by_role("link", name="hloscope").click()
    expect(page.get_by_role("heading", name="Your program")).to_be_visible()

    page.goto(server.origin + "/-/settings")
    assert page.evaluate(SCROLLED_TABLES) == []
    row = page.locator(".settings-table tr", has_text="max_program_bytes").first
    described = box_of(row.locator("td").last)
    assert described["x"] + described["width"] <= PHONE["width"]
    assert described["width"] > PHONE["width"] / 2

    DebuggerPage.started(page, server, BROKEN)
    settle(page)
    expect(page.get_by_role("heading", name="Console")).to_be_visible()
    for pane, panel in (("Stage", "#panel-tensor"), ("Inspector", "#panel-variables")):
        page.get_by_role("tab", name=pane, exact=True).click()
        settle(page)
        why = page.locator(panel).get_by_text("The program cannot run until its 2 errors are fixed")
        expect(why).to_be_visible()


def test_the_dialog_of_many_inputs_keeps_its_buttons_in_view(page: Page, record: Record) -> None:
    page.set_viewport_size(NOTEBOOK)
    record(_many_inputs(24))
    page.get_by_role("button", name="Inputs").click()
    run = page.get_by_role("button", name="Run with these inputs")
    for size in (NOTEBOOK, PHONE):
        page.set_viewport_size(size)
        settle(page)
        expect(page.locator(".input-row")).to_have_count(24)
        assert box_of(run)["y"] + box_of(run)["height"] <= size["height"]
        assert page.evaluate(OUT_OF_VIEW) == []
        assert page.get_by_role("dialog").evaluate("(dialog) => dialog.scrollWidth <= dialog.clientWidth")
        new = page.get_by_role("button", name="New random numbers")
        assert box_of(new)["x"] >= box_of(page.get_by_role("dialog"))["x"] + 8
        row = box_of(page.locator(".input-row").nth(1))
        assert row["height"] < 60 or size is PHONE, "one line each"
        page.locator(".input-row select").first.focus()
        page.locator(".input-row select").last.focus()
        assert box_of(page.locator(".input-row select").last)["y"] < box_of(run)["y"], (
            "the foot lies over nothing"
        )


def test_a_phone_before_an_audience(new_page: NewPage, server: Server, axe: Check) -> None:
    page = new_page(viewport=PHONE, has_touch=True, is_mobile=True)
    page.add_init_script(PRESENTER)
    debugger = DebuggerPage.opened(page, server, ATTENTION)
    debugger.press("F10")
    settle(page)
    result = page.locator(".cm-content .strip").last
    expect(result.locator(".type")).to_have_text("f32[12,64,64]")
    assert _is_whole(result.locator(".type"))
    assert _is_whole(result.locator(".range").first)
    assert box_of(result)["x"] + box_of(result)["width"] <= PHONE["width"]
    DebuggerPage.opened(page, server, MANUAL)
    bar = page.locator(".presenter-bar")
    for button in bar.get_by_role("button").all():
        box = box_of(button)
        assert 0 <= box["x"] < box["x"] + box["width"] <= PHONE["width"]
    assert _is_whole(bar.locator(".count"))
    axe(page, ".presenter-bar")


LONG_LINES = """// {words}
// {words}
// {words}
func.func @main(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {{
{body}
  return %y11 : tensor<4x6xf32>
}}
""".format(
    words="words that take more than one row in front of an audience, whatever is read from afar " * 2,
    body="\n".join(
        f"  %y{at} = stablehlo.tanh %{f'y{at - 1}' if at else 'x'} : tensor<4x6xf32>" for at in range(12)
    ),
)


def test_the_current_line_is_seen_before_an_audience(new_page: NewPage, server: Server) -> None:
    """Beside it, nothing of the stage is out of view."""
    page = new_page(viewport=NOTEBOOK)
    debugger = DebuggerPage.opened(page, server, LONG_LINES)
    for _ in range(6):
        debugger.press("F10")
    settle(page)
    page.add_init_script(PRESENTER)
    page.reload()
    settle(page)
    page.get_by_role("button", name="Program", exact=True).click()
    settle(page)
    box = box_of(page.locator(".cm-current-op"))
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= NOTEBOOK["height"]
    page.mouse.move(640, 360)
    page.mouse.wheel(0, 4_000)
    settle(page)
    moved = page.locator(".cm-current-op").bounding_box()
    assert moved is None or moved["y"] < box["y"], "who reads elsewhere is left alone"
    for name in STAGE:
        page.get_by_role("button", name="Choose the panel").click()
        page.get_by_role("menuitemradio", name=name, exact=True).click()
        settle(page)
        assert page.evaluate(OUT_OF_VIEW) == [], name


def test_no_line_cuts_what_it_shows_and_faults_have_their_gutter(new_page: NewPage, server: Server) -> None:
    page = new_page(viewport=NOTEBOOK, device_scale_factor=2)
    DebuggerPage.started(page, server, BROKEN)
    settle(page)
    mark = page.locator(".cm-lint-marker")
    expect(mark).to_have_count(2)
    gutter, sign = box_of(page.locator(".cm-gutter-lint")), box_of(mark.first)
    assert gutter["x"] <= sign["x"] < sign["x"] + sign["width"] <= gutter["x"] + gutter["width"]
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+f")
    page.keyboard.type("stablehlo")
    page.keyboard.press("Enter")
    for colours in ("none", "active"):
        page.emulate_media(forced_colors=colours)
        settle(page)
        for part in (".cm-lintRange-error", ".cm-searchMatch-selected"):
            assert _below(page, part, "content") == _below(page, part, "none"), (part, colours)


def test_where_colours_are_forced_marks_are_seen(page: Page, record: Record) -> None:
    page.emulate_media(forced_colors="active")
    debugger = record(ATTENTION)
    debugger.toggle_breakpoint(2)
    settle(page)
    colour = "(element) => getComputedStyle(element).backgroundColor"
    assert page.locator(".cm-marks .dot.set").evaluate(colour) == "rgb(196, 41, 31)"
    outline = "(element) => getComputedStyle(element).outlineWidth"
    assert page.locator(".cm-current-op").evaluate(outline) == "1px"
    assert page.get_by_role("button", name="Heat map").evaluate(outline) == "2px"
    plain = page.locator("#panel-program").evaluate(colour)
    for panel, bar in (("Memory", ".memory-bar span"), ("Profile", ".profile-share")):
        show_tab(page, panel)
        assert page.locator(bar).first.evaluate(colour) not in (plain, "rgba(0, 0, 0, 0)"), panel
