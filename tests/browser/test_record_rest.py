"""A run that is recorded in part: the page says so, and records the rest as far as one goes, or on demand."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.app.serving import ENDLESS
from tests.browser.conftest import PATIENT, Check
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import settle
from tests.server_process import Server, serving

FIRST, LOOPS = 30, 40
LOOP = f"""func.func @main() -> tensor<f32> {{
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %limit = stablehlo.constant dense<{LOOPS}.0> : tensor<f32>
  %end = stablehlo.while(%x = %one) : tensor<f32>
    cond {{
      %more = stablehlo.compare LT, %x, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    }} do {{
      %y = stablehlo.add %x, %one : tensor<f32>
      stablehlo.return %y : tensor<f32>
    }}
  %zero = stablehlo.subtract %end, %end : tensor<f32>
  %bad = stablehlo.divide %zero, %zero : tensor<f32>
  return %bad : tensor<f32>
}}
"""
"""0 / 0 comes behind the loop, on line 13."""
COUNT = ".where .count"
REST = "Record the rest"


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that records few steps by itself."""
    settings = PATIENT | {"record_first_steps": FIRST}
    with serving(tmp_path_factory.mktemp("short"), settings=settings) as (server, _):
        yield server


@pytest.fixture
def debugger(page: Page, short: Server, request: pytest.FixtureRequest) -> DebuggerPage:
    """A program of its own for each test: what the server knows of others it shows at once."""
    found = DebuggerPage.started(page, short, f"{LOOP}// {request.node.name}\n")
    expect(page.locator(COUNT)).to_have_text(f"step 0 of {FIRST}+")
    settle(page)
    return found


@pytest.mark.main_path
def test_the_page_says_that_there_is_more_and_records_it_on_demand(
    debugger: DebuggerPage, axe: Check
) -> None:
    page = debugger.page
    debugger.press("F11")
    debugger.at_line(3)
    rest = page.locator(".where").get_by_role("button", name=REST)
    expect(rest).to_have_attribute("title", re.compile(f"Recorded {FIRST} steps"))
    axe(page, ".where")
    rest.click()
    debugger.wait_until_recorded()
    expect(page.locator(".record-rest")).to_have_count(0)
    debugger.at_line(3)
    expect(page.locator(".status-line")).to_contain_text("First NaN: line 13, divide")


def test_who_goes_further_records_more(debugger: DebuggerPage) -> None:
    debugger.press("F5")
    debugger.stopped("The program has finished after")
    expect(debugger.page.locator(".record-rest")).to_have_count(0)


def test_findings_and_executions_are_those_so_far(debugger: DebuggerPage) -> None:
    page = debugger.page
    page.get_by_role("tab", name=re.compile("^Findings")).click()
    panel = page.locator(".findings-empty")
    expect(panel).to_contain_text("No findings so far")
    page.locator(".cm-lineNumbers .cm-gutterElement").get_by_text("13", exact=True).click(button="right")
    expect(page.get_by_role("menu")).to_contain_text("It has not run so far")
    expect(
        page.get_by_role("menu").get_by_role("menuitem", name="Record the rest of the run")
    ).to_be_visible()
    page.keyboard.press("Escape")
    debugger.press("F8")
    debugger.stopped(f"arises after this step in the {FIRST} steps recorded so far.")
    panel.get_by_role("button", name=REST).click()
    expect(page.locator(".finding-row")).to_have_count(1)
    expect(page.locator(".findings-rest")).to_have_count(0)
    debugger.press("F8")
    debugger.at_line(13)
    debugger.press("F5")
    debugger.stopped("The program has finished after")


def test_one_steps_while_the_rest_is_recorded_and_may_stop_that(page: Page, short: Server) -> None:
    debugger = DebuggerPage.started(page, short, ENDLESS)
    expect(page.locator(COUNT)).to_have_text(f"step 0 of {FIRST}+")
    page.locator(".where").get_by_role("button", name=REST).click()
    stop = page.get_by_role("button", name="Pause recording")
    expect(stop).to_be_visible()
    for _ in range(3):
        debugger.press("F11")
    debugger.at_step(3)
    expect(stop).to_be_visible()
    stop.click()
    expect(page.locator(".where").get_by_role("button", name=REST)).to_be_visible()
    settle(page)
    debugger.at_step(3)
