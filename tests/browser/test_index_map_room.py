"""At 1,280 x 720 the operands and the result of an op are seen together."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.debugger_page import DebuggerPage
from tests.browser.index_map_page import at_op, grid
from tests.browser.settling import settle


def test_operands_and_result_stand_side_by_side_and_are_seen_whole(
    open_page: Callable[..., Page],
) -> None:
    page = open_page("/")
    page.set_viewport_size({"width": 1280, "height": 720})
    at_op(DebuggerPage.example(page, "MLP, forward"), 0)
    stage = page.get_by_role("article", name="Index map").locator("..").bounding_box()
    boxes = [grid(page, name).locator("canvas").bounding_box() for name in ("%arg6", "%arg0", "%0")]
    assert stage
    left, other, result = (box for box in boxes if box)
    for box in (left, other, result):
        assert box["y"] + box["height"] <= stage["y"] + min(stage["height"], 720 - stage["y"])
        assert box["x"] + box["width"] <= 1280
    assert result["x"] >= max(left["x"] + left["width"], other["x"] + other["width"])


ATTENTION = """func.func @main(%q: tensor<32x6x48xf32>, %k: tensor<40x6x48xf32>, %wide: tensor<48x1536xf32>) -> (tensor<6x32x40xf32>, tensor<48x1536xf32>) {
  %scores = stablehlo.dot_general %q, %k, batching_dims = [1] x [1], contracting_dims = [2] x [2] : (tensor<32x6x48xf32>, tensor<40x6x48xf32>) -> tensor<6x32x40xf32>
  %tanh = stablehlo.tanh %wide : tensor<48x1536xf32>
  return %scores, %tanh : tensor<6x32x40xf32>, tensor<48x1536xf32>
}
"""


def test_a_batch_in_the_middle_is_held_and_a_wide_value_uses_the_stage(
    open_page: Callable[..., Page],
) -> None:
    page = open_page("/")
    page.set_viewport_size({"width": 1280, "height": 720})
    at_op(DebuggerPage.pasted(page, ATTENTION), 0)
    title = page.locator(".index-tensor figcaption")
    expect(title.nth(0)).to_contain_text("%q[:, 0, :]")
    expect(title.nth(1)).to_contain_text("%k[:, 0, :]")
    expect(title.nth(2)).to_contain_text("%scores[0, :, :]")
    # The pictures of both operands are seen whole above what is said of them.
    said = page.locator(".index-readout").first.bounding_box()
    low = grid(page, "%k").locator("canvas").bounding_box()
    assert said
    assert low
    assert low["y"] + low["height"] <= said["y"]
    expect(grid(page, "%q")).to_have_attribute("aria-rowcount", "32")
    expect(grid(page, "%q")).to_have_attribute("aria-colcount", "48")
    page.keyboard.press("F10")
    expect(title.nth(0)).to_contain_text("%wide")
    settle(page)
    box = grid(page, "%wide").locator("canvas").bounding_box()
    assert box
    assert box["height"] > 100, box
