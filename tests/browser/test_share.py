"""Sharing: a step, a session to read, a program in a link; what each shows to whom, and what is said before."""

from __future__ import annotations

import http.server
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import PATIENT, Check, Complaints, NewPage, Record
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import settle, show_tab
from tests.server_process import Server, serving

FAR_SITE = "http://course.example"
PROGRAM = """func.func @main(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = stablehlo.add %x, %x : tensor<4x6xf32>
  %1 = stablehlo.tanh %0 : tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}
"""


@contextmanager
def _near_site() -> Iterator[tuple[str, dict[str, str]]]:
    """An origin of this machine, and its pages: browsers do not let pages from elsewhere frame what is on it."""
    pages: dict[str, str] = {}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = pages.get(self.path, "").encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{site.server_port}", pages
        site.shutdown()


@dataclass(frozen=True)
class Elsewhere:
    """Another server, and the site whose pages may frame what it shows."""

    server: Server
    site: str
    pages: dict[str, str]


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Elsewhere]:
    with _near_site() as (site, pages):
        settings = PATIENT | {"embed_sites": site}
        with serving(tmp_path_factory.mktemp("elsewhere"), settings=settings) as (server, _):
            yield Elsewhere(server, site, pages)


@pytest.fixture
def debugger(record: Record) -> DebuggerPage:
    """A session at its second step, with an element of the sum under the cursor."""
    debugger = record(PROGRAM)
    page = debugger.page
    page.keyboard.press("F10")
    settle(page)
    page.locator(".cm-content").get_by_text("%0").first.click()
    show_tab(page, "Tensor")
    page.locator(".tensor-frame").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    settle(page)
    return debugger


def _readout(page: Page) -> Locator:
    return page.locator(".tensor-readout output")


def _open_share(page: Page) -> Locator:
    page.get_by_role("button", name="Share", exact=True).click()
    page.get_by_role("menuitem", name="Share link").click()
    return page.get_by_role("dialog", name="Share")


def _address(dialog: Locator, label: str) -> str:
    field = dialog.get_by_label(label, exact=True)
    expect(field).to_be_visible()
    return field.input_value()


@pytest.mark.main_path
def test_a_reader_sees_the_step_the_value_and_the_element_and_changes_nothing(
    debugger: DebuggerPage, new_page: NewPage, axe: Check, complaints: Complaints
) -> None:
    complaints.allow("404")  # once the link is withdrawn
    page = debugger.page
    said = _readout(page).inner_text()
    assert "[" in said
    dialog = _open_share(page)
    expect(dialog.get_by_role("button", name="Create a read-only link")).to_be_visible()
    expect(dialog).to_contain_text("They see the program")
    dialog.get_by_role("button", name="Create a read-only link").click()
    link = _address(dialog, "Read-only link")
    expect(dialog).to_contain_text("One read-only link leads to this session.")
    settle(page)
    axe(page, "dialog")

    picture = new_page(color_scheme="dark")
    picture.goto(
        f"{link.partition('?')[0]}/picture.svg?step=2"
    )  # a policy that blocks its style would complain
    paper = picture.locator("rect.paper")
    assert paper.evaluate("(paper) => getComputedStyle(paper).fill") == "rgb(20, 23, 27)"
    reader = new_page()  # who has never signed in
    reader.goto(link)
    settle(reader)
    expect(reader.locator(".where .count")).to_have_text(page.locator(".where .count").inner_text())
    expect(_readout(reader)).to_have_text(said)
    expect(reader.get_by_text("read only", exact=True)).to_be_visible()
    expect(reader.get_by_role("button", name="Run", exact=True)).to_have_count(0)
    reader.locator(".cm-content").click()
    reader.keyboard.type("nothing")
    expect(reader.locator(".cm-content")).not_to_contain_text("nothing")
    axe(reader)
    before = page.locator(".where .count").inner_text()
    reader.keyboard.press("Alt+F10")
    expect(reader.locator(".where .count")).not_to_have_text(before)

    dialog.get_by_role("button", name="Revoke").click()
    expect(dialog).not_to_contain_text("leads to this session")
    answer = reader.reload()
    assert answer
    assert answer.status == 404
    expect(reader.locator("main")).to_contain_text("withdrawn")


def _other_site(page: Page, origin: str, html: str) -> None:
    """Lets the browser find a page at the address of a site that is not ours."""
    body = f'<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>a course</title>{html}'
    page.route(f"{origin}/*", lambda route: route.fulfill(body=body, content_type="text/html"))


