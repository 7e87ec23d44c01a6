"""How the tensor view uses its room, and that its colours never change their meaning in silence."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Record
from tests.browser.settling import box_of, settle

GROWTH = """func.func @main() -> tensor<2x4xf32> {
  %x = stablehlo.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>
  %n = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<3> : tensor<i32>
  %r:2 = stablehlo.while(%i = %n, %v = %x) : tensor<i32>, tensor<2x4xf32>
    cond {
      %c = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %m = stablehlo.multiply %v, %v : tensor<2x4xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %m : tensor<i32>, tensor<2x4xf32>
    }
  return %r#1 : tensor<2x4xf32>
}
"""
SPECIAL = """func.func @main() -> tensor<64x1xf32> {
  %column = stablehlo.constant dense<0.0> : tensor<64x1xf32>
  %nothing = stablehlo.divide %column, %column : tensor<64x1xf32>
  %few = stablehlo.constant dense<[[3, 7, 3, 3], [7, 7, 9, 3]]> : tensor<2x4xi32>
  return %nothing : tensor<64x1xf32>
}
"""
DRAWN = """(canvas) => {
  const { data, width, height } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let [right, bottom] = [0, 0];
  for (let at = 0; at < width * height; at++)
    if (data[4 * at + 3] > 0) [right, bottom] = [Math.max(right, at % width), Math.max(bottom, Math.floor(at / width))];
  return [right, bottom];
}"""


def _canvas_reach(page: Page) -> tuple[int, int]:
    """The last column and row of pixels that are drawn."""
    settle(page)
    right, bottom = page.locator(".tensor-frame canvas").evaluate(DRAWN)
    return right, bottom


@pytest.mark.main_path
def test_a_value_keeps_its_scale_until_one_fits_it(record: Record) -> None:
    debugger = record(GROWTH)
    page = debugger.page
    debugger.toggle_breakpoint(12)
    debugger.press("F5")
    page.locator(".cm-line", has_text="%m =").get_by_text("%m").first.click()
    settle(page)
    key = page.locator(".tensor-legend")
    expect(key.locator(".tensor-bar")).to_contain_text("64")
    expect(key.get_by_role("button", name="Fit scale")).to_have_count(0)

    debugger.press("F5")
    expect(page.locator(".tensor-statistics")).to_contain_text("4096")
    expect(key.locator(".tensor-bar")).to_contain_text("64")
    expect(key).to_contain_text(re.compile(r"Scale of %m, step \d+"))
    key.get_by_role("button", name="Fit scale").click()
    expect(key.locator(".tensor-bar")).to_contain_text("4096")
    expect(key.get_by_role("button", name="Fit scale")).to_have_count(0)

    key.get_by_role("button", name="Lock scale").click()
    expect(key).to_contain_text("Locked to %m")
    debugger.choose_variable("%v", "Locals")
    settle(page)
    expect(key.locator(".tensor-bar")).to_contain_text("4096")
    key.get_by_role("button", name="Lock scale").click()
    expect(key.locator(".tensor-bar")).not_to_contain_text("4096")


def test_a_column_is_no_line_of_pixels_and_nothing_finite_has_no_scale(
    record: Record,
) -> None:
    debugger = record(SPECIAL)
    page = debugger.page
    debugger.choose_variable("%column", "Results")
    right, bottom = _canvas_reach(page)
    canvas = box_of(page.locator(".tensor-frame canvas"))
    assert right > 46 + 100
    assert bottom > 0.8 * canvas["height"]

    debugger.press("F11")
    debugger.choose_variable("%nothing", "Results")
    settle(page)
    key = page.locator(".tensor-legend")
    expect(key).to_contain_text("there is no scale")
    expect(key).to_contain_text("NaN 64")
    expect(key.locator(".tensor-bar")).to_have_count(0)

    debugger.press("F11")
    debugger.choose_variable("%few", "Results")
    settle(page)
    expect(key.locator(".tensor-swatch")).to_have_text(["3", "7", "9"])
