"""How long a step takes on the page, and how soon a large program is there; beside an older revision's page in turns.

`python -m tests.bench --only steps --against REVISION` checks the revision out beside this one, bundles and serves it,
and opens the same programs in both, one after the other: other work of the machine slows both alike.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import httpx
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from hloscope.engine.syntax import looks_like_hlo
from tests.bench.step_times import BACK, OVER, PAINTED, StepTimes, percentile, step_times, watch
from tests.browser.find_browser import FLAGS, find_browser
from tests.browser.settling import settle
from tests.large_programs import gpt2, optimised_hlo
from tests.programs import known_example
from tests.server_process import ROOT, Server, serving

from .measure import table

PATIENCE_SECONDS = 300
STEPS = 50
THERE_AND_BACK = (*(OVER,) * 5, *(BACK,) * 5)
"""For a program of few ops."""


@dataclass(frozen=True)
class Program:
    """What is stepped through: a text, from which step, by which keys."""

    name: str
    text: Callable[[], str]
    start: int
    keys: Sequence[str]


def _mlp() -> str:
    found = known_example("mlp")
    return found.text


PROGRAMS = (
    Program("MLP", _mlp, 9, THERE_AND_BACK * (STEPS // len(THERE_AND_BACK))),
    Program("GPT-2 small", gpt2, 190, (OVER,) * STEPS),
    Program("60,000 lines of HLO", optimised_hlo, 8_002, (OVER,) * STEPS),
)


def lines(repetitions: int, against: str | None) -> Iterator[str]:
    """What to print: this revision, the older one, and the ratio."""
    with ExitStack() as stack:
        roots = {"this": ROOT}
        if against:
            roots[against] = stack.enter_context(checked_out(against))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        servers = {
            name: stack.enter_context(serving(folder / name, root=root))[0] for name, root in roots.items()
        }
        tool = stack.enter_context(sync_playwright())
        browser = tool.chromium.launch(
            executable_path=find_browser(install=False).executable, args=list(FLAGS)
        )
        for program in PROGRAMS:
            runs = [_opened(browser, server, program) for server in servers.values()]
            found: Mapping[str, list[StepTimes]] = {name: [] for name in servers}
            for _ in range(min(repetitions, 3)):
                for name, (page, address) in zip(servers, runs, strict=True):
                    found[name].append(_walked(page, address, program))
            for page, _ in runs:
                page.context.close()
            yield _table(program.name, found)
        yield f"painted: {PAINTED}"
        browser.close()


@contextmanager
def checked_out(revision: str) -> Iterator[Path]:
    """A working tree of an older revision, ready to be served."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        _git("worktree", "add", "--detach", str(tree), revision)
        try:
            if not (tree / "static/bundle.mjs").exists():
                raise SystemExit(
                    f"{revision} has no static/bundle.mjs: its page says neither when it is idle nor what it shows as"
                    " this one does, so its steps cannot be measured. Name a later revision."
                )
            for name in ("node_modules", "static/vendor"):
                (tree / name).symlink_to(ROOT / name)
            yield tree
        finally:
            _git("worktree", "remove", "--force", str(tree))


def _git(*words: str) -> None:
    subprocess.run(["git", *words], cwd=ROOT, check=True, stdout=subprocess.DEVNULL, stderr=sys.stderr)


def _opened(browser: Browser, server: Server, program: Program) -> tuple[Page, str]:
    """A page of its own, and the address of the session there, whose run is recorded."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    _sign_in(context, server)
    page = context.new_page()
    watch(page)
    return page, f"{server.origin}{new_session(server, program.text())}?step={program.start}"


def _sign_in(context: BrowserContext, server: Server) -> None:
    name, _, value = server.cookie.partition("=")
    context.add_cookies([{"name": name, "value": value, "url": server.origin}])


def new_session(server: Server, text: str) -> str:
    """The path of a new session, once its run is recorded."""
    headers = {"Cookie": server.cookie, "Origin": server.origin}
    name = "program.hlo" if looks_like_hlo(text) else "program.mlir"
    with httpx.Client(base_url=server.origin, headers=headers, timeout=PATIENCE_SECONDS) as client:
        made = client.post("/api/sessions", json={"text": text, "name": name}).json()
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            run = client.get(f"/api/sessions/{made['id']}").json()["run"]
            if run and run["state"]["kind"] not in ("recording", "opening"):
                return str(made["url"])
            assert time.monotonic() < end, "the run does not end"
            time.sleep(0.1)


def _walked(page: Page, address: str, program: Program) -> StepTimes:
    page.goto(address)
    settle(page, PATIENCE_SECONDS)
    found = step_times(page, program.keys)
    page.goto("about:blank")
    return found


def _table(title: str, found: Mapping[str, Sequence[StepTimes]]) -> str:
    rows = []
    for row, read in ROWS.items():
        medians = [median(read(times) for times in turns) for turns in found.values()]
        ratio = [f"{medians[1] / medians[0]:.1f} x"] if len(medians) > 1 else []
        rows.append([row, *(f"{value:,.1f}" for value in medians), *ratio])
    head = [title, *found, *(["older / this"] if len(found) > 1 else [])]
    return table(head, rows)


ROWS: Mapping[str, Callable[[StepTimes], float]] = {
    "painted, median (ms)": lambda times: median(times.painted),
    "painted, p99 (ms)": lambda times: percentile(times.painted, 99),
    "settled, median (ms)": lambda times: median(times.settled),
    "settled, p99 (ms)": lambda times: percentile(times.settled, 99),
    "work of the main thread, median (ms)": lambda times: median(times.work),
    "work of the main thread, p99 (ms)": lambda times: percentile(times.work, 99),
    "heap (MB)": lambda times: times.heap / 1e6,
}
