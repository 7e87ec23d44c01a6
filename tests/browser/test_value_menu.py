"""The menu of a value under Variables: what one does with it, by the mouse and by keys."""

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Check, Record
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import settle

PROGRAM = """func.func @main(%x: tensor<2x2x3xi32>, %y: tensor<2x2x3xi32>) -> tensor<2x2x3xi32> {
  %i = stablehlo.iota dim = 2 : tensor<2x2x3xi32>
  %0 = stablehlo.add %x, %y : tensor<2x2x3xi32>
  %1 = stablehlo.negate %0 : tensor<2x2x3xi32>
  %2 = stablehlo.multiply %1, %0 : tensor<2x2x3xi32>
  %large = stablehlo.iota dim = 0 : tensor<101x100xf32>
  return %2 : tensor<2x2x3xi32>
}
"""


@pytest.fixture
def debugger(record: Record) -> DebuggerPage:
    """Stopped before the product."""
    pasted = record(PROGRAM)
    for _ in range(3):
        pasted.press("F10")
    pasted.at_step(3)
    settle(pasted.page)
    return pasted


def _menu(debugger: DebuggerPage, name: str) -> Locator:
    settle(debugger.page)
    debugger.variable(name).click(button="right")
    return debugger.page.get_by_role("menu", name=name, exact=True)


@pytest.mark.main_path
def test_a_value_has_a_menu(debugger: DebuggerPage, axe: Check) -> None:
    page = debugger.page
    menu = _menu(debugger, "%0")
    expect(menu.get_by_role("menuitem").first).to_be_focused()
    expect(menu).to_contain_text("step 1 by add, line 3")
    expect(menu).to_contain_text("step 3 by multiply, line 5")
    axe(page, "[role=menu]")
    page.keyboard.press("Escape")
    name = page.locator(".cm-content").get_by_text("%0", exact=True).first
    name.hover()
    card = page.locator(".cm-tooltip")
    expect(card).to_be_visible()
    name.click(button="right")
    expect(menu).to_be_visible()
    expect(card, "the menu has the place alone").to_have_count(0)
    menu.get_by_role("menuitem", name="Go to where it was made").click()
    debugger.at_step(1)
    _menu(debugger, "%0").get_by_role("menuitem", name="Show in Index map").click()
    expect(page.get_by_role("tab", name="Index map", selected=True)).to_be_visible()
    debugger.press("F10")
    debugger.at_step(2)
    settle(page)
    _menu(debugger, "%0").get_by_role("menuitem", name="Show in Tensor").click()
    expect(page.locator(".tensor-header .name")).to_have_text("%0")
    _menu(debugger, "%0").get_by_role("menuitem", name="Where did it come from?").click()
    expect(page.locator(".provenance-answer")).to_contain_text(re.compile("%x"))
    expect(page.get_by_role("button", name="Computed from", pressed=True)).to_be_visible()


def test_the_menu_key_opens_it_and_leads_back_and_a_value_is_copied_whole(debugger: DebuggerPage) -> None:
    page = debugger.page
    tree = page.get_by_role("tree", name="Variables")
    tree.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    for keys in ("ContextMenu", "Shift+F10"):
        page.keyboard.press(keys)
        expect(page.get_by_role("menu", name="%1", exact=True)).to_be_visible()
        page.keyboard.press("Escape")
        expect(tree).to_be_focused()
    row = debugger.variable("%x")
    row.hover()
    row.get_by_role("button", name="Actions for %x").click()
    menu = page.get_by_role("menu", name="%x", exact=True)
    for name in ("Go to where it was made", "Show in Index map", "Go to its next reader"):
        expect(menu.get_by_role("menuitem", name=name)).to_have_attribute("aria-disabled", "true")
    expect(menu).to_contain_text("an input of the run")
    menu.get_by_role("menuitem", name="When it was made").click()
    expect(menu).to_contain_text("Go to where %x was given")
    page.keyboard.press("Escape")

    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    _menu(debugger, "%i").get_by_role("menuitem", name="Copy as text").click()
    settle(page)
    rows = "[[0, 1, 2],\n  [0, 1, 2]]"
    page.wait_for_function(
        "async (wanted) => (await navigator.clipboard.readText()) === wanted", arg=f"[{rows},\n\n {rows}]"
    )
    with page.expect_download() as download:
        _menu(debugger, "%0").get_by_role("menuitem", name="Download as .npy").click()
    assert download.value.suggested_filename == "0.s1.0.npy"
    debugger.press("F10")
    debugger.press("F10")
    debugger.at_step(5)
    settle(page)
    _menu(debugger, "%large").get_by_role("menuitem", name="Copy as text").click()
    expect(page.locator(".status-line")).to_contain_text("Only up to 10,000 elements are copied as text")
