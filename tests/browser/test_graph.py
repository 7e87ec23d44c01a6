"""The Graph panel: the ops around a value and the whole program, driven by mouse and keys, linked with code and tensor."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Check, NewPage, Record
from tests.browser.debugger_page import DebuggerPage
from tests.browser.grid_programs import MANUAL
from tests.browser.settling import box_of, each_theme, settle, show_tab

PROGRAM = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %two = stablehlo.constant dense<2.0> : tensor<4xf32>
  %0 = stablehlo.multiply %x, %two : tensor<4xf32>
  %1 = func.call @logarithm(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.tanh %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @logarithm(%y: tensor<4xf32>) -> tensor<4xf32> {
  %3 = stablehlo.negate %y : tensor<4xf32>
  %4 = stablehlo.log %3 : tensor<4xf32>
  return %4 : tensor<4xf32>
}
"""


CARD = """() => new Promise((resolve) =>
    requestAnimationFrame(() => setTimeout(() => resolve(document.querySelector(".graph-tip")?.innerText ?? ""))))"""


def _picture(page: Page) -> Locator:
    return page.get_by_role("application", name=re.compile("^Graph"))


def _point_at(page: Page, text: str) -> tuple[float, float]:
    """Moves the mouse over the picture, from its middle out, until its card has the text, and returns where that is."""
    box = box_of(_picture(page))
    card = page.locator(".graph-tip")
    for aside in (0, -10, 10, -20, 20, -50, 50, -90, 90, -130, 130):
        x = box["x"] + box["width"] / 2 + aside
        # Nodes are found in the first of three rounds, edges in any.
        for down in sorted(range(4, int(box["height"]), 8), key=lambda down: down % 24):
            page.mouse.move(x, box["y"] + down)
            if text in page.evaluate(CARD):
                settle(page)
                expect(card).to_contain_text(text)
                return x, box["y"] + down
    raise AssertionError(f"no node or edge with {text}")


def _spoken(page: Page) -> Locator:
    return _picture(page).get_by_role("status")


