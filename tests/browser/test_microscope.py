"""The microscope and the bits of an element: real keys and clicks, from the tensor, the index map and term to term."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Check, Record
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import settle, show_tab

PRODUCT = """func.func @main() -> tensor<2xf32> {
  %a = stablehlo.constant dense<[[1.0, 1.0e8, 3.0], [1.0, 2.0, 3.0]]> : tensor<2x3xf32>
  %b = stablehlo.constant dense<[[1.0, 0.5], [1.0, 0.25], [-1.0e8, 2.0]]> : tensor<3x2xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %r = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
"""

LONG = """func.func @main() -> tensor<f32> {
  %i = stablehlo.iota dim = 0 : tensor<700xf32>
  %x = stablehlo.sqrt %i : tensor<700xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<700xf32>, tensor<f32>) -> tensor<f32>
  return %s : tensor<f32>
}
"""

TYPES = """func.func @main() -> tensor<2xf8E4M3FN> {
  %f = stablehlo.constant dense<[0.1, -2.0]> : tensor<2xf32>
  %s = stablehlo.constant dense<[448.0, 0.0625]> : tensor<2xf8E4M3FN>
  %i = stablehlo.constant dense<[-3, 7]> : tensor<2xi4>
  %c = stablehlo.constant dense<[(1.5, -0.25), (0.0, 1.0)]> : tensor<2xcomplex<f32>>
  return %s : tensor<2xf8E4M3FN>
}
"""


def microscope(page: Page) -> Locator:
    return page.get_by_role("article", name="Microscope")


def rows(page: Page) -> Locator:
    return microscope(page).locator("tbody tr")


def picture(page: Page) -> Locator:
    return page.get_by_role("application", name=re.compile("^Heat map of"))


def choose(page: Page, debugger: DebuggerPage, name: str, *keys: str) -> None:
    """Show a value in Tensor, and move to an element with keys."""
    debugger.variable(name).click()
    settle(page)
    show_tab(page, "Tensor")
    picture(page).focus()
    for key in keys:
        page.keyboard.press(key)
    settle(page)


@pytest.mark.main_path
def test_an_element_is_stepped_into_with_keys_and_a_term_leads_to_its_source(
    record: Record, axe: Check
) -> None:
    """A sum whose largest terms cancel: the order, the loss and the cancellation; Enter on a term goes to it."""
    debugger = record(PRODUCT)
    page = debugger.page
    debugger.press("F5")
    choose(page, debugger, "%p", "Home", "ArrowLeft")
    expect(page.get_by_role("button", name="Step into this element")).to_be_visible()
    page.keyboard.press("Shift+Enter")
    expect(microscope(page)).to_contain_text("%p[0, 0]")
    expect(microscope(page)).to_contain_text("Added here from left to right")
    expect(microscope(page)).to_contain_text("the bits are those recorded")
    expect(rows(page)).to_have_count(3)
    expect(rows(page).nth(1)).to_contain_text("%a[0, 1] × %b[1, 0]")
    expect(rows(page).nth(1)).to_have_class(re.compile("worst-loss"))
    expect(rows(page).nth(2)).to_have_class(re.compile("worst-cancellation|^$"))
    axe(page, "#panel-microscope")

    microscope(page).get_by_role("button", name="%a[0, 0]").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(microscope(page).get_by_role("button", name="%a[0, 1]")).to_be_focused()
    page.keyboard.press("Enter")
    settle(page)
    expect(page.get_by_role("tab", name="Tensor")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".tensor-readout output")).to_contain_text("%a[0, 1] = 100000000")


def test_an_element_of_the_index_map_is_stepped_into(record: Record) -> None:
    debugger = record(PRODUCT)
    page = debugger.page
    debugger.press("F5")
    debugger.variable("%r").click()
    show_tab(page, "Index map")
    page.get_by_role("button", name="Step into this element").click()
    expect(microscope(page)).to_contain_text("%r[0]")
    expect(rows(page).first).to_contain_text("%zero")
    microscope(page).get_by_role("button", name="%p[0, 1]").click()
    settle(page)
    expect(page.locator(".tensor-readout output")).to_contain_text("%p[0, 1]")


def test_many_terms_come_in_parts_and_the_worst_row_is_one_click_away(record: Record) -> None:
    debugger = record(LONG)
    page = debugger.page
    debugger.press("F5")
    debugger.variable("%s").click()
    page.get_by_role("button", name="Step into this element").click()
    expect(rows(page)).to_have_count(256)
    parts = page.get_by_text(re.compile("^Rows [0-9]+ to [0-9]+ of 70[01]"))
    expect(parts).to_contain_text("Rows 1 to 256 of")
    page.get_by_role("button", name="Next").click()
    expect(parts).to_contain_text("Rows 257 to 512 of")
    expect(rows(page).first).to_have_attribute("data-row", "256")
    worst = microscope(page).locator(".microscope-facts").get_by_role("button", name=re.compile("^row "))
    number = int(worst.first.inner_text().removeprefix("row ")) - 1
    worst.first.click()
    marked = page.locator("tr.worst-loss")
    expect(marked).to_have_attribute("data-row", str(number))
    expect(marked).to_be_in_viewport()
    settle(page)


@pytest.mark.main_path
def test_bits_of_elements_of_several_types(record: Record, axe: Check) -> None:
    """The part opens on demand, stays open, and follows the cursor."""
    debugger = record(TYPES)
    page = debugger.page
    debugger.press("F5")
    choose(page, debugger, "%f", "Home")
    expect(page.locator(".tensor-bits-word")).to_have_count(0)
    page.get_by_text("Bits", exact=True).click()
    bits = page.get_by_role("group", name="Bits of %f[0]")
    expect(bits).to_contain_text("0x3dcccccd")
    expect(bits).to_contain_text("0.100000001490116119384765625")
    expect(bits).to_contain_text("2^-27")
    expect(page.get_by_role("img", name="exponent 01111011")).to_be_visible()
    axe(page, "#panel-tensor")
    picture(page).focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("group", name="Bits of %f[1]")).to_contain_text("0xc0000000")
    choose(page, debugger, "%s", "Home")
    small = page.get_by_role("group", name="Bits of %s[0]")
    expect(small).to_contain_text("0x7e")
    expect(small).to_contain_text("Abovenone")
    choose(page, debugger, "%i", "Home")
    expect(page.get_by_role("group", name="Bits of %i[0]")).to_contain_text("0xd i4, two’s complement")
    choose(page, debugger, "%c", "Home")
    expect(page.get_by_role("group", name="Bits of %c[0], imaginary part")).to_contain_text("0xbe800000")
