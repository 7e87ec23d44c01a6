"""What the page shows at telling moments of real programs: `python -m tests.browser.screenshots --all FOLDER` takes pictures of it.

Nothing here is asserted: the pictures are for eyes. A fault that is seen and has a rule becomes a test.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import httpx
from playwright.sync_api import Browser, FilePayload, Page

from tests.bench.steps import new_session
from tests.browser.debugger_page import DebuggerPage, text_of
from tests.browser.grid_programs import MANUAL
from tests.browser.settling import settle, show_tab
from tests.large_programs import gpt2, optimised_hlo
from tests.server_process import ROOT, Server

SIZES: Mapping[str, tuple[int, int]] = {
    "1024": (1024, 768),
    "1280": (1280, 720),
    "1440": (1440, 900),
    "1920": (1920, 1080),
    "phone": (390, 844),
}
Look = Literal["light", "dark", "presenter"]
LOOKS: Sequence[Look] = ("light", "dark", "presenter")
NARROW = 900
PATIENCE_SECONDS = 240

ALL_NAN = """\
func.func @main() -> (tensor<8x12xf32>, tensor<8x12xf32>) {
  %lowest = stablehlo.constant dense<-1.0> : tensor<8x12xf32>
  %root = stablehlo.sqrt %lowest : tensor<8x12xf32>
  %scaled = stablehlo.add %root, %lowest : tensor<8x12xf32>
  return %root, %scaled : tensor<8x12xf32>, tensor<8x12xf32>
}
"""

TUPLES = """\
HloModule tuples_and_long_names

%body_of_the_loop_over_layers.12 (state.1: (s32[], f32[4,16], f32[8,4,16], (f32[16], f32[16]))) -> (s32[], f32[4,16], f32[8,4,16], (f32[16], f32[16])) {
  %state.1 = (s32[], f32[4,16]{1,0}, f32[8,4,16]{2,1,0}, (f32[16]{0}, f32[16]{0})) parameter(0)
  %number_of_the_layer = s32[] get-tuple-element(%state.1), index=0
  %one = s32[] constant(1)
  %number_of_the_next_layer = s32[] add(%number_of_the_layer, %one)
  %activations_of_the_layer_before_this_one.3 = f32[4,16]{1,0} get-tuple-element(%state.1), index=1
  %activations_of_the_layer_before_this_one.4 = f32[4,16]{1,0} tanh(%activations_of_the_layer_before_this_one.3)
  %weights = f32[8,4,16]{2,1,0} get-tuple-element(%state.1), index=2
  %scale_and_shift_of_the_normalisation = (f32[16]{0}, f32[16]{0}) get-tuple-element(%state.1), index=3
  ROOT %tuple.7 = (s32[], f32[4,16]{1,0}, f32[8,4,16]{2,1,0}, (f32[16]{0}, f32[16]{0})) tuple(%number_of_the_next_layer, %activations_of_the_layer_before_this_one.4, %weights, %scale_and_shift_of_the_normalisation)
}

%is_any_layer_left.13 (state.2: (s32[], f32[4,16], f32[8,4,16], (f32[16], f32[16]))) -> pred[] {
  %state.2 = (s32[], f32[4,16]{1,0}, f32[8,4,16]{2,1,0}, (f32[16]{0}, f32[16]{0})) parameter(0)
  %number.2 = s32[] get-tuple-element(%state.2), index=0
  %eight = s32[] constant(8)
  ROOT %is_less = pred[] compare(%number.2, %eight), direction=LT
}

