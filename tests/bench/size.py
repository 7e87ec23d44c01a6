"""How cost grows with size: reading, the page's table, opening, loops, ops, arguments, processes, each at two sizes.

Each figure is taken in a process of its own, by processor time, except opening. The exponent is that of a power law
through the totals at both sizes: 1 is linear. The last column is the larger size's figure over the goal.

The goals for HLO are those of a dump of production, 500,000 instructions in 350 MB: figures of `production_hlo` are of
the text, figures of the dense `optimised_hlo` of an instruction, with the same goal for each.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import count as count_from
from math import log
from pathlib import Path
from random import Random
from statistics import median

import httpx
import numpy as np
from playwright.sync_api import CDPSession

from hloscope.app.base.loading import loading
from hloscope.app.present.program import program_window
from hloscope.app.wire.questions import json_answer
from hloscope.engine.debugger.address import result
from hloscope.engine.debugger.breakpoints import Breakpoint, Target
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.debugger.run_location import RunLocation
from hloscope.engine.frontend import load
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.process_grid import Launch
from hloscope.engine.source import Source
from tests.large_programs import gpt2, optimised_hlo, production_hlo
from tests.programs import load_program
from tests.server_process import Server

from . import micro
from .browsing import browsing
from .measure import peak_mebibytes, table

LINES = (20_000, 80_000)
INSTRUCTIONS = (125_000, 500_000)
ITERATIONS = (100_000, 400_000)
STATISTICS = (50_000, 200_000)
"""Iterations of five steps: 250,000 and 1,000,000 steps."""
CHAINS = (5_000, 20_000)
DROPPED = (500, 2_000)
ARGUMENTS = (250, 1_000)
PROCESSES = (1_024, 4_096)
LOOKS = 40
BUDGETS = 100
"""Times that the values of a run exceed its budget."""
LINES_OF_A_LAYER = 122
PATIENCE_MS = 900_000
OPENING = {"max_program_bytes": 1 << 30, "check_time_limit_ms": PATIENCE_MS}
"""Settings: a program of production size, on a machine that is busy with others."""
POLL_SECONDS = 0.002
SENT_BYTES = 1 << 18
ABSOLUTE = "ms"
"""The unit of figures of a whole; others are of one line, step, op and so on."""
SCALES = {ABSOLUTE: 1e3, "µs": 1e6, "B/B": 1.0, "s/MB": 1e6, "B": 1.0}
GOALS = {
    "read and verify production HLO, s/MB": 0.1,
    "memory to read production HLO, B/B": 8,
    "read and verify dense HLO, instruction, µs": 80,
    "memory to read dense HLO, instruction, B": 5_600,
    "read and verify StableHLO, s/MB": 0.1,
    "memory to read StableHLO, B/B": 8,
    "overhead of an op, recorded, µs": 2,
    "open production HLO: text is shown, ms": 1_000,
    "open production HLO: step 0 is shown, ms": 40_000,
    "open production HLO: memory of its worker, B/B": 8,
    "open production HLO: its worker is free after a cancel, ms": 250,
    "open dense HLO: step 0 is shown, instruction, µs": 80,
    "step of a loop, recorded, B": 6,
    "value of an iteration at random, ms": 100,
    "loop recorded again, ms": 100,
    "condition on tensors, step of the run, µs": 1,
    "condition on scalars, step of the run, µs": 1,
    "value at random of a run 100 times its budget, ms": 300,
}
"""By the names of figures; 300 MB for 50 million steps are 6 bytes each."""
LINE_SHOWN = """() => new Promise((resolve) => {
  const lines = () => document.querySelector(".editor")?.shadowRoot?.querySelector(".cm-line");
  const look = () => (lines() ? resolve() : requestAnimationFrame(look));
  look();
})"""
CANCELLING = """button => {
  const begin = performance.now();
  window.said = new Promise((resolve) =>
    new MutationObserver(() => {
      if (document.body.textContent.includes("You cancelled the verification")) resolve(performance.now() - begin);
    }).observe(document.body, { subtree: true, childList: true, characterData: true }));
  button.click();
}"""
"""Clicks on Cancel; `said` is the milliseconds until the page says so. Playwright would look after pauses of up to 500 ms."""
Figures = dict[str, tuple[float, float]]
"""The value of each row, and the size that it belongs to."""


def lines(repetitions: int) -> Iterator[str]:
    """What to print."""
    yield f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    rows = []
    for what, (_, sizes) in PARTS.items():
        small, large = (_typical(what, size, 1 if what in ONCE else repetitions) for size in sizes)
        rows += [_row(name, small[name], large[name]) for name in small]
    yield table(["figure", "unit", "small", "large", "exponent", "goal", "of the goal"], rows)
    yield f"load of the machine: {os.getloadavg()[0]:.1f}"


def _row(name: str, small: tuple[float, float], large: tuple[float, float]) -> list[str]:
    what, _, unit = name.rpartition(", ")
    (first, size), (second, larger) = small, large
    exponent = log(second / first) / log(larger / size) if min(first, second) > 0 else 0.0
    each = [value / (1 if unit == ABSOLUTE else count) * SCALES[unit] for value, count in (small, large)]
    goal = GOALS.get(name)
    against = [f"{goal:.3g}", f"{each[1] / goal:.2f}"] if goal else ["", ""]
    return [what, unit, *(f"{value:.3g}" for value in each), f"{exponent:.2f}", *against]


def _typical(what: str, size: int, repetitions: int) -> Figures:
    """The median of each figure over processes of their own."""
    command = [sys.executable, "-m", "tests.bench.size", what, str(size)]
    runs = [
        json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
        for _ in range(repetitions)
    ]
    return {name: (median(run[name][0] for run in runs), runs[0][name][1]) for name in runs[0]}


def _stablehlo(count: int) -> str:
    return gpt2(round(count / LINES_OF_A_LAYER), 64, 1_000)


def _read(language: str, text: str) -> Figures:
    load(Source(_stablehlo(500) if language == "StableHLO" else optimised_hlo(500)))
    before, begin = peak_mebibytes(), time.process_time()
    with loading():  # as a worker does
        program = load(Source(text), replace(DEFAULT_LIMITS, max_program_bytes=len(text))).program
    assert program
    read, described, first = time.process_time(), 0, 0.0
    peak = (peak_mebibytes() - before) * (1 << 20)
    for window in count_from():
        with suppress(IndexError):
            described += len(json_answer(program_window(program, window)).body)
            first = first or time.process_time() - read
            continue
        break
    table = time.process_time() - read
    size = len(text)
    if language == "dense HLO":
        size, per, memory = len(program.ops), "instruction, µs", "instruction, B"
    else:
        per, memory = "s/MB", "B/B"
    return {
        f"read and verify {language}, {per}": (read - begin, size),
        f"memory to read {language}, {memory}": (peak, size),
        f"table of {language} for the page, {per}": (table, size),
        f"table of {language} for the page, {memory}": (described, size),
        f"first window of that table, {language}, ms": (first, size),
    }


def _loop(count: int) -> Figures:
    program = load_program(micro.COUNTER)
    Recording(program, [np.array(1_000, np.int32)]).record()
    before, begin = peak_mebibytes(), time.process_time()
    recording = Recording(program, [np.array(count, np.int32)], DEFAULT_LIMITS)
    recording.record()
    taken, steps = time.process_time() - begin, recording.step_count
    kept = (peak_mebibytes() - before) * (1 << 20)
    looks = _looks(recording, range(steps // LOOKS, steps, steps // LOOKS))
    begin = time.process_time()
    again = Recording(program, [np.array(count, np.int32)], DEFAULT_LIMITS)
    again.known_starts.add(recording.tracks[0].loop_links)
    again.record()
    return {
        "step of a loop, recorded, µs": (taken, steps),
        "step of a loop, recorded, B": (kept, steps),
        "value of an iteration at random, ms": (looks, steps),
        "loop recorded again, ms": (time.process_time() - begin, steps),
    }


SHRINKING = """func.func @main(%n: tensor<i32>, %start: tensor<16xf32>) -> tensor<16xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %rate = stablehlo.constant dense<0.999> : tensor<16xf32>
  %last:2 = stablehlo.while(%i = %zero, %w = %start) : tensor<i32>, tensor<16xf32>
  cond {
    %go_on = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go_on : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %smaller = stablehlo.multiply %w, %rate : tensor<16xf32>
    stablehlo.return %next, %smaller : tensor<i32>, tensor<16xf32>
  }
  return %last#1 : tensor<16xf32>
}
"""


def _conditions(count: int) -> Figures:
    """A condition on the result of an op of a loop, which is never true: on tensors, and on scalars."""
    found: Figures = {}
    for what, text in (("tensors", SHRINKING), ("scalars", SHRINKING.replace("16xf32", "f32"))):
        program = load_program(text)
        start = np.ones(16 if what == "tensors" else (), np.float32)
        recording = Recording(program, [np.array(count, np.int32), start], DEFAULT_LIMITS)
        recording.record()
        target = Target.of(program, "value", "%smaller")
        point = Breakpoint.parse(target, program, "max(value) > 2 or any(isnan(value))", "", "")
        begin = time.process_time()
        assert not list(point.stops(RunLocation(recording, 0, 0), 0, recording.step_count))
        steps = recording.step_count
        found[f"condition on {what}, step of the run, µs"] = (time.process_time() - begin, steps)
    return found


def _looks(recording: Recording, steps: Iterable[int]) -> float:
    """The median time of a value, of steps with results from these on, in a random order."""
    taken = []
    for step in Random(0).sample(list(steps), LOOKS - 1):
        has_results = (
            at for at in count_from(step) if recording.program.ops[recording.tracks[0].op_of(at)].results
        )
        begin = time.process_time()
        recording.value(result(next(has_results)))
        taken.append(time.process_time() - begin)
    return median(taken)


def _dropped(count: int) -> Figures:
    program, x = (
        load_program(micro.chain(count).replace("4x8", "1024x1024")),
        np.ones((1024, 1024), np.float32),
    )
    limits = replace(DEFAULT_LIMITS, recording_bytes=count * x.nbytes // BUDGETS)
    recording = Recording(program, [x], limits)
    recording.record()
    looks = _looks(recording, range(count - 1))
    return {f"value at random of a run {BUDGETS} times its budget, ms": (looks, count)}


def _wide(count: int) -> Figures:
    arguments = ", ".join(f"%a{at}: tensor<8xf32>" for at in range(count))
    lines = "".join(
        f"%r{at} = stablehlo.add %a{at}, %a{count - 1 - at} : tensor<8xf32>\n" for at in range(count)
    )
    returned, types = ", ".join(f"%r{at}" for at in range(count)), ", ".join(["tensor<8xf32>"] * count)
    text = f"func.func @main({arguments}) -> ({types}) {{\n{lines}return {returned} : {types}\n}}"
    begin = time.process_time()
    Recording(load_program(text), [np.ones(8, np.float32)] * count).record()
    return {"argument and result, read and recorded, µs": (time.process_time() - begin, count)}


def _grid(count: int) -> Figures:
    program = load_program(ALL_REDUCE.format(count=count), "grid.hlo")
    launch = Launch(Grid(count, 1), ((np.ones(4, np.float32),),) * count, {})
    begin = time.process_time()
    Recording(program, launch, replace(DEFAULT_LIMITS, max_processes=count)).record()
    return {"process with a collective, recorded, µs": (time.process_time() - begin, count)}


ALL_REDUCE = """HloModule grid, replica_count={count}
add {{
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}}
ENTRY main {{
  x = f32[4] parameter(0)
  y = f32[4] add(x, x)
  ROOT z = f32[4] all-reduce(y), replica_groups={{}}, to_apply=add
}}
"""


def _chain(count: int) -> Figures:
    x = np.ones((4, 8), np.float32)
    with (
        loading()
    ):  # as a worker loads a large program: a collection of that would count as a part of the run
        program = load_program(micro.chain(count))
    Recording(program, [x]).record()
    begin = time.process_time()
    Recording(program, [x]).record()
    recorded = time.process_time()
    micro.chain_by_hand(x)
    by_hand = (time.process_time() - recorded) * count / micro.CHAIN
    return {"overhead of an op, recorded, µs": (recorded - begin - by_hand, count)}


def _open(language: str, text: str) -> Figures:
    """A session opened in a browser: until its first line is shown, until the first step of its run is, and the cost.

    A second session is cancelled while its program is read.
    """
    with browsing(OPENING) as (server, process, browser):
        name, _, value = server.cookie.partition("=")
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        context.add_cookies([{"name": name, "value": value, "url": server.origin}])
        page = context.new_page()
        network = Network(context.new_cdp_session(page))
        body = json.dumps({"text": text, "name": "step.hlo"}).encode()
        before, begin = _processor_seconds(process.pid), time.monotonic()
        url = _new_session(server, body)
        stored = time.monotonic()
        page.goto(url, wait_until="commit")
        page.evaluate(LINE_SHOWN)
        shown = time.monotonic()
        page.locator(".where .count", has_text="step 0 of").wait_for(timeout=PATIENCE_MS)
        opened, taken = time.monotonic(), _processor_seconds(process.pid) - before
        page.locator("[aria-label='Step over'][aria-disabled=false]").wait_for(timeout=PATIENCE_MS)
        ready = time.monotonic()
        page.wait_for_load_state("networkidle", timeout=PATIENCE_MS)
        heap, peaks = network.heap(), {member: _peak_bytes(member) for member in _family(process.pid)}
        for path, size in network.largest():
            print(f"{size:12,d} bytes  {path}", file=sys.stderr)
        page.goto(_new_session(server, body), wait_until="commit")
        page.get_by_role("button", name="Cancel").wait_for(timeout=PATIENCE_MS)
        family, cancelled = _family(process.pid), time.monotonic()
        page.get_by_role("button", name="Cancel").evaluate(CANCELLING)
        while all(_stat(member)[0] for member in family):
            time.sleep(POLL_SECONDS)
        freed = time.monotonic()
        said = page.evaluate("said") / 1000
        browser.close()
    whole = {
        "session is stored": stored - begin,
        "text is shown": shown - stored,
        "step 0 is shown": opened - begin,
        "steps can be made": ready - begin,
        "step 0 is shown, processor time of the server": taken,
        "its worker is free after a cancel": freed - cancelled,
        "the page says so": said,
    }
    figures: Figures
    if language == "dense HLO":
        size = len(load_program(text).ops)
        figures = {f"open {language}: {name}, instruction, µs": (took, size) for name, took in whole.items()}
    else:
        figures = {f"open {language}: {name}, ms": (took, len(text)) for name, took in whole.items()}
    return {
        **figures,
        f"open {language}: bytes sent, B/B": (sum(network.sent.values()), len(text)),
        f"open {language}: heap of the page, B/B": (heap, len(text)),
        f"open {language}: memory of the server, B/B": (peaks.pop(process.pid), len(text)),
        f"open {language}: memory of its worker, B/B": (max(peaks.values()), len(text)),
    }


def _new_session(server: Server, body: bytes) -> str:
    """The address of a new session. Its body is sent in pieces: of a whole one, httpx copies the rest after each write."""
    headers = {"Cookie": server.cookie, "Origin": server.origin, "Content-Type": "application/json"}
    pieces = (body[start : start + SENT_BYTES] for start in range(0, len(body), SENT_BYTES))
    headers["Content-Length"] = str(len(body))
    made = httpx.post(f"{server.origin}/api/sessions", content=pieces, headers=headers, timeout=600).json()
    return f"{server.origin}{made['url']}"


class Network:
    """The bytes of each answer as a page receives them, compressed, and the heap of the page."""

    def __init__(self, session: CDPSession) -> None:
        self.session = session
        self.sent: dict[str, int] = {}
        paths: dict[str, str] = {}
        session.on(
            "Network.responseReceived",
            lambda event: paths.update({event["requestId"]: event["response"]["url"]}),
        )
        session.on(
            "Network.loadingFinished",
            lambda event: self._add(paths.get(event["requestId"], ""), int(event["encodedDataLength"])),
        )
        session.send("Network.enable")

    def _add(self, url: str, size: int) -> None:
        path = re.sub(r"/[A-Za-z0-9_-]{16,}", "/…", httpx.URL(url).path)
        if path.startswith("/api/"):
            self.sent[path] = self.sent.get(path, 0) + size

    def largest(self) -> list[tuple[str, int]]:
        """The routes that send most, with their bytes."""
        return sorted(self.sent.items(), key=lambda item: -item[1])[:6]

    def heap(self) -> int:
        """Bytes of the page's objects that are alive."""
        self.session.send("HeapProfiler.collectGarbage")
        return int(self.session.send("Runtime.getHeapUsage")["usedSize"])


