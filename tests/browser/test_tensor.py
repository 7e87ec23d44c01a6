"""The tensor view shows the value itself: each number it writes is compared with the array one downloads from it."""

import re
import struct
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Record
from tests.browser.debugger_page import DebuggerPage, text_of
from tests.browser.settling import box_of, settle

TABLE = np.array([[0.1, -2.5, 3e-7, 4], [1, 0, -1, 0], [5, 6, 7, 123456.789]], np.float32)
PROGRAM = """func.func @main() -> tensor<3x4xf32> {
  %table = stablehlo.constant dense<[[0.1, -2.5, 3.0e-7, 4.0], [1.0, 0.0, -1.0, 0.0], [5.0, 6.0, 7.0, 123456.789]]> : tensor<3x4xf32>
  %zeros = stablehlo.constant dense<0.0> : tensor<3x4xf32>
  %wild = stablehlo.divide %table, %zeros : tensor<3x4xf32>
  return %wild : tensor<3x4xf32>
}
"""
RULERS = (46, 20)  # the picture starts right of and below them
COLOURS = """(canvas) => new Set(new Uint32Array(
    canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size"""


@pytest.fixture
def table(record: Record) -> DebuggerPage:
    """Stands at the op that makes the table, which is drawn."""
    debugger = record(PROGRAM)
    debugger.choose_variable("%table", "Results")
    settle(debugger.page)
    return debugger


def _heat_map(page: Page) -> Locator:
    return page.get_by_role("application", name=re.compile("^Heat map of "))


def _read_element(page: Page) -> tuple[tuple[int, ...], np.float32]:
    """The element that the line below the picture names, and what it says of it."""
    readout = page.locator(".tensor-readout output")
    expect(readout).to_contain_text("=")
    found = re.fullmatch(r"%\w+\[([\d, ]+)\] = (\S+)", readout.inner_text())
    assert found, readout.inner_text()
    return tuple(int(index) for index in found[1].split(",")), np.float32(found[2])


def _statistics(page: Page) -> dict[str, float]:
    """The numbers under the tensor; NaN for those that no element has, such as the least of none."""
    rows = page.get_by_role("region", name="Statistics").locator("dl > div").all()
    texts = {row.locator("dt").inner_text(): row.locator("dd").inner_text() for row in rows}
    texts = {name: "nan" if text == "–" else text.replace(",", "") for name, text in texts.items()}
    return {name: float(text) for name, text in texts.items() if name != "bytes"}


def _downloaded(page: Page, kind: str) -> bytes:
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name=kind, exact=True).click()
    assert download.value.suggested_filename.endswith(f".{kind.lower()}")
    return download.value.path().read_bytes()


@pytest.mark.main_path
def test_what_is_pointed_at_is_read_exactly(table: DebuggerPage) -> None:
    page = table.page
    assert np.array_equal(table.shown_array(), TABLE)
    canvas = _heat_map(page).locator("canvas")
    assert canvas.evaluate(COLOURS) > 5, "the picture is blank"

    box = box_of(canvas)
    before = ""
    for across, down in ((10, 10), (200, 10), (10, 200), (300, 200)):
        page.mouse.move(box["x"] + RULERS[0] + across, box["y"] + RULERS[1] + down)
        expect(page.locator(".tensor-readout output")).not_to_have_text(before)
        index, element = _read_element(page)
        assert element == TABLE[index]
        before = page.locator(".tensor-readout output").inner_text()

    page.mouse.move(0, 0)
    _heat_map(page).press("ArrowRight")
    expect(page.locator(".tensor-readout output")).to_have_text("%table[0, 0] = 0.1")
    _heat_map(page).press("ArrowRight")
    expect(page.locator(".tensor-readout output")).to_have_text("%table[0, 1] = -2.5")
    expect(page.locator(".tensor-readout").get_by_role("status").last).to_have_text("%table[0, 1] = -2.5")
    expect(_heat_map(page)).to_have_accessible_description(re.compile(r"^f32\[3,4\] +-2\.5 … 1\.235e5 +mean"))


