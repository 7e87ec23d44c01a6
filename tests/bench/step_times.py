"""How long a step takes on the page of a session: measured within the page, and by the browser's own counters.

Painted: from the time stamp of the key's event, which the browser sets when the real key reaches it, to behind the main
thread's part of the frame in which position, line, film strip and, where the tensor view is in front, the chosen value all
show the new step. Keys come at moments that are spread evenly over the interval between two frames, as a person's do: who
waits for the page to be idle, which a frame tells, and presses at once, always waits for nearly a whole frame.
Settled: to the last change of anything on the page before it says that it is idle; a picture that is made ahead is on no page
yet. Work: processor time of the page's main thread until then, which other programs of the machine do not add to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from playwright.sync_api import CDPSession, Page

from tests.browser.settling import settle

WATCH = """(() => {
    const drawn = new WeakMap();
    const watched = { changed: 0, header: 0 };
    const note = (canvas) => {
        if (!canvas.isConnected) return;
        watched.changed = performance.now();
        drawn.set(canvas, watched.changed);
    };
    const { prototype } = CanvasRenderingContext2D;
    for (const name of ["drawImage", "putImageData", "fillRect", "clearRect"]) {
        const draw = prototype[name];
        prototype[name] = function (...given) { note(this.canvas); return draw.apply(this, given); };
    }
    const observer = new MutationObserver((records) => {
        const seen = records.filter(({ target }) => target !== document.documentElement);
        if (seen.length === 0) return;
        watched.changed = performance.now();
        const named = (node) => (node.nodeType === 1 ? node : node.parentElement)?.closest(".tensor-header");
        const made = (node) => node.nodeType === 1 && node.querySelector(".tensor-header");
        if (seen.some(({ target, addedNodes }) => named(target) || [...addedNodes].some(made))) {
            watched.header = watched.changed;
        }
    });
    const observe = (root) =>
        observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
    observe(document);
    let editor = document;
    const { attachShadow } = Element.prototype;
    Element.prototype.attachShadow = function (options) {
        editor = attachShadow.call(this, options);
        observe(editor);
        return editor;
    };
    const text = (selector) => document.querySelector(selector)?.textContent ?? "";
    const middle = (element) => { const { top, bottom } = element.getBoundingClientRect(); return (top + bottom) / 2; };
    watched.step = () => /(?:step|end of) ([\\d,]+)/.exec(text(".where .count"))?.[1] ?? "";
    const line = () => editor.querySelector(".cm-line.cm-current-op");
    watched.line = () => (line() ? Math.round(middle(line())) + line().textContent : "");
    watched.shows = (before) => {
        const step = watched.step();
        if (step === before.step || !line() || watched.line() === before.line) return false;
        const strip = editor.querySelector(".strip.chosen :is(canvas, img)");
        if (!strip || Math.abs(middle(strip) - middle(line())) > 12) return false;
        const header = document.querySelector(".tensor-header");
        if (!header?.clientWidth) return true;
        if (!new RegExp(`step ${step}(?![,\\d])`).test(header.textContent)) return false;
        const picture = [...document.querySelectorAll(".tensor-frame canvas")].find((found) => found.clientWidth > 0);
        return !picture || (drawn.get(picture) ?? 0) >= watched.header - 8;
    };
    window.watched = watched;
})()"""
"""Before the page's own scripts. The canvas of the chosen value counts as drawn when that was after its name had changed,
or just before, in the same frame."""

ARM = """([key, patience]) => { window.stepped = new Promise((resolve) => {
    const before = { step: watched.step(), line: watched.line() };
    const root = document.documentElement;
    const behind = new MessageChannel();
    let begin = 0;
    let painted = Infinity;
    const end = () => {
        if (painted < Infinity && !root.hasAttribute("data-idle")) return;
        attributes.disconnect();
        clearTimeout(timer);
        behind.port1.close();
        resolve({ painted, settled: watched.changed - begin });
    };
    const attributes = new MutationObserver(end);
    const timer = setTimeout(() => { painted = Infinity; end(); }, patience);
    behind.port1.onmessage = () => {
        const now = performance.now();
        if (!watched.shows(before)) return look();
        painted = now - begin;
        attributes.observe(root, { attributes: true, attributeFilter: ["data-idle"] });
        end();
    };
    const look = () => requestAnimationFrame(() => behind.port2.postMessage(0));
    const pressed = (event) => {
        if (event.key !== key) return;
        removeEventListener("keydown", pressed, true);
        begin = event.timeStamp;
        look();
    };
    addEventListener("keydown", pressed, true);
}); }"""
"""Looks behind each frame from the key until the step is painted, and from then on only waits: to ask for frames is work, too."""

PAUSE = "(ms) => new Promise((resolve) => setTimeout(resolve, ms))"

PAINTED = (
    "time stamp of the real key's event to behind the main thread's part of the frame that shows the step"
)
"""What the figure called painted measures, as it is printed beside it: not what the compositor takes after that."""
PATIENCE_MS = 20_000
OVER = "F10"
BACK = "Alt+Shift+F10"
FRAME_MS = 1000 / 60
GOLDEN_RATIO = (5**0.5 - 1) / 2


@dataclass(frozen=True)
class StepTimes:
    """Of some steps, in milliseconds, and the page's memory after them, in bytes."""

    painted: Sequence[float]
    settled: Sequence[float]
    work: Sequence[float]
    heap: int

    def __str__(self) -> str:
        """As the tests print it."""
        shares = (
            (f"painted ({PAINTED})", self.painted),
            ("settled", self.settled),
            ("main-thread work", self.work),
        )
        told = ", ".join(
            f"{name} {median(found):.1f} / {percentile(found, 99):.1f} ms" for name, found in shares
        )
        return f"{told} (median / p99 of {len(self.painted)}), heap {self.heap / 1e6:.0f} MB"


def percentile(found: Sequence[float], of_hundred: float) -> float:
    """The nearest rank: of 50 the 99th percentile is the longest."""
    ordered = sorted(found)
    return ordered[min(len(ordered) - 1, int(len(ordered) * of_hundred / 100))]


def watch(page: Page) -> None:
    """To be called before the page is opened."""
    page.add_init_script(WATCH)


def step_times(page: Page, keys: Sequence[str]) -> StepTimes:
    """Presses the keys one after the other, each once the page is idle again."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    settle(page)
    painted, settled, work = [], [], []
    for number, key in enumerate(keys):
        page.evaluate(PAUSE, FRAME_MS * (number * GOLDEN_RATIO % 1))
        before = _task_seconds(session)
        page.evaluate(ARM, [key.rpartition("+")[2], PATIENCE_MS])
        page.keyboard.press(key)
        found = page.evaluate("() => stepped")
        assert found["painted"] != float("inf"), "the page does not show the step"
        work.append(1e3 * (_task_seconds(session) - before))
        painted.append(found["painted"])
        settled.append(found["settled"])
    heap = heap_bytes(session)
    session.detach()
    return StepTimes(painted, settled, work, heap)


def _task_seconds(session: CDPSession) -> float:
    found = session.send("Performance.getMetrics")["metrics"]
    return float(next(metric["value"] for metric in found if metric["name"] == "TaskDuration"))


def heap_bytes(session: CDPSession) -> int:
    """Of the page's objects and arrays, once its garbage is collected."""
    session.send("HeapProfiler.enable")
    session.send("HeapProfiler.collectGarbage")
    found = session.send("Runtime.getHeapUsage")
    return int(found["usedSize"] + found.get("backingStorageSize", 0))
