"""A server that does not open a page's line says why, and the page says what to do."""

from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import PATIENT, Complaints, NewPage
from tests.browser.debugger_page import DebuggerPage
from tests.server_process import Server, serving

GONE = "The server no longer has this session"
SIGNED_OUT = "This browser is no longer signed in"
FULL = "The server has as many connections open"

KEEP_SOCKETS = """globalThis.WebSocket = class extends WebSocket {
    constructor(...given) {
        super(...given);
        (globalThis.sockets ??= []).push(this);
    }
};"""
"""Lets a test lose the page's line."""


def test_a_page_is_told_that_its_session_is_gone_or_that_it_is_signed_out(
    new_page: NewPage, server: Server, complaints: Complaints
) -> None:
    complaints.allow("WebSocket|401|404")
    page = new_page()
    page.add_init_script(KEEP_SOCKETS)
    page.goto(server.url)
    DebuggerPage.example(page, "Softmax")
    cookie = {"name": server.cookie_name, "value": "the-token-of-another-server", "url": server.origin}
    page.context.add_cookies([cookie])  # type: ignore[list-item]
    page.evaluate("sockets.at(-1).close()")
    expect(page.get_by_text(SIGNED_OUT)).to_be_visible()
    signed_in = {"Origin": server.origin, "Cookie": server.cookie}
    session = page.url.replace("/s/", "/api/sessions/").partition("?")[0]
    assert page.request.delete(session, headers=signed_in).status == 204
    page.context.new_page().goto(server.url)  # signs in, and the line is opened again by itself
    expect(page.get_by_text(GONE)).to_be_visible()


def test_a_page_is_told_that_there_are_too_many(
    new_page: NewPage, complaints: Complaints, tmp_path: Path
) -> None:
    complaints.allow("WebSocket")
    page = new_page()
    with serving(tmp_path, settings=PATIENT | {"max_sockets": 1}) as (server, _):
        page.goto(server.url)
        DebuggerPage.example(page, "Softmax")
        second = page.context.new_page()
        second.goto(page.url)
        expect(second.get_by_text(FULL)).to_be_visible()
        expect(page.get_by_text(FULL)).to_have_count(0)
        page.goto("about:blank")
        expect(second.get_by_text(FULL)).to_have_count(0)
