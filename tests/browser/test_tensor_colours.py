"""How the tensor view uses its room, and that its colours never change their meaning in silence."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Record
from tests.browser.settling import box_of, settle, show_tab

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
KINDS = """func.func @main() -> (tensor<2x4xi32>, tensor<2x4xf32>) {
  %indices = stablehlo.constant dense<[[3, 0, 2, 9], [5, 5, 1, 7]]> : tensor<2x4xi32>
  %flags = stablehlo.constant dense<[[true, false, true, true], [false, false, true, false]]> : tensor<2x4xi1>
  %signed = stablehlo.constant dense<[[-2.5, 0.0, 1.5, 4.0], [0.5, -1.0, 2.0, -4.0]]> : tensor<2x4xf32>
  %wide = stablehlo.constant dense<[[1.0e-6, 0.001, 0.01, 0.1], [1.0, 1.0e4, 1.0e-4, 3.0]]> : tensor<2x4xf32>
  %complex = stablehlo.constant dense<[[(3.0, 4.0), (0.0, 1.0), (-2.0, 0.5), (0.0, 0.0)], [(1.0, 1.0), (0.0, 3.0), (2.0, 2.0), (0.1, 0.0)]]> : tensor<2x4xcomplex<f32>>
  %narrow = stablehlo.constant dense<[[1.0, -2.0, 8.0, 0.5], [0.0, 3.0, -6.0, 2.0]]> : tensor<2x4xf8E4M3FN>
  %same = stablehlo.constant dense<2.5> : tensor<2x4xf32>
  %special = stablehlo.constant dense<[[1.0, 0x7FC00000, 0x7F800000, 0xFF800000], [-2.0, 0.5, 0.0, 2.0]]> : tensor<2x4xf32>
  %indices_read = stablehlo.reverse %indices, dims = [] : tensor<2x4xi32>
  %flags_read = stablehlo.reverse %flags, dims = [] : tensor<2x4xi1>
  %signed_read = stablehlo.reverse %signed, dims = [] : tensor<2x4xf32>
  %wide_read = stablehlo.reverse %wide, dims = [] : tensor<2x4xf32>
  %complex_read = stablehlo.reverse %complex, dims = [] : tensor<2x4xcomplex<f32>>
  %narrow_read = stablehlo.reverse %narrow, dims = [] : tensor<2x4xf8E4M3FN>
  %same_read = stablehlo.reverse %same, dims = [] : tensor<2x4xf32>
  %special_read = stablehlo.reverse %special, dims = [] : tensor<2x4xf32>
  return %indices_read, %special_read : tensor<2x4xi32>, tensor<2x4xf32>
}
"""
SHOWN = ("indices", "flags", "signed", "wide", "complex", "narrow", "same", "special")
COLOURS_OF = """(drawn, [left, top, width, height]) => {
  const canvas = document.createElement("canvas");
  const [w, h] = drawn.tagName === "IMG" ? [drawn.naturalWidth, drawn.naturalHeight] : [drawn.width, drawn.height];
  [canvas.width, canvas.height] = [w, h];
  const context = canvas.getContext("2d");
  context.drawImage(drawn, 0, 0);
  return [...Array(8).keys()].map((at) => {
    const [x, y] = [left + ((at % 4) + 0.12) * (width || w / 4), top + (Math.floor(at / 4) + 0.12) * (height || h / 2)];
    return [...context.getImageData(x, y, 1, 1).data].join();
  });
}"""
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


def _colours(drawn: Locator, *, size: tuple[int, int, float, float] = (0, 0, 0, 0)) -> list[str]:
    """The colours of 2 x 4 cells, near the upper left corner of each, where neither a number nor a mark is."""
    found: list[str] = drawn.evaluate(COLOURS_OF, list(size))
    return found


def _colours_of_canvas(canvas: Locator) -> list[str]:
    right, bottom = canvas.evaluate(DRAWN)
    return _colours(canvas, size=(46, 20, (right - 46) / 4, (bottom - 20) / 2))


@pytest.mark.main_path
def test_a_cell_has_one_colour_in_every_view(record: Record) -> None:
    debugger = record(KINDS)
    page = debugger.page
    debugger.press("F5")
    strips = page.locator(".cm-strip .strip img")
    expect(strips).to_have_count(2 * len(SHOWN))
    small = [_colours(strips.nth(at)) for at in range(len(SHOWN))]
    for name, thumbnail in zip(SHOWN, small, strict=True):
        finite = 4 if name == "special" else 0
        _show(page, f"%{name}", "Tensor")
        assert _colours_of_canvas(page.locator(".tensor-frame canvas"))[finite:] == thumbnail[finite:], name
        _show(page, f"%{name}_read", "Index map")
        grid = page.get_by_role("grid", name=re.compile(rf"^Elements of %{name},")).locator("canvas")
        assert _colours_of_canvas(grid)[0] == thumbnail[0], (
            name
        )  # the others are pale, because nothing reads them


def _show(page: Page, name: str, tab: str) -> None:
    page.locator(".cm-line", has_text=f"{name} =").get_by_text(name, exact=True).first.click()
    show_tab(page, tab)
    page.mouse.move(5, 5)
    settle(page)
