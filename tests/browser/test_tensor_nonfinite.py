"""From a value with NaN to its bad elements, and from one of them to what made it bad."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Check, Record
from tests.browser.settling import settle

PROGRAM = """func.func @main() -> tensor<4x6xf32> {
  %x = stablehlo.constant dense<1.0> : tensor<4x6xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %i = stablehlo.constant dense<1> : tensor<i32>
  %j = stablehlo.constant dense<3> : tensor<i32>
  %holes = stablehlo.constant dense<[[0.0, 0.0]]> : tensor<1x2xf32>
  %y = stablehlo.dynamic_update_slice %x, %holes, %i, %j : (tensor<4x6xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>
  %ratio = stablehlo.divide %y, %y : tensor<4x6xf32>
  %sum = stablehlo.add %ratio, %x : tensor<4x6xf32>
  return %sum : tensor<4x6xf32>
}
"""


@pytest.mark.main_path
def test_one_goes_from_one_bad_element_to_the_next_and_to_the_op_that_made_it(
    record: Record, axe: Check
) -> None:
    debugger = record(PROGRAM)
    page = debugger.page
    debugger.choose_variable("%x", "Results")
    settle(page)
    expect(page.get_by_text(re.compile("not finite"))).to_have_count(0)
    for _ in range(7):
        debugger.press("F10")
    debugger.choose_variable("%sum", "Results")
    settle(page)
    walk = page.get_by_role("group", name="Non-finite elements")
    expect(walk).to_contain_text("2 elements are not finite, the first at [1, 3]")
    walk.get_by_role("button", name="Go there").click()
    said = page.locator(".tensor-readout output")
    expect(said).to_have_text("%sum[1, 3] = NaN")
    walk.get_by_role("button", name="Next").click()
    expect(walk).to_contain_text("2 of 2: [1, 4] is NaN")
    expect(said).to_have_text("%sum[1, 4] = NaN")
    walk.get_by_role("button", name="Next").click()
    expect(said).to_have_text("%sum[1, 3] = NaN")
    walk.get_by_role("button", name="Previous").click()
    expect(said).to_have_text("%sum[1, 4] = NaN")

    page.get_by_role("button", name="Numbers").click()
    walk.get_by_role("button", name="Next").click()
    cell = page.get_by_role("grid").locator('[role="gridcell"][aria-selected="true"]')
    expect(cell).to_have_id("tensor-cell-1-3")
    expect(cell).to_have_text("NaN")

    page.get_by_role("button", name="Heat map").click()
    walk.get_by_role("button", name="Previous").click()
    expect(said).to_have_text("%sum[1, 4] = NaN")
    page.locator(".tensor-readout").get_by_role("button", name="Where did it come from?").click()
    settle(page)
    expect(page.get_by_role("tab", name="Provenance")).to_have_attribute("aria-selected", "true")
    only = page.get_by_role("button", name="Only NaN and Inf")
    expect(only).to_have_attribute("aria-pressed", "true")
    answer = page.locator(".provenance-answer")
    expect(answer).to_contain_text("%ratio")
    expect(answer).to_contain_text("[1, 4]")
    elements = page.get_by_role("textbox", name=re.compile("^Elements of"))
    elements.fill("0, 0")
    elements.press("Enter")
    # Not that it is NaN or infinite, which it is not.
    expect(answer.locator(".provenance-sentence")).to_have_text(
        "Nothing that %sum[0, 0] was computed from is NaN or infinite."
    )
    axe(page, "#panel-provenance")
