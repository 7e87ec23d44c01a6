"""A run whose values XLA computes, chosen beside Run: the page says which device made it."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Check
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import settle

pytestmark = pytest.mark.oracle

Paste = Callable[[str], DebuggerPage]
PROGRAM = """func.func @main(%a: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = stablehlo.exponential %a : tensor<4x6xf32>
  %1 = stablehlo.tanh %0 : tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}
"""


def test_a_program_runs_on_xla(paste: Paste, axe: Check) -> None:
    debugger = paste(PROGRAM)
    page = debugger.page
    debugger.wait_until_recorded()
    page.get_by_role("button", name="Run on", exact=True).click()
    page.get_by_role("menuitem", name="XLA on the CPU").click()
    told = page.locator(".toolbar").get_by_role("button", name="computed by XLA")
    expect(told).to_be_visible()
    expect(told).to_have_attribute("title", re.compile("same bits as those of the unmodified program"))
    settle(page)
    expect(page.locator(".toolbar .where .count")).to_have_text(re.compile(r"step 0 of 3"))
    axe(page, ".toolbar")
    page.reload()
    settle(page)
    # After a reload nothing but the head says it; on a phone too.
    told.press("Enter")
    expect(page.get_by_role("contentinfo")).to_contain_text(
        "on cpu; its results have the same bits as those of the unmodified program."
    )
    page.set_viewport_size({"width": 390, "height": 844})
    settle(page)
    assert told.evaluate(
        "button => button.scrollWidth <= button.clientWidth && button.scrollHeight <= button.clientHeight"
    )
    page.set_viewport_size({"width": 1440, "height": 900})
    page.get_by_role("button", name="Run on", exact=True).click()
    page.get_by_role("menuitem", name="hloscope").click()
    expect(page.locator(".later-start")).to_have_count(0)
