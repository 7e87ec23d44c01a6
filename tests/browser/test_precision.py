"""The Precision panel: a run in more digits on request, the op to blame, and the ops that lose bits as ways to their steps."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Check, Record
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import settle, show_tab

INTEREST = """func.func @main() -> tensor<3xf32> {
  %x = stablehlo.constant dense<[1.0e-6, 3.0e-6, 1.0e-5]> : tensor<3xf32>
  %one = stablehlo.constant dense<1.0> : tensor<3xf32>
  %0 = stablehlo.add %x, %one : tensor<3xf32>
  %1 = stablehlo.log %0 : tensor<3xf32>
  %2 = stablehlo.divide %1, %x : tensor<3xf32>
  return %2 : tensor<3xf32>
}
"""


@pytest.mark.main_path
def test_the_op_that_loses_digits_is_named_and_shown(
    paste: Callable[[str], DebuggerPage], axe: Check
) -> None:
    debugger = paste(INTEREST)
    debugger.wait_until_recorded()
    page = debugger.page
    settle(page)
    show_tab(page, "Precision")
    settle(page)
    page.get_by_role("button", name="Run in more digits").click()
    panel = page.locator(".precision")
    expect(panel.get_by_role("status")).to_have_text(
        "The result differs from the run in f64 by 2.7 % of its size: 5.2 of its 24 bits agree."
    )
    expect(panel.locator(".precision-blame")).to_contain_text("log on line 5 loses most")
    expect(panel.locator(".precision-blame")).to_contain_text("born in add on line 4")
    rows = panel.get_by_role("list").first.get_by_role("listitem")
    expect(rows).to_have_text(
        [re.compile("line 5.*log %1.*16.3 bits lost"), re.compile("line 6.*divide %2.*2.4 bits lost")]
    )
    settle(page)
    axe(page, "#panel-precision")
    panel.get_by_label("What if ops rounded to").focus()
    page.keyboard.press("ArrowDown")
    trials = panel.get_by_role("region", name="What if")
    expect(trials).to_contain_text("With every op in bf16 the results differ from the run in f64 by")
    expect(trials.get_by_role("listitem")).to_have_count(3)
    panel.get_by_role("button", name="Go to line 4").click()
    settle(page)
    debugger.at_line(5)
    expect(page.locator(".tensor-header .name")).to_have_text("%0")
    show_tab(page, "Precision")
    rows.first.get_by_role("button").focus()
    page.keyboard.press("Enter")
    settle(page)
    debugger.at_line(6)
    expect(page.locator(".tensor-header .name")).to_have_text("%1")


def test_a_program_without_floats_says_so(paste: Callable[[str], DebuggerPage]) -> None:
    debugger = paste(
        "func.func @main(%x: tensor<3xi32>) -> tensor<3xi32> {\n  return %x : tensor<3xi32>\n}\n"
    )
    debugger.wait_until_recorded()
    page = debugger.page
    settle(page)
    show_tab(page, "Precision")
    page.get_by_role("button", name="Run in more digits").click()
    expect(page.get_by_role("tabpanel").filter(has_text="no floating-point")).to_be_visible()


SCALED = """module attributes {mhlo.num_partitions = 8 : i32} {
func.func @main() -> tensor<3xf32> {
  %small = stablehlo.constant dense<[1.0e-6, 3.0e-6, 1.0e-5]> : tensor<3xf32>
  %one = stablehlo.constant dense<1.0> : tensor<3xf32>
  %ten = stablehlo.constant dense<10.0> : tensor<f32>
  %id = stablehlo.partition_id : tensor<ui32>
  %number = stablehlo.convert %id : (tensor<ui32>) -> tensor<f32>
  %scale = stablehlo.power %ten, %number : tensor<f32>
  %wide = stablehlo.broadcast_in_dim %scale, dims = [] : (tensor<f32>) -> tensor<3xf32>
  %x = stablehlo.multiply %small, %wide : tensor<3xf32>
  %0 = stablehlo.add %x, %one : tensor<3xf32>
  %1 = stablehlo.log %0 : tensor<3xf32>
  %2 = stablehlo.divide %1, %x : tensor<3xf32>
  return %2 : tensor<3xf32>
}
}
"""
"""The larger the number of a process, the fewer digits it loses."""


def test_each_process_of_a_grid_has_its_bits(record: Record, axe: Check) -> None:
    debugger = record(SCALED)
    page = debugger.page
    page.get_by_role("combobox", name="Process", exact=True).select_option("(0, 7)")
    show_tab(page, "Precision")
    page.get_by_role("button", name="Run in more digits").click()
    panel = page.locator(".precision")
    rows = panel.get_by_role("table", name="The worst result of each process").get_by_role("row")
    expect(rows).to_have_count(8)
    expect(panel.locator(".precision-blame")).to_contain_text("log on line 12 loses most")
    bits = [float(text.split("\t")[1].split(" of 24 agree")[0]) for text in rows.all_inner_texts()]
    assert bits[0] < 8, "a small x loses most"
    assert bits[7] > 20
    axe(page, "#panel-precision")
    # The way to the op leads to the process that loses most.
    panel.get_by_role("list").first.get_by_role("button", name=re.compile("log")).click()
    settle(page)
    expect(page.get_by_role("combobox", name="Process", exact=True)).to_have_value("0")
    expect(page.locator(".tensor-header .name")).to_have_text("%1")
