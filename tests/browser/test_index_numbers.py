"""The numbers below the picture of index maps: what is read, tiles, warps; of any run and of the step."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Check, Complaints, Record
from tests.browser.index_map_page import at_op
from tests.browser.settling import show_tab

DOT = """func.func @main() -> tensor<256x256xf32> {
  %a = stablehlo.iota dim = 0 : tensor<256x64xf32>
  %b = stablehlo.iota dim = 1 : tensor<64x256xf32>
  %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<256x64xf32>, tensor<64x256xf32>) -> tensor<256x256xf32>
  %d = stablehlo.transpose %c, dims = [1, 0] : (tensor<256x256xf32>) -> tensor<256x256xf32>
  return %d : tensor<256x256xf32>
}
"""
SCATTER = """func.func @main() -> tensor<6x4xf32> {
  %table = stablehlo.constant dense<0.0> : tensor<6x4xf32>
  %rows = stablehlo.constant dense<[[3], [9], [3], [0]]> : tensor<4x1xi64>
  %updates = stablehlo.constant dense<1.0> : tensor<4x4xf32>
  %summed = "stablehlo.scatter"(%table, %rows, %updates) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<6x4xf32>, tensor<4x1xi64>, tensor<4x4xf32>) -> tensor<6x4xf32>
  return %summed : tensor<6x4xf32>
}
"""


def numbers(page: Page) -> Locator:
    page.get_by_role("article", name="Index map").locator("summary", has_text="Numbers").click()
    found = page.locator(".index-numbers")
    expect(found.get_by_role("region", name="What is read of each operand")).to_be_visible()
    return found


def row(part: Locator, name: str) -> Locator:
    return part.get_by_role("row").filter(has=part.page.get_by_role("rowheader", name=name, exact=True))


@pytest.mark.main_path
def test_a_dot_its_tiles_and_warps_and_a_transpose(
    record: Record, axe: Check, complaints: Complaints
) -> None:
    complaints.allow("422")  # the browser says so of each refused question
    page = at_op(record(DOT), 2)
    found = numbers(page)
    read = found.get_by_role("region", name="What is read of each operand")
    cells = row(read, "%a").get_by_role("cell")
    expect(cells.nth(0)).to_have_text("16,384")
    expect(cells.nth(3)).to_have_text("64 KiB")
    expect(cells.nth(4)).to_have_text("4,194,304")
    expect(cells.nth(5)).to_have_text("256 ×")
    expect(cells.nth(6)).to_contain_text("many to many")
    expect(found).to_contain_text("reads 64 and shares 64 with its neighbour along d1")
    axe(page, "#panel-index")

    tile = found.get_by_role("region", name="Tile", exact=True)
    sizes = tile.get_by_label("sizes")
    sizes.fill("128, 64")
    left = row(tile, "%a").get_by_role("cell")
    expect(left.nth(0)).to_have_text("t0 * 128, 0")
    expect(left.nth(1)).to_have_text("128, 64")
    expect(left.nth(4)).to_contain_text("exactly")
    tile.get_by_label("offsets").fill("256, 0")
    expect(tile.get_by_role("alert")).to_contain_text("begins outside dimension 0")
    tile.get_by_label("tile of").select_option("operand")
    expect(row(tile, "%c").get_by_role("cell").nth(1)).to_have_text("64, 256")

    warp = found.get_by_role("region", name="Warp")
    expect(warp).to_contain_text("Coalesced. All threads of the warp read the same address")
    warp.get_by_label("reads operand").select_option("%b")
    expect(row(warp, "sectors of 32 bytes").get_by_role("cell").first).to_have_text("4")
    warp.get_by_label("warp", exact=True).fill("77")
    expect(warp.get_by_role("alert")).to_contain_text("block, warp or step is out of range")

    page.keyboard.press("F10")  # the numbers stay open from op to op
    expect(row(found, "%c").get_by_role("cell").nth(6)).to_contain_text("bijection")
    expect(warp).to_contain_text("Not coalesced. Neighbouring threads read addresses 1,024 bytes apart")
    expect(row(warp, "lines of 128 bytes").get_by_role("cell").first).to_have_text("32")
    page.set_viewport_size({"width": 420, "height": 900})
    show_tab(page, "Stage")
    show_tab(page, "Index map")
    expect(page.locator(".number-lanes")).to_be_visible()
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 420


def test_what_a_run_wrote_more_than_once(record: Record, axe: Check) -> None:
    page = at_op(record(SCATTER), 3)
    found = numbers(page)
    expect(found).to_contain_text(
        "The 16 updates of %updates write 8 elements of %summed, 4 of them more than once (up to 2 times)."
    )
    expect(found).to_contain_text("4 updates lie outside and are dropped.")
    expect(found).to_contain_text("[3, 0] is written by [0, 0], [2, 0]")
    expect(found).to_contain_text("%rows[1, 0] = 9 is dropped")
    axe(page, "#panel-index")
    found.get_by_role("button", name="any run").click()
    expect(found).to_contain_text("How much is read depends on values of a run.")
    expect(found).not_to_contain_text("is dropped")