ENTRY %main {
  %params.transformer.layers.11.attention.wqkv = f32[4,16]{1,0} parameter(0)
  %params.transformer.layers.11.attention.output = f32[8,4,16]{2,1,0} parameter(1)
  %scale = f32[16]{0} parameter(2)
  %shift = f32[16]{0} parameter(3)
  %zero = s32[] constant(0)
  %scale_and_shift = (f32[16]{0}, f32[16]{0}) tuple(%scale, %shift)
  %everything_that_the_loop_carries = (s32[], f32[4,16]{1,0}, f32[8,4,16]{2,1,0}, (f32[16]{0}, f32[16]{0})) tuple(%zero, %params.transformer.layers.11.attention.wqkv, %params.transformer.layers.11.attention.output, %scale_and_shift)
  ROOT %result_of_the_loop_over_layers = (s32[], f32[4,16]{1,0}, f32[8,4,16]{2,1,0}, (f32[16]{0}, f32[16]{0})) while(%everything_that_the_loop_carries), condition=%is_any_layer_left.13, body=%body_of_the_loop_over_layers.12
}
"""

BROKEN = """\
func.func @main(%x: tensor<4x6xf32>, %y: tensor<6x4xf32>) -> tensor<4x6xf32> {
  %a = stablehlo.tanh %x : tensor<4x6xf32>
  %b = stablehlo.add %a, %y : tensor<4x6xf32>
  %c = stablehlo.abss %b : tensor<4x6xf32>
  return %c : tensor<4x6xf32>
}
"""


def _softmax_training_step() -> str:
    return (ROOT / "tests" / "data" / "unshifted_softmax_step.mlir").read_text("utf-8")


Prepare = Callable[[Page], None]


def _is_narrow(page: Page) -> bool:
    size = page.viewport_size
    assert size
    return size["width"] < NARROW


def show(panel: str, pane: str = "Stage") -> Prepare:
    """Brings a panel to the front, whether it is a tab, in a drawer, behind the tab of a phone's pane or before an audience."""

    def prepare(page: Page) -> None:
        settle(page)
        if page.locator(".presenter-bar").count():
            page.get_by_role("button", name="Choose the panel that is shown").click()
            page.get_by_role("menuitemradio", name=panel, exact=True).click()
            settle(page)
            return
        if _is_narrow(page):
            page.get_by_role("tab", name=pane, exact=True).click()
        drawer = page.locator(".drawer .strip").get_by_role("button", name=re.compile(f"^{panel}"))
        if pane == "Inspector" and drawer.count():
            drawer.first.click()
        else:
            show_tab(page, panel)
        settle(page)

    return prepare


def as_it_is(page: Page) -> None:
    """What one sees first."""
    settle(page)


def in_turn(*parts: Prepare) -> Prepare:
    """One after the other."""

    def prepare(page: Page) -> None:
        for part in parts:
            part(page)
            settle(page)

    return prepare


def keys(key: str, times: int = 1) -> Prepare:
    """Presses a key of the whole page so many times."""

    def prepare(page: Page) -> None:
        for _ in range(times):
            page.keyboard.press(key)
            settle(page)

    return prepare


def click(selector: str) -> Prepare:
    """Clicks in the middle of the first element that is found."""

    def prepare(page: Page) -> None:
        settle(page)
        page.locator(selector).first.click()
        settle(page)

    return prepare


def typed(field: str, *lines: str) -> Prepare:
    """Types lines into a field that completes, each with Enter."""

    def prepare(page: Page) -> None:
        for line in lines:
            settle(page)
            page.get_by_role("combobox", name=field).click()
            page.keyboard.type(line)
            page.keyboard.press("Enter")

    return prepare


def named(button: str) -> Prepare:
    """Clicks the first button of this name."""

    def prepare(page: Page) -> None:
        settle(page)
        page.get_by_role("button", name=button).first.click()
        settle(page)

    return prepare


def _kind_breakpoint(page: Page) -> None:
    """A breakpoint on a kind of op, and its fields."""
    named("Add a breakpoint")(page)
    page.get_by_role("menuitem", name=re.compile("^op of a kind")).first.click()
    settle(page)


def _uses(page: Page) -> None:
    page.keyboard.press("Control+p")
    page.keyboard.type("uses %arg2")


def _choose_middle(page: Page) -> None:
    page.locator(".tensor-frame canvas").first.click()


