"""What the parts of the page say of one step agrees, with each other and with the engine's recording.

The marked op is about to run: its operands are there, its results are drawn as a glance ahead. Programs and moves are random.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from hloscope.app.runs.launching import launch
from hloscope.app.runs.stated_inputs import stated_inputs
from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.grading import FindingReport
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.program import BoundOperation
from hloscope.engine.sharded_runs.sharded_inputs import needed_grid
from tests.browser.debugger_page import DebuggerPage
from tests.browser.grid_programs import LATE
from tests.browser.settling import settle, show_tab
from tests.debugger.provenance.generator import Generator
from tests.programs import load_program

LINE_OF_ARROW = """() => {
    const root = document.querySelector(".editor").shadowRoot;
    const { top, bottom } = root.querySelector(".mark .arrow").getBoundingClientRect();
    const isBeside = (number) => {
        const line = number.getBoundingClientRect();
        return line.top <= (top + bottom) / 2 && (top + bottom) / 2 <= line.bottom;
    };
    return [...root.querySelectorAll(".cm-lineNumbers .cm-gutterElement")].find(isBeside)?.textContent;
}"""
"""The number beside the arrow in the margin."""

MOVES = ("F10", "F10", "F11", "F11", "Shift+F11", "Alt+Shift+F10", "Alt+Shift+F11")
LOGARITHM = """
func.func @main(%arg0: tensor<6xf32> loc("params['rate']")) -> tensor<6xf32> {
  %0 = stablehlo.log %arg0 : tensor<6xf32>
  %1 = call @twice(%0) : (tensor<6xf32>) -> tensor<6xf32>
  %2 = stablehlo.log %1 : tensor<6xf32>
  return %2 : tensor<6xf32>
}
func.func private @twice(%y: tensor<6xf32>) -> tensor<6xf32> {
  %0 = stablehlo.add %y, %y : tensor<6xf32>
  return %0 : tensor<6xf32>
}
"""


def recording_of(text: str) -> Recording:
    """The engine's recording of a program that states its inputs."""
    program = load_program(text)
    assert program.entry is not None
    grid = needed_grid(program, program.entry)
    recording = Recording(
        program, launch(program, program.entry, grid, stated_inputs(text), {}, DEFAULT_LIMITS)
    )
    recording.record()
    return recording


def generated(seed: int) -> str:
    """A random program, with inputs that the page draws like the engine."""
    return f"// inputs: {'; '.join(['normal'] * 3 + ['zeros'] * 3)}\n{Generator(seed, 12).text}\n"


FAULTS = 90
MANY = "\n".join(
    [
        "// inputs: each [[1, 2], [3, 4]] | [[5, 6], [7, 8]]",
        "module attributes {mhlo.num_partitions = 2 : i32} {",
        "func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {",
        "  %zero = stablehlo.constant dense<0> : tensor<i32>",
        "  %one = stablehlo.constant dense<1> : tensor<i32>",
        "  %end = stablehlo.constant dense<3> : tensor<i32>",
        "  %loop:2 = stablehlo.while(%i = %zero, %sum = %x) : tensor<i32>, tensor<2x2xf32>",
        "  cond {",
        "    %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>",
        "    stablehlo.return %more : tensor<i1>",
        "  } do {",
        "    %below = stablehlo.negate %x : tensor<2x2xf32>",
        "    %s0 = stablehlo.add %sum, %x : tensor<2x2xf32>",
        *(
            f"    %l{n} = stablehlo.log %below : tensor<2x2xf32>\n"
            f"    %s{n + 1} = stablehlo.add %s{n}, %l{n} : tensor<2x2xf32>"
            for n in range(FAULTS)
        ),
        "    %next = stablehlo.add %i, %one : tensor<i32>",
        f"    stablehlo.return %next, %s{FAULTS} : tensor<i32>, tensor<2x2xf32>",
        "  }",
        "  return %loop#1 : tensor<2x2xf32>",
        "}",
        "}",
        "",
    ]
)
"""Each of two processes has a NaN of each of these logarithms in each of three iterations."""

