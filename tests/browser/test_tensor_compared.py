"""Values beside each other in the tensor view: pinned ones, differences, lost digits; NumPy is the judge."""

import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Complaints, Record
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import box_of, settle

PROGRAM = """func.func @main() -> tensor<4x6xf32> {
  %x = stablehlo.iota dim = 1 : tensor<4x6xf32>
  %c = stablehlo.constant dense<0.1> : tensor<4x6xf32>
  %y = stablehlo.add %x, %c : tensor<4x6xf32>
  %v = stablehlo.constant dense<1.0> : tensor<3xf32>
  %z = stablehlo.subtract %y, %x : tensor<4x6xf32>
  return %z : tensor<4x6xf32>
}
"""


@pytest.fixture
def sums(record: Record) -> DebuggerPage:
    """Stands at the end of the program, with the sum drawn."""
    debugger = record(PROGRAM)
    debugger.press("F5")
    _choose(debugger, "%y")
    return debugger


def _choose(debugger: DebuggerPage, name: str) -> None:
    settle(debugger.page)
    debugger.variable(name).click()
    settle(debugger.page)


def _compare(page: Page, name: str | re.Pattern[str]) -> None:
    page.get_by_role("button", name="Pin", exact=True).click()
    page.get_by_role("menuitem", name=name).or_(page.get_by_role("menuitemcheckbox", name=name)).click()


def _instead(page: Page) -> Locator:
    return page.get_by_role("group", name=re.compile("^(Difference|Lost digits)$"))


@pytest.mark.main_path
def test_a_difference_is_a_value_of_the_view(sums: DebuggerPage, complaints: Complaints) -> None:
    complaints.allow("422")  # of two shapes
    page = sums.page
    _compare(page, "Pin this value")
    pinned = page.get_by_role("figure", name=re.compile("^Pinned: %y"))
    expect(pinned).to_be_visible()
    settle(page)
    main, beside = (
        box_of(page.get_by_role("application", name=re.compile("^Heat map of %y")).nth(at)) for at in (0, 1)
    )
    assert (main["y"], main["height"]) == (beside["y"], beside["height"])

    _choose(sums, "%x")
    pinned.get_by_role("button", name="Subtract").click()
    x = np.broadcast_to(np.arange(6, dtype=np.float32), (4, 6))
    y = x + np.float32(0.1)
    expect(_instead(page).get_by_role("status")).to_contain_text(
        "24 of 24 elements differ, the worst at [0, "
    )
    page.get_by_role("combobox", name="Measure").select_option("ulps")
    expect(_instead(page).get_by_role("status")).to_contain_text("the worst at [0, 0]")
    _instead(page).get_by_role("button", name="Go to the worst").click()
    apart = y.view(np.int32)[0, 0] - x.view(np.int32)[0, 0]
    expect(page.locator(".tensor-readout output")).to_have_text(f"%x − %y[0, 0] = {apart}")

    # The cursor of one view marks the same element in the other.
    expect(pinned.locator(".tensor-pin-readout")).to_have_text("[0, 0] = 0.1")
    page.get_by_role("application", name=re.compile("^Heat map of %x")).press("ArrowRight")
    expect(pinned.locator(".tensor-pin-readout")).to_have_text("[0, 1] = 1.1")

    # The difference follows the selected value, and says so where there is none.
    _choose(sums, "%v")
    expect(page.get_by_role("alert")).to_contain_text("[3] and [4, 6]")
    _choose(sums, "%y")
    expect(_instead(page).get_by_role("status")).to_contain_text("all elements are equal")
    _compare(page, "Lost digits")
    expect(_instead(page).get_by_role("status")).to_contain_text("No element of %y has lost a digit")
    _choose(sums, "%z")
    tenth = np.float32(0.1)
    lost = np.log10(np.max(np.abs(y - x - tenth)) / np.float64(tenth) * 2**24)
    # The median is as large, so the page leaves it out.
    expect(_instead(page).get_by_role("status")).to_have_text(
        f"Decimal digits that each element of %z has lost: up to {lost:.2g}"
    )
    page.get_by_role("button", name="Show %z").click()
    pinned.get_by_role("button", name="Unpin").click()
    expect(pinned).to_have_count(0)