def _point_at_result(page: Page) -> None:
    page.locator('.index-tensor[data-side="result"] canvas').first.click()


def _data_moving(page: Page) -> None:
    page.get_by_role("tab", name="Data moving").or_(page.get_by_role("button", name="Data moving")).click()


def _first_finding(page: Page) -> None:
    page.locator(".finding-row").first.get_by_role("button").first.click()


def _compare(page: Page) -> None:
    other = text_of("mlp").replace("stablehlo.maximum", "stablehlo.minimum", 1)
    file: FilePayload = {"name": "other.mlir", "mimeType": "text/plain", "buffer": other.encode()}
    page.get_by_label("A program to add").set_input_files(file)
    page.locator(".compare-sentence").get_by_text(re.compile("values")).wait_for()


@dataclass(frozen=True)
class StepView:
    """A session at one step, and what is then brought to the front."""

    name: str
    program: str
    step: int
    prepare: Prepare = as_it_is
    looks: Sequence[Look] = LOOKS
    sizes: Sequence[str] = ("1280", "1440", "1920", "phone")


PROGRAMS: Mapping[str, Callable[[], str]] = {
    "mlp": lambda: text_of("mlp"),
    "gpt2": gpt2,
    "hlo": lambda: optimised_hlo(6_000),
    "grid": lambda: MANUAL,
    "nan": _softmax_training_step,
    "all-nan": lambda: ALL_NAN,
    "tuples": lambda: TUPLES,
    "softmax": lambda: text_of("softmax"),
    "train": lambda: text_of("mlp_train_step"),
    "block": lambda: text_of("transformer_block"),
    "newton": lambda: text_of("newton"),
}

WATCHED = ("%guess * %guess - %number", "%quotient", "%nowhere")
"""A scalar with a curve, one that is there in the body alone, and a mistake."""

TWO_LOOKS: Sequence[Look] = ("light", "dark")
A_FEW = ("1280", "1440", "phone")

MOMENTS: Sequence[StepView] = (
    StepView("mlp", "mlp", 9),
    StepView("mlp-value", "mlp", 20, in_turn(show("Tensor"), _choose_middle)),
    StepView("mlp-index", "mlp", 4, in_turn(show("Index map"), _point_at_result)),
    StepView("mlp-element", "mlp", 0, in_turn(show("Tensor"), _choose_middle, keys("Shift+Enter"))),
    StepView("mlp-bits", "mlp", 4, in_turn(show("Tensor"), _choose_middle, click(".tensor-bits summary"))),
    StepView("mlp-op", "mlp", 4, show("Op"), TWO_LOOKS, A_FEW),
    StepView("mlp-steps", "mlp", 9, show("Steps", "Inspector"), TWO_LOOKS, A_FEW),
    StepView("mlp-compare", "mlp", 9, in_turn(show("Compare"), _compare), TWO_LOOKS, A_FEW),
    StepView("gpt2", "gpt2", 215),
    StepView("gpt2-index", "gpt2", 185, in_turn(show("Index map"), _point_at_result)),
    StepView("gpt2-variables", "gpt2", 800, show("Variables", "Inspector")),
    StepView("gpt2-steps", "gpt2", 800, show("Steps", "Inspector"), TWO_LOOKS),
    StepView("hlo", "hlo", 802),
    StepView("hlo-index", "hlo", 809, in_turn(show("Index map"), _point_at_result)),
    StepView("hlo-variables", "hlo", 802, show("Variables", "Inspector")),
    StepView("grid", "grid", 4, show("Grid")),
    StepView("grid-moving", "grid", 3, in_turn(show("Grid"), _data_moving)),
    StepView("grid-tensor", "grid", 4, show("Tensor")),
    StepView("nan", "nan", 3),
    StepView("nan-findings", "nan", 3, in_turn(show("Findings", "Inspector"), _first_finding)),
    StepView("all-nan", "all-nan", 2, show("Tensor"), TWO_LOOKS, A_FEW),
    StepView(
        "nan-provenance",
        "nan",
        16,
        in_turn(show("Tensor"), _choose_middle, show("Provenance"), named("All the way")),
    ),
    StepView("train-memory", "train", 128, show("Memory")),
    StepView("train-profile", "train", 60, show("Profile")),
    StepView("train-graph", "train", 60, show("Graph")),
    StepView("train-precision", "train", 60, in_turn(show("Precision"), named("Run in more digits"))),
    StepView("train-uses", "train", 60, _uses, TWO_LOOKS, A_FEW),
    StepView("train-inputs", "train", 0, named("Random inputs"), TWO_LOOKS, A_FEW),
    StepView("block", "block", 60),
    StepView("block-graph", "block", 60, show("Graph"), TWO_LOOKS),
    StepView(
        "newton-watch",
        "newton",
        20,
        in_turn(show("Watch", "Inspector"), typed("New watch expression", *WATCHED)),
        TWO_LOOKS,
    ),
    StepView(
        "newton-breakpoints",
        "newton",
        20,
        in_turn(show("Breakpoints", "Inspector"), _kind_breakpoint),
        TWO_LOOKS,
    ),
    StepView(
        "newton-console",
        "newton",
        20,
        in_turn(keys("Control+`"), typed("Expression or command", *WATCHED)),
        TWO_LOOKS,
    ),
    StepView("tuples", "tuples", 40, show("Tensor"), TWO_LOOKS, A_FEW),
    StepView("tuples-variables", "tuples", 40, show("Variables", "Inspector"), TWO_LOOKS, A_FEW),
)