PROGRAMS = {
    "seed 1": generated(1),
    "seed 2": generated(2),
    "seed 3": generated(3),
    "NaN": f"// inputs: normal{LOGARITHM}",
    "grid": f"// inputs: normal\n{LATE}",
    "many findings": MANY,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_parts_of_the_page_agree(name: str, paste: Callable[[str], DebuggerPage]) -> None:
    text, choice = PROGRAMS[name], random.Random(name)
    recording = recording_of(text)
    debugger = paste(text)
    debugger.wait_until_recorded()
    check_findings(debugger.page, recording)
    if name == "grid":
        show_tab(debugger.page, "Grid")
    for move in range(14):
        if move == 7:
            show_tab(debugger.page, "Index map")
        check_step(debugger, recording)
        debugger.press(choice.choice(MOVES))
        settle(debugger.page)


def check_findings(page: Page, recording: Recording) -> None:
    """The badge, the chip and the heading count the harmful findings of the engine."""
    report = FindingReport(recording)
    grades = [found.grade for found in report.findings] + [found.grade for found in report.bad_inputs]
    harmful = grades.count("harmful")
    tab = page.get_by_role("tab", name=re.compile("^Findings"))
    badge = tab.locator(".badge")
    if not harmful:
        expect(badge).to_have_count(0)
        return
    expect(badge).to_have_text(str(harmful))
    tab.click()
    expect(page.locator(".chip.grade-harmful")).to_contain_text(f"{harmful} harmful")
    expect(page.locator(".finding-row.grade-harmful")).to_have_count(harmful)
    counts = [found.count for found in report.findings if found.grade == "harmful"]
    steps = page.locator(".finding-row.grade-harmful .more", has_text="the first of")
    expect(steps).to_contain_text([f"the first of {count:,} steps" for count in counts if count > 1])
    if "rate" in recording.program.module.source.text:
        expect(page.locator(".finding-row.grade-harmful").first).to_contain_text("%params.rate")
    show_tab(page, "Variables")


def check_step(debugger: DebuggerPage, recording: Recording) -> None:
    """Everything that the page says of the step at which it is."""
    page = debugger.page
    settle(page)
    count = page.locator(".where .count").inner_text()
    track = recording.tracks[0]
    if count.startswith("end of"):
        assert count == f"end of {track.step_count} steps"
        expect(page.locator(".variable.ahead, .tensor-header .ahead-word, .strip.ahead")).to_have_count(0)
        return
    step = debugger.step
    bound = recording.program.ops[track.op_of(step)]
    line = recording.program.module.source.line_and_column(bound.operation.name_span.start)[0]
    names = [value.name for value in bound.operation.results]
    expect(page.locator(".where .reason")).to_contain_text(f"line {line}")
    expect(page.locator(".frame.current .line")).to_have_text(f"line {line}")
    assert line_of(page.locator(".cm-line.cm-current-op")) == text_line(recording, line)
    assert page.evaluate(LINE_OF_ARROW) == str(line)
    check_outline(page, recording, step, bound)
    check_variables(page, recording, step, bound)
    outcome = page.locator(".where .outcome")
    if names and outcome.count():
        expect(outcome).to_contain_text(f"{names[0]}:")
        expect(page.locator(".where .ahead-word")).to_have_text("will give")
    if page.get_by_role("tab", name="Index map", selected=True).count():
        check_index_map(page, names)
    elif page.get_by_role("tab", name="Grid", selected=True).count():
        check_grid(page, recording, step, bound)
    elif names:
        expect(page.locator(".tensor-header .name")).to_have_text(names[0])
        expect(page.locator(".tensor-header .origin")).to_contain_text(re.compile(rf"step {step}$"))
        expect(page.locator(".tensor-header .ahead-word")).to_have_text("ahead")
    else:
        expect(page.locator(".tensor-header .ahead-word")).to_have_count(0)


def check_variables(page: Page, recording: Recording, step: int, bound: BoundOperation) -> None:
    """Operands are there; results lie ahead, with the values of the engine."""
    results = page.locator('.variable[data-group="Results"]')
    labels = [row.get_attribute("aria-label") or "" for row in results.all()]
    assert [label.split(":")[0] for label in labels] == [value.name for value in bound.operation.results]
    assert all(label.endswith(", ahead") for label in labels)
    expect(page.locator('.variable.ahead:not([data-group="Results"])')).to_have_count(0)
    for number, label in enumerate(labels):
        value = recording.value(Address(0, "s", step, number))
        if found := re.search(r"(\S+) … (\S+)", label):
            stated = [float(part) for part in found.groups()]
            assert np.allclose(stated, [np.nanmin(value), np.nanmax(value)], rtol=1e-3), label


def check_outline(page: Page, recording: Recording, step: int, bound: BoundOperation) -> None:
    """The list of steps marks the step of the engine, with its op."""
    show_tab(page, "Steps")
    settle(page)
    chosen = page.get_by_role("listbox", name="Steps").get_by_role("option", selected=True)
    expect(chosen).to_have_attribute("aria-posinset", str(step + 1))
    expect(chosen).to_contain_text(bound.operation.name.rpartition(".")[2])
    show_tab(page, "Variables")
    settle(page)


def check_index_map(page: Page, names: list[str]) -> None:
    """Operands are there; the results of an op that has not run lie ahead."""
    expect(page.locator('.index-tensor[data-side="operand"] .ahead-word')).to_have_count(0)
    words = page.locator('.index-tensor[data-side="result"] .ahead-word')
    expect(words).to_have_text(["ahead"] * len(names))


def check_grid(page: Page, recording: Recording, step: int, bound: BoundOperation) -> None:
    """A process has no result of the op at which it is; it holds the first operand."""
    detail = page.locator(".grid-detail")
    expect(detail).to_contain_text(f"{step} of {recording.tracks[0].step_count}")
    names = detail.locator("dt").all_inner_texts()
    held = [value.name for value in bound.operation.operands][:1]
    if held:
        assert names[-1] == held[0]
    else:
        expect(detail.locator("dd.value")).to_have_text("not yet")


def line_of(current: Locator) -> str:
    """The full text of the marked line, without what a line leaves out."""
    return bare(current.inner_text())


def text_line(recording: Recording, line: int) -> str:
    """The beginning of a line of the program."""
    return bare(recording.program.module.source.text.split("\n")[line - 1])


def bare(line: str) -> str:
    """The first word of a line, without a dialect."""
    return line.strip().split(" ")[0].removeprefix("stablehlo.").removeprefix("func.")
