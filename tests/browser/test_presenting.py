"""In front of a class: one large panel, what one needs always in sight, a clicker's keys, a pointer, a dark screen."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.conftest import Check, Record
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import box_of, settle

SIZES: tuple[ViewportSize, ...] = ({"width": 1024, "height": 768}, {"width": 1920, "height": 1080})
PROGRAM = """func.func @main(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = stablehlo.add %x, %x : tensor<4x6xf32>
  %a_long_name_that_no_window_has_room_for_beside_all_the_rest_of_its_line = stablehlo.multiply %0, %0 : tensor<4x6xf32>
  %2 = stablehlo.tanh %a_long_name_that_no_window_has_room_for_beside_all_the_rest_of_its_line : tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}
"""
TAP = """() => {
    for (const kind of ["keydown", "keyup"]) document.body.dispatchEvent(new KeyboardEvent(kind, {key: "l", bubbles: true}));
}"""
"""Presses and releases L in one task, however busy the machine is."""
CUT = """() => [...document.querySelectorAll(".presenter-bar, .presenter-bar *, .panel, .panel *")].filter((element) => {
    const box = element.getBoundingClientRect();
    const style = getComputedStyle(element);
    const isShown = box.width > 1 && box.height > 1 && style.visibility !== "hidden" && !element.closest("[hidden], svg");
    const isCut = style.overflowX !== "visible" && element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0;
    const isText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== "");
    return isShown && !element.classList.contains("hidden") && isText && (isCut || box.right > innerWidth + 1 || box.left < -1);
}).map((element) => `${element.tagName}.${element.className}: ${element.textContent.slice(0, 60)}`)"""


@pytest.fixture
def presented(record: Record) -> DebuggerPage:
    """A session in presenter mode, at its start."""
    debugger = record(PROGRAM)
    debugger.page.keyboard.press("Control+Alt+p")
    settle(debugger.page)
    return debugger


def _bar(page: Page) -> Any:
    return page.get_by_role("toolbar", name="Presenting")


def _shows(page: Page, *panels: str) -> None:
    """Fails unless these panels are seen, and no others."""
    seen = page.locator(".pane:visible")
    expect(seen).to_have_count(len(panels))
    for at, name in enumerate(panels):
        expect(seen.nth(at)).to_have_attribute("aria-label", name)


@pytest.mark.main_path
def test_a_clicker_steps_and_one_key_switches(presented: DebuggerPage, axe: Check) -> None:
    page, bar = presented.page, _bar(presented.page)
    _shows(page, "Program")
    expect(bar).to_contain_text("step 0 of 4")
    expect(bar).to_contain_text("at %0 = add")
    for key, step in (
        ("PageDown", 1), ("ArrowRight", 2), ("PageUp", 1), ("ArrowDown", 2), ("ArrowLeft", 1), ("PageDown", 2),
        ("ArrowUp", 1),
    ):  # fmt: skip
        page.keyboard.press(key)
        expect(bar.locator(".count")).to_have_text(f"step {step} of 4")
    expect(bar).to_contain_text("at %a_long_name")
    axe(page, ".presenter-bar")
    page.keyboard.press("s")
    _shows(page, "Tensor")
    expect(bar.get_by_role("button", name="Stage")).to_have_attribute("aria-pressed", "true")
    bar.get_by_role("button", name="Program").click()
    _shows(page, "Program")
    # In the text of the program too, and it writes nothing there.
    page.locator(".cm-content").click()
    text = page.locator(".cm-content").inner_text()
    page.keyboard.press("PageDown")
    expect(bar.locator(".count")).to_have_text("step 2 of 4")
    page.keyboard.type("xyz")
    assert page.locator(".cm-content").inner_text().count("xyz") == text.count("xyz")
    page.keyboard.press("Escape")
    expect(bar).to_have_count(0)
    expect(page.get_by_role("toolbar", name="Tools")).to_be_visible()
    assert page.locator(".pane:visible").count() > 2


def test_nothing_is_cut_and_letters_and_pictures_are_large(presented: DebuggerPage) -> None:
    page = presented.page
    page.keyboard.press("PageDown")
    page.keyboard.press("PageDown")
    for size in SIZES:
        page.set_viewport_size(size)
        settle(page)
        _is_large(page, **size)
    frame = page.locator(".cm-content .strip").first
    picture, words = (box_of(frame.locator(part)) for part in ("img", ".range"))
    assert picture["height"] >= 24
    # One does not look for the range at the other end of the window.
    assert words["x"] + words["width"] < 1920 / 2


def _is_large(page: Page, width: int, height: int) -> None:
    for name in ("Program", "Tensor", "Index map", "Op", "Variables", "Steps"):
        _bar(page).get_by_role("button", name="Choose the panel").click()
        page.get_by_role("menuitemradio", name=name, exact=True).click()
        settle(page)
        _shows(page, name)
        expect(page.locator(".pane:visible")).to_be_in_viewport(ratio=0.9)
        if name in ("Program", "Tensor", "Index map"):
            assert page.evaluate(CUT) == []
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0
    _bar(page).get_by_role("button", name="Program").click()
    settle(page)
    letters = page.locator(".cm-content").evaluate("(text) => parseFloat(getComputedStyle(text).fontSize)")
    assert letters >= 0.022 * width * 0.94 or letters >= 0.03 * height * 0.94
    current = page.locator(".cm-current-op").first
    expect(current).to_be_in_viewport()


def test_a_pointer_follows_the_mouse_while_its_key_is_held(presented: DebuggerPage) -> None:
    page = presented.page
    laser = page.locator(".laser")
    expect(laser).to_be_hidden()
    page.mouse.move(300, 400)
    page.keyboard.down("l")
    expect(laser).to_be_visible()
    page.mouse.move(640, 360)
    settle(page)
    box = box_of(laser)
    assert abs(box["x"] + box["width"] / 2 - 640) < 2
    assert abs(box["y"] + box["height"] / 2 - 360) < 2
    page.wait_for_function(
        "(since) => performance.now() - since > 500", arg=page.evaluate("performance.now()")
    )  # a long press, to the page
    page.keyboard.up("l")
    expect(laser).to_be_hidden()
    page.evaluate(TAP)  # a short press: the pointer stays
    expect(laser).to_be_visible()
    assert page.locator("body").evaluate("(body) => getComputedStyle(body).cursor") == "none"
    page.keyboard.press("Escape")
    expect(laser).to_be_hidden()
    expect(_bar(page)).to_be_visible()
    page.emulate_media(reduced_motion="reduce")
    _bar(page).get_by_role("button", name="Pointer").click()
    expect(laser).to_be_visible()
    assert laser.evaluate("(dot) => getComputedStyle(dot).animationName") == "none"

    page.emulate_media(reduced_motion="no-preference")
    page.keyboard.press("Escape")
    dark = page.get_by_role("button", name="The screen is dark")
    for key in (".", "b"):
        page.keyboard.press(key)
        expect(dark).to_be_focused()
        assert dark.bounding_box() == {"x": 0, "y": 0, **(page.viewport_size or {})}
        page.keyboard.press("PageDown")
        expect(dark).to_have_count(0)
    expect(_bar(page).locator(".count")).to_have_text(
        "step 0 of 4"
    )  # it has lit the screen, and nothing else


def test_who_does_not_present_has_the_keys_as_they_were_and_a_chosen_finding_stays(record: Record) -> None:
    debugger = record(PROGRAM)
    page = debugger.page
    for key in ("PageDown", "b", ".", "s", "l"):
        page.keyboard.press(key)
    settle(page)
    assert debugger.step == 0
    expect(page.locator(".laser")).to_be_hidden()
    expect(page.locator(".dark-screen")).to_have_count(0)

    # In a window in which the inspector is a drawer, which closes when one has chosen.
    page.set_viewport_size({"width": 1280, "height": 720})
    record(
        "func.func @main() -> tensor<2xf32> {\n"
        "  %x = stablehlo.constant dense<-1.0> : tensor<2xf32>\n"
        "  %root = stablehlo.sqrt %x : tensor<2xf32>\n"
        "  return %root : tensor<2xf32>\n}\n"
    )
    page.keyboard.press("Control+Alt+p")
    _bar(page).get_by_role("button", name="Choose the panel").click()
    page.get_by_role("menuitemradio", name="Findings", exact=True).click()
    page.locator(".finding-row").get_by_role("button").first.click()
    settle(page)
    expect(_bar(page).locator(".count")).to_have_text(re.compile("^step 1 of"))
    expect(page.locator(".finding-row")).to_be_visible()
