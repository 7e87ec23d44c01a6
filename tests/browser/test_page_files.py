"""Pages are made of the bundle, as users have them; the sources, which the setting dev asks for, do the same."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import PATIENT, NewPage
from tests.browser.debugger_page import DebuggerPage, text_of
from tests.browser.settling import settle
from tests.server_process import Server, serving

PRELOADED = """() => [...document.querySelectorAll("link[rel=preload]")].map(({ href }) =>
    performance.getEntriesByName(href).map(({ initiatorType }) => initiatorType))"""
"""How each thing that the page of a session preloads was asked for, once for each time that it was."""


def _loaded(page: Page) -> list[str]:
    """The paths of all scripts and styles that the page has loaded from the server."""
    loaded: list[str] = page.evaluate(
        "() => performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)"
    )
    return [path for path in loaded if path.endswith((".js", ".css"))]


def _steps(page: Page) -> None:
    debugger = DebuggerPage.example(page, "MLP, forward")
    debugger.press("F11")
    debugger.at_step(1)


@pytest.mark.main_path
def test_the_page_of_a_session_is_one_module_and_one_style_sheet(page: Page, server: Server) -> None:
    page.goto(server.url)
    _steps(page)
    loaded = _loaded(page)
    assert len(loaded) == 3  # with the theme
    assert all(path.startswith("/static/built/") for path in loaded)
    settle(page)
    asked: list[str] = page.evaluate("() => performance.getEntriesByType('resource').map(({ name }) => name)")
    # What the next steps show is fetched ahead, once the page stands still.
    values = [name for name in asked if re.search("/(values/|thumbnails|summaries|windows)", name)]
    others = 3  # the page itself, its icon, the live line
    assert len(asked) - len(values) + others < 14
    assert len(values) < 12  # at most two more where a frame comes between the first of them


@pytest.mark.parametrize(
    "title", [pytest.param("MLP, forward", marks=pytest.mark.main_path), "Ring attention"]
)
def test_what_is_asked_for_first_comes_while_modules_are_loaded(
    page: Page, server: Server, title: str
) -> None:
    """And is not asked for again once it is recorded: of one process and of several; of another run, the session alone."""
    page.goto(server.url)
    debugger = DebuggerPage.example(page, title)
    page.reload()
    debugger.wait_until_recorded()
    settle(page)
    assert page.evaluate(PRELOADED) == [["link"]] * 4
    page.goto(f"{server.origin}{urlsplit(page.url).path}?run=1")
    debugger.wait_until_recorded()
    assert page.evaluate(PRELOADED) == [["link"]]


def test_the_sources_make_the_same_page(new_page: NewPage, tmp_path: Path) -> None:
    with serving(tmp_path, settings={**PATIENT, "dev": 1}) as (server, _):
        page = new_page()
        debugger = DebuggerPage.opened(page, server, text_of("mlp"))
        debugger.press("F11")
        debugger.at_step(1)
        loaded = _loaded(page)
        assert len(loaded) > 100
        assert not any(path.startswith("/static/built/") for path in loaded)
        page.goto("about:blank")  # before the server ends, to which the page would try to connect again
