"""XLA as the second engine in the Compare tab: begun from the list of commands, its values beside ours."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Check, Record
from tests.browser.settling import settle, show_tab
from tests.browser.test_compare import PROGRAM, row

pytestmark = pytest.mark.oracle


def test_compare_with_xla_from_the_list_of_commands(record: Record, axe: Check) -> None:
    debugger = record(PROGRAM)
    page = debugger.page
    page.keyboard.press("Control+Shift+P")
    box = page.get_by_role("combobox", name="Command")
    expect(box).to_have_value(">")
    box.fill("> compare with xla")
    found = page.get_by_role("listbox", name="Results").get_by_role("option")
    expect(found).to_have_text(re.compile("Compare with XLA"))
    page.keyboard.press("Enter")
    summary = page.locator(".compare-origin summary")
    expect(summary).to_contain_text(re.compile(r"XLA of jaxlib [\d.]+ on cpu agrees"))
    settle(page)
    expect(page.locator(".compare-columns")).to_contain_text("XLA of jaxlib")
    expect(page.locator(".compare-sentence")).not_to_contain_text("wrong")
    row(page, "%a").click()
    settle(page)
    expect(page.locator(".compare-pictures canvas")).to_have_count(3)
    axe(page, "#panel-compare")
    page.get_by_label("Rounding tolerance").select_option("given")
    page.get_by_label("absolute").fill("0")
    page.get_by_label("relative").fill("0")
    page.get_by_label("relative").press("Tab")
    settle(page)
    expect(page.locator(".compare-sentence")).to_contain_text("beyond rounding; first: %a tanh, line 2")
    page.get_by_role("button", name="in run 1").click()
    settle(page)
    expect(page.locator(".provenance")).to_contain_text("%a")
    show_tab(page, "Compare")
    page.wait_for_url(re.compile("compare=values"))
    page.reload()
    settle(page)
    expect(summary).to_contain_text("XLA of jaxlib")
    page.get_by_label("XLA flags").fill("nonsense")
    page.get_by_role("button", name="Compare with XLA").click()
    expect(page.locator(".compare-job.problem")).to_contain_text("nonsense")


LONG = """\
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %y, %n = stablehlo.while(%y0 = %x, %n0 = %zero) : tensor<4xf32>, tensor<i32>
    cond { %end = stablehlo.constant dense<2000000000> : tensor<i32>
      %go = stablehlo.compare LT, %n0, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1> }
    do { %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %n0, %one : tensor<i32>
      %t = stablehlo.tanh %y0 : tensor<4xf32>
      stablehlo.return %t, %next : tensor<4xf32>, tensor<i32> }
  return %y : tensor<4xf32>
}
"""
"""Our own run of it never ends by itself."""


def test_a_comparison_is_cancelled_and_another_begun(paste: Record, axe: Check) -> None:
    debugger = paste(LONG)
    page = debugger.page
    show_tab(page, "Compare")
    settle(page)
    begin = page.get_by_role("button", name="Compare with XLA")
    begin.click()
    expect(page.locator(".compare-job")).to_contain_text("XLA: our own run")
    expect(begin).to_be_disabled()
    axe(page, "#panel-compare")
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(".compare-job.problem")).to_contain_text("cancelled")
    expect(begin).to_be_enabled()
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    begin.click()
    expect(page.locator(".compare-job")).to_contain_text("XLA: our own run")
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(".compare-job.problem")).to_be_visible()