def test_a_copy_is_made_by_who_is_signed_in_who_also_follows_links_of_other_sites(
    debugger: DebuggerPage, server: Server, new_page: NewPage, complaints: Complaints
) -> None:
    complaints.allow("401")
    page, address = debugger.page, debugger.page.url
    dialog = _open_share(page)
    dialog.get_by_role("button", name="Create a read-only link").click()
    link = _address(dialog, "Read-only link")
    reader = new_page()
    reader.goto(link)
    settle(reader)
    reader.get_by_role("button", name="Make a copy").click()
    expect(reader.get_by_role("dialog", name="Share")).to_be_visible()
    assert "/open#1." in _address(reader.get_by_role("dialog"), "Link with the program")

    _other_site(page, FAR_SITE, f'<a href="{escape(address)}">the step</a>')
    page.goto(f"{FAR_SITE}/page")
    page.get_by_role("link").click()
    page.wait_for_url(address)
    expect(page.locator(".where .count")).to_contain_text("step 1 of")

    page.goto(link)
    settle(page)
    page.get_by_role("button", name="Make a copy").click()
    page.wait_for_url(lambda url: "/s/" in url and "view-" not in url)
    settle(page)
    expect(page.get_by_text("read only", exact=True)).to_have_count(0)
    expect(page.locator(".where .count")).to_contain_text("step 1 of")
    page.goto(server.origin)
    expect(page.locator(".recents, .sessions").first).to_contain_text("program.mlir")


def test_a_program_in_a_link_opens_on_another_server_at_the_same_place(
    debugger: DebuggerPage, elsewhere: Elsewhere, new_page: NewPage, axe: Check
) -> None:
    page, other = debugger.page, elsewhere.server
    said = _readout(page).inner_text()
    link = _address(_open_share(page), "Link with the program")
    there = new_page()
    there.goto(other.url)
    there.goto(other.origin + link[link.index("/open#") :])
    expect(there.get_by_label("Program", exact=True)).to_contain_text("stablehlo.tanh")
    axe(there)
    there.get_by_role("button", name="Open in the debugger").click()
    there.wait_for_url(re.compile("/s/"))
    settle(there)
    expect(there.locator(".where .count")).to_contain_text("step 1 of")
    expect(_readout(there)).to_have_text(said)
    there.goto(other.origin)
    there.get_by_role("textbox").first.fill(link)
    expect(there.locator("#program-said")).to_contain_text("A link that contains a program")
    there.get_by_role("button", name="Open in the debugger").click()
    expect(there.get_by_label("Program", exact=True)).to_contain_text("stablehlo.tanh")
    there.goto(other.origin + "/open#1.abcdef")
    expect(there.get_by_role("alert")).to_contain_text("it may have been cut on its way")
    expect(there.get_by_role("link", name="Open another program")).to_be_visible()


def test_a_named_site_shows_a_session_and_its_picture_and_no_other_does(
    elsewhere: Elsewhere, new_page: NewPage, complaints: Complaints, axe: Check
) -> None:
    complaints.allow("frame-ancestors|ERR_BLOCKED_BY_RESPONSE|Framing|favicon|403")
    server, named, pages = elsewhere.server, elsewhere.site, elsewhere.pages
    with _near_site() as (other, other_pages):
        page = new_page()
        DebuggerPage.opened(page, server, PROGRAM)
        page.keyboard.press("F10")
        settle(page)
        dialog = _open_share(page)
        dialog.get_by_role("button", name="Create a read-only link").click()
        for name in ("frame", "picture"):
            markup = _address(dialog, f"HTML of the {name}")
            pages[f"/{name}"] = other_pages[f"/{name}"] = (
                f'<!doctype html><title>a course</title><link rel="icon" href="data:,">{markup}'
            )
        assert 'alt="program.mlir, step 1 of 3: ' in pages["/picture"]
        axe(page, "dialog")
        reader = new_page(viewport={"width": 1100, "height": 700}, color_scheme="dark")
        where = reader.frame_locator("iframe").locator(".where .count")
        reader.goto(f"{named}/frame")
        expect(where).to_contain_text("step 1 of 3")
        out = reader.frame_locator("iframe").get_by_role("link", name="Open in hloscope")
        assert "/s/view-" in (out.get_attribute("href") or "")
        with reader.expect_console_message(lambda said: "frame-ancestors" in said.text):
            reader.goto(f"{other}/frame")
        expect(where).to_have_count(0)

        width = "() => document.querySelector('img').decode().then(() => document.querySelector('img').naturalWidth, () => 0)"
        reader.goto(f"{other}/picture")
        assert reader.evaluate(width) == 0
        reader.goto(f"{named}/picture")
        assert reader.evaluate(width) == 760
        reader.get_by_role("link").click()
        reader.wait_for_url("**/s/view-*")
        settle(reader)
        expect(reader.locator(".where .count")).to_contain_text("step 1 of 3")
        assert reader.context.cookies() == []
