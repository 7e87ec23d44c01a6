"""Every page, in every dress: no rule of WCAG 2.2 AA is broken, nothing comes from elsewhere."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Complaints
from tests.browser.debugger_page import DebuggerPage
from tests.browser.grid_programs import MANUAL
from tests.browser.page_frame import choose_in_menu
from tests.browser.settling import each_theme, settle, show_tab
from tests.large_programs import optimised_hlo
from tests.server_process import ROOT, Server

PAGES = ("/", "/help", "/help/index-maps", "/ops", "/ops/stablehlo.gather", "/-/settings", "/-/api")


FIRST_OF_EACH = """() => {
    for (const article of document.querySelectorAll("section > article ~ article")) article.remove();
}"""
"""Of hundreds of routes and types, which one macro writes, the first of each topic."""


@pytest.mark.parametrize("path", PAGES)
def test_pages(
    page: Page, open_page: Callable[[str], Page], server: Server, axe: Callable[[Page], None], path: str
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    open_page(path)
    page.evaluate(FIRST_OF_EACH)
    for _ in each_theme(page):
        axe(page)
    assert asked
    assert all(url.startswith((server.origin, "data:", "blob:")) for url in asked)


def test_a_page_that_is_not_there(
    open_page: Callable[[str], Page], axe: Callable[[Page], None], complaints: Complaints
) -> None:
    complaints.allow("404")
    page = open_page("/nowhere")
    expect(page.locator("body")).to_contain_text(
        re.compile("no page|not found|not here|does not exist", re.I)
    )
    for _ in each_theme(page):
        axe(page)


@pytest.mark.parametrize("width", [pytest.param(1440, marks=pytest.mark.main_path), 800, 420])
def test_the_session_page(
    new_page: Callable[..., Page], server: Server, axe: Callable[[Page], None], width: int
) -> None:
    size: Any = {"width": width, "height": 900}
    page = new_page(viewport=size)
    page.goto(server.url)
    debugger = DebuggerPage.example(page, "Newton")
    for _ in range(7):
        debugger.press("F11")
    for _ in each_theme(page):
        axe(page)
    if width < 1000:  # one pane at a time
        for pane in ("Stage", "Inspector"):
            page.get_by_role("tab", name=pane).first.click()
            axe(page)


def test_presenter_mode_and_high_contrast(
    open_page: Callable[[str], Page], axe: Callable[[Page], None]
) -> None:
    page = open_page("/")
    debugger = DebuggerPage.example(page, "Softmax")
    for _ in range(3):
        debugger.press("F11")
    editor = page.locator(".cm-content")
    normal = editor.evaluate("(element) => parseFloat(getComputedStyle(element).fontSize)")
    choose_in_menu(page, "View and help", "High contrast")
    choose_in_menu(page, "View and help", "Presenter mode")
    assert editor.evaluate("(element) => parseFloat(getComputedStyle(element).fontSize)") > normal
    settle(page)
    axe(page)
    page.keyboard.press("s")
    settle(page)
    axe(page)
    page.keyboard.press("Escape")
    choose_in_menu(page, "View and help", "High contrast")
    axe(page)


def test_a_session_with_an_error_and_its_dialogs(
    open_page: Callable[[str], Page], axe: Callable[[Page], None]
) -> None:
    page = open_page("/")
    DebuggerPage.pasted(page, "func.func @main() { %0 = stablehlo.ad }")
    expect(page.get_by_text("unknown op 'stablehlo.ad'").first).to_be_visible()
    for _ in each_theme(page):
        axe(page)
    choose_in_menu(page, "View and help", "Keys and help")
    expect(page.get_by_role("dialog")).to_be_visible()
    axe(page)


PROGRAMS: dict[str, Callable[[], str]] = {
    "a training step with NaN": (ROOT / "tests" / "data" / "unshifted_softmax_step.mlir").read_text,
    "optimised HLO": lambda: optimised_hlo(400),
    "eight processes": lambda: MANUAL,
}


@pytest.mark.parametrize(("program", "theme"), list(zip(PROGRAMS, ("light", "dark", "dark"), strict=True)))
def test_each_panel_of_a_real_program(
    new_page: Callable[..., Page], server: Server, axe: Callable[..., None], program: str, theme: Any
) -> None:
    page = new_page(viewport={"width": 1440, "height": 900}, color_scheme=theme)
    debugger = DebuggerPage.opened(page, server, PROGRAMS[program]())
    for _ in range(12 if program == "a training step with NaN" else 3):
        debugger.press("F10")
    settle(page)
    axe(page)
    for group in page.get_by_role("tablist").all():
        for tab in group.get_by_role("tab").all():
            show_tab(page, tab.inner_text().split("\n")[0])
            settle(page)
            axe(page, f"#{tab.get_attribute('aria-controls')}")
    if program == "eight processes":
        show_tab(page, "Grid")
        panel = page.get_by_role("tabpanel", name="Grid")
        for view in ("Data moving", "Compare", "Assembled"):
            panel.get_by_role("button", name=view).or_(panel.get_by_role("tab", name=view)).first.click()
            for _ in each_theme(page):
                axe(page, f"#{panel.get_attribute('id')}")


def test_what_opens_over_the_page(
    new_page: Callable[..., Page], server: Server, axe: Callable[..., None]
) -> None:
    """Drawers, menus, search boxes, the card of a value and the list of recent sessions."""
    page = new_page(viewport={"width": 1280, "height": 720})
    debugger = DebuggerPage.opened(page, server, PROGRAMS["a training step with NaN"]())
    debugger.press("F5")
    settle(page)
    page.locator(".drawer .strip").get_by_role("button", name="Findings").click()
    for _ in each_theme(page):
        axe(page)
    page.keyboard.press("Escape")
    for menu in ("share", "layout", "Export", "View and help"):
        page.get_by_role("button", name=menu).first.click()
        for _ in each_theme(page):
            axe(page, "[role=menu]")
        page.keyboard.press("Escape")
    for keys in ("Control+p", "Control+Shift+p", "Control+Shift+f"):
        page.keyboard.press(keys)
        for _ in each_theme(page):
            axe(page, "dialog")
        page.keyboard.press("Escape")
    page.get_by_role("button", name="Console").first.click()
    for _ in each_theme(page):
        axe(page)
    page.goto(server.origin)
    expect(page.get_by_role("heading", name="Recent sessions")).to_be_visible()
    for _ in each_theme(page):
        axe(page)
