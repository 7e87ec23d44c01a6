"""Where the elements of a tuple come from: one chooses one of its tensors first."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import settle, show_tab

MODULE = """HloModule pair

ENTRY %main (a: f32[2,3], b: f32[3]) -> (f32[2,3], f32[3]) {
  %a = f32[2,3] parameter(0)
  %b = f32[3] parameter(1)
  %twice = f32[2,3] add(%a, %a)
  %negative = f32[3] negate(%b)
  ROOT %both = (f32[2,3], f32[3]) tuple(%twice, %negative)
}
"""


def test_an_element_of_the_tuple_that_a_module_ends_with_is_followed(
    paste: Callable[[str], DebuggerPage], axe: Callable[[Page], None]
) -> None:
    debugger = paste(MODULE)
    debugger.wait_until_recorded()
    page = debugger.page
    debugger.press("F5")
    debugger.variable("%both").click()
    show_tab(page, "Provenance")
    rows = page.locator(".provenance").get_by_role("treeitem")
    expect(page.locator(".provenance")).to_contain_text("Choose one to follow its elements.")
    expect(rows).to_have_count(2)
    axe(page)
    rows.nth(1).click()
    settle(page)
    typed = page.locator(".provenance-typed input")
    typed.fill("2")
    typed.press("Enter")
    expect(page.locator(".provenance-answer")).to_contain_text("%negative")
