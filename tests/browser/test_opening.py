"""Large programs: their text is there before they are verified, with progress, and one can stop waiting."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import httpx
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Check, NewPage
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import settle
from tests.large_programs import optimised_hlo
from tests.server_process import Server

PATIENCE_MS = 120_000
LATER = re.compile(r"/texts/.*chunk=[1-9]")
"""Requests for a text's windows after the first."""


def test_a_large_program_is_shown_while_it_is_verified_which_can_be_cancelled_and_begun_again(
    page: Page, server: Server, tmp_path: Path, axe: Check
) -> None:
    file = tmp_path / "step.hlo"
    file.write_text(optimised_hlo(120_000), "utf-8")
    page.goto(server.url)
    page.locator("input[type=file]").set_input_files(file)
    expect(page.get_by_role("textbox").first).to_have_value(re.compile("^HloModule"))
    expect(page.get_by_text("all of them are opened")).to_be_visible()
    page.get_by_role("button", name="Open in the debugger").click(no_wait_after=True)
    page.wait_for_url(re.compile("/s/"))
    expect(page.locator(".cm-content")).to_contain_text("HloModule jit_step")
    progress = page.get_by_text(
        re.compile(r"^(Reading|Resolving names|Verifying|Preparing the run): \d+ % of 120,197 lines$")
    )
    expect(progress).to_be_visible()
    expect(page.locator(".where .count")).to_contain_text("no run")
    page.get_by_role("button", name="Cancel").click()
    expect(
        page.get_by_text("You cancelled the verification, so the program was not run.").first
    ).to_be_visible()
    expect(progress).to_have_count(0)
    expect(page.locator(".cm-content")).to_contain_text("HloModule jit_step")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(progress).to_be_visible()
    axe(page, ".status-line")
    expect(page.locator(".where .count")).to_contain_text("step 0 of", timeout=PATIENCE_MS)
    expect(progress).to_have_count(0)
    settle(page)
    page.keyboard.press("F10")
    DebuggerPage(page).at_step(1)


def test_the_first_step_and_the_values_beside_it_do_not_wait_for_the_whole_table(
    page: Page, server: Server
) -> None:
    adds = "".join(f"  %{at + 1} = stablehlo.add %{at}, %{at} : tensor<4xf32>\n" for at in range(9_000))
    text = (
        f"func.func @main(%0: tensor<4xf32>) -> tensor<4xf32> {{\n{adds}  return %9000 : tensor<4xf32>\n}}\n"
    )
    session = open_session(server, text)
    held: list[Route] = []
    page.goto(server.url)
    page.route(re.compile(r"/program/window\?chunk=1"), lambda route: held.append(route))  # noqa: PLW0108
    page.goto(f"{server.origin}/s/{session}")
    expect(page.locator(".where .count")).to_contain_text("step 0 of", timeout=PATIENCE_MS)
    expect(page.locator(".cm-current-op")).to_contain_text("%1 = add %0, %0")
    expect(page.locator(".cm-strip .strip.ahead")).to_be_visible()
    variables = page.locator("#panel-variables")
    expect(variables).to_contain_text("The program is still loading.")
    program = DebuggerPage(page)
    for _ in range(2):
        program.press("F10")  # obeyed once the run is open
    for route in held:
        route.continue_()
    expect(variables).to_contain_text("Results")
    program.at_step(2)
    program.at_line(4)


def test_a_program_of_several_windows_is_edited_before_the_rest_is_here_and_searched_and_saved_to_its_end(
    page: Page, server: Server, new_page: NewPage, saved: Callable[..., Path]
) -> None:
    text = optimised_hlo(3_000)
    lines = text.splitlines()
    called = max(at for at, line in enumerate(lines, 1) if " fusion(" in line)
    name = lines[called - 1].split()[0]
    session = open_session(server, text)
    held: list[Route] = []
    is_open = False
    page.goto(server.url)
    page.route(LATER, lambda route: route.continue_() if is_open else held.append(route))
    page.goto(f"{server.origin}/s/{session}", wait_until="commit")
    first_line = page.locator(".cm-line").first
    expect(first_line).to_contain_text("HloModule")
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+Home")
    page.keyboard.type("//")
    page.keyboard.press("Enter")
    expect(first_line).to_have_text("//")
    is_open = True
    for route in held:
        route.continue_()
    expect(page.locator(".where .count")).to_contain_text("step 0 of", timeout=PATIENCE_MS)
    expect(page.locator(".changed")).to_be_visible()
    page.keyboard.press("Control+z")
    expect(first_line).to_contain_text("HloModule")
    # Undo removes what was typed, and never what arrived.
    page.keyboard.press("Control+z")
    expect(page.locator(".changed")).to_have_count(0)

    program = DebuggerPage(page)
    program.wait_until_recorded()
    find(page, name, called)
    page.keyboard.press("F9")
    expect(program.breakpoints()).to_have_count(1)
    program.press("Control+Shift+F5")
    program.at_step(0)
    program.press("F5")
    program.stopped(f"line {called}")
    program.at_line(called)
    for address in (saved(session).as_uri(), f"{server.origin}{link_to(server, session)}"):
        reader = new_page()
        reader.goto(address)
        expect(reader.locator(".where .count")).to_contain_text("step", timeout=PATIENCE_MS)
        settle(reader)
        find(reader, name, called)


def find(page: Page, name: str, line: int) -> None:
    """Go to a name with the find box."""
    page.keyboard.press("Control+p")
    page.get_by_role("combobox", name="Find").fill(name)
    results = page.get_by_role("listbox", name="Results")
    expect(results.get_by_role("option").first).to_contain_text(f"line {line}")
    page.keyboard.press("Enter")
    DebuggerPage(page).at_line(line)


def open_session(server: Server, text: str) -> str:
    """The id of a new session, made without a page."""
    return str(_post(server, "/api/sessions", {"text": text, "name": "step.hlo"})["id"])


def link_to(server: Server, session: str) -> str:
    """The path of a read-only link."""
    return str(_post(server, f"/api/sessions/{session}/links", {})["url"])


def _post(server: Server, path: str, body: dict[str, str]) -> dict[str, str]:
    headers = {"Cookie": server.cookie, "Origin": server.origin}
    answer = httpx.post(f"{server.origin}{path}", json=body, headers=headers, timeout=PATIENCE_MS / 1_000)
    found: dict[str, str] = answer.raise_for_status().json()
    return found