def test_bins_are_marked_and_slices_copied(sums: DebuggerPage) -> None:
    page = sums.page
    page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text }")
    histogram = page.get_by_role("application", name="Select bins")
    histogram.press("ArrowRight")
    expect(page.locator(".tensor-legend")).to_contain_text("4 of 24 finite elements from 0.1 to ")
    box = box_of(histogram)
    page.mouse.move(box["x"] + 1, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 1, box["y"] + 5)
    page.mouse.up()
    expect(page.locator(".tensor-legend")).to_contain_text("24 of 24 finite elements from 0.1 to 5.1")
    histogram.press("Escape")
    expect(page.locator(".tensor-legend")).not_to_contain_text("finite elements")

    y = np.arange(6, dtype=np.float32) + np.float32(0.1)
    page.get_by_role("button", name="Export").click()
    page.get_by_role("menuitem", name="Copy as NumPy").click()
    text = page.evaluate("window.copied")
    assert text.endswith("dtype=np.float32)")
    assert np.array_equal(eval(text, {"np": np}), np.broadcast_to(y, (4, 6)))
    page.get_by_role("button", name="Export").click()
    page.get_by_role("menuitem", name="Copy as CSV").click()
    assert np.array_equal(
        np.loadtxt(page.evaluate("window.copied").splitlines(), np.float32, delimiter=","), [y] * 4
    )


EIGHT = """module attributes {mhlo.num_partitions = 8 : i32} {
func.func @main() -> tensor<4x6xf32> {
  %id = stablehlo.partition_id : tensor<ui32>
  %number = stablehlo.convert %id : (tensor<ui32>) -> tensor<f32>
  %wide = stablehlo.broadcast_in_dim %number, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
  %column = stablehlo.iota dim = 1 : tensor<4x6xf32>
  %y = stablehlo.multiply %wide, %column : tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}
}
"""
"""In process p, %y is p times the column."""


def test_values_of_processes_files_and_runs_are_pinned_and_subtracted(
    record: Record, tmp_path: Path, complaints: Complaints
) -> None:
    # Of two shapes: the second run's first value and the file's array.
    complaints.allow(r"422 .*/difference\?.*&address=7\.s0\.0&other_address=array")
    debugger = record(EIGHT)
    page = debugger.page
    debugger.press("F5")
    page.get_by_role("tab", name="Tensor").click()
    process = page.get_by_role("combobox", name="Process", exact=True)
    status = _instead(page).get_by_role("status")
    readout = page.locator(".tensor-readout output")
    for number in (1, 3):
        process.select_option(f"(0, {number})")
        _choose(debugger, "%y")
        _compare(page, "Pin this value")
    first, third = (
        page.get_by_role("figure", name=f"Pinned: %y, step 4, (0, {number})") for number in (1, 3)
    )
    process.select_option("(0, 7)")
    settle(page)
    first.get_by_role("button", name="Subtract").click()
    expect(status).to_have_text(
        "to %y, step 4, (0, 1): 20 of 24 elements differ, the worst at [0, 5]: 35 and 5, difference 30"
    )
    _instead(page).get_by_role("button", name="Go to the worst").click()
    expect(readout).to_have_text("%y − %y[0, 5] = 30")
    expect(first.locator(".tensor-pin-readout")).to_have_text("[0, 5] = 5")
    expect(third.locator(".tensor-pin-readout")).to_have_text("[0, 5] = 15")
    third.get_by_role("application").hover(position={"x": 60, "y": 40})
    expect(first.locator(".tensor-pin-readout")).to_have_text(re.compile(r"^\[\d, 0\] = 0$"))

    expected = np.broadcast_to(7 * np.arange(6, dtype=np.float32), (4, 6)).copy()
    expected[2, 3] += 0.5
    np.save(tmp_path / "expected.npy", expected)
    with page.expect_file_chooser() as chooser:
        _compare(page, "Pin an array from a file…")
    chooser.value.set_files(tmp_path / "expected.npy")
    file = page.get_by_role("figure", name="Pinned: expected.npy, from a file")
    file.get_by_role("button", name="Subtract").click()
    expect(status).to_contain_text(
        "to expected.npy, from a file: 1 of 24 elements differ, the worst at [2, 3]: 21 and 21.5, difference -0.5"
    )

    page.locator(".cm-content").click()
    debugger.press("Control+A")
    page.keyboard.insert_text(EIGHT.replace("multiply", "add"))
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator(".where .count")).to_contain_text("step 0 of")
    # The difference to the file outlives its run: the new one begins at %id, which has another shape.
    expect(page.get_by_role("alert")).to_contain_text("[] and [4, 6]")
    debugger.press("F5")
    _choose(debugger, "%y")
    earlier = page.get_by_role("figure", name="Pinned: %y, step 4, (0, 3), run 1")
    earlier.get_by_role("button", name="Subtract").click()
    expect(status).to_have_text(
        "to %y, step 4, (0, 3), run 1: 24 of 24 elements differ, the worst at [0, 0]: 7 and 0, difference 7"
    )
