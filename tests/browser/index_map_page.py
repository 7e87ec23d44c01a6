"""The index map tab as a user sees it: its pictures, what it says, and how one points at a cell."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import box_of, settle, show_tab

GATHER = """func.func @main() -> tensor<3x2xi32> {
  %table = stablehlo.constant dense<[[0, 1], [10, 11], [20, 21], [30, 31], [40, 41]]> : tensor<5x2xi32>
  %rows = stablehlo.constant dense<[[1], [9], [1]]> : tensor<3x1xi64>
  %picked = "stablehlo.gather"(%table, %rows) {
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 2>, indices_are_sorted = false
  } : (tensor<5x2xi32>, tensor<3x1xi64>) -> tensor<3x2xi32>
  return %picked : tensor<3x2xi32>
}
"""
RULERS = (46, 20)


def at_op(debugger: DebuggerPage, steps: int) -> Page:
    """The index map of the op after so many steps."""
    for _ in range(steps):
        debugger.press("F10")
    page = debugger.page
    show_tab(page, "Index map")
    expect(page.get_by_role("article", name="Index map")).to_be_visible()
    expect(grids(page).first).to_be_visible()
    settle(page)
    return page


def grids(page: Page) -> Locator:
    return page.get_by_role("grid", name=re.compile("^Elements of "))


def grid(page: Page, name: str) -> Locator:
    return page.get_by_role("grid", name=re.compile(rf"^Elements of {name},"))


def hover(page: Page, name: str, row: int, column: int, rows: int, columns: int) -> None:
    """Points at a cell of a tensor that is seen whole."""
    settle(page)
    canvas = grid(page, name).locator("canvas")
    box = box_of(canvas)
    edge = 5
    width, height = (box["width"] - RULERS[0] - edge) / columns, (box["height"] - RULERS[1] - edge) / rows
    canvas.hover(position={"x": RULERS[0] + (column + 0.5) * width, "y": RULERS[1] + (row + 0.5) * height})


def readout(page: Page) -> Locator:
    return page.locator(".index-readout")
