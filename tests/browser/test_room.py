"""Nothing lies out of view, neither on a small notebook's screen nor on a phone's."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from tests.browser.debugger_page import DebuggerPage
from tests.browser.grid_programs import MANUAL
from tests.browser.settling import settle, show_tab
from tests.server_process import Server

NOTEBOOK, PHONE = {"width": 1280, "height": 720}, {"width": 390, "height": 844}

FOUR_DIMENSIONS = """HloModule room

ENTRY main {
  weights_of_the_first_layer = f32[2,4,16,32]{3,2,1,0} parameter(0)
  weights_of_the_other_layer = f32[2,4,16,32]{3,2,1,0} parameter(1)
  sum_of_both = f32[2,4,16,32]{3,2,1,0} add(weights_of_the_first_layer, weights_of_the_other_layer)
  ROOT turned = f32[2,4,32,16]{3,2,1,0} transpose(sum_of_both), dimensions={0,1,3,2}
}
"""

STAGE = ("Tensor", "Index map", "Provenance", "Grid", "Op", "Memory")

OUT_OF_VIEW = """() => [...document.querySelectorAll("button, select, input, a, h2, h3, output, canvas")]
    .filter((element) => !element.closest(".hidden, .skip, .cm-editor, .tabs"))
    .map((element) => [element, element.getBoundingClientRect()])
    .filter(([, { width, left, right }]) => width > 0 && (left < -1 || right > innerWidth + 1))
    .map(([element]) => (element.getAttribute("aria-label") ?? element.textContent).trim().slice(0, 60))"""
"""What is beside the window; tabs scroll, and so does the text of the program."""


def _box(locator: Locator) -> FloatRect:
    box = locator.bounding_box()
    assert box
    return box


def _many_inputs(count: int) -> str:
    arguments = ", ".join(f"%x{at}: tensor<64x64xf32>" for at in range(count))
    return f"""func.func @main({arguments}) -> tensor<64x64xf32> {{
  %0 = stablehlo.add %x0, %x1 : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}}
"""


@pytest.mark.parametrize("mode", ["as it is", "presenter"])
@pytest.mark.parametrize("program", [FOUR_DIMENSIONS, MANUAL], ids=["four dimensions", "eight processes"])
def test_nothing_of_the_stage_is_beside_a_small_screen(
    new_page: Callable[..., Page], server: Server, axe: Callable[[Page], None], program: str, mode: str
) -> None:
    page = new_page(viewport=NOTEBOOK)
    if mode == "presenter":
        page.add_init_script("localStorage.setItem('hloscope.presenter', 'on')")
    DebuggerPage.opened(page, server, program)
    for name in STAGE:
        if name == "Grid" and program == FOUR_DIMENSIONS:
            continue
        if mode == "presenter":
            page.get_by_role("button", name="Choose the panel").click()
            page.get_by_role("menuitemradio", name=name, exact=True).click()
        else:
            show_tab(page, name)
        settle(page)
        assert page.evaluate(OUT_OF_VIEW) == [], name
    axe(page)


@pytest.mark.parametrize(
    "program",
    [FOUR_DIMENSIONS, pytest.param(MANUAL, marks=pytest.mark.main_path)],
    ids=["four dimensions", "eight processes"],
)
def test_nothing_is_beside_a_phone(
    new_page: Callable[..., Page], server: Server, axe: Callable[[Page], None], program: str
) -> None:
    page = new_page(viewport=PHONE, has_touch=True, is_mobile=True)
    DebuggerPage.opened(page, server, program)
    panes = {"Stage": STAGE, "Inspector": ("Variables", "Steps", "Findings", "Call stack", "Breakpoints")}
    for pane, panels in panes.items():
        page.get_by_role("tab", name=pane, exact=True).click()
        for name in panels:
            if name == "Grid" and program == FOUR_DIMENSIONS:
                continue
            show_tab(page, name)
            settle(page)
            assert page.evaluate(OUT_OF_VIEW) == [], name
        axe(page)
    page.get_by_role("link", name="hloscope").click()
    expect(page.get_by_role("heading", name="Your program")).to_be_visible()


@pytest.mark.parametrize("size", [NOTEBOOK, PHONE], ids=["notebook", "phone"])
def test_the_dialog_of_many_inputs_keeps_its_buttons_in_view(
    new_page: Callable[..., Page], server: Server, axe: Callable[[Page], None], size: dict[str, int]
) -> None:
    page = new_page(viewport=size)
    DebuggerPage.opened(page, server, _many_inputs(24))
    page.get_by_role("button", name="Inputs").click()
    run = page.get_by_role("button", name="Run with these inputs")
    expect(page.locator(".input-row")).to_have_count(24)
    assert _box(run)["y"] + _box(run)["height"] <= size["height"]
    assert page.evaluate(OUT_OF_VIEW) == []
    row = _box(page.locator(".input-row").nth(1))
    assert row["height"] < 60 or size is PHONE, "one line each"
    page.locator(".input-row select").last.focus()
    assert _box(page.locator(".input-row select").last)["y"] < _box(run)["y"], "the foot lies over nothing"
    axe(page)


def test_a_card_leaves_the_step_buttons_free(open_page: Callable[..., Page], server: Server) -> None:
    page = open_page("/")
    DebuggerPage.example(page, "MLP, forward")
    settle(page)
    page.locator(".cm-line", has_text="@main").get_by_text("%arg0", exact=True).first.hover()
    card = page.locator(".cm-tooltip .value")
    expect(card).to_be_visible()
    bar = _box(page.get_by_role("toolbar", name="Tools"))
    assert _box(card)["y"] >= bar["y"] + bar["height"]


def test_tools_of_the_index_map_stand_in_one_row(new_page: Callable[..., Page], server: Server) -> None:
    page = new_page(viewport=NOTEBOOK)
    DebuggerPage.opened(page, server, FOUR_DIMENSIONS)
    show_tab(page, "Index map")
    settle(page)
    assert _box(page.locator(".index-bar").first)["height"] < 40
    indices = page.locator(".index-tensor").first.get_by_role("slider", name=re.compile("^Index of"))
    assert _box(indices.nth(0))["y"] == _box(indices.nth(1))["y"], "two held dimensions stand side by side"


def test_what_enter_does_is_read_on_a_phone(new_page: Callable[..., Page], server: Server) -> None:
    page = new_page(viewport=PHONE)
    DebuggerPage.opened(page, server, FOUR_DIMENSIONS)
    page.keyboard.press("Control+p")
    page.keyboard.type("transpose")
    words = page.locator(".find-enter")
    expect(words).to_contain_text("Ctrl+Enter")
    assert _box(words)["x"] + _box(words)["width"] <= PHONE["width"]
    assert words.evaluate("(words) => words.scrollWidth <= words.clientWidth")
