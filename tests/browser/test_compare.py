"""Compare: two runs of a session side by side, where they part, and how one goes from one to the other."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import FilePayload, Locator, Page, expect

from tests.browser.conftest import Check, Record
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import box_of, settle, show_tab

PROGRAM = """\
func.func @main(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %a = stablehlo.tanh %x : tensor<4x6xf32>
  %b = stablehlo.negate %a : tensor<4x6xf32>
  %c = stablehlo.abs %b : tensor<4x6xf32>
  %d = stablehlo.add %c, %x : tensor<4x6xf32>
  %e = stablehlo.multiply %d, %d : tensor<4x6xf32>
  return %e : tensor<4x6xf32>
}
"""
OTHER = PROGRAM.replace("%d = stablehlo.add", "%d = stablehlo.subtract")


def with_other(debugger: DebuggerPage, text: str = OTHER) -> Page:
    """The Compare tab, with a program added from a file."""
    page = debugger.page
    show_tab(page, "Compare")
    settle(page)
    file: FilePayload = {"name": "other.mlir", "mimeType": "text/plain", "buffer": text.encode()}
    page.get_by_label("A program to add").set_input_files(file)
    expect(page.locator(".compare-sentence")).to_contain_text("values")
    settle(page)
    return page


def row(page: Page, name: str) -> Locator:
    """The row of a value."""
    return page.locator(".compare-rows .row").filter(has_text=re.compile(re.escape(name)))


@pytest.mark.main_path
def test_where_two_programs_part_is_named_and_marked(record: Record, axe: Check) -> None:
    debugger = record(PROGRAM)
    page = debugger.page
    show_tab(page, "Compare")
    expect(page.locator(".compare-only")).to_contain_text("This session has one run.")
    with_other(debugger)
    expect(page.locator(".compare-sentence")).to_contain_text(
        re.compile(r"^2 of 6 values differ beyond rounding; first: %d add, line 5, element \[\d, \d\] \S+ → ")
    )
    expect(page.locator(".compare-rows .row.first")).to_contain_text("subtract")
    expect(page.locator(".compare-rows .row.fold").first).to_contain_text("4 values with the same bits")
    expect(page.locator(".compare-detail")).to_contain_text("Its operands agree")
    expect(page.locator(".compare-pictures canvas")).to_have_count(3)
    axe(page, "#panel-compare")
    page.locator(".compare-rows .row.fold").first.click()
    settle(page)
    expect(page.locator(".compare-rows .row")).to_have_count(6)
    row(page, "%e").click()
    debugger.at_step(4)
    expect(page.locator(".compare-detail")).to_contain_text("Its operands already differ.")
    settle(page)  # the words before the button say where the other run is
    page.get_by_role("button", name="Switch to run 1 here").click()
    settle(page)
    debugger.at_step(4)
    expect(page.get_by_role("tab", name="run 1")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".cm-content")).to_contain_text("add")
    assert "compare=2" in page.url

    # The address opens the comparison, which leads to where an element came from.
    page.reload()
    settle(page)
    expect(page.get_by_role("tab", name=re.compile("^Compare"))).to_have_attribute("aria-selected", "true")
    expect(page.locator(".compare-head")).to_contain_text("Run 1 and")
    expect(page.locator(".compare-sentence")).to_contain_text("2 of 6 values")
    page.get_by_role("button", name="in run 1").click()
    settle(page)
    expect(page.get_by_role("tab", name="run 1")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("tab", name=re.compile("^Provenance"))).to_have_attribute("aria-selected", "true")
    expect(page.locator(".provenance")).to_contain_text("%d")


LOOP = """\
module attributes {mhlo.num_partitions = 2 : i32} {
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %end = stablehlo.constant dense<5> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<4xf32>
  cond {
    %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %double = stablehlo.add %v, %v : tensor<4xf32>
    %more_of_it = stablehlo.add %double, %v : tensor<4xf32>
    stablehlo.return %next, %more_of_it : tensor<i32>, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}
}
"""


def test_badge_heading_and_buttons_count_alike(record: Record) -> None:
    """Of a loop in two processes, whose ops run ten times."""
    page = with_other(record(LOOP), LOOP.replace("add %v, %v", "multiply %v, %v"))
    heading = page.locator(".compare-sentence").inner_text()
    found = re.match(
        r"(\d+) of (\d+) values differ beyond rounding, in (\d+) of (\d+) executions; first: ", heading
    )
    assert found, heading
    wrong, values, wrong_executions, executions = map(int, found.groups())
    assert wrong_executions > wrong
    assert executions > values
    expect(page.get_by_role("tab", name=re.compile("^Compare")).locator(".badge")).to_have_text(str(wrong))
    chips = page.locator(".compare-verdicts .chip").all_inner_texts()
    counts = {words: int(count) for count, _, words in (chip.strip().partition(" ") for chip in chips)}
    assert sum(counts.get(verdict, 0) for verdict in ("wrong", "became NaN", "other shape")) == wrong
    assert sum(counts.values()) == values

    page.get_by_role("button", name="Close Compare").click()
    badge = page.get_by_role("button", name="More panels").locator(".badge")
    expect(badge).to_have_text(str(wrong))
    expect(badge).to_have_attribute("title", f"{wrong} values differ beyond rounding")


def test_the_badge_is_visible_on_a_phone(page: Page, record: Record) -> None:
    page.set_viewport_size({"width": 390, "height": 780})
    debugger = record(PROGRAM)
    page.locator(".pane-tabs").get_by_role("tab", name="Stage").click()
    with_other(debugger)
    tab = page.get_by_role("tab", name=re.compile("^Compare"))
    badge, tabs = (box_of(element) for element in (tab.locator(".badge"), tab.locator("..")))
    assert tabs["x"] <= badge["x"] < badge["x"] + badge["width"] <= tabs["x"] + tabs["width"]


def test_rows_are_filtered_and_judged_by_a_tolerance_and_the_step_is_kept(record: Record) -> None:
    debugger = record(PROGRAM)
    for _ in range(3):
        debugger.press("F10")
    debugger.at_step(3)
    page = with_other(
        debugger, OTHER.replace("  %b =", "  %more = stablehlo.sine %x : tensor<4x6xf32>\n  %b =")
    )
    debugger.at_step(4)
    expect(page.get_by_role("tab", name="run 2")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".compare-place")).to_contain_text("Run 1 is at step 3")
    rows = page.locator(".compare-rows .row")
    page.get_by_label("Filter values").fill("multiply")
    settle(page)
    expect(rows).to_have_count(1)
    page.get_by_label("Filter values").fill("")
    page.get_by_role("button", name=re.compile("2 wrong")).click()
    settle(page)
    expect(rows).to_have_count(2)
    values = page.get_by_role("listbox", name="Values of both runs")
    values.focus()
    values.press("End")
    settle(page)
    expect(page.locator(".compare-detail")).to_contain_text("multiply %e")
    page.get_by_label("Rounding tolerance").select_option("given")
    page.get_by_label("absolute").fill("1000")
    page.get_by_label("absolute").press("Tab")
    settle(page)
    expect(page.locator(".compare-sentence")).to_contain_text("agree but for rounding")