@pytest.mark.main_path
def test_statistics_are_those_of_numpy(table: DebuggerPage) -> None:
    page = table.page
    shown = _statistics(page)
    exact = TABLE.astype(np.float64)
    for name in ("min", "max", "mean", "std"):
        assert shown[name] == pytest.approx(getattr(exact, name)(), rel=1e-4), name
    assert (shown["elements"], shown["zeros"], shown["non-finite"]) == (12, 2, 0)

    table.press("F11")
    table.press("F11")
    table.choose_variable("%wild", "Results")
    wild = table.shown_array()
    expected = {
        "NaN": np.isnan(wild).sum(),
        "+Inf": np.isposinf(wild).sum(),
        "-Inf": np.isneginf(wild).sum(),
    }
    assert list(expected.values()) == [2, 8, 2]
    shown = _statistics(page)
    assert {name: shown[name] for name in expected} == expected
    assert np.isnan([shown[name] for name in ("min", "max", "mean", "std")]).all()
    for words in expected:
        expect(page.locator(".tensor-legend")).to_contain_text(words)


def test_what_comes_late_is_told_where_one_points(table: DebuggerPage) -> None:
    """The numbers of a name in the program, on a slow line: they come while its card is open."""
    page = table.page
    page.route("**/thumbnails*", lambda route: None)  # held
    table.press("F11")
    table.at_line(3)
    page.locator(".cm-line", has_text="%wild =").get_by_text("%zeros").hover()
    card = page.locator(".cm-tooltip .value")
    expect(card).to_contain_text("…")
    page.unroute("**/thumbnails*")  # lets go of what is held
    expect(card).to_contain_text("all 0")
    expect(card).to_contain_text("Will be made in step")


def test_pictures_are_well_formed_files_and_the_table_of_numbers_is_walked_by_keys(
    table: DebuggerPage,
) -> None:
    page = table.page
    png = _downloaded(page, "PNG")
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    assert width > 100 < height
    assert len(png) > 1000

    svg = ET.fromstring(_downloaded(page, "SVG"))
    space = "{http://www.w3.org/2000/svg}"
    assert svg.tag == f"{space}svg"
    assert svg.findtext(f"{space}title") == "%table : tensor<3x4xf32>"
    cells = svg.findall(f"{space}g/{space}rect")
    assert len(cells) == TABLE.size
    assert {cell.get("width") for cell in cells} == {cells[0].get("height")}

    table.shown_numbers(1, 1)
    grid = page.get_by_role("grid")
    grid.focus()

    def selected(keys: str) -> np.float32:
        grid.press(keys)
        cell = grid.locator('[role="gridcell"][aria-selected="true"]')
        name = cell.get_attribute("id")
        assert name
        expect(grid).to_have_attribute("aria-activedescendant", name)
        return np.float32(cell.inner_text())

    assert selected("ArrowRight") == TABLE[0, 1]
    assert selected("ArrowDown") == TABLE[1, 1]
    assert selected("Control+End") == TABLE[2, 3]
    assert selected("Home") == TABLE[2, 0]
    assert selected("Control+Home") == TABLE[0, 0]
    assert selected("Control+PageDown") == TABLE[0, 0], "that key belongs to the browser"
    assert selected("PageDown") == TABLE[2, 0]
    announced = page.locator('p[role="status"]')  # not the visible line, which is not announced
    expect(announced.filter(has_text="%table[2, 0] = 5")).to_have_count(1)


