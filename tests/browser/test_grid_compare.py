"""A value across processes in the browser: compared, and assembled from the shards of the processes."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import grid_programs as programs
from tests.browser.conftest import Check, Record
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import box_of, settle, show_tab

UNEVEN = """HloModule jit_f, num_partitions=4

ENTRY %main_spmd (part: f32[3,4]) -> f32[3,4] {
  %part = f32[3,4] parameter(0), sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}
  %twice = f32[3,4] add(%part, %part), sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}
  ROOT %thrice = f32[3,4] add(%twice, %part), sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}
}
"""
"""Every part is held by two processes."""

CUBE = """module attributes {mhlo.num_partitions = 8 : i32} {
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
func.func @main(%a: tensor<4x6x8xf32>) -> tensor<4x6x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {"y"}, {"z"}]>] out_shardings=[<@mesh, [{"x"}, {"y"}, {"z"}]>] manual_axes={"x", "y", "z"} (%part: tensor<2x3x4xf32>) {
    %1 = stablehlo.add %part, %part : tensor<2x3x4xf32>
    sdy.return %1 : tensor<2x3x4xf32>
  } : (tensor<4x6x8xf32>) -> tensor<4x6x8xf32>
  return %0 : tensor<4x6x8xf32>
}
}
"""

MANY = """module attributes {mhlo.num_partitions = 64 : i32} {
sdy.mesh @mesh = <["x"=8, "y"=8]>
func.func @main(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>] manual_axes={"x", "y"} (%part: tensor<8x8xf32>) {
    %id = stablehlo.partition_id : tensor<ui32>
    %five = stablehlo.constant dense<5> : tensor<ui32>
    %rest = stablehlo.remainder %id, %five : tensor<ui32>
    %twice = stablehlo.add %rest, %rest : tensor<ui32>
    sdy.return %part : tensor<8x8xf32>
  } : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
}
"""


def _opened(debugger: DebuggerPage, view: str, steps: int) -> Page:
    for _ in range(steps):
        debugger.press("F11")
    page = debugger.page
    show_tab(page, "Grid")
    page.get_by_role("group", name="View of the grid").get_by_role("button", name=view, exact=True).click()
    return page


def _drawn(page: Page) -> Locator:
    """The picture, once it is at its place and hears keys."""
    expect(_picture(page)).to_be_visible()
    settle(page)
    return _picture(page)


def _choose(page: Page, name: str) -> None:
    DebuggerPage(page).variable(name).click()


def _cells(page: Page) -> Locator:
    return page.get_by_role("group", name="Processes by their value").get_by_role("button")


def _shown(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Process", exact=True)


def _picture(page: Page) -> Locator:
    return page.get_by_role("application", name=re.compile("assembled from the shards"))


def test_from_who_differs_to_the_process_and_the_element(record: Record) -> None:
    page = _opened(record(programs.MANUAL), "Differences", 4)
    _choose(page, "%p")
    expect(page.locator(".verdict")).to_have_text("%p All 8 differ from each other.")
    values = page.get_by_role("list", name="Values").get_by_role("listitem")
    expect(values).to_have_count(8)
    expect(values.nth(3)).to_contain_text(
        re.compile(r"32 of 32 elements differ from \(0, 0\)'s, first at \[0, 0\], by")
    )
    _choose(page, "%g")
    expect(page.locator(".verdict")).to_have_text("%g All 8 have the same value.")
    expect(values).to_have_count(1)

    _choose(page, "%p")
    _cells(page).nth(5).click()
    expect(_shown(page)).to_have_value("5")
    first = page.get_by_role("list", name="Values").get_by_role("listitem").first
    expect(first).to_contain_text("differ from (0, 5)'s")
    page.keyboard.press("ArrowRight")
    expect(_cells(page).nth(6)).to_be_focused()
    page.keyboard.press("Enter")
    expect(_shown(page)).to_have_value("6")
    page.get_by_role("button", name="Go to element [0, 0] of process (0, 1)").click()
    expect(page.locator(".tensor-readout output")).to_have_text(re.compile(r"^%p\[0, 0\] = "))
    expect(_shown(page)).to_have_value("1")


@pytest.mark.main_path
def test_the_parts_of_a_manual_computation_are_one_whole(record: Record) -> None:
    page = _opened(record(programs.MANUAL), "Assembled", 1)
    _choose(page, "%l")
    expect(page.locator(".assembled-head").first).to_contain_text(
        "8 × 16: dimension 0 in 2 parts and dimension 1 in 4 parts"
    )
    _drawn(page).focus()
    for key in ("ArrowRight", "ArrowDown", *["ArrowRight"] * 5, *["ArrowDown"] * 4):
        page.keyboard.press(key)
    said = page.locator(".assembled .tensor-readout output")
    expect(said).to_have_text(re.compile(r"^%l\[5, 5\] = \S+  process \(0, 5\), \[1, 1\] of the part$"))
    value = re.findall(r"= (\S+)", said.inner_text())[0]
    page.get_by_role("button", name="Show process (0, 5)").click()
    expect(_shown(page)).to_have_value("5")
    page.get_by_role("button", name="Open [1, 1] in the tensor view").click()
    readout = page.get_by_role("tabpanel", name="Tensor").locator(".tensor-readout output")
    expect(readout).to_have_text(f"%l[1, 1] = {value}")


def test_values_without_pieces_and_whole_values(record: Record) -> None:
    page = _opened(record(programs.MANUAL), "Assembled", 3)
    expect(page.locator(".grid-panel")).to_contain_text("Nothing in the program says how")
    expect(page.locator(".grid-panel")).to_contain_text("These values have a sharding:")
    title = page.locator(".frame.current .title")
    expect(title).to_have_text(re.compile("sdy.manual_computation body"))
    assert title.evaluate(
        "(title) => title.scrollWidth <= title.clientWidth"
    )  # not over the number of the line
    page.locator(".assembled-others").get_by_role("button", name=re.compile("^%r ")).click()
    expect(_picture(page)).to_be_visible()
    debugger = DebuggerPage(page)
    debugger.press("Shift+F11")
    _choose(page, "%0")
    expect(page.locator(".assembled-head").first).to_contain_text("Every process holds all of it")
    box = box_of(_drawn(page))
    page.mouse.click(box["x"] + 46 + 60, box["y"] + 20 + 8)
    expect(page.locator(".assembled-ways")).to_contain_text("Marked: [0, ")
    page.get_by_text(re.compile("The .* pieces in words|The piece in words")).click()
    expect(page.locator(".assembled-pieces li").first).to_contain_text("(0, 0), (0, 1), (0, 2) and (0, 3)")


def test_pieces_that_several_hold_and_any_two_axes(record: Record) -> None:
    page = _opened(record(UNEVEN), "Assembled", 1)
    _choose(page, "%twice")
    page.get_by_text("The 2 pieces in words").click()
    rows = page.locator(".assembled-pieces li")
    expect(rows).to_have_text(
        [re.compile(r"\(0, 0\) and \(0, 1\) rows 0 to 2"), re.compile(r"\(0, 2\) and \(0, 3\) rows 3 to 5")]
    )

    page = _opened(record(CUBE), "Assembled", 1)
    _choose(page, "%part")
    notes = page.locator(".assembled")
    expect(notes).to_contain_text("4 of the pieces lie at other indices of the axes that are not drawn.")
    page.get_by_label("Columns").select_option(label="d2 : 8")
    settle(page)
    page.get_by_label("Index of d1, as a number").fill("3")
    page.get_by_label("Index of d1, as a number").press("Enter")
    _drawn(page).focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".assembled .tensor-readout output")).to_have_text(
        re.compile(r"^%part\[0, 3, 0\] = \S+  process \(0, 2\), \[0, 0, 0\] of the part$")
    )


def test_64_processes_on_a_phone(page: Page, record: Record, axe: Check) -> None:
    page.set_viewport_size({"width": 420, "height": 900})
    debugger = record(MANY)
    for step in range(4):
        debugger.press("F11")
        expect(page.locator(".where .count")).to_contain_text(f"step {step + 1} ")
    show_tab(page, "Stage")
    show_tab(page, "Grid")
    views = page.get_by_role("group", name="View of the grid")
    views.get_by_role("button", name="Differences", exact=True).click()
    expect(page.locator(".verdict")).to_have_text("%rest 5 different values among 64 processes.")
    debugger.press("F10")
    expect(page.locator(".verdict")).to_have_text("%part All 64 differ from each other.")
    axe(page, "#panel-grid")
    views.get_by_role("button", name="Assembled", exact=True).click()
    _drawn(page).focus()
    page.keyboard.press("Control+End")
    page.keyboard.press("Control+End")
    expect(page.locator(".assembled .tensor-readout output")).to_have_text(
        re.compile(r"^%part\[63, 63\] = \S+  process \(0, 63\), \[7, 7\]")
    )
    axe(page, "#panel-grid")
