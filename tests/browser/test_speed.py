"""How fast the page of a session is with small, usual and very large programs: printed under "measured".

What is asserted is only that it comes to an end: the figures are those of the machine. `python -m tests.bench --only
steps --against REVISION` puts an older revision beside them.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from hloscope.engine.frontend import load
from hloscope.engine.source import Source
from tests.bench.steps import PROGRAMS, Program, new_session
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import settle
from tests.browser.step_times import step_times, watch
from tests.large_programs import optimised_hlo
from tests.server_process import Server

HANGING_SECONDS = 240
MOMENT_NAMES = ("chosen", "text in the field", "opened", "text in the editor")
MOMENTS = """(() => {
    const note = (name) => sessionStorage.setItem(name, performance.timeOrigin + performance.now());
    const { attachShadow } = Element.prototype;
    let editor = null;
    Element.prototype.attachShadow = function (options) { return editor = attachShadow.call(this, options); };
    const once = (name, isSo) => {
        if (sessionStorage.getItem(name)) return;
        if (isSo()) note(name);
        else requestAnimationFrame(() => once(name, isSo));
    };
    addEventListener("change", ({ target }) => {
        if (target.type !== "file") return;
        note("chosen");
        once("text in the field", () => document.querySelector("textarea")?.value.startsWith("HloModule"));
    }, { capture: true });
    addEventListener("click", ({ target }) => {
        if (target.closest("button")?.textContent.startsWith("Open in the debugger")) note("opened");
    }, { capture: true });
    if (location.pathname.startsWith("/s/"))
        once("text in the editor", () => editor?.querySelector(".cm-content")?.textContent.includes("HloModule"));
})()"""
"""Before the page's own scripts: what a person sees, by the page's clock, for a test's own waiting takes time too."""


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_a_step_is_painted_at_once(
    program: Program,
    new_page: Callable[..., Page],
    server: Server,
    record_property: Callable[[str, object], None],
) -> None:
    page = new_page()
    watch(page)
    page.goto(server.url)
    page.goto(f"{server.origin}{new_session(server, program.text())}?step={program.start}")
    DebuggerPage(page).at_step(program.start)
    settle(page, HANGING_SECONDS)
    found = step_times(page, program.keys)
    record_property("measured", f"{program.name}: {found}")


def test_a_very_large_program_is_there_soon(
    new_page: Callable[..., Page],
    server: Server,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    text = optimised_hlo()
    file = tmp_path / "step.hlo"
    file.write_text(text, "utf-8")
    page = new_page()
    page.set_default_timeout(HANGING_SECONDS * 1000)
    page.add_init_script(MOMENTS)
    page.goto(server.url)
    page.locator("input[type=file]").set_input_files(file)
    page.wait_for_function("() => sessionStorage.getItem('text in the field')")
    page.get_by_role("button", name="Open in the debugger").click(no_wait_after=True)
    begin = time.monotonic()
    page.locator(".cm-content").get_by_text("HloModule").first.wait_for()
    page.get_by_text("Verifying:").wait_for()
    page.locator(".where .count").filter(has_text=re.compile(r"^step 0 of [\d,]+")).wait_for()
    page.locator(".strip canvas, .strip img").first.wait_for()
    stepped = time.monotonic() - begin
    chosen, in_field, opened, in_editor = (_moment(page, name) for name in MOMENT_NAMES)
    record_property(
        "measured",
        f"{text.count(chr(10)):,} lines of HLO: text in the field {in_field - chosen:.2f} s after the file is chosen, in the"
        f" editor {in_editor - opened:.2f} s after Open, first step {stepped:.1f} s after Open; {_engine_seconds(text)}",
    )


def _moment(page: Page, name: str) -> float:
    """In seconds, by the clock of the page that saw it."""
    return float(page.evaluate("(name) => sessionStorage.getItem(name)", name)) / 1000


def _engine_seconds(text: str) -> str:
    """What the engine alone takes of that, in a process that has just read its first program of this kind."""
    begin = time.process_time()
    assert load(Source(text, "step.hlo")).program is not None
    return f"engine: read and verified in {time.process_time() - begin:.1f} s"
