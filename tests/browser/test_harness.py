"""The harness itself: it must notice what a page does wrong, and work under the strictest policy."""

import http.server
import json
import threading
import time
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import PATIENCE_MS, Check, Complaints, NewPage
from tests.browser.settling import FRAME

ROOT = Path(__file__).parents[2]
IMPORT_MAP = (ROOT / "static/vendor/importmap.json").read_text()
IMPORTS = json.loads(IMPORT_MAP)["imports"]

MAP_HASH = b64encode(sha256(IMPORT_MAP.encode()).digest()).decode()
POLICY = (
    f"default-src 'none'; script-src 'self' 'sha256-{MAP_HASH}'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; worker-src 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'"
)
HTML = f"""<!doctype html><html lang="en"><head><title>Harness</title><link rel="icon" href="data:,">
<script type="importmap">{IMPORT_MAP}</script></head><body><main><h1>Harness</h1></main></body></html>"""

pytestmark = pytest.mark.main_path


class _Files(http.server.SimpleHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path != "/":
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Security-Policy", POLICY)
        self.end_headers()
        self.wfile.write(HTML.encode())

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def files() -> Iterator[str]:
    """The address of a server for static/ and one page that has the import map."""
    handler = lambda *args: _Files(*args, directory=str(ROOT))  # noqa: E731
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


def test_every_import_of_the_map_loads(page: Page, files: str) -> None:
    page.goto(files)
    exports = page.evaluate(
        "async (names) => Promise.all(names.map(async (name) => Object.keys(await import(name)).length))",
        list(IMPORTS),
    )
    assert all(exports), dict(zip(IMPORTS, exports, strict=True))


def test_packages_share_one_instance(page: Page, files: str) -> None:
    """A signal re-renders a component, and an editor takes an extension of another package."""
    page.goto(files)
    shown = page.evaluate("""async () => {
        const { html, render } = await import("htm/preact");
        const { signal } = await import("@preact/signals");
        const { EditorView } = await import("@codemirror/view");
        const { history, undo } = await import("@codemirror/commands");
        const count = signal(1);
        const place = document.createElement("div");
        render(html`<p>${count}</p>`, place);
        await new Promise(requestAnimationFrame);
        count.value = 2;
        await new Promise(requestAnimationFrame);
        const host = document.body.appendChild(document.createElement("div"));
        const root = host.attachShadow({ mode: "open" });
        const editor = new EditorView({ doc: "a", extensions: [history()], parent: root, root });
        editor.dispatch({ changes: { from: 1, insert: "b" } });
        const typed = editor.state.doc.toString();
        undo(editor);
        return [place.textContent, typed, editor.state.doc.toString()];
    }""")
    assert shown == ["2", "ab", "a"]


def test_axe_runs_under_the_policy(page: Page, files: str, axe: Check) -> None:
    page.goto(files)
    axe(page)
    page.evaluate("() => document.documentElement.removeAttribute('lang')")
    with pytest.raises(AssertionError, match="html-has-lang"):
        axe(page)


@pytest.mark.parametrize(
    ("mistake", "noticed"),
    [
        ("() => { document.body.innerHTML = '<b>x</b>'; }", "TrustedHTML"),
        ("() => { document.body.style.color = 'red'; setTimeout(() => { throw Error('oops'); }); }", "oops"),
        (
            "() => { document.head.append(Object.assign(document.createElement('style'), {textContent: 'a{}'})); }",
            "style-src",
        ),
        ("() => fetch('/static/none')", "404"),
        ("() => fetch('https://example.org/').catch(() => 0)", "connect-src"),
    ],
)
def test_mistakes_are_noticed(
    page: Page, files: str, complaints: Complaints, mistake: str, noticed: str
) -> None:
    page.goto(files)
    try:
        page.evaluate(mistake)
    except Exception as error:  # a violation may throw as well
        assert noticed in str(error)  # noqa: PT017
    end = time.monotonic() + PATIENCE_MS / 1000
    while not any(
        noticed in text for text in complaints.unexpected
    ):  # the browser tells of it when it has the time
        assert time.monotonic() < end, complaints.said
        page.evaluate(FRAME)
    complaints.allow("")


def test_no_other_machine_is_reached(new_page: NewPage, complaints: Complaints) -> None:
    complaints.allow("ERR_NAME_NOT_RESOLVED")
    with pytest.raises(Exception, match="ERR_NAME_NOT_RESOLVED"):
        new_page().goto("http://example.org/")
