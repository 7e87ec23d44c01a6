"""A server is killed while somebody looks at a tensor: the page goes on with the next one, and so does its session."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
from playwright.sync_api import expect

from tests.app.serving import until
from tests.browser.conftest import PATIENT, Complaints, NewPage
from tests.browser.debugger_page import DebuggerPage
from tests.server_process import free_port, serving


def _written_steps(folder: Path) -> set[int]:
    """The steps at which sessions stand, as they lie on the disk."""
    with closing(sqlite3.connect(f"file:{folder / 'hloscope.sqlite'}?mode=ro", uri=True)) as store:
        return {step for (step,) in store.execute("select step from sessions")}


def test_a_session_outlives_its_server(new_page: NewPage, complaints: Complaints, tmp_path: Path) -> None:
    complaints.allow("ERR_CONNECTION|WebSocket")
    page, port = new_page(), free_port()
    with serving(tmp_path, port, PATIENT) as (server, process):
        page.goto(server.url)
        debugger = DebuggerPage.example(page, "Softmax")
        debugger.toggle_breakpoint(8)
        with page.expect_event("framenavigated", lambda _: "step=" in page.url):
            debugger.press("F5")
        debugger.at_line(8)
        step = debugger.step
        name = page.locator(".tensor-header .name").inner_text()
        debugger.choose_variable(name, "Results")
        array = debugger.shown_array()
        until(lambda: step in _written_steps(tmp_path))  # the page tells it a moment after the last step
        process.kill()
        process.wait()
        expect(page.get_by_text("The connection to the server was lost")).to_be_visible()

    with serving(tmp_path, port, PATIENT):
        expect(page.get_by_text("The connection to the server was lost")).to_have_count(0)
        for address in (page.url, re.sub(r"\?.*", "", page.url)):  # the bare address knows the step as well
            page.goto(address)
            debugger.wait_until_recorded()
            debugger.at_line(8)
            debugger.at_step(step)
            expect(debugger.breakpoints()).to_have_count(1)
            debugger.choose_variable(name, "Results")
            assert np.array_equal(debugger.shown_array(), array, equal_nan=True)
            assert debugger.shown_array().dtype == array.dtype
