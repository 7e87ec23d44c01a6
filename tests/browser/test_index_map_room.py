"""At 1,280 x 720 the operands and the result of an op are seen together."""

from collections.abc import Callable

from playwright.sync_api import Page

from tests.browser.debugger_page import DebuggerPage
from tests.browser.index_map_page import at_op, grid


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
