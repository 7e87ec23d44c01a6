"""The page of a session and a page from the disk in Firefox: step by step they show what they show in Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page

from tests.bench.steps import new_session
from tests.browser.conftest import NewPage
from tests.browser.debugger_page import DebuggerPage, text_of
from tests.browser.firefox import Firefox, firefox
from tests.browser.settling import settle
from tests.browser.test_one_file import STATE
from tests.server_process import Server, make_bundle

pytestmark = pytest.mark.long
MOVES = (*("F10",) * 6, "F11", "F11", *("Alt+Shift+F10",) * 4)
PROGRAMS = ("mlp", "embedding_lookup", "newton", "all_reduce", "layouts_hlo")


@pytest.fixture(scope="module")
def fox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    with firefox(tmp_path_factory.mktemp("profile")) as found:
        yield found


def in_chromium(page: Page, url: str) -> list[Any]:
    page.goto(url)
    debugger = DebuggerPage(page)
    debugger.wait_until_recorded()
    settle(page)
    states = [page.evaluate(STATE)]
    for keys in MOVES:
        debugger.press(keys)
        settle(page)
        states.append(page.evaluate(STATE))
    return states


def in_firefox(fox: Firefox, url: str) -> list[Any]:
    fox.open(url)
    states = [fox.evaluate(STATE)]
    for keys in MOVES:
        fox.press(keys)
        states.append(fox.evaluate(STATE))
    return states


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_page_from_the_disk_is_the_same(
    name: str, fox: Firefox, new_page: NewPage, server: Server, tmp_path: Path
) -> None:
    make_bundle()
    session = new_session(server, text_of(name)).rpartition("/")[2]
    with httpx.Client(base_url=server.origin, headers={"Cookie": server.cookie}, timeout=120) as client:
        answer = client.get(f"/api/sessions/{session}/runs/1/page")
    path = tmp_path / "run.html"
    path.write_bytes(answer.content)
    wanted = in_chromium(new_page(offline=True), path.as_uri())
    assert in_firefox(fox, path.as_uri()) == wanted
    assert len({str(state["where"]) for state in wanted}) > 2
    assert fox.complaints == []


def test_the_page_of_a_session_is_the_same(fox: Firefox, new_page: NewPage, server: Server) -> None:
    page = new_page()
    page.goto(server.url)
    wanted = in_chromium(page, f"{server.origin}{new_session(server, text_of('mlp'))}")
    fox.open(server.url)  # which signs it in
    assert in_firefox(fox, f"{server.origin}{new_session(server, text_of('mlp'))}") == wanted
    assert fox.complaints == []
