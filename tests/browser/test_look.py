"""Faults that were seen in pictures of the pages (`screenshots.py --all`) and have a rule: words cut, rows broken, the wrong order."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from tests.browser.debugger_page import DebuggerPage, sign_in
from tests.browser.grid_programs import MANUAL
from tests.browser.scenes import ALL_NAN, BROKEN
from tests.browser.settling import settle, show_tab
from tests.browser.test_findings import SOFTMAX_WITHOUT_SHIFT
from tests.server_process import Server

Paste = Callable[[str], DebuggerPage]
NewPage = Callable[..., Page]
NOTEBOOK, PHONE = {"width": 1280, "height": 720}, {"width": 390, "height": 844}

FUSIONS = """HloModule fusions

ENTRY main {
  input_of_the_layer.7 = f32[8,16]{1,0} parameter(0)
  exponential_fusion.7 = f32[8,16]{1,0} exponential(input_of_the_layer.7)
  negated_fusion.7 = f32[8,16]{1,0} negate(exponential_fusion.7)
  ROOT difference_fusion.7 = f32[8,16]{1,0} subtract(input_of_the_layer.7, negated_fusion.7)
}
"""

ATTENTION = """\
func.func @main(%q: tensor<64x12x64xf32>, %k: tensor<64x12x64xf32>) -> tensor<12x64x64xf32> {
  %0 = stablehlo.dot_general %q, %k, batching_dims = [1] x [1], contracting_dims = [2] x [2] : (tensor<64x12x64xf32>, tensor<64x12x64xf32>) -> tensor<12x64x64xf32>
  return %0 : tensor<12x64x64xf32>
}
"""


def _box(locator: Locator) -> FloatRect:
    box = locator.bounding_box()
    assert box
    return box


def _is_whole(locator: Locator) -> bool:
    """Whether nothing of its text is cut."""
    return bool(locator.evaluate("(element) => element.scrollWidth <= element.clientWidth"))


@pytest.mark.main_path
def test_names_and_ranges_have_room_in_a_narrow_inspector(paste: Paste) -> None:
    debugger = paste(FUSIONS)
    page = debugger.page
    debugger.wait_until_recorded()
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


@pytest.mark.parametrize("program", [FUSIONS, MANUAL], ids=["one process", "eight processes"])
def test_what_one_needs_before_an_audience_fits_a_phone(
    new_page: NewPage, server: Server, axe: Callable[[Page], None], program: str
) -> None:
    page = new_page(viewport=PHONE, has_touch=True, is_mobile=True)
    page.add_init_script("localStorage.setItem('hloscope.presenter', 'on')")
    DebuggerPage.opened(page, server, program)
    bar = page.locator(".presenter-bar")
    for button in bar.get_by_role("button").all():
        box = _box(button)
        assert 0 <= box["x"] < box["x"] + box["width"] <= PHONE["width"]
    assert _is_whole(bar.locator(".count"))
    axe(page)


def test_tools_stand_in_one_row_and_the_parts_of_an_op_come_before_what_it_does(
    new_page: NewPage, server: Server
) -> None:
    page = new_page(viewport={"width": 1280, "height": 720})
    DebuggerPage.opened(page, server, ATTENTION)
    show_tab(page, "Provenance")
    settle(page)
    assert _box(page.locator(".provenance-bar"))["height"] < 40
    show_tab(page, "Index map")
    settle(page)
    expect(page.locator(".index-playing .count")).to_contain_text("of 49,152")
    assert _box(page.locator(".index-bar").first)["height"] < 40
    show_tab(page, "Op")
    heads = page.locator(".op-panel h3")
    expect(heads.first).to_have_text("Operands")
    expect(heads.last).to_have_text("What it does")


@pytest.mark.main_path
def test_attributes_over_several_lines_fold_to_their_essence(paste: Paste) -> None:
    debugger = paste(MANUAL)
    page = debugger.page
    debugger.wait_until_recorded()
    settle(page)
    line = page.locator(".cm-line", has_text="all_reduce")
    expect(line).to_contain_text("groups [[0,1,2,3],[4,5,6,7]]")
    expect(page.locator(".cm-content")).not_to_contain_text("replica_groups")
    line.get_by_role("button", name=re.compile("^groups")).click()
    expect(page.locator(".cm-content")).to_contain_text("replica_groups = dense<[[0, 1, 2, 3]")


def test_the_result_of_the_current_op_is_shown_whole_beside_a_shortened_reason(
    new_page: NewPage, server: Server
) -> None:
    page = new_page(viewport=NOTEBOOK)
    debugger = DebuggerPage.opened(page, server, ALL_NAN)
    debugger.press("F10")
    settle(page)
    outcome = page.locator(".where .outcome")
    expect(outcome).to_have_text("%root: 96 of 96 elements became NaN")
    assert _is_whole(outcome)


def test_where_no_element_is_a_number_no_scale_is_offered(paste: Paste) -> None:
    debugger = paste(ALL_NAN)
    page = debugger.page
    debugger.wait_until_recorded()
    debugger.press("F10")
    debugger.press("F10")
    settle(page)
    legend = page.locator(".tensor-legend")
    expect(legend).to_contain_text("no element is a number")
    expect(legend.get_by_role("button")).to_have_count(0)


def test_a_program_with_an_error_says_why_there_is_nothing_to_see(
    new_page: NewPage, server: Server, axe: Callable[[Page], None]
) -> None:
    page = new_page(viewport=PHONE, has_touch=True, is_mobile=True)
    DebuggerPage.started(page, server, BROKEN)
    settle(page)
    expect(page.get_by_role("heading", name="Console")).to_be_visible()
    for pane, panel in (("Stage", "#panel-tensor"), ("Inspector", "#panel-variables")):
        page.get_by_role("tab", name=pane, exact=True).click()
        settle(page)
        why = page.locator(panel).get_by_text("The program cannot run until its 2 errors are fixed")
        expect(why).to_be_visible()
    axe(page)


def test_settings_are_read_on_a_phone(new_page: NewPage, server: Server, axe: Callable[[Page], None]) -> None:
    page = new_page(viewport=PHONE)
    sign_in(page, server)
    page.goto(server.origin + "/-/settings")
    row = page.locator("tr", has_text="max_program_bytes")
    words = _box(row.locator("td").last)
    assert words["x"] + words["width"] <= PHONE["width"]
    assert words["width"] > PHONE["width"] / 2
    axe(page)


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


@pytest.mark.parametrize("width", [1280, pytest.param(1440, marks=pytest.mark.main_path)])
def test_the_picture_stays_where_it_is_while_one_steps(new_page: NewPage, server: Server, width: int) -> None:
    page = new_page(viewport={"width": width, "height": 900})
    debugger = DebuggerPage.opened(page, server, HEIGHTS)
    places = []
    for name in ("%zeros", "%sum", "%less", "%places", "%deep", "%again"):
        expect(page.locator(".tensor-header .name")).to_have_text(name)
        places.append(_box(page.locator(".tensor-frame")))
        debugger.press("F10")
        settle(page)
    assert all(place == places[0] for place in places), places


CHARACTERS = """() => {
    const root = document.querySelector(".editor").shadowRoot;
    const [before, after] = ["before", "after"].map((side) => root.querySelector(`.cm-gutters-${side}`).getBoundingClientRect());
    const context = document.createElement("canvas").getContext("2d");
    const { fontSize, fontFamily } = getComputedStyle(root.querySelector(".cm-line"));
    context.font = `${fontSize} ${fontFamily}`;
    return (after.left - before.right) / context.measureText("0").width;
}"""


@pytest.mark.parametrize("program", [FUSIONS, ATTENTION], ids=["HLO", "StableHLO"])
def test_the_program_has_most_of_its_column(paste: Paste, program: str) -> None:
    debugger = paste(program)
    page = debugger.page
    debugger.wait_until_recorded()
    settle(page)
    assert page.evaluate(CHARACTERS) > 53
    assert _box(page.locator(".cm-gutter-lint"))["width"] == 0


def test_faults_have_their_gutter_where_there_are_any(paste: Paste) -> None:
    page = paste(BROKEN).page
    mark = page.locator(".cm-lint-marker")
    expect(mark).to_have_count(2)
    settle(page)
    gutter, sign = _box(page.locator(".cm-gutter-lint")), _box(mark.first)
    assert gutter["x"] <= sign["x"] < sign["x"] + sign["width"] <= gutter["x"] + gutter["width"]


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


def test_no_line_cuts_what_it_shows(new_page: NewPage, server: Server) -> None:
    page = new_page(viewport=NOTEBOOK, device_scale_factor=2)
    DebuggerPage.started(page, server, BROKEN)
    settle(page)
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+f")
    page.keyboard.type("stablehlo")
    page.keyboard.press("Enter")
    for colours in ("none", "active"):
        page.emulate_media(forced_colors=colours)
        settle(page)
        for part in (".cm-lintRange-error", ".cm-searchMatch-selected"):
            assert _below(page, part, "content") == _below(page, part, "none"), (part, colours)


def test_where_colours_are_forced_marks_are_seen(new_page: NewPage, server: Server) -> None:
    page = new_page(viewport=NOTEBOOK, forced_colors="active")
    debugger = DebuggerPage.opened(page, server, ATTENTION)
    debugger.toggle_breakpoint(2)
    settle(page)
    colour = "(element) => getComputedStyle(element).backgroundColor"
    assert page.locator(".cm-marks .dot.set").evaluate(colour) == "rgb(196, 41, 31)"
    outline = "(element) => getComputedStyle(element).outlineWidth"
    assert page.locator(".cm-current-op").evaluate(outline) == "1px"
    assert page.get_by_role("button", name="Heat map").evaluate(outline) == "2px"


LONG_NAMES = """HloModule names

