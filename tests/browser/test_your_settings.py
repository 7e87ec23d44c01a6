"""The settings of the person: each holds in the open pages of the browser, and is there the next time."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Check, Record
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import box_of, settle
from tests.server_process import Server

LONG = """func.func @main() -> tensor<f32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %most = stablehlo.constant dense<1200> : tensor<i32>
  %third = stablehlo.constant dense<0.333333343> : tensor<f32>
  %r:2 = stablehlo.while(%i = %zero, %x = %third) : tensor<i32>, tensor<f32>
    cond {
      %less = stablehlo.compare LT, %i, %most : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    } do {
      %next = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %next, %x : tensor<i32>, tensor<f32>
    }
  return %r#1 : tensor<f32>
}
"""


def _row_height(page: Page) -> float:
    settle(page)
    box = box_of(page.locator(".cm-content .cm-line").nth(1))
    return float(box["height"])


def _wait_for(page: Page, name: str) -> None:
    """Until what another page has chosen has come to this one."""
    page.wait_for_function(f"localStorage.getItem('hloscope.{name}') !== null")


def _reload_with(page: Page, name: str) -> None:
    _wait_for(page, name)
    page.reload()
    settle(page)


@pytest.mark.main_path
def test_each_setting_holds_in_the_open_page_and_stays(
    page: Page, record: Record, server: Server, axe: Check
) -> None:
    debugger = record(LONG)
    count = page.locator(".where .count")
    expect(count).to_contain_text("of 4,8")
    height = _row_height(page)

    page.get_by_role("button", name="View and help").click()
    with page.context.expect_page() as opened:
        page.get_by_role("menuitem", name="Your settings").click()
    settings = opened.value
    expect(settings.get_by_role("row", name="Toggle breakpoint")).to_be_visible()
    axe(settings)

    settings.get_by_role("radio", name="12345", exact=True).check()
    _reload_with(page, "separator")
    expect(count).to_contain_text("of 48")
    settings.get_by_role("radio", name="Compact").check()
    assert _row_height(page) < height
    settings.get_by_role("radio", name="Roomy").check()
    assert _row_height(page) > height
    settings.get_by_role("radio", name="High contrast").check()
    expect(page.locator("html")).to_have_attribute("data-theme", "contrast")
    settings.get_by_role("button", name="Change the key of: Describe the op at the cursor").click()
    settings.keyboard.press("F10")
    taken = settings.get_by_text("F10 is already used by: Step over.")
    expect(taken).to_be_in_viewport()
    settings.keyboard.press("Escape")
    expect(taken).to_have_count(0)
    settings.get_by_role("button", name="Change the key of: Step over", exact=True).click()
    settings.keyboard.press("Alt+n")
    _wait_for(page, "keys")
    page.bring_to_front()
    debugger.press("Alt+n")
    debugger.at_step(1)

    page.reload()
    debugger.at_step(1)
    expect(count).to_contain_text("of 48")
    assert _row_height(page) > height
    expect(page.locator("html")).to_have_attribute("data-theme", "contrast")


def test_the_digits_of_statistics(page: Page, record: Record, server: Server) -> None:
    debugger: DebuggerPage = record(
        "func.func @main() -> tensor<2xf32> {\n"
        "  %x = stablehlo.constant dense<[0.123456791, 1.5]> : tensor<2xf32>\n"
        "  return %x : tensor<2xf32>\n}\n"
    )
    debugger.press("F10")
    settle(page)
    line = page.locator("#panel-tensor")
    expect(line).to_contain_text("0.1234568")
    other = page.context.new_page()
    other.goto(server.origin + "/settings")
    other.get_by_role("radio", name="4: ").check()
    _reload_with(page, "digits")
    expect(line).to_contain_text("0.1235")
    other.get_by_role("radio", name="All").check()
    page.wait_for_function("localStorage.getItem('hloscope.digits') === '17'")
    page.reload()
    expect(line).to_contain_text("0.12345679")
    other.close()
