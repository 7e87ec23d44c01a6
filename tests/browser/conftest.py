"""Fixtures of the browser tests: a server, a browser, a page that must not complain, and axe.

`page` is a fresh, empty page in a context of its own; at the end of the test it must not have written an
error to the console, thrown one, or broken the Content-Security-Policy. What a test provokes on purpose, it
allows: `complaints.allow("404")`. Start with `page.goto(server.url)`, or `open_page("/path")`.
"""

import os
import re
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from tests.browser.debugger_page import DebuggerPage, sign_in
from tests.browser.find_browser import FLAGS, NoBrowser, find_browser
from tests.browser.settling import FADED
from tests.server_process import ROOT, Server, serving

HERE = Path(__file__).parent
SCREENSHOTS = ROOT / "test-results"

PATIENCE_MS = 120_000  # what appears is seen at once; only what never appears is waited for this long
expect.set_options(timeout=PATIENCE_MS)
PATIENT: dict[str, object] = dict.fromkeys(
    ("request_time_limit_ms", "record_first_ms", "trial_time_limit_ms"), 120_000
)
"""Where other tests take the processor, all takes longer than a user's machine would need."""

WCAG = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")

# Passes alone would be most of the answer, and most of the time.
RUN_AXE = """async ([within, values]) => {
    const options = { runOnly: { type: "tag", values }, resultTypes: ["violations"] };
    return { violations: (await axe.run(within ?? document, options)).violations };
}"""

# Also violations that the browser reports to the page alone reach the console this way.
TELL_THE_CONSOLE = """addEventListener("securitypolicyviolation", (event) => console.error(
    `Content-Security-Policy: ${event.effectiveDirective} blocked ${event.blockedURI} ${event.sample}`));"""


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)
            # Those of XLA run where jaxlib is, and long ones when they are asked for.
            if not any(map(item.get_closest_marker, ("main_path", "oracle", "long"))):
                item.add_marker(pytest.mark.more)
            if "CI" in os.environ:
                # Printed as RERUN, and to be mended: but who waits for it changed something else.
                item.add_marker(pytest.mark.flaky(reruns=1))


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
        browser = playwright.chromium.launch(executable_path=found.executable, args=list(FLAGS))
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

    def listen_to(self, page: Page) -> None:
        page.add_init_script(TELL_THE_CONSOLE)
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.said.append(f"error: {error}"))

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.said.append(f"console: {message.text} ({message.location['url']})")

    @property
    def unexpected(self) -> list[str]:
        return [text for text in self.said if not any(re.search(pattern, text) for pattern in self.allowed)]


@pytest.fixture
def complaints() -> Complaints:
    return Complaints()


@pytest.fixture
def new_page(
    browser: Browser, complaints: Complaints, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Page]]:
    """Makes pages, each like one of another visitor; keywords are those of Playwright's `new_context`."""
    pages: list[Page] = []

    def make(**options: object) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1440, "height": 900}, **options})  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        complaints.listen_to(page)
        pages.append(page)
        return page

    yield make
    if getattr(request.node, "failed", False):
        _keep_screenshots(request.node.name, pages)
    for page in pages:
        page.context.close()
    assert not complaints.unexpected, "the page complained:\n" + "\n".join(complaints.unexpected)


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    return new_page()


@pytest.fixture
def open_page(page: Page, server: Server) -> Callable[..., Page]:
    """`open_page("/path")`: the page, signed in, at that path."""

    def open_at(path: str = "/") -> Page:
        sign_in(page, server)
        page.goto(server.origin + path)
        return page

    return open_at


@pytest.fixture
def paste(new_page: Callable[..., Page], server: Server) -> Callable[[str], DebuggerPage]:
    """`paste(text)`: open a program as a new visitor."""

    def open_program(text: str) -> DebuggerPage:
        return DebuggerPage.started(new_page(), server, text)

    return open_program


@pytest.fixture
def axe() -> Callable[..., None]:
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
    if report.when == "call" and report.failed:
        item.failed = True  # type: ignore[attr-defined]
    return report


def _keep_screenshots(test: str, pages: list[Page]) -> None:
    SCREENSHOTS.mkdir(exist_ok=True)
    name = re.sub(r"[^\w-]+", "-", test)
    for number, page in enumerate(pages):
        page.screenshot(path=SCREENSHOTS / f"{name}-{number}.png")