@pytest.mark.main_path
def test_the_graph_leads_to_code_and_tensor_and_folds(record: Record, axe: Check) -> None:
    debugger = record(PROGRAM)
    page = debugger.page
    debugger.press("F10")
    show_tab(page, "Graph")
    settle(page)
    picture = _picture(page)
    expect(picture).to_have_attribute("aria-label", re.compile("^Graph around the selected value: 5 nodes"))
    page.get_by_label("Radius").select_option("1")
    expect(picture).to_have_attribute("aria-label", re.compile("^Graph around the selected value: 4 nodes"))

    # Hover shows the line of the op and its statistics; an edge says which operand it is, and its type.
    _point_at(page, "multiply %x, %two")
    expect(page.locator(".graph-tip")).to_contain_text("line 3")
    expect(page.locator(".graph-tip")).to_contain_text("16 B")
    _point_at(page, "%0 f32[4], operand 0 of %1")
    # A click selects the value and goes to its op, in the code and on the stage.
    page.mouse.click(*_point_at(page, "multiply %x, %two"))
    settle(page)
    debugger.at_line(3)
    expect(page.locator(".chosen .label").first).to_have_text("%0")
    show_tab(page, "Tensor")
    expect(page.locator(".tensor-header .name")).to_have_text("%0")
    # And a value that is selected elsewhere is in the middle.
    debugger.variable("%x").click()
    show_tab(page, "Graph")
    settle(page)
    page.mouse.move(2, 2)
    _point_at(page, "%x f32[4]")

    page.get_by_role("button", name="Whole program").click()
    settle(page)
    expect(picture).to_have_attribute("aria-label", re.compile(r"^Graph of the program: \d+ nodes"))
    for _ in each_theme(page):
        axe(page, "#panel-graph")
    page.get_by_role("button", name="Fold", exact=True).click()
    expect(picture).to_have_attribute(
        "aria-label", re.compile("^Graph of the program: 5 nodes, 1 of them folded")
    )
    # Keys: to the reader, into the group, and back.
    picture.focus()
    page.keyboard.press("Home")
    expect(_spoken(page)).to_contain_text("argument %x, f32[4]")
    page.keyboard.press("ArrowDown")
    expect(_spoken(page)).to_contain_text("multiply %0, f32[4]; ")
    expect(_spoken(page)).to_contain_text("reads %x, %two; read by 1 node.")
    page.keyboard.press("ArrowDown")
    expect(_spoken(page)).to_contain_text("call @logarithm %1, f32[4]; folded group of 3 ops")
    page.keyboard.press("Enter")
    expect(picture).to_have_attribute("aria-label", re.compile("^Graph of the program: 8 nodes, 7 edges"))
    expect(_spoken(page)).to_contain_text("open group of 3 ops")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(_spoken(page)).to_contain_text("negate %3")
    page.keyboard.press("Space")
    settle(page)
    debugger.at_line(9)
    page.keyboard.press("Enter")
    settle(page)
    debugger.at_line(9)

    # Zoom and pan, by wheel and drag: what was under the pointer moves with it.
    page.keyboard.press("0")
    x, y = _point_at(page, "log %3")
    page.mouse.wheel(0, -120)
    page.mouse.down()
    page.mouse.move(x, y + 60, steps=4)
    page.mouse.up()
    page.mouse.move(x, y + 61)
    settle(page)
    expect(page.locator(".graph-tip")).to_contain_text("log %3")
    debugger.at_line(9)

    page.get_by_label("Colour").select_option("nonfinite")
    expect(page.locator(".graph-legend")).to_contain_text("NaN or infinity")
    page.get_by_label("Colour").select_option("bytes")
    legend = page.locator(".graph-legend")
    expect(legend).to_have_text("16 B16 B")
    assert page.locator(".graph-tip").count() <= 1

    # Time and error of an op are those of all its steps; a folded call has the time of what it runs.
    page.get_by_label("Colour").select_option("time")
    expect(legend).to_contain_text(re.compile(r"[µm]s.*s.*in all executions"))
    expect(legend.get_by_title("Times are measured")).to_be_visible()
    page.get_by_role("button", name="Fold", exact=True).click()
    page.keyboard.press("0")
    _point_at(page, "call @logarithm")
    expect(page.locator(".graph-tip")).to_contain_text(re.compile(r"s, [\d.]+ % of the time"))
    page.get_by_label("Colour").select_option("error")
    legend.get_by_role("button", name="Run in more digits").click()
    expect(legend).to_contain_text("largest error of a value, relative to its size in f64")
    axe(page, "#panel-graph")
    show_tab(page, "Precision")
    expect(page.locator(".precision").get_by_role("status")).to_contain_text("f64")

    # A file of the drawn graph: texts are texts, colours are those of the page, and nothing is fetched.
    show_tab(page, "Graph")
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as saved:
        page.get_by_role("menuitem", name="SVG").click()
    text = Path(saved.value.path()).read_text()
    svg = ElementTree.fromstring(text)
    texts = [each.text for each in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert {"multiply", "%0 f32[4]", "▸ call @logarithm", "tanh"} <= set(texts)
    ground = page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--surface').trim()")
    assert f'fill="{ground}"' in text
    pictures = re.findall(r'href="([^"]{0,22})', text)
    assert pictures
    assert set(pictures) == {"data:image/png;base64,"}
    assert "url(" not in text
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as saved:
        page.get_by_role("menuitem", name="PNG").click()
    assert Path(saved.value.path()).read_bytes().startswith(b"\x89PNG")


WRITTEN_TITLES = """() => {
    const { strokeRect, fillText } = CanvasRenderingContext2D.prototype;
    let end = 0;
    window.written = [];
    CanvasRenderingContext2D.prototype.strokeRect = function (x, y, width, height) {
        end = x + width;
        strokeRect.call(this, x, y, width, height);
    };
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y, most = Infinity) {
        const right = x + Math.min(most, this.measureText(text).width);
        if (text.startsWith("▾")) window.written.push([text, right <= end]);
        fillText.call(this, text, x, y, most);
    };
}"""
LONG_TITLE = """HloModule m

%wrapped_multiply_computation (a: f32[2,2,2,2,2,2,2,2,2,2]) -> f32[2,2,2,2,2,2,2,2,2,2] {
  %a = f32[2,2,2,2,2,2,2,2,2,2] parameter(0)
  ROOT %b = f32[2,2,2,2,2,2,2,2,2,2] multiply(%a, %a)
}

ENTRY %main (x: f32[2,2,2,2,2,2,2,2,2,2]) -> f32[2,2,2,2,2,2,2,2,2,2] {
  %x = f32[2,2,2,2,2,2,2,2,2,2] parameter(0)
  ROOT %WWWWWW_OF_MMMMMMMMMMMMMMM = f32[2,2,2,2,2,2,2,2,2,2] fusion(%x), kind=kLoop, calls=%wrapped_multiply_computation
}
"""


def test_the_title_of_a_group_ends_in_its_box(record: Record) -> None:
    page = record(LONG_TITLE).page
    page.evaluate(WRITTEN_TITLES)
    show_tab(page, "Graph")
    page.get_by_role("button", name="Whole program").click()
    _picture(page).focus()
    page.keyboard.press("-")  # a title then is larger than its box was made for
    settle(page)
    titles = page.evaluate("written")
    assert titles
    assert all(fits for _, fits in titles), titles


def test_the_graph_of_one_process_and_in_a_saved_page(
    record: Record, new_page: NewPage, saved: Callable[..., Path]
) -> None:
    page = record(MANUAL).page
    show_tab(page, "Graph")
    settle(page)
    page.get_by_role("button", name="Whole program").click()
    expect(_picture(page)).to_have_attribute("aria-label", re.compile(r"^Graph of the program: \d+ nodes"))
    file = new_page(offline=True)
    file.goto(saved(page.url.partition("/s/")[2].partition("?")[0]).as_uri())
    DebuggerPage(file).wait_until_recorded()
    show_tab(file, "Graph")
    settle(file)
    file.get_by_role("button", name="Whole program").click()
    settle(file)
    name = _picture(page).get_attribute("aria-label")
    expect(_picture(file)).to_have_attribute("aria-label", name or "")
    names = file.get_by_label("Colour").locator("option").all_inner_texts()
    assert names == ["Family of op", "NaN or infinity", "Magnitude", "Bytes"]  # a file asks no server
