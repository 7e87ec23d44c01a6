"""The user's own source beside the program: shown where it may be read, stepped through, and as colours."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Check, Record
from tests.browser.debugger_page import DebuggerPage, sign_in
from tests.browser.settling import settle, show_tab
from tests.browser.test_compare import with_other
from tests.server_process import Server

PYTHON = "import jax\n\ndef loss(x):\n    y = x + x\n    return y * y * x\n"
PROGRAM = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %x : tensor<2xf32> loc("train.py":4:8)
  %1 = stablehlo.multiply %0, %0 : tensor<2xf32> loc("train.py":5:11)
  %2 = stablehlo.multiply %1, %x : tensor<2xf32> loc("train.py":5:11)
  return %2 : tensor<2xf32>
}
"""


@pytest.mark.main_path
def test_the_source_is_beside_the_program(page: Page, server: Server, axe: Check) -> None:
    """Files that were sent along; tests/app/sessions/test_source_files.py reads those of a folder."""
    sign_in(page, server)
    sent = {"text": PROGRAM, "sources": {"train.py": PYTHON}}
    answer = page.request.post(f"{server.origin}/api/sessions", data=sent, headers={"Origin": server.origin})
    page.goto(server.origin + answer.json()["url"])
    debugger = DebuggerPage(page)
    debugger.wait_until_recorded()
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

    # Where no file may be read the panel says so.
    DebuggerPage.opened(page, server, PROGRAM)
    show_tab(page, "Source")
    expect(page.get_by_text("train.py:4")).to_be_visible()
    expect(page.get_by_text("This server reads no source files")).to_be_visible()


def test_the_tab_is_whole_beside_a_count_of_differences(record: Record) -> None:
    page = with_other(record(PROGRAM), PROGRAM.replace("add %x, %x", "subtract %x, %x"))
    page.set_viewport_size({"width": 1440, "height": 900})
    settle(page)
    tabs = page.get_by_role("tablist", name=re.compile("^Tensor, "))
    expect(tabs.get_by_role("tab", name="Compare 3")).to_have_attribute("aria-selected", "true")
    expect(tabs.get_by_role("tab", name="Source")).to_be_visible()
    assert tabs.evaluate("(tabs) => tabs.scrollWidth <= tabs.clientWidth")
