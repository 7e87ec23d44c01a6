"""The Profile panel: a table that sorts and folds, and a flame chart that is a way to the steps."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Check
from tests.browser.debugger_page import DebuggerPage
from tests.browser.grid_programs import MANUAL
from tests.browser.settling import box_of, settle, show_tab

PROGRAM = """func.func @main(%n: tensor<i32>, %x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<16x16xf32>
    cond {
      %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i32>
      %w = stablehlo.dot_general %v, %x, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      %u = stablehlo.tanh %w : tensor<16x16xf32>
      stablehlo.return %j, %u : tensor<i32>, tensor<16x16xf32>
    }
  return %0#1 : tensor<16x16xf32>
}
"""


def _opened(debugger: DebuggerPage) -> Page:
    debugger.wait_until_recorded()
    settle(debugger.page)
    show_tab(debugger.page, "Profile")
    settle(debugger.page)
    return debugger.page


@pytest.mark.main_path
def test_a_table_that_sorts_folds_and_leads_to_ops(paste: Callable[[str], DebuggerPage], axe: Check) -> None:
    debugger = paste(PROGRAM)
    page = _opened(debugger)
    panel = page.locator(".profile")
    expect(panel.get_by_role("status")).to_have_text(
        re.compile(r"in 25 executions of 11 ops, 25.3 k floating-point operations at most\.")
    )
    rows = panel.locator("tbody tr")
    panel.get_by_role("button", name="Total", exact=True).click()
    expect(panel.locator("th[aria-sort=descending]")).to_have_text("Total ▾")
    names = [told.split()[0] for told in rows.all_inner_texts()]
    inside = (
        "compare",
        "add",
        "dot_general",
        "tanh",
    )  # a constant may be held up for longer than all of them
    assert names.index("while") < min(map(names.index, inside))
    flops = panel.get_by_role("button", name="FLOP", exact=True)
    flops.click()
    expect(rows.first).to_have_text(re.compile(r"dot_general %w.*line 11.*6 KiB.*3 KiB.*24.6 k.*2\.67"))
    expect(rows.nth(1)).to_have_text(re.compile(r"tanh %u.*768"))
    expect(rows.first.locator(".profile-line")).to_be_visible()
    flops.press("Enter")
    expect(panel.locator("th[aria-sort=ascending]")).to_have_text("FLOP ▴")
    expect(rows.last).to_have_text(re.compile("dot_general"))
    axe(page, "#panel-profile")
    rows.last.get_by_role("button").click()
    settle(page)
    debugger.at_line(11)
    expect(panel.locator("tr[aria-current]")).to_have_text(re.compile("dot_general"))
    panel.get_by_label("A row for each").select_option("kind of op")
    settle(page)
    group = panel.get_by_role("button", name=re.compile("return 3 ops"))
    group.press("Enter")
    expect(group).to_have_attribute("aria-expanded", "true")
    expect(panel.locator("tr.inside")).to_have_text(
        [re.compile("return.*line"), re.compile("return.*line"), re.compile("return.*line")]
    )
    axe(page, "#panel-profile")


def test_the_flame_chart_is_a_slider_whose_bars_lead_to_steps(paste: Callable[[str], DebuggerPage]) -> None:
    debugger = paste(PROGRAM)
    page = _opened(debugger)
    chart = page.get_by_role("slider", name="Flame chart of the steps")
    expect(chart).to_have_attribute("aria-valuetext", "step 0: @main, constant %zero")
    box = box_of(chart)
    page.mouse.click(box["x"] + box["width"] * 6.5 / 25, box["y"] + 26)
    settle(page)
    expect(chart).to_have_attribute("aria-valuetext", "step 6: @main, iteration 0, add %j")
    debugger.at_line(10)
    chart.focus()
    page.keyboard.press("ArrowRight")
    settle(page)
    debugger.at_line(11)
    page.keyboard.press("+")
    settle(page)
    expect(chart).to_have_attribute("aria-valuemin", "6")
    expect(chart).to_have_attribute("aria-valuemax", "10")
    page.keyboard.press("-")
    settle(page)
    expect(chart).to_have_attribute("aria-valuemax", "25")
    page.mouse.dblclick(box["x"] + box["width"] * 12.5 / 25, box["y"] + 26)
    settle(page)
    expect(chart).to_have_attribute("aria-valuetext", re.compile("iteration 1"))
    page.get_by_role("button", name="Show the whole run").click()
    page.get_by_role("button", name="Time", exact=True).and_(page.locator("[aria-pressed]")).click()
    settle(page)
    # By time a step may be narrower than a pixel, and is told with its neighbours.
    expect(page.locator(".profile-told")).to_have_text(
        re.compile(r"(add %j: step 12|\d+ from .*: \d+ steps from \d+), [\d.]+ .*of the time here")
    )


def test_a_grid_has_all_processes_or_the_shown_one(paste: Callable[[str], DebuggerPage]) -> None:
    page = _opened(paste(MANUAL))
    panel = page.locator(".profile")
    expect(panel.get_by_role("status")).to_contain_text("in 48 executions of 6 ops")
    panel.get_by_label("Processes").select_option("only (0, 0)")
    settle(page)
    expect(panel.get_by_role("status")).to_contain_text("in 6 executions of 6 ops")
    expect(panel.get_by_text("Processes ran one after the other")).to_be_visible()