@dataclass(frozen=True)
class Place:
    """A page beside those of sessions."""

    name: str
    path: str
    prepare: Prepare = as_it_is


def _recent(page: Page) -> None:
    """Several sessions that were looked at, one of them pinned."""
    origin = page.url.rstrip("/")
    for title, steps in (("MLP, forward", 12), ("Softmax", 5), ("Transformer block", 30), ("Newton", 4)):
        DebuggerPage.example(page, title)
        for _ in range(steps):
            page.keyboard.press("F10")
        settle(page)
        page.goto(origin)
        settle(page)
    page.get_by_role("button", name=re.compile("^Pin ")).nth(1).click()


def _broken(page: Page) -> None:
    page.get_by_role("textbox").first.fill(BROKEN)
    page.get_by_role("button", name="Open in the debugger").click()
    page.wait_for_url(re.compile("/s/"))
    settle(page)


def _unread(page: Page) -> None:
    page.get_by_role("textbox").first.fill(BROKEN.replace("tensor<4x6xf32>\n  %c", "tensor<4x6xf32\n  %c"))
    page.get_by_role("button", name="Open in the debugger").click()
    page.wait_for_url(re.compile("/s/"))
    settle(page)


PLACES: Sequence[Place] = (
    Place("home", "/"),
    Place("home-recent", "/", _recent),
    Place("parse-error", "/", _unread),
    Place("errors", "/", _broken),
    Place("ops", "/ops"),
    Place("op-gather", "/ops/gather"),
    Place("playground", "/playground"),
    Place("playground-gather", "/playground/gather", _point_at_result),
    Place("playground-convolution", "/playground/convolution"),
    Place("help", "/help"),
    Place("help-tutorial", "/help/tutorial"),
    Place("help-glossary", "/help/glossary"),
    Place("settings", "/-/settings"),
    Place("api", "/-/api"),
)


ON_A_BEAMER: Sequence[tuple[str, Look]] = (("1280", "light"), ("1024", "presenter"), ("phone", "dark"))
"""A student's laptop, the room's screen, a student's phone in the evening."""


