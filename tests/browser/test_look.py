"""Faults that were seen in pictures of the pages (`screenshots.py --all`) and have a rule: words cut, rows broken, the wrong order."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from tests.browser.debugger_page import DebuggerPage
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


def test_all_tabs_of_the_inspector_are_seen(paste: Paste) -> None:
    debugger = paste(SOFTMAX_WITHOUT_SHIFT)
    debugger.wait_until_recorded()
    settle(debugger.page)
    tab = debugger.page.get_by_role("tab", name=re.compile("^Findings"))
    expect(tab.locator(".badge")).to_have_text("2")
    tab.click()
    settle(debugger.page)
    assert _is_whole(debugger.page.locator(".tabs").filter(has=tab))


def test_findings_say_what_stands_above_them_once(paste: Paste) -> None:
    debugger = paste(SOFTMAX_WITHOUT_SHIFT)
    page = debugger.page
    debugger.wait_until_recorded()
    show_tab(page, "Findings")
    groups = page.locator(".finding-groups > li")
    expect(groups.first).to_have_text(re.compile(r"^exponential\s+line 3\s*\+Inf 1 of 6 elements, where"))
    expect(groups.last).to_have_text(re.compile(r"^divide\s+line 7\s*NaN 1 of 6 elements, where"))


@pytest.mark.main_path
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


@pytest.mark.main_path
def test_what_an_op_is_made_of_comes_before_what_it_does(paste: Paste) -> None:
    debugger = paste(ATTENTION)
    debugger.wait_until_recorded()
    show_tab(debugger.page, "Op")
    heads = debugger.page.locator(".op-panel h3")
    expect(heads.first).to_have_text("Operands")
    expect(heads.last).to_have_text("What it does")


def test_tools_of_the_index_map_stand_in_one_row_whatever_they_count(
    new_page: NewPage, server: Server
) -> None:
    page = new_page(viewport=NOTEBOOK)
    DebuggerPage.opened(page, server, ATTENTION)
    show_tab(page, "Index map")
    settle(page)
    expect(page.locator(".index-playing .count")).to_contain_text("of 49,152")
    assert _box(page.locator(".index-bar").first)["height"] < 40


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


def test_what_the_step_did_is_said_whole_where_the_reason_can_give_way(
    new_page: NewPage, server: Server
) -> None:
    page = new_page(viewport=NOTEBOOK)
    debugger = DebuggerPage.opened(page, server, ALL_NAN)
    debugger.press("F10")
    debugger.press("F10")
    settle(page)
    happened = page.locator(".where .happened")
    expect(happened).to_have_text("%root: 96 of 96 elements became NaN")
    assert _is_whole(happened)


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
    page.goto(server.url)
    DebuggerPage.pasted(page, BROKEN)
    settle(page)
    expect(page.get_by_role("heading", name="Console")).to_be_visible()
    for pane, panel in (("Stage", "#panel-tensor"), ("Inspector", "#panel-variables")):
        page.get_by_role("tab", name=pane, exact=True).click()
        settle(page)
        why = page.locator(panel).get_by_text("The program cannot run until the error on line 3 is mended")
        expect(why).to_be_visible()
    axe(page)


def test_settings_are_read_on_a_phone(new_page: NewPage, server: Server, axe: Callable[[Page], None]) -> None:
    page = new_page(viewport=PHONE)
    page.goto(server.url)
    page.goto(server.origin + "/-/settings")
    row = page.locator("tr", has_text="max_program_bytes")
    words = _box(row.locator("td").last)
    assert words["x"] + words["width"] <= PHONE["width"]
    assert words["width"] > PHONE["width"] / 2
    axe(page)
