"""All menus are one: how they are opened, how keys move in them, how they are left."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Check, Record

PROGRAM = """func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4x4xf32>
  %1 = stablehlo.negate %0 : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
"""

BUTTONS = ["Layout", "Export", "How the program is shown"]
"""Of the toolbar, of a panel, of the program."""


@pytest.mark.main_path
def test_every_menu_has_the_same_keys_and_closes_at_a_press_elsewhere(record: Record, axe: Check) -> None:
    page = record(PROGRAM).page
    for name in BUTTONS:
        button = page.get_by_role("button", name=name, exact=True)
        items = page.get_by_role("menu", name=name, exact=True).locator("button, a")
        button.focus()
        page.keyboard.press("ArrowDown")
        expect(items.first).to_be_focused()
        expect(button).to_have_attribute("aria-expanded", "true")
        for key, focused in (("ArrowUp", "last"), ("ArrowDown", "first"), ("End", "last"), ("Home", "first")):
            page.keyboard.press(key)
            expect(getattr(items, focused)).to_be_focused()
        page.keyboard.press("Escape")
        expect(items).to_have_count(0)
        expect(button).to_be_focused()
        page.keyboard.press("ArrowUp")
        expect(items.last).to_be_focused()
        page.keyboard.press("Tab")
        expect(items).to_have_count(0)
        expect(button).to_have_attribute("aria-expanded", "false")

    page.get_by_role("button", name="Export", exact=True).click()
    for letter, name in (("p", "PNG"), ("s", "SVG"), ("c", "Copy"), (".", ".npy")):
        page.keyboard.press(letter)
        expect(page.get_by_role("menuitem", name=name, exact=True)).to_be_focused()
    axe(page, "[role=menu]")
    page.keyboard.press("Escape")

    button = page.get_by_role("button", name="Export", exact=True)
    items = page.get_by_role("menuitem")
    for _ in range(2):
        button.click()
        expect(items.first).to_be_focused()
        button.click()
        expect(items).to_have_count(0)
    button.click()
    page.locator(".toolbar .where").click()
    expect(items).to_have_count(0)
    page.locator(".cm-content").get_by_text("%x").last.click(button="right")
    expect(page.get_by_role("menu", name="%x")).to_be_visible()
    button.click()
    expect(page.get_by_role("menu", name="%x")).to_have_count(0)
    expect(page.get_by_role("menu", name="Export")).to_be_visible()
