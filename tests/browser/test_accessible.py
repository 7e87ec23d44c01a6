"""Every page, in every dress: no rule of WCAG 2.2 AA is broken, nothing comes from elsewhere."""

from itertools import cycle
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Check, Complaints, OpenPage, Record
from tests.browser.debugger_page import DebuggerPage, text_of
from tests.browser.page_frame import choose_in_menu
from tests.browser.settling import THEMES, each_theme, settle, show_tab
from tests.server_process import ROOT, Server

PAGES = (
    "/",
    "/help",
    "/help/index-maps",
    "/ops",
    "/ops/stablehlo.gather",
    "/-/settings",
    "/settings",
    "/-/api",
)


FIRST_OF_EACH = """() => {
    for (const article of document.querySelectorAll("section > article ~ article")) article.remove();
}"""
"""Of hundreds of routes and types, which one macro writes, the first of each topic."""


@pytest.mark.parametrize(("path", "theme"), list(zip(PAGES, cycle(THEMES))))
def test_pages(
    page: Page,
    open_page: OpenPage,
    server: Server,
    axe: Check,
    path: str,
    theme: Any,
) -> None:
    """The themes take turns: all pages share the colours of the style sheet."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.emulate_media(color_scheme=theme)
    open_page(path)
    page.evaluate(FIRST_OF_EACH)
    axe(page)
    assert asked
    assert all(url.startswith((server.origin, "data:", "blob:")) for url in asked)


def test_a_page_that_is_not_there(open_page: OpenPage, axe: Check, complaints: Complaints) -> None:
    complaints.allow("404")
    page = open_page("/nowhere")
    expect(page.get_by_role("heading", name="There is no such page.")).to_be_visible()
    axe(page)


@pytest.mark.main_path
def test_the_session_page_in_presenter_mode_and_high_contrast(record: Record, axe: Check) -> None:
    debugger = record(text_of("newton"))
    page = debugger.page
    for _ in range(7):
        debugger.press("F11")
    settle(page)
    editor = page.locator(".cm-content")
    normal = editor.evaluate("(element) => parseFloat(getComputedStyle(element).fontSize)")
    choose_in_menu(page, "View and help", "High contrast")
    axe(page)
    choose_in_menu(page, "View and help", "Presenter mode")
    settle(page)
    assert editor.evaluate("(element) => parseFloat(getComputedStyle(element).fontSize)") > normal
    axe(page)
    page.keyboard.press("s")
    settle(page)
    axe(page)


def test_a_session_with_an_error_and_its_dialogs(open_page: OpenPage, axe: Check) -> None:
    page = open_page("/")
    DebuggerPage.pasted(page, "func.func @main() { %0 = stablehlo.ad }")
    expect(page.get_by_text("unknown op 'stablehlo.ad'").first).to_be_visible()
    axe(page)
    choose_in_menu(page, "View and help", "Keys and help")
    expect(page.get_by_role("dialog")).to_be_visible()
    axe(page, "dialog")


NAN = (ROOT / "tests" / "data" / "unshifted_softmax_step.mlir").read_text("utf-8")


def test_each_panel_of_a_real_program(page: Page, record: Record, axe: Check) -> None:
    """The tests of the grid's panels examine these themselves."""
    debugger = record(NAN)
    for _ in range(12):
        debugger.press("F10")
    settle(page)
    axe(page)
    for tab in page.get_by_role("tablist").get_by_role("tab").all():
        show_tab(page, tab.inner_text().split("\n")[0])
        settle(page)
        axe(page, f"#{tab.get_attribute('aria-controls')}")


def test_what_opens_over_the_page(page: Page, record: Record, server: Server, axe: Check) -> None:
    """Drawers, menus, search boxes, the card of a value and the list of recent sessions."""
    page.set_viewport_size({"width": 1280, "height": 720})
    record(NAN).press("F5")
    settle(page)
    page.locator(".drawer .strip").get_by_role("button", name="Findings").click()
    for _ in each_theme(page):
        axe(page, ".drawer-body")
    page.keyboard.press("Escape")
    for menu in ("share", "layout", "Export", "View and help"):
        page.get_by_role("button", name=menu).first.click()
        axe(page, "[role=menu]")
        page.keyboard.press("Escape")
    for keys in ("Control+p", "Control+Shift+p", "Control+Shift+f"):
        page.keyboard.press(keys)
        axe(page, "dialog")
        page.keyboard.press("Escape")
    page.get_by_role("button", name="Console").first.click()
    axe(page, "#panel-console")
    page.goto(server.origin)
    expect(page.get_by_role("heading", name="Recent sessions")).to_be_visible()
    for _ in each_theme(page):
        axe(page, ".recent-sessions")
