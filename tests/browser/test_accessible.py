"""Every page, in every dress: no rule of WCAG 2.2 AA is broken, nothing comes from elsewhere."""

import re
from collections.abc import Callable
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Complaints, Server
from tests.browser.debugger_page import DebuggerPage

PAGES = ("/", "/help", "/ops", "/ops/stablehlo.gather", "/-/settings")


def _settled(page: Page) -> Page:
    page.wait_for_load_state("networkidle")
    return page


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pages(
    new_page: Callable[..., Page],
    server: Server,
    axe: Callable[[Page], None],
    path: str,
    theme: Literal["light", "dark"],
) -> None:
    page = new_page(color_scheme=theme)
    foreign: list[str] = []
    page.on("request", lambda request: foreign.append(request.url))
    page.goto(server.url)
    page.goto(server.origin + path)
    axe(_settled(page))
    assert all(url.startswith((server.origin, "data:", "blob:")) for url in foreign)


def test_a_page_that_is_not_there(
    open_page: Callable[[str], Page], axe: Callable[[Page], None], complaints: Complaints
) -> None:
    complaints.allow("404")
    page = open_page("/nowhere")
    axe(page)
    expect(page.locator("body")).to_contain_text(
        re.compile("no page|not found|not here|does not exist", re.I)
    )


@pytest.mark.parametrize("width", [1440, 800, 420])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_session_page(
    new_page: Callable[..., Page],
    server: Server,
    axe: Callable[[Page], None],
    theme: Literal["light", "dark"],
    width: int,
) -> None:
    page = new_page(color_scheme=theme, viewport={"width": width, "height": 900})
    page.goto(server.url)
    page.get_by_role("link", name=re.compile("Newton")).or_(
        page.get_by_role("button", name=re.compile("Newton"))
    ).first.click()
    page.wait_for_url(re.compile("/s/"))
    debugger = DebuggerPage(page)
    debugger.wait_until_recorded()
    for _ in range(7):
        debugger.press("F11")
    axe(_settled(page))


def test_a_session_with_an_error_and_its_dialogs(
    open_page: Callable[[str], Page], axe: Callable[[Page], None]
) -> None:
    page = open_page("/")
    page.get_by_role("textbox").first.fill("func.func @main() { %0 = stablehlo.ad }")
    page.get_by_role("button", name="Open in the debugger").click()
    page.wait_for_url(re.compile("/s/"))
    expect(page.get_by_text("unknown op 'stablehlo.ad'").first).to_be_visible()
    axe(_settled(page))
    page.get_by_role("button", name="Keys and help").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    axe(page)
