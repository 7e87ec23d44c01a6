"""Fixtures of the browser tests: a server, a browser, pages that must not complain, and axe.

`page` is the tab that all tests of a process use in turn, empty and without a trace of the test before;
`new_page()` makes another one, like that of another visitor. At the end of a test no page may have written an
error to the console, thrown one, or broken the Content-Security-Policy. What a test provokes on purpose, it
allows: `complaints.allow("404")`. Start with `record(text)`, `open_page("/path")` or `page.goto(server.url)`.
"""

import re
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from playwright.sync_api import Browser, ConsoleMessage, Page, ViewportSize, expect, sync_playwright

from tests.browser.debugger_page import DebuggerPage, sign_in
from tests.browser.find_browser import FLAGS, SHORT_LIVED, NoBrowser, find_browser, flags_to_drop
from tests.browser.settling import FADED
from tests.server_process import ROOT, Server, make_bundle, serving

HERE = Path(__file__).parent
SCREENSHOTS = ROOT / "test-results"

PATIENCE_MS = 120_000  # what appears is seen at once; only what never appears is waited for this long
expect.set_options(timeout=PATIENCE_MS)
PATIENT: dict[str, object] = {
    **dict.fromkeys(("request_time_limit_ms", "record_first_ms", "trial_time_limit_ms"), 120_000),
    "run_step_limit": 2**40,
}
"""Where other tests take the processor, all takes longer than a user's machine would need. Tests stop endless runs themselves."""

SIZE: ViewportSize = {"width": 1440, "height": 900}
WCAG = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")

# Passes alone would be most of the answer, and most of the time.
RUN_AXE = """async ([within, values]) => {
    const options = { runOnly: { type: "tag", values }, resultTypes: ["violations"] };
    return { violations: (await axe.run(within ?? document, options)).violations };
}"""

# Also violations that the browser reports to the page alone reach the console this way.
TELL_THE_CONSOLE = """addEventListener("securitypolicyviolation", (event) => console.error(
    `Content-Security-Policy: ${event.effectiveDirective} blocked ${event.blockedURI} ${event.sample}`));"""


# Types of the fixtures below.
Check = Callable[..., None]
NewPage = Callable[..., Page]
OpenPage = Callable[..., Page]
Record = Callable[[str], DebuggerPage]


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)
            # Those of XLA run where jaxlib is, and long ones when they are asked for.
            if not any(map(item.get_closest_marker, ("main_path", "oracle", "long"))):
                item.add_marker(pytest.mark.more)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("data"), settings=PATIENT) as (running, _):
        yield running


# Scope "package" and not "session": while Playwright is started, no other test of the same process could
# call `asyncio.run`.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    try:
        found = find_browser(install=True)
    except NoBrowser as reason:
        pytest.fail(str(reason), pytrace=False)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=found.executable,
            args=[*FLAGS, SHORT_LIVED],
            ignore_default_args=flags_to_drop(),
        )
        yield browser
        browser.close()


@dataclass
class Complaints:
    """What pages said that they should not have."""

    said: list[str] = field(default_factory=list)
    allowed: list[str] = field(default_factory=list)

    def allow(self, pattern: str) -> None:
        """Expect complaints in which `pattern` is found."""
        self.allowed.append(pattern)

    def listen_to(self, page: Page) -> Callable[[], None]:
        """Note what a page complains of, until the function that is returned is called."""
        handlers = {
            "console": self._on_console,
            "pageerror": lambda error: self.said.append(f"error: {error}"),
        }
        for event, handler in handlers.items():
            page.on(event, handler)  # type: ignore[call-overload]

        def ignore() -> None:
            for event, handler in handlers.items():
                page.remove_listener(event, handler)

        return ignore

    def check(self) -> None:
        """Fail if a page complained of something that the test does not allow."""
        assert not self.unexpected, "the page complained:\n" + "\n".join(self.unexpected)

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.said.append(f"console: {message.text} ({message.location['url']})")

    @property
    def unexpected(self) -> list[str]:
        return [text for text in self.said if not any(re.search(pattern, text) for pattern in self.allowed)]


@pytest.fixture
def complaints() -> Complaints:
    return Complaints()


