"""A run saved as a page: opened from the disk without a network it is stepped through as at the server, state by state."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from hloscope.app.export.one_file.page import static_bytes
from hloscope.app.export.one_file.reading import read_page
from tests.browser.conftest import Check, NewPage, OpenPage, Record
from tests.browser.debugger_page import DebuggerPage, text_of
from tests.browser.settling import settle, show_tab
from tests.server_process import Server

MOST_STATIC = 500_000
MOST_OF_MLP = 1_046_000  # of which 15,600 are licences
MOST_STEPS = 8
"""Of a long run, how far it is stepped forward, and then back."""


STATE = """() => {
    const text = (selector) => [...document.querySelectorAll(selector)].map((found) => found.innerText.replace(/\\s+/g, " "));
    const strip = document.querySelector(".editor")?.shadowRoot;
    return {
        where: text(".where .count"), reason: text(".where .reason"), happened: text(".where .happened"),
        frames: text(".frame"), variables: text(".variable"), stage: text(".tensor-header"),
        strip: [...(strip?.querySelectorAll(".cm-line.current, .strip-item, .film-strip, [class*=strip]") ?? [])].map((found) => found.innerText),
    };
}"""
"""What a page shows of where one is: step, reason, frames, values with their ranges, the film strip."""


def _session(page: Page) -> str:
    found = re.search(r"/s/([^?]+)", page.url)
    assert found, page.url
    return found[1]


def _open(new_page: NewPage, path: Path) -> DebuggerPage:
    """The page from the disk, in a browser that is offline."""
    page = new_page(offline=True)
    page.goto(path.as_uri())
    debugger = DebuggerPage(page)
    debugger.wait_until_recorded()
    settle(page)
    return debugger


def _state(debugger: DebuggerPage) -> Any:
    settle(debugger.page)
    return debugger.page.evaluate(STATE)


def _steps_alike(served: DebuggerPage, file: DebuggerPage) -> int:
    """Steps both to the end, or far, and back again; how many states were compared."""
    for debugger in (served, file):
        debugger.press("Control+Shift+F5")
    assert _state(served) == _state(file)
    states = 1
    for key in ("F11", "Alt+Shift+F11"):
        for _ in range(MOST_STEPS):
            before = _state(served)["where"]
            served.press(key)
            file.press(key)
            expected = _state(served)
            assert _state(file) == expected
            states += 1
            if expected["where"] == before:
                break
    return states


@pytest.mark.main_path
def test_the_mlp_opens_from_the_disk(
    record: Record,
    new_page: NewPage,
    saved: Callable[..., Path],
    axe: Check,
) -> None:
    """With stepping both ways, strip, tensors, maps, findings and search; small, and without a complaint of the browser."""
    served = record(text_of("mlp"))
    path = saved(_session(served.page))
    print(f"code and style {static_bytes():,} bytes, the MLP {path.stat().st_size:,}")
    assert static_bytes() <= MOST_STATIC
    assert path.stat().st_size <= MOST_OF_MLP
    file = _open(new_page, path)
    assert _steps_alike(served, file) == 1 + 2 * MOST_STEPS

    page = file.page
    file.press("Control+Shift+F5")
    file.press("F10")
    file.at_step(1)
    show_tab(page, "Index map")
    expect(page.locator(".index-map")).to_be_visible()
    show_tab(page, "Op")
    expect(page.get_by_text("Constraints")).to_be_visible()
    show_tab(page, "Findings")
    expect(page.get_by_text("No findings")).to_be_visible()
    file.press("Control+Shift+F")
    page.get_by_role("dialog").get_by_role("combobox").first.wait_for()
    axe(page, "dialog")
    page.keyboard.press("Escape")
    # What is too large is said, and its summary is there all the same.
    show_tab(page, "Tensor")
    show_tab(page, "Variables")
    file.variable("%arg0").click()
    expect(page.get_by_text("This is not in this file")).to_be_visible()
    assert not page.get_by_role("button", name="Run", exact=True).count()


@pytest.mark.main_path
def test_save_as_a_page_and_open_it_again(
    open_page: OpenPage, server: Server, tmp_path: Path, axe: Check
) -> None:
    """From the menu to the disk, and from the disk to the opening page: text, inputs, position and breakpoints are there."""
    page = open_page("/")
    with page.expect_websocket() as live:
        served = DebuggerPage.example(page, "Newton")
    served.toggle_breakpoint(12)
    with live.value.expect_event("framesent", lambda sent: '"position"' in sent and '"step":2' in sent):
        served.press("F11")
        served.press("F11")
    served.at_step(2)
    page.get_by_role("button", name="Share").click()
    page.get_by_role("menuitem", name="Save as a page").click()
    axe(page, "dialog")
    with page.expect_download() as download:
        page.get_by_role("dialog").get_by_role("button", name="Save").click()
    assert download.value.suggested_filename == "newton.html"
    path = tmp_path / "newton.html"
    download.value.save_as(path)
    told = page.locator(".status-line .text").get_by_text(re.compile(r"Saved newton\.html, "))
    size, unit = re.findall(r", ([\d.]+) (KiB|MiB)", told.inner_text())[0]
    assert float(size) == float(f"{path.stat().st_size / {'KiB': 2**10, 'MiB': 2**20}[unit]:.3g}")
    kept = read_page(path.read_bytes(), 1 << 24)
    assert (kept.text, kept.step, kept.breakpoints) == (text_of("newton"), 2, [12])

    page.goto(server.origin)
    page.locator('input[type="file"]').set_input_files(path)
    page.wait_for_url(re.compile("/s/"))
    served.wait_until_recorded()
    served.at_step(2)
    expect(served.breakpoints()).to_have_count(1)


@pytest.mark.parametrize("name", ["deadlock", "recurrent_hlo"])
def test_an_example_steps_as_at_the_server(
    name: str, paste: Record, new_page: NewPage, saved: Callable[..., Path]
) -> None:
    """Several processes that stop, and HLO text with a loop; tests/app/export/one_file compares the answers of all kinds."""
    served = paste(text_of(name))
    served.wait_until_recorded()
    file = _open(new_page, saved(_session(served.page), budget=1 << 24))
    assert _steps_alike(served, file) > 3
