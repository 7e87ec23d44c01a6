"""A run that stops at code outside of the program is given values and goes on; what a program prints is shown."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Check, OpenPage
from tests.browser.debugger_page import DebuggerPage
from tests.browser.page_frame import console, shown_run

OUTSIDE = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  interpreter.print %x : tensor<2xf32>
  stablehlo.custom_call @log(%x) {has_side_effect = true} : (tensor<2xf32>) -> ()
  %p:2 = stablehlo.custom_call @pair(%x) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %s = stablehlo.add %p#0, %p#1 : tensor<2xf32>
  return %s : tensor<2xf32>
}
"""


@pytest.mark.main_path
def test_values_are_bound_where_the_run_stopped(open_page: OpenPage, axe: Check) -> None:
    page = open_page("/")
    debugger = DebuggerPage.pasted(page, OUTSIDE)
    console = page.get_by_role("log", name="Console")
    expect(console).to_contain_text("custom_call @log calls code outside of the program")
    axe(page, "#panel-console")
    console.get_by_role("button", name="Skip it…").click()
    dialog = page.get_by_role("dialog")
    log = dialog.get_by_label("Source of custom_call @log, line 3")
    expect(log).to_be_focused()
    expect(log).to_have_value("stop")
    expect(dialog.get_by_role("heading", name="Results from outside")).to_be_visible()
    log.select_option("skip")
    axe(page, "dialog")
    dialog.get_by_role("button", name="Run with these inputs").click()
    expect(console).to_contain_text("custom_call @pair calls code outside of the program")

    console.get_by_role("button", name="Bind values…").click()
    first = dialog.get_by_label("Source of custom_call @pair, line 4, %p#0")
    expect(first).to_be_focused()
    first.select_option("ones")
    # An op gets all of its results or none.
    second = dialog.get_by_label("Source of custom_call @pair, line 4, %p#1")
    expect(second).to_have_value("normal")
    second.select_option("dense")
    dialog.get_by_label("Numbers of custom_call @pair, line 4, %p#1").fill("[10, 20]")
    expect(dialog.locator(".alarm")).to_have_count(0)
    axe(page, "dialog")
    dialog.get_by_role("button", name="Run with these inputs").click()
    expect(dialog).to_have_count(0)  # while it is open, the page ignores its keys
    debugger.wait_until_recorded()
    expect(console.get_by_role("button", name="Bind values…")).to_have_count(0)
    expect(shown_run(page)).to_have_text("run 3")
    for _ in range(3):
        debugger.press("F11")
    debugger.at_line(5)
    debugger.choose_variable("%s", "Results")
    assert debugger.shown_array().tolist() == [11, 21]

    # What was chosen stays with the session.
    page.get_by_role("button", name="Inputs").click()
    expect(dialog.get_by_label("Source of custom_call @log, line 3")).to_have_value("skip")
    expect(first).to_have_value("ones")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Run", exact=True).first.click()
    debugger.at_step(0)
    debugger.wait_until_recorded()


def test_what_the_program_prints_leads_to_its_step(open_page: OpenPage, axe: Check) -> None:
    page = open_page("/")
    text = """func.func @main() -> tensor<2xi32> {
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %b = stablehlo.add %a, %a : tensor<2xi32>
  interpreter.print %a : tensor<2xi32>
  %c = stablehlo.add %b, %a : tensor<2xi32>
  interpreter.print %c : tensor<2xi32>
  return %c : tensor<2xi32>
}
"""
    debugger = DebuggerPage.pasted(page, text)
    console(page)
    printed = page.get_by_role("list", name="Printed by the program").get_by_role("listitem")
    expect(printed).to_have_count(2)
    expect(printed.first).to_contain_text("tensor<2xi32> [1, 2]")
    expect(printed.last).to_contain_text("tensor<2xi32> [3, 6]")
    axe(page, "#panel-console")
    printed.last.get_by_role("button", name=re.compile("^step 4$")).click()
    debugger.at_line(6)
    printed.first.get_by_role("button", name=re.compile("^step 2$")).click()
    debugger.at_line(4)
    page.reload()
    expect(printed).to_have_count(2)
