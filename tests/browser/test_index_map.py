"""The index map tab: what belongs together lights up, on both sides, by pointer and by keys; the picture as a file."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Check, Record
from tests.browser.index_map_page import GATHER, RULERS, at_op, grid, hover, readout
from tests.browser.page_frame import choose_in_menu
from tests.browser.settling import box_of, settle, show_tab

LARGE = """func.func @main() -> tensor<4096x4096xf32> {
  %a = stablehlo.iota dim = 0 : tensor<4096x64xf32>
  %b = stablehlo.iota dim = 1 : tensor<64x4096xf32>
  %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4096x64xf32>, tensor<64x4096xf32>) -> tensor<4096x4096xf32>
  %d = stablehlo.transpose %c, dims = [1, 0] : (tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %d : tensor<4096x4096xf32>
}
"""
SORT = """func.func @main() -> tensor<4xi32> {
  %x = stablehlo.constant dense<[30, 10, 40, 20]> : tensor<4xi32>
  %sorted = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<4xi32>) -> tensor<4xi32>
  return %sorted : tensor<4xi32>
}
"""
RANDOM = """func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> tensor<3xf32> {
  %shape = stablehlo.constant dense<[3]> : tensor<1xi64>
  %low = stablehlo.minimum %a, %b : tensor<f32>
  %high = stablehlo.maximum %a, %b : tensor<f32>
  %r = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
"""
MAPPED = """func.func @main() -> tensor<3xi32> {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %y = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>):
    %product = stablehlo.multiply %a, %a : tensor<i32>
    stablehlo.return %product : tensor<i32>
  }) : (tensor<3xi32>) -> tensor<3xi32>
  return %y : tensor<3xi32>
}
"""
RESHAPED = """func.func @main() -> tensor<262144xf32> {
  %x = stablehlo.iota dim = 0 : tensor<1024x256xf32>
  %flat = stablehlo.reshape %x : (tensor<1024x256xf32>) -> tensor<262144xf32>
  return %flat : tensor<262144xf32>
}
"""


@pytest.fixture
def gather(record: Record) -> Page:
    return at_op(record(GATHER), 2)


@pytest.mark.main_path
def test_what_belongs_together_is_told_on_both_sides(gather: Page, axe: Check) -> None:
    hover(gather, "%picked", 1, 1, 3, 2)
    expect(readout(gather)).to_contain_text("%picked[1, 1] reads 1 of 10 elements of %table: [4, 1].")
    numbers = gather.get_by_label("With the numbers of this element").first
    expect(numbers).to_contain_text("rt0 = %rows[1, 0] = 9 → clamped to 4, within [0, 4]")
    expect(gather.locator(".index-legend dt").first).to_have_text("→4")
    expect(numbers).to_contain_text("⇒ %table[4, 1]")
    hover(gather, "%table", 1, 0, 5, 2)
    expect(readout(gather)).to_contain_text("%table[1, 0] goes into 2 of 6 elements of %picked: ")
    hover(gather, "%table", 0, 0, 5, 2)
    expect(readout(gather)).to_contain_text("%table[0, 0] goes into no element of %picked.")
    expect(gather.get_by_role("list", name="Dimensions").first).to_contain_text("collapsed_slice_dims")
    axe(gather, "#panel-index")


def test_keys_and_drags_choose_elements_and_ranges_which_are_followed(gather: Page) -> None:
    picked = grid(gather, "%picked")
    picked.focus()
    for key in ("Home", "ArrowDown"):
        gather.keyboard.press(key)
    expect(picked).to_have_attribute("aria-activedescendant", "index-result-0-cell")
    expect(gather.locator("#index-result-0-cell")).to_have_text("[1, 0] = 40")
    gather.keyboard.press("Shift+ArrowDown")
    gather.keyboard.press("Shift+ArrowRight")
    expect(readout(gather)).to_contain_text(
        "4 elements of %picked read 4 of 10 elements of %table: [1,4, 0,1]."
    )
    gather.keyboard.press("Enter")
    expect(gather.get_by_role("button", name="Pin")).to_have_attribute("aria-pressed", "true")
    hover(gather, "%table", 0, 0, 5, 2)
    expect(readout(gather)).to_contain_text("4 elements of %picked read")
    picked.focus()
    gather.keyboard.press("Escape")
    gather.mouse.move(2, 2)
    expect(readout(gather)).to_contain_text("Point at an element")

    box = box_of(picked.locator("canvas"))
    gather.mouse.move(box["x"] + RULERS[0] + 5, box["y"] + RULERS[1] + 5)
    gather.mouse.down()
    gather.mouse.move(box["x"] + box["width"] - 10, box["y"] + RULERS[1] + 8, steps=4)
    gather.mouse.up()
    gather.mouse.move(2, 2)
    expect(readout(gather)).to_contain_text("2 elements of %picked read 2 of 10 elements of %table")
    gather.mouse.move(box["x"] + RULERS[0] + 5, box["y"] + RULERS[1] + 5)
    gather.get_by_role("button", name="Follow this element").click()
    expect(gather.get_by_role("tab", name="Provenance")).to_have_attribute("aria-selected", "true")
    expect(gather.locator("#panel-provenance")).to_contain_text("%picked")


KEEPS = """walk => {
  const count = walk.querySelector(".count");
  window.shown = [count.textContent];
  const keep = () => window.shown.push(count.textContent);
  new MutationObserver(keep).observe(count, { subtree: true, characterData: true, childList: true });
}"""
"""Keeps all that the count of a walk shows: who looks from outside, now and then, may miss some of it."""

SHOWN = """count => new Promise(resolve => {
  const look = () => window.shown.length < count ? requestAnimationFrame(look) : resolve();
  look();
})"""
"""Waits until so much has been shown."""


def test_elements_are_walked_by_steps_and_played_again_and_again(gather: Page) -> None:
    walk = gather.get_by_role("group", name="Elements of %picked, one after another")
    expect(walk).to_contain_text("1 of 6")
    walk.get_by_role("button", name="The next element").click()
    expect(walk).to_contain_text("2 of 6")
    gather.keyboard.press("Alt+Shift+ArrowRight")
    expect(walk).to_contain_text("3 of 6")
    for number in (2, 1):
        walk.get_by_role("button", name="The previous element").click()
        expect(walk).to_contain_text(f"{number} of 6")
    walk.evaluate(KEEPS)
    walk.get_by_role("combobox").select_option("30/s")
    walk.get_by_role("button", name="Play").click()
    gather.evaluate(SHOWN, 9)
    walk.get_by_role("button", name="Pause").click()
    expect(walk.get_by_role("button", name="Play")).to_be_visible()
    shown = gather.evaluate("window.shown")
    assert shown == [f"{1 + number % 6} of 6" for number in range(len(shown))]
    settle(gather)
    assert gather.evaluate("window.shown") == shown

    gather.emulate_media(reduced_motion="reduce")
    gather.reload()
    show_tab(gather, "Index map")
    play = walk.get_by_role("button", name="Play")
    expect(play).to_have_attribute("aria-disabled", "true")
    play.click(force=True)
    expect(walk.get_by_role("button", name="Pause")).to_have_count(0)
    walk.get_by_role("button", name="The next element").click()
    expect(walk).to_contain_text("2 of 6")


def test_the_picture_is_saved_enlarged_and_in_the_style_of_formulas_that_was_chosen(
    gather: Page, axe: Check
) -> None:
    hover(gather, "%picked", 0, 0, 3, 2)
    gather.get_by_role("button", name="Export").click()
    with gather.expect_download() as download:
        gather.get_by_role("menuitem", name="SVG").click()
    text = download.value.path().read_text()
    words = " ".join(ET.fromstring(text).itertext())
    for said in ("%table tensor<5x2xi32>", "%picked[0, 0] reads 1 of 10", "(d0, d1){rt0} -> (rt0, d1)", "40"):
        assert said in words, said
    gather.get_by_role("button", name="Export").click()
    with gather.expect_download() as download:
        gather.get_by_role("menuitem", name="PNG").click()
    assert download.value.path().read_bytes().startswith(b"\x89PNG")
    assert download.value.suggested_filename.endswith(".png")

    gather.get_by_role("button", name="Enlarge").click()
    settle(gather)
    box = box_of(gather.get_by_role("article", name="Index map"))
    assert box["width"] == 1440
    axe(gather, "#panel-index")
    gather.mouse.click(5, 400)
    gather.keyboard.press("Escape")
    expect(gather.get_by_role("button", name="Enlarge")).to_have_attribute("aria-pressed", "false")

    formula = gather.get_by_label("Map to %table")
    expect(formula).to_contain_text("(d0, d1){rt0} -> (rt0, d1), domain:")
    gather.get_by_role("group", name="Style of formulas").get_by_role("button", name="2024").click()
    expect(formula).to_contain_text("(d0, d1)[s0] -> (s0, d1)")
    expect(formula).to_contain_text("hlo: %rows")
    gather.reload()
    show_tab(gather, "Index map")
    expect(gather.get_by_role("button", name="2024")).to_have_attribute("aria-pressed", "true")


def test_ops_that_read_nothing_that_choose_and_that_are_random(record: Record) -> None:
    debugger = record(SORT)
    page = at_op(debugger, 1)
    hover(page, "%sorted", 0, 0, 1, 4)
    expect(readout(page)).to_contain_text("%sorted[0] reads 1 of 4 elements of %x: [1].")
    expect(page.get_by_label("With the numbers of this element").first).to_contain_text("⇒ %x[1]")
    page.get_by_role("button", name="all dependences").click()
    hover(page, "%sorted", 0, 0, 1, 4)
    expect(readout(page)).to_contain_text("%sorted[0] reads 4 of 4 elements of %x.")

    debugger.press("Alt+Shift+F10")
    expect(page.get_by_text("This op has no operands, so it reads nothing.")).to_be_visible()

    at_op(record(RANDOM), 3)
    expect(page.get_by_text("Its numbers are random")).to_be_visible()
    expect(readout(page)).to_contain_text("%r[0] reads %a: which elements is not known.")


def test_one_lane_of_a_region_that_ran_on_many(record: Record) -> None:
    debugger = record(MAPPED)
    page = at_op(debugger, 1)
    debugger.press("F11")
    debugger.at_line(5)
    expect(readout(page)).to_contain_text("%product reads 1 of 1 element of %a.")
    page.get_by_role("spinbutton", name=re.compile("^lane")).fill("2")
    picked = grid(page, "%product")
    picked.focus()
    page.keyboard.press("Home")
    page.keyboard.press("Home")
    expect(picked).to_have_attribute("aria-activedescendant", "index-result-0-cell")
    expect(page.locator("#index-result-0-cell")).to_have_text("[] = 9")


def test_large_tensors_are_pointed_at_and_what_takes_too_long_here_is_asked_of_the_server(
    record: Record,
) -> None:
    page = at_op(record(LARGE), 2)
    expect(readout(page)).to_contain_text("reads 64 of 262,144 elements of %a")
    page.keyboard.press("F10")
    expect(readout(page)).to_contain_text("reads 1 of 16,777,216 elements of %c")
    page.get_by_role("button", name="Enlarge").click()
    settle(page)
    grid(page, "%c").locator("canvas").hover(position={"x": 60, "y": 40})
    expect(readout(page)).to_contain_text(re.compile(r"goes into [\d,]+ of 16,777,216 elements"))

    at_op(record(RESHAPED), 1)
    row_length = page.get_by_role("spinbutton", name="at").first
    expect(row_length).to_have_value("1024")
    # A field cuts digits off without a sign.
    assert row_length.evaluate("(field) => field.scrollWidth <= field.clientWidth")
    turned = grid(page, "%flat")
    turned.focus()
    for key in ("Home", "Control+Home", "Shift+Control+End"):
        page.keyboard.press(key)
    expect(readout(page)).to_contain_text("262,144 elements of %flat read 262,144 of 262,144 elements of %x.")


def test_on_a_narrow_dark_page(page: Page, record: Record, axe: Check) -> None:
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 420, "height": 900})
    debugger = record(GATHER)
    for _ in range(2):
        debugger.press("F10")
    show_tab(page, "Stage")
    show_tab(page, "Index map")
    expect(readout(page)).to_contain_text("%picked[0, 0] reads")
    choose_in_menu(page, "View and help", "High contrast")
    axe(page, "#panel-index")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