ENTRY main {
  input_of_it.7 = f32[64,16]{1,0} parameter(0)
  back_dot.7 = f32[64,16]{1,0} negate(input_of_it.7)
  mean_fusion.8 = f32[64,16]{1,0} exponential(back_dot.7)
  ROOT the_difference_of_all.9 = f32[64,16]{1,0} subtract(back_dot.7, mean_fusion.8)
}
"""


@pytest.mark.parametrize("width", [1400, 1440])
def test_a_name_is_whole_before_its_range_is(new_page: NewPage, server: Server, width: int) -> None:
    page = new_page(viewport={"width": width, "height": 900})
    debugger = DebuggerPage.opened(page, server, LONG_NAMES)
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


def test_lists_are_filtered_by_types_as_they_show_them(paste: Paste) -> None:
    debugger = paste(HEIGHTS)
    page = debugger.page
    debugger.wait_until_recorded()
    for _ in range(6):
        debugger.press("F10")
    names = {"f32[6,8]": "%x", "[2,6": "%deep", "tensor<2x6": "%deep", "6x8xi1": "%less"}
    for words, name in names.items():
        page.get_by_label("Filter variables").first.fill(words)
        settle(page)
        expect(debugger.variable(name)).to_be_visible()
        expect(debugger.variable("%places")).to_have_count(0)


def test_results_are_read_whole_on_a_phone_before_an_audience(new_page: NewPage, server: Server) -> None:
    page = new_page(viewport=PHONE, has_touch=True, is_mobile=True)
    page.add_init_script("localStorage.setItem('hloscope.presenter', 'on')")
    debugger = DebuggerPage.opened(page, server, ATTENTION)
    debugger.press("F10")
    settle(page)
    result = page.locator(".cm-content .strip").last
    expect(result.locator(".type")).to_have_text("f32[12,64,64]")
    assert _is_whole(result.locator(".type"))
    assert _is_whole(result.locator(".range").first)
    assert _box(result)["x"] + _box(result)["width"] <= PHONE["width"]


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


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080)])
def test_the_current_line_is_seen_before_an_audience(
    new_page: NewPage, server: Server, size: tuple[int, int]
) -> None:
    page = new_page(viewport={"width": size[0], "height": size[1]})
    debugger = DebuggerPage.opened(page, server, LONG_LINES)
    for _ in range(6):
        debugger.press("F10")
    settle(page)
    page.add_init_script("localStorage.setItem('hloscope.presenter', 'on')")
    page.reload()
    settle(page)
    page.get_by_role("button", name="Program", exact=True).click()
    settle(page)
    box = _box(page.locator(".cm-current-op"))
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= size[1]
    page.mouse.move(size[0] / 2, size[1] / 2)
    page.mouse.wheel(0, 4_000)
    settle(page)
    moved = page.locator(".cm-current-op").bounding_box()
    assert moved is None or moved["y"] < box["y"], "who reads elsewhere is left alone"


def test_findings_and_their_tabs_are_whole_beside_help_and_arranging(
    paste: Paste, axe: Callable[[Page], None]
) -> None:
    debugger = paste(SOFTMAX_WITHOUT_SHIFT)
    page = debugger.page
    debugger.wait_until_recorded()
    settle(page)
    last = page.get_by_role("tab", name=re.compile("^Findings"))
    expect(last.locator(".badge")).to_have_text("2")
    last.click()
    settle(page)
    groups = page.locator(".finding-groups > li")
    expect(groups.first).to_have_text(re.compile(r"^exponential\s+line 3\s*\+Inf 1 of 6 elements, where"))
    expect(groups.last).to_have_text(re.compile(r"^divide\s+line 7\s*NaN 1 of 6 elements, where"))
    menu = page.get_by_role("button", name="Arrange Findings")
    assert _box(menu)["x"] >= _box(last)["x"] + _box(last)["width"] - 1
    assert _is_whole(page.locator(".tabs").filter(has=last))
    menu.click()
    found = page.get_by_role("menuitem", name="Help: Findings")
    expect(found).to_have_attribute("target", "_blank")
    expect(found).to_have_attribute("href", re.compile("/help#"))
    axe(page)


def test_processes_stand_beside_each_other_where_the_inspector_is_too(paste: Paste) -> None:
    debugger = paste(MANUAL)
    page = debugger.page
    debugger.wait_until_recorded()
    show_tab(page, "Grid")
    settle(page)
    cells = page.locator(".grid-cell")
    assert len({_box(cell)["y"] for cell in cells.all()}) == 2, "four in a row"