def test_any_two_axes_at_any_index_of_the_others_and_the_wheel(record: Record) -> None:
    debugger = record(text_of("transformer_block"))
    page = debugger.page
    debugger.press("F11")
    debugger.choose_variable("%arg0", "Operands")
    array: NDArray[Any] = debugger.shown_array()
    assert array.shape == (2, 32, 64)

    axes = page.get_by_role("group", name="Axes")
    axes.get_by_label("Rows").select_option("0")
    held = axes.get_by_role("slider", name="Index of d1")
    for _ in range(3):
        held.press("ArrowRight")
    expect(held).to_have_value("3")
    settle(page)
    picture = _heat_map(page)
    for keys in ("ArrowRight", "ArrowRight", "ArrowDown"):  # the first one shows where the cursor is
        picture.press(keys)
    readout = page.locator(".tensor-readout output")
    expect(readout).to_contain_text("[1, 3, 1]")
    assert _read_element(page) == ((1, 3, 1), array[1, 3, 1])

    axes.get_by_label("Columns").select_option("1")
    axes.get_by_label("Index of d2, as a number").fill("40")
    axes.get_by_label("Index of d2, as a number").press("Enter")
    expect(held).to_have_count(0)
    settle(page)
    picture.press("ArrowRight")
    picture.press("ArrowRight")
    expect(readout).to_contain_text(", 40]")
    index, element = _read_element(page)
    assert element == array[index]
    assert debugger.shown_numbers(2, 3) == pytest.approx(array[:2, :3, 40], rel=1e-6)

    # The read-out follows the pointer while the wheel zooms.
    debugger.choose_variable("%arg1", "Locals")
    page.get_by_role("button", name="Heat map").click()
    settle(page)
    canvas = page.locator(".tensor-frame canvas")
    box = box_of(canvas)
    said = page.locator(".tensor-readout output")
    at = (box["x"] + box["width"] * 0.8, box["y"] + 40)
    page.mouse.move(*at)
    for turn in (-400, -400, -900, 700, -300):
        page.mouse.wheel(0, turn)
        settle(page)
        after_wheel = said.inner_text()
        page.mouse.move(at[0], at[1] + 0.4)
        settle(page)
        assert said.inner_text() == after_wheel
        page.mouse.move(*at)


WIDE = """func.func @main(%x: tensor<3000x4000xf32>) -> tensor<3000x4000xf32> {
  %0 = stablehlo.iota dim = 1 : tensor<3000x4000xf32>
  %1 = stablehlo.sine %0 : tensor<3000x4000xf32>
  return %1 : tensor<3000x4000xf32>
}
"""


def test_statistics_fit_and_a_large_table_of_numbers_has_only_the_cells_that_are_seen(record: Record) -> None:
    debugger = record(WIDE)
    page = debugger.page
    debugger.press("F10")
    debugger.press("F10")
    debugger.choose_variable("%1", "Operands")
    for width in (200, 320, 588, 900):
        _statistics_fit(page, width)
    page.locator("#panel-tensor").evaluate("(element) => element.style.removeProperty('width')")
    debugger.choose_variable("%0", "Locals")
    page.get_by_role("button", name="Numbers").click()
    table = page.get_by_role("grid", name="Elements of %0")
    cells = table.get_by_role("gridcell")
    settle(page)
    expect(cells.first).to_have_text("0")

    def seen() -> int:
        box = box_of(table)
        cell = box_of(cells.first)
        return int(box["width"] // cell["width"] + 2) * int(box["height"] // cell["height"] + 2)

    assert 0 < cells.count() <= seen()
    table.focus()
    page.keyboard.press("Control+End")
    settle(page)
    expect(table.locator('[aria-rowindex="3001"] [aria-colindex="4001"]')).to_have_text("3999")
    assert 0 < cells.count() <= seen()
    table.evaluate("(element) => element.scrollTo(element.scrollWidth / 2, element.scrollHeight / 2)")
    settle(page)
    expect(table.locator('[aria-rowindex="1505"]')).to_have_count(1)
    assert 0 < cells.count() <= seen()


def _statistics_fit(page: Page, width: int) -> None:
    page.locator("#panel-tensor").evaluate("(element, width) => (element.style.width = `${width}px`)", width)
    settle(page)
    region = page.get_by_role("region", name="Statistics")
    line = region.locator("dl > div").first
    expect(line.locator("dt")).to_have_text("min")
    once, whole = box_of(line), box_of(region)
    assert whole["height"] < 2 * once["height"] + 12
    more = region.get_by_role("button", name="All statistics")
    if width < 588:
        more.click()
        settle(page)
        last = box_of(region.locator("dl > div").last)
        opened = box_of(region)
        assert opened["height"] > whole["height"]
        assert last["y"] + last["height"] <= opened["y"] + opened["height"]
        more.click()
    settle(page)
    assert page.locator(".tensor").evaluate("(element) => element.scrollWidth - element.clientWidth") <= 0

    histogram = box_of(page.locator(".tensor-histogram"))
    panel = box_of(page.locator("#panel-tensor"))
    assert panel["x"] <= histogram["x"]
    assert histogram["x"] + histogram["width"] <= panel["x"] + width
    bars = page.locator(".tensor-histogram rect")
    assert bars.count() > 8
    boxes = [bar.bounding_box() for bar in bars.all()]
    assert all(box and box["width"] > 0.5 and box["height"] > 0 for box in boxes)
