"""The user's own source beside the program: shown where it may be read, stepped through, and as colours."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Check, NewPage
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import settle, show_tab
from tests.server_process import Server, serving

PYTHON = "import jax\n\ndef loss(x):\n    y = x + x\n    return y * y * x\n"
PROGRAM = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %x : tensor<2xf32> loc("train.py":4:8)
  %1 = stablehlo.multiply %0, %0 : tensor<2xf32> loc("train.py":5:11)
  %2 = stablehlo.multiply %1, %x : tensor<2xf32> loc("train.py":5:11)
  return %2 : tensor<2xf32>
}
"""


def test_the_source_is_beside_the_program(new_page: NewPage, tmp_path: Path, axe: Check) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "train.py").write_text(PYTHON)
    settings = {"source_folders": str(folder), "record_first_ms": 120_000}
    with serving(tmp_path / "data", settings=settings) as (server, _):
        page = new_page()
        debugger = DebuggerPage.opened(page, server, PROGRAM)
        show_tab(page, "Source")
        current = page.locator(".source-lines li.current")
        expect(current.locator("code")).to_have_text("    y = x + x")
        expect(page.locator(".source-lines li").nth(0)).to_contain_text("import jax")
        axe(page, "#panel-source")
        debugger.press("Control+Alt+F10")
        debugger.at_step(1)
        expect(current.locator("code")).to_have_text("    return y * y * x")
        page.get_by_role("button", name="Step over line").click()
        expect(page.locator(".where .count")).to_contain_text("end of 4 steps")
        page.get_by_role("list", name="train.py").get_by_role("button", name="4", exact=True).click()
        debugger.at_step(0)

        page.get_by_role("button", name="How the program is shown").click()
        page.get_by_role("menuitemcheckbox", name="Colours by source line").click()
        settle(page)
        expect(page.locator(".cm-line.cm-source-0")).to_have_count(1)
        expect(page.locator(".cm-line.cm-source-1")).to_have_count(2)
        axe(page, "#panel-program")
        page.reload()
        expect(page.locator(".cm-line.cm-source-1")).to_have_count(2)
        page.goto("about:blank")


@pytest.mark.main_path
def test_files_that_were_sent_along_are_shown(page: Page, server: Server) -> None:
    page.goto(server.url)
    sent = {"text": PROGRAM, "sources": {"train.py": PYTHON}}
    answer = page.request.post(f"{server.origin}/api/sessions", data=sent, headers={"Origin": server.origin})
    page.goto(server.origin + answer.json()["url"])
    DebuggerPage(page).wait_until_recorded()
    show_tab(page, "Source")
    expect(page.locator(".source-lines li.current code")).to_have_text("    y = x + x")

    # Where no file may be read the panel says so.
    DebuggerPage.opened(page, server, PROGRAM)
    show_tab(page, "Source")
    expect(page.get_by_text("train.py:4")).to_be_visible()
    expect(page.get_by_text("This server reads no source files")).to_be_visible()
