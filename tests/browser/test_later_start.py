"""A run that begins at a line: XLA computes what comes before, and the page says so."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Check, Record
from tests.browser.settling import settle, show_tab

pytestmark = pytest.mark.oracle

PROGRAM = """func.func @main(%a: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %c = stablehlo.constant dense<2.0> : tensor<4x6xf32>
  %0 = stablehlo.exponential %a : tensor<4x6xf32>
  %1 = stablehlo.add %0, %c : tensor<4x6xf32>
  %2 = stablehlo.tanh %1 : tensor<4x6xf32>
  %3 = stablehlo.multiply %2, %1 : tensor<4x6xf32>
  return %3 : tensor<4x6xf32>
}
"""


def run_with_xla(page: Page, line: int) -> None:
    """By the list of commands, with the cursor on a line."""
    page.locator(".cm-line").nth(line - 1).click()
    page.keyboard.press("Control+Shift+P")
    page.get_by_role("combobox", name="Command").fill("> run to line with xla")
    expect(page.get_by_role("listbox", name="Results").get_by_role("option").first).to_have_text(
        re.compile("Run to line with XLA")
    )
    page.keyboard.press("Enter")
    expect(page.locator(".later-start button", has_text="From the beginning")).to_be_visible()
    settle(page)


def test_a_run_begins_at_a_line(record: Record, axe: Check) -> None:
    debugger = record(PROGRAM)
    page = debugger.page
    run_with_xla(page, 5)
    said = page.locator(".toolbar .where .reason")
    expect(said).to_contain_text(re.compile(r"The recording begins at line 5: XLA of jaxlib"))
    expect(page.locator(".later-start")).to_contain_text("begins at line 5")
    expect(page.locator(".toolbar .where .count")).to_have_text(re.compile(r"step 0 of 3"))
    pale = page.locator(".cm-line.cm-left-out")
    expect(pale).to_have_count(3)
    expect(pale.first).to_have_attribute("title", re.compile("are not recorded"))
    axe(page, "#panel-program")
    show_tab(page, "Provenance")
    page.get_by_role("textbox", name=re.compile("Elements of")).fill("1, 2")
    page.keyboard.press("Enter")
    settle(page)
    expect(page.locator(".provenance")).to_contain_text("not recorded: computed by XLA of jaxlib")
    page.keyboard.press("F11")
    settle(page)
    page.keyboard.press("Shift+F11")
    page.keyboard.press("Alt+F10")
    settle(page)
    page.reload()
    settle(page)
    expect(page.locator(".later-start")).to_contain_text("begins at line 5")
    page.get_by_role("button", name="From the beginning").click()
    expect(page.locator(".later-start")).to_have_count(0)
    settle(page)
    debugger.wait_until_recorded()
    expect(page.locator(".toolbar .where .count")).to_have_text(re.compile(r"of 6"))