@dataclass
class Tab:
    """The tab that the tests of a process use one after the other, each as a new visitor.

    A browser starts a process for each new tab, which reads the page's code again: as much work as many a test.
    """

    browser: Browser
    page: Page | None = None

    def empty(self) -> Page:
        """The tab without anything that a test before has left in it."""
        if self.page is None:
            self.page = _page_of(self.browser)
        return self.page

    def leave(self, server: Server) -> None:
        """Forget cookies, storage, permissions and the window's looks."""
        page = self.empty()
        context = page.context
        for other in context.pages[:]:
            if other is not page:
                other.close()
        context.set_offline(False)
        origins = {server.origin, "://".join(urlsplit(page.url)[:2])}
        page.goto("about:blank")
        context.clear_cookies()
        context.clear_permissions()
        session = context.new_cdp_session(page)
        for origin in origins:
            session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
        session.detach()
        page.emulate_media(media="null", color_scheme="null", forced_colors="null", reduced_motion="null")
        page.set_viewport_size(SIZE)
        page.mouse.move(-1, -1)

    def drop(self) -> None:
        """Close the tab; the next test gets a new one."""
        if self.page is not None:
            self.page.context.close()
            self.page = None


def _page_of(browser: Browser, **options: object) -> Page:
    context = browser.new_context(**{"viewport": SIZE, **options})  # type: ignore[arg-type]
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.add_init_script(TELL_THE_CONSOLE)
    return page


@pytest.fixture(scope="package")
def tab(browser: Browser) -> Iterator[Tab]:
    found = Tab(browser)
    yield found
    found.drop()


@pytest.fixture
def page(tab: Tab, server: Server, complaints: Complaints, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page in the shared tab. A test that adds an init script takes `new_page`: the tab would keep it."""
    page = tab.empty()
    ignore = complaints.listen_to(page)
    yield page
    page.unroute_all(behavior="ignoreErrors")  # and once that is answered, all complaints have arrived
    ignore()
    if getattr(request.node, "failed", False):
        _keep_screenshots(request.node.name, [page])
        tab.drop()
    else:
        tab.leave(server)
    complaints.check()


@pytest.fixture
def new_page(browser: Browser, complaints: Complaints, request: pytest.FixtureRequest) -> Iterator[NewPage]:
    """Makes pages, each like one of another visitor; keywords are those of Playwright's `new_context`."""
    pages: list[Page] = []

    def make(**options: object) -> Page:
        page = _page_of(browser, **options)
        complaints.listen_to(page)
        pages.append(page)
        return page

    yield make
    if getattr(request.node, "failed", False):
        _keep_screenshots(request.node.name, pages)
    for page in pages:
        page.context.close()
    complaints.check()


@pytest.fixture
def open_page(page: Page, server: Server) -> OpenPage:
    """`open_page("/path")`: the page, signed in, at that path."""

    def open_at(path: str = "/") -> Page:
        sign_in(page, server)
        page.goto(server.origin + path)
        return page

    return open_at


@pytest.fixture
def paste(page: Page, server: Server) -> Record:
    """`paste(text)`: open a program, in whatever state its run is."""
    return partial(DebuggerPage.started, page, server)


@pytest.fixture
def record(page: Page, server: Server) -> Record:
    """`record(text)`: open a program, whose run is then recorded and drawn."""
    return partial(DebuggerPage.opened, page, server)


@pytest.fixture
def saved(server: Server, tmp_path: Path) -> Callable[..., Path]:
    """Saves a page of the run of a session at the server."""

    def save(session: str, **query: int) -> Path:
        make_bundle()
        with httpx.Client(base_url=server.origin, headers={"Cookie": server.cookie}, timeout=120) as client:
            answer = client.get(f"/api/sessions/{session}/runs/1/page", params=query)
        assert answer.status_code == 200, answer.text
        path = tmp_path / "run.html"
        path.write_bytes(answer.content)
        return path

    return save


@pytest.fixture
def axe() -> Check:
    """`axe(page)`: the page as it is now, or the elements of a selector, breaks no rule of WCAG 2.2 AA."""

    def check(page: Page, within: str | None = None) -> None:
        page.evaluate(FADED)
        if not page.evaluate("'axe' in window"):
            page.evaluate(AXE_SCRIPT)
        found = AxeResults(page.evaluate(RUN_AXE, [within, list(WCAG)]))
        assert found.violations_count == 0, found.generate_report()

    return check


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "call":
        item.failed = report.failed  # type: ignore[attr-defined]  # of this try: a test that failed runs once more
    return report


def _keep_screenshots(test: str, pages: list[Page]) -> None:
    SCREENSHOTS.mkdir(exist_ok=True)
    name = re.sub(r"[^\w-]+", "-", test)
    for number, page in enumerate(pages):
        if page.is_closed():  # by the test itself, whose failure came later
            continue
        page.screenshot(path=SCREENSHOTS / f"{name}-{number}.png")