def _lessons(browser: Browser, server: Server, wanted: re.Pattern[str]) -> Iterator[tuple[str, Page]]:
    """Each step of each lesson."""
    for title in httpx.get(
        f"{server.origin}/api/lessons", headers=_signed_in(server), timeout=PATIENCE_SECONDS
    ).json():
        lesson = title["name"]
        for size, look in ON_A_BEAMER:
            names = {f"lesson-{lesson}-{at}-{step}-{size}-{look}": step for at, step in enumerate(title["steps"], 1)}  # fmt: skip
            names = {name: step for name, step in names.items() if wanted.search(name)}
            if not names:
                continue
            page = _page(browser, server, size, look)
            for name, step in names.items():
                page.goto(f"{server.origin}/lessons/{lesson}#{step}")
                settle(page, PATIENCE_SECONDS)
                yield name, page
                page.goto("about:blank")
            page.context.close()


def _rooms(browser: Browser, server: Server, wanted: re.Pattern[str]) -> Iterator[tuple[str, Page]]:
    """A lesson in a room, as its teacher, a student and the screen have it."""
    if not any(wanted.search(f"room-{who}-{size}-{look}") for who in WHO for size, look in ON_A_BEAMER):
        return
    body = {"lesson": "shapes-and-broadcasting"}
    told = httpx.post(
        f"{server.origin}/api/rooms", json=body, headers=_signed_in(server), timeout=PATIENCE_SECONDS
    ).json()
    for who, part in WHO.items():
        for size, look in ON_A_BEAMER:
            name = f"room-{who}-{size}-{look}"
            if wanted.search(name):
                page = _page(browser, server, size, look)
                page.goto(server.origin + (told["owner_url"] if who == "teacher" else told["url"] + part))
                page.get_by_role("region", name="Room", exact=True).wait_for()
                yield from _prepared(name, page, as_it_is)


WHO: Mapping[str, str] = {"teacher": "", "student": "", "screen": "?screen"}


def _signed_in(server: Server) -> dict[str, str]:
    answer = httpx.get(server.url, timeout=PATIENCE_SECONDS)
    cookie = answer.headers["set-cookie"].partition(";")[0]
    return {"Cookie": cookie, "Origin": server.origin}


def taken(browser: Browser, server: Server, only: str) -> Iterator[tuple[str, Page]]:
    """Names of pictures in which `only`, a regular expression, is found, and pages that show them."""
    sessions: dict[str, str] = {}
    wanted = re.compile(only)
    yield from _lessons(browser, server, wanted)
    yield from _rooms(browser, server, wanted)
    for moment in MOMENTS:
        for name, size, look in _variants(moment.name, moment.sizes, moment.looks):
            if not wanted.search(name):
                continue
            if moment.program not in sessions:
                sessions[moment.program] = new_session(server, PROGRAMS[moment.program]())
            page = _page(browser, server, size, look)
            page.goto(f"{server.origin}{sessions[moment.program]}?step={moment.step}")
            DebuggerPage(page).at_step(moment.step)
            settle(page, PATIENCE_SECONDS)
            yield from _prepared(name, page, moment.prepare)
    for place in PLACES:
        for name, size, look in _variants(place.name, ("1440", "phone"), TWO_LOOKS):
            if wanted.search(name):
                page = _page(browser, server, size, look)
                page.goto(server.origin + place.path)
                yield from _prepared(name, page, place.prepare)


def _variants(name: str, sizes: Sequence[str], looks: Sequence[Look]) -> Iterator[tuple[str, str, Look]]:
    for size in sizes:
        for look in looks:
            yield f"{name}-{size}-{look}", size, look


def _prepared(name: str, page: Page, prepare: Prepare) -> Iterator[tuple[str, Page]]:
    prepare(page)
    settle(page)
    if not _is_narrow(page):
        page.mouse.move(2, 2)
    settle(page)
    yield name, page
    page.context.close()


def _page(browser: Browser, server: Server, size: str, look: Look) -> Page:
    width, height = SIZES[size]
    is_phone = size == "phone"
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if look == "dark" else "light",
        has_touch=is_phone,
        is_mobile=is_phone,
    )
    page = context.new_page()
    if look == "presenter":
        page.add_init_script("localStorage.setItem('hloscope.presenter', 'on')")
    page.goto(server.url)
    return page