def _processor_seconds(process: int) -> float:
    """Processor time so far of a process and its living descendants."""
    return sum(_stat(member)[1] for member in _family(process)) / os.sysconf("SC_CLK_TCK")


def _family(process: int) -> set[int]:
    """A process and its living descendants."""
    parents = {
        int(path.name): _stat(int(path.name))[0] for path in Path("/proc").iterdir() if path.name.isdigit()
    }
    family = {process}
    while found := {child for child, parent in parents.items() if parent in family} - family:
        family |= found
    return family


def _peak_bytes(process: int) -> int:
    """The most memory that a process has held, shared pages included."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text())
    return int(found[1]) << 10 if found else 0


def _stat(process: int) -> tuple[int, int]:
    """The parent of a living process, and the ticks of the clock that it and its ended children took."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # it has ended
        return 0, 0
    return (0 if fields[0] == "Z" else int(fields[1])), sum(int(field) for field in fields[11:15])


PARTS: Mapping[str, tuple[Callable[[int], Figures], tuple[int, int]]] = {
    "production": (lambda count: _read("production HLO", production_hlo(count)), INSTRUCTIONS),
    "dense": (lambda count: _read("dense HLO", optimised_hlo(count)), LINES),
    "stablehlo": (lambda count: _read("StableHLO", _stablehlo(count)), LINES),
    "chain": (_chain, CHAINS),
    "loop": (_loop, ITERATIONS),
    "conditions": (_conditions, STATISTICS),
    "dropped": (_dropped, DROPPED),
    "wide": (_wide, ARGUMENTS),
    "grid": (_grid, PROCESSES),
    "open production": (lambda count: _open("production HLO", production_hlo(count)), INSTRUCTIONS),
    "open dense": (lambda count: _open("dense HLO", optimised_hlo(count)), LINES),
}
ONCE = ("production", "open production", "open dense")

if __name__ == "__main__":
    print(json.dumps(PARTS[sys.argv[1]][0](int(sys.argv[2]))))
