"""How long the Graph panel takes to lay out large programs, and how long its frames take while one pans.

Layouts are measured in Node, as processor time, which other programs of the machine do not add to: as the panel first shows a
program, and with every group open. Frames are those of a headless browser, which draws without a GPU, on GPT-2 small unfolded
twice: the time of the page's main thread for each.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from statistics import median

from hloscope.app.present.program import program_table
from hloscope.app.present.value_search import op_names
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import settle, show_tab
from tests.large_programs import gpt2, optimised_hlo
from tests.programs import load_program
from tests.server_process import ROOT

from .browsing import browsing
from .measure import table

PROGRAMS: dict[str, tuple[Callable[[], str], float]] = {
    "GPT-2 small": (gpt2, 0.3),
    "60,000 lines of HLO": (optimised_hlo, 2.0),
}
"""With the goals in seconds."""
FRAMES = 60

PAN = """(frames) => new Promise((resolve) => {
    const canvas = document.querySelector(".graph-picture > canvas");
    const times = [];
    const turn = (left) => {
        const { width, height, left: x, top: y } = canvas.getBoundingClientRect();
        const event = { clientX: x + width / 2, clientY: y + height / 2, deltaY: left % 20 < 10 ? 25 : -25, shiftKey: true, cancelable: true };
        const begin = performance.now();
        canvas.dispatchEvent(new WheelEvent("wheel", event));
        requestAnimationFrame(() => setTimeout(() => {
            times.push(performance.now() - begin);
            if (left > 0) turn(left - 1); else resolve(times);
        }));
    };
    turn(frames);
})"""


def lines(repetitions: int) -> Iterator[str]:
    """What to print."""
    rows = []
    for name, (text, goal) in PROGRAMS.items():
        found = _layouts(text(), repetitions)
        for how, title in (("first", "as it is first shown"), ("whole", "every group open")):
            if found[how]:
                nodes, seconds = found[how]["nodes"], found[how]["ms"] / 1000
                rows.append([name, title, f"{nodes:,}", f"{seconds:.3f}", f"{goal:.1f}"])
    yield table(["layout", "groups", "nodes", "seconds", "goal"], rows)
    drawn, times = _frames()
    yield f"pan, {drawn} nodes: {median(times):.1f} ms a frame, 9 of 10 within {sorted(times)[9 * len(times) // 10]:.1f} ms"


def _layouts(text: str, repetitions: int) -> dict[str, dict[str, float]]:
    program = load_program(text)
    given: dict[str, object] = {
        "info": program_table(program),
        "names": op_names(program),
        "text": text,
        "repetitions": repetitions,
    }
    entry = program.module.entry
    given["entry"] = entry.name if entry else None
    command = ["node", "tests/js/time_graph.mjs"]
    ended = subprocess.run(
        command, input=json.dumps(given), capture_output=True, text=True, check=True, cwd=ROOT
    )
    found: dict[str, dict[str, float]] = json.loads(ended.stdout.splitlines()[-1])
    return found


def _frames() -> tuple[str, list[float]]:
    with browsing() as (server, _, browser):
        page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
        page.set_default_timeout(300_000)
        DebuggerPage.started(page, server, gpt2())
        show_tab(page, "Graph")
        for button in ("Whole program", "Unfold", "Unfold"):
            page.get_by_role("button", name=button, exact=True).click()
            settle(page)
        label = page.locator(".graph-picture").get_attribute("aria-label") or ""
        times: list[float] = page.evaluate(PAN, FRAMES)
        browser.close()
    found = re.search(r"[\d,]+(?= nodes)", label)
    return found[0] if found else label, times
