"""What the parts of the page say of one step agrees, with each other and with the engine's recording.

The marked op is about to run: its operands are there, its results are drawn as a glance ahead. Programs and moves are random.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.grading import FindingReport
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.program import BoundOperation
from tests.browser.debugger_page import DebuggerPage
from tests.browser.grid_programs import LATE
from tests.browser.page_frame import move_panel
from tests.browser.settling import settle, show_tab
from tests.debugger.provenance.generator import Generator
from tests.programs import opened

SHOWN = """() => {
    const all = (selector) => [...document.querySelectorAll(selector)];
    const texts = (selector) => all(selector).map((element) => element.innerText.trim());
    const editor = document.querySelector(".editor").shadowRoot;
    const arrow = editor.querySelector(".mark .arrow")?.getBoundingClientRect();
    const isBeside = (number) => {
        const line = number.getBoundingClientRect();
        return arrow && line.top <= (arrow.top + arrow.bottom) / 2 && (arrow.top + arrow.bottom) / 2 <= line.bottom;
    };
    return {
        count: texts(".where .count").join(), reason: texts(".where .reason").join(),
        outcome: texts(".where .outcome"), outcomeAhead: texts(".where .ahead-word"),
        frame: texts(".frame.current .line"),
        cut: all(".frame .title, .frame .title *").filter((part) => part.scrollWidth > part.clientWidth && part.clientWidth > 0)
            .map((part) => part.innerText),
        marked: [...editor.querySelectorAll(".cm-line.cm-current-op")].map((line) => line.innerText),
        arrow: [...editor.querySelectorAll(".cm-lineNumbers .cm-gutterElement")].filter(isBeside).map((number) => number.textContent),
        steps: all("[role=listbox][aria-label=Steps] [role=option][aria-selected=true]")
            .map((option) => [Number(option.ariaPosInSet), option.innerText]),
        results: all('.variable[data-group="Results"]').map((row) => row.ariaLabel),
        othersAhead: all('.variable.ahead:not([data-group="Results"])').length,
        ahead: all(".variable.ahead, .tensor-header .ahead-word, .strip.ahead").length,
        tabs: texts("[role=tab][aria-selected=true]"),
        operandsAhead: texts('.index-tensor[data-side="operand"] .ahead-word'),
        resultsAhead: texts('.index-tensor[data-side="result"] .ahead-word'),
        detail: texts(".grid-detail").join(), held: texts(".grid-detail dt"), heldValues: texts(".grid-detail dd.value"),
        tensor: texts(".tensor-header .name"), origin: texts(".tensor-header .origin").join(),
        tensorAhead: texts(".tensor-header .ahead-word"),
    };
}"""
"""What the parts of the page say, read at once; `arrow` is the number beside the arrow in the margin."""

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
    recording = opened(text)
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
    "random": generated(1),
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
    if len(recording.tracks) == 1:  # the rows of processes tell ticks
        check_timeline(debugger.page, recording)
    move_panel(debugger.page, "Steps", "below", "Program")  # to be seen beside the variables
    show_tab(debugger.page, "Variables")
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


def check_timeline(page: Page, recording: Recording) -> None:
    """The timeline and the Op panel write an op as all other parts do, without its dialect."""
    page.locator(".timeline .track").hover()
    told = page.locator(".timeline .tip").inner_text()
    found = re.match(r"step ([\d,]+) · line \d+ · (\S+)", told)
    assert found, told
    step = int(found[1].replace(",", ""))
    operation = recording.program.ops[recording.tracks[0].op_of(step)].operation
    assert found[2] == operation.name.rpartition(".")[2]
    current = recording.program.ops[recording.tracks[0].op_of(0)].operation.name
    show_tab(page, "Op")
    expect(page.locator(".op-panel .title")).to_have_text(current.rpartition(".")[2])
    show_tab(page, "Tensor")
    page.mouse.move(0, 0)


def check_step(debugger: DebuggerPage, recording: Recording) -> None:
    """Everything that the page says of the step at which it is."""
    settle(debugger.page)
    shown: dict[str, Any] = debugger.page.evaluate(SHOWN)
    track = recording.tracks[0]
    if shown["count"].startswith("end of"):
        assert shown["count"] == f"end of {track.step_count} steps"
        assert shown["ahead"] == 0
        return
    step = debugger.step
    bound = recording.program.ops[track.op_of(step)]
    line = recording.program.module.source.line_and_column(bound.operation.name_span.start)[0]
    names = [value.name for value in bound.operation.results]
    assert f"line {line}" in shown["reason"]
    assert shown["frame"] == [f"line {line}"]
    assert not shown["cut"]
    assert [*map(bare, shown["marked"])] == [text_line(recording, line)]
    assert shown["arrow"] == [str(line)]
    check_outline(shown, step, bound)
    check_variables(shown, recording, step, bound)
    if names and shown["outcome"]:
        assert f"{names[0]}:" in shown["outcome"][0]
        assert shown["outcomeAhead"] == ["will give"]
    if "Index map" in shown["tabs"]:
        check_index_map(shown, names)
    elif "Grid" in shown["tabs"]:
        check_grid(shown, recording, step, bound)
    elif names:
        assert shown["tensor"] == names[:1]
        assert re.search(rf"step {step}$", shown["origin"])
        assert shown["tensorAhead"] == ["ahead"]
    else:
        assert not shown["tensorAhead"]


def check_variables(shown: dict[str, Any], recording: Recording, step: int, bound: BoundOperation) -> None:
    """Operands are there; results lie ahead, with the values of the engine."""
    labels = shown["results"]
    assert [label.split(":")[0] for label in labels] == [value.name for value in bound.operation.results]
    assert all(label.endswith(", ahead") for label in labels)
    assert shown["othersAhead"] == 0
    for number, label in enumerate(labels):
        value = recording.value(Address(0, "s", step, number))
        if found := re.search(r"(\S+) … (\S+)", label):
            stated = [float(part) for part in found.groups()]
            assert np.allclose(stated, [np.nanmin(value), np.nanmax(value)], rtol=1e-3), label


def check_outline(shown: dict[str, Any], step: int, bound: BoundOperation) -> None:
    """The list of steps marks the step of the engine, with its op."""
    ((position, text),) = shown["steps"]
    assert position == step + 1
    assert bound.operation.name.rpartition(".")[2] in text


def check_index_map(shown: dict[str, Any], names: list[str]) -> None:
    """Operands are there; the results of an op that has not run lie ahead."""
    assert not shown["operandsAhead"]
    assert shown["resultsAhead"] == ["ahead"] * len(names)


def check_grid(shown: dict[str, Any], recording: Recording, step: int, bound: BoundOperation) -> None:
    """A process has no result of the op at which it is; it holds the first operand."""
    assert f"{step} of {recording.tracks[0].step_count}" in shown["detail"]
    held = [value.name for value in bound.operation.operands][:1]
    if held:
        assert shown["held"][-1] == held[0]
    else:
        assert shown["heldValues"] == ["not yet"]


def text_line(recording: Recording, line: int) -> str:
    """The first word of a line of the program."""
    return bare(recording.program.module.source.text.split("\n")[line - 1])


def bare(line: str) -> str:
    """The first word of a line, without a dialect."""
    return line.strip().split(" ")[0].removeprefix("stablehlo.").removeprefix("func.")
