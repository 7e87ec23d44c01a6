"""Findings: what went wrong is named, listed and a way to the step; origins are one key apart."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Check, NewPage, Record
from tests.browser.debugger_page import DebuggerPage
from tests.browser.settling import settle, show_tab
from tests.server_process import ROOT, Server

SOFTMAX_WITHOUT_SHIFT = """\
func.func @main() -> tensor<f32> {
  %logits = stablehlo.constant dense<[[100.0, 1.0, 2.0], [3.0, 4.0, 5.0]]> : tensor<2x3xf32>
  %e = stablehlo.exponential %logits : tensor<2x3xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
  %p = stablehlo.divide %e, %sums : tensor<2x3xf32>
  %loss = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
"""
"""exp(100) is +Inf on line 3, and Inf / Inf a NaN on line 7."""


def open_findings(page: Page) -> None:
    settle(page)
    page.get_by_role("tab", name=re.compile("^Findings")).click()
    settle(page)


@pytest.mark.main_path
def test_what_went_wrong_is_named_listed_and_a_way_there(record: Record, axe: Check) -> None:
    debugger = record(SOFTMAX_WITHOUT_SHIFT)
    page = debugger.page
    expect(page.locator(".status-line")).to_contain_text("First +Inf: line 3, exponential, 1 of 6 elements")
    open_findings(page)
    findings = page.locator(".finding-row")
    expect(findings).to_have_count(2)
    expect(findings.first).to_contain_text("+Inf")
    expect(findings.last).to_contain_text("NaN")
    groups = page.locator(".finding-groups > li")
    expect(groups.first).to_have_text(re.compile(r"^exponential\s+line 3\s*\+Inf 1 of 6 elements, where"))
    expect(groups.last).to_have_text(re.compile(r"^divide\s+line 7\s*NaN 1 of 6 elements, where"))
    axe(page, "#panel-findings")
    expect(page.get_by_role("tab", name=re.compile("^Findings")).locator(".badge")).to_have_text("2")
    page.get_by_role("button", name="Arrange Findings").click()
    found = page.get_by_role("menuitem", name="Help: Findings")
    expect(found).to_have_attribute("target", "_blank")
    expect(found).to_have_attribute("href", re.compile("/help#"))
    page.keyboard.press("Escape")
    findings.last.get_by_role("button").first.click()
    debugger.stopped("line 7")
    expect(page.locator(".tensor-header .name")).to_have_text("%p")
    expect(findings.last).to_have_attribute("aria-current", "step")
    debugger.press("Control+Enter")  # the same program and inputs again
    expect(page.locator(".where .count")).to_contain_text("step 0 of")
    settle(page)
    expect(findings).to_have_count(2)


SCALED = """\
// inputs: dense<1.0>; dense<[[1.0, 2.0], [-3.0, 4.0]]>
func.func @main(%scale: tensor<f32>, %x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %s = stablehlo.broadcast_in_dim %scale, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
  %y = stablehlo.multiply %s, %x : tensor<2x2xf32>
  %z = stablehlo.log %y : tensor<2x2xf32>
  return %z : tensor<2x2xf32>
}
"""


def test_a_finding_leads_to_its_input_row_while_the_tensor_view_is_hidden(record: Record) -> None:
    page = record(SCALED).page
    show_tab(page, "Provenance")
    page.get_by_role("button", name="All the way").click()
    open_findings(page)
    page.locator(".finding-row").first.get_by_role("button").first.click()
    expect(page.locator(".provenance-sentence")).to_contain_text("%z[1, 0]")
    inputs = page.locator(".provenance-rows").filter(has=page.get_by_role("heading", name="Inputs"))
    expect(inputs.locator(".label")).to_have_text(["%x [1, 0]", "%scale"])


MEANT = """\
func.func @main() -> tensor<f32> {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %mask = stablehlo.broadcast_in_dim %lowest, dims = [] : (tensor<f32>) -> tensor<4xf32>
  return %lowest : tensor<f32>
}
"""

MASKED = """\
func.func @main() -> tensor<2xf32> {
  %x = stablehlo.constant dense<[-1.0, 4.0]> : tensor<2xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<2xf32>
  %root = stablehlo.sqrt %x : tensor<2xf32>
  %ok = stablehlo.compare GE, %x, %zero : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %r = stablehlo.select %ok, %root, %zero : tensor<2xi1>, tensor<2xf32>
  return %r : tensor<2xf32>
}
"""
"""The root of -1 is a NaN that select does not take."""


def test_the_toolbar_keys_the_strip_and_filters_know_the_origins(record: Record) -> None:
    debugger = record(SOFTMAX_WITHOUT_SHIFT)
    page = debugger.page
    outcome = page.locator(".where .outcome")
    expect(outcome).to_have_text("%logits: 1 … 100")
    debugger.press("F10")
    expect(outcome).to_have_text("%e: 1 of 6 elements +Inf")
    expect(outcome).to_have_attribute("title", re.compile("^Line 3, exponential: "))
    debugger.press("Alt+Shift+F10")
    debugger.at_step(0)

    debugger.press("F8")
    debugger.at_line(3)
    debugger.press("F8")
    debugger.at_line(7)
    debugger.press("F8")
    debugger.stopped("No harmful NaN or infinity arises after this step.")
    debugger.at_line(7)
    debugger.press("Shift+F8")
    debugger.at_line(3)
    debugger.press("Shift+F8")
    debugger.stopped("No harmful NaN or infinity arises before this step.")

    debugger.press("F5")
    settle(page)
    expect(page.locator(".strip.harmful")).to_have_count(2)
    expect(page.locator(".strip.carried")).to_have_count(3)
    expect(page.locator(".cm-strip .strip").filter(has_text="✖")).to_have_count(2)
    expect(page.locator(".strip.harmful").first).to_have_attribute(
        "title", re.compile("1 of 6 elements became \\+Inf")
    )
    expect(page.locator(".variable .range.carried")).to_have_count(3)

    show_tab(page, "Steps")
    steps = page.get_by_role("option").filter(has=page.get_by_role("img", name="became"))
    expect(steps).to_have_count(2)
    expect(steps.first).to_contain_text("exponential")
    expect(steps.first.get_by_role("img")).to_have_accessible_name("1 of 6 elements became +Inf")
    open_findings(page)
    expect(page.locator(".finding-row")).to_have_count(2)
    filter_box = page.get_by_role("searchbox", name="Filter findings")
    filter_box.fill("nan divide")
    expect(page.locator(".finding-row")).to_have_count(1)
    filter_box.fill("gather")
    expect(page.locator(".findings")).to_contain_text("No matches.")
    filter_box.fill("")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(SOFTMAX_WITHOUT_SHIFT.replace("100.0", "1.0"))
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator(".findings-empty")).to_contain_text("No findings")


GIVEN = """\
// inputs: [[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [[7.0, 8.0, 9.0], [10.0, nan, 12.0]]]; [0.0, -inf, 0.0]
func.func @main(%weights: tensor<2x2x3xf32>, %mask: tensor<3xf32>) -> (tensor<2x2x3xf32>, tensor<3xf32>) {
  %0 = stablehlo.negate %weights : tensor<2x2x3xf32>
  %1 = stablehlo.exponential %mask : tensor<3xf32>
  return %0, %1 : tensor<2x2x3xf32>, tensor<3xf32>
}
"""
"""A weight is NaN, not in the slice that is shown at first; the -Inf of the mask is meant."""


def test_inputs_that_are_not_finite_come_first_and_lead_to_their_element(record: Record, axe: Check) -> None:
    debugger = record(GIVEN)
    page = debugger.page
    expect(page.locator(".status-line")).to_contain_text("%weights holds NaN in 1 of 12 elements.")
    debugger.press("F8")
    debugger.stopped("arises after this step; %weights holds NaN in 1 of 12 elements.")
    open_findings(page)
    inputs = page.get_by_role("list", name="Inputs").locator(".finding-row")
    expect(inputs).to_have_text([re.compile("%weights holds NaN in 1 of 12 elements")])
    expect(page.get_by_role("tab", name=re.compile("^Findings")).locator(".badge")).to_have_text("1")
    axe(page, "#panel-findings")
    page.get_by_role("button", name="1 neutral").click()
    expect(inputs).to_have_count(2)
    expect(inputs.last).to_contain_text("%mask holds -Inf in 1 of 3 elements")
    inputs.first.get_by_role("button").click()
    expect(page.locator(".tensor-header .name")).to_have_text("%weights")
    expect(page.locator(".tensor-readout output")).to_have_text("%weights[1, 1, 1] = NaN")


def test_what_does_no_harm_is_not_reported_as_harmful(record: Record) -> None:
    """A masked NaN, an infinite constant that is spread out, and an infinite input that is meant."""
    debugger = record(MASKED)
    page = debugger.page
    expect(page.locator(".cm-strip .strip.carried")).to_have_count(0)
    open_findings(page)
    expect(page.locator(".findings")).to_contain_text("The only finding is harmless.")
    expect(page.locator(".status-line")).not_to_contain_text("NaN")
    page.get_by_role("button", name="1 masked").click()
    expect(page.locator(".finding-groups > li")).to_have_text(re.compile(r"sqrt\s*line 4"))

    record(MEANT).press("F5")
    settle(page)
    expect(page.locator(".cm-strip .strip.neutral")).to_have_count(2)
    expect(page.locator(".cm-strip .strip.carried")).to_have_count(0)

    record(GIVEN.replace("nan", "11.0"))
    open_findings(page)
    expect(page.locator(".findings")).to_contain_text("The only finding is harmless.")
    expect(page.locator(".status-line")).not_to_contain_text("given")
    debugger.press("F8")
    debugger.stopped("No harmful NaN or infinity arises after this step.")


COUNT_CLICKS = """addEventListener("pointerdown", () => {
    sessionStorage.clicks = Number(sessionStorage.clicks ?? 0) + 1;
}, true)"""
MOST_CLICKS = 8
TRAINING_STEP = ROOT / "tests" / "data" / "unshifted_softmax_step.mlir"


@pytest.mark.main_path
def test_a_file_from_jax_is_opened_and_its_culprit_element_found_in_a_few_clicks(
    new_page: NewPage, server: Server
) -> None:
    """As a new user does: from the opening page, by what the page itself says, to the logit that was too large."""
    page = new_page(viewport={"width": 1280, "height": 720})
    page.add_init_script(COUNT_CLICKS)
    page.goto(server.url)
    page.locator("input[type=file]").set_input_files(TRAINING_STEP)
    page.get_by_role("button", name="Open in the debugger").click()
    page.wait_for_url(re.compile("/s/"))
    debugger = DebuggerPage(page)
    debugger.wait_until_recorded()
    said = page.get_by_role("button", name="Go there. First +Inf: line 17, exponential")
    expect(said).to_contain_text("where %10 is above 88.72")
    said.click()
    debugger.stopped("line 17")
    readout = page.locator(".tensor-readout output")
    expect(readout).to_have_text(re.compile(r"^%11\[\d+, \d+\] = \+Inf$"))
    page.locator(".tensor-readout").get_by_role("button", name="Where did it come from?").click()
    settle(page)
    # The infinity arises here: the finite element of which the op made it is what one asks for.
    expect(page.locator(".provenance-sentence")).to_contain_text(
        re.compile(r"^Nothing that %11\[\d+, \d+\] was computed from is NaN")
    )
    formula = page.locator(".provenance-formula")
    expect(formula).to_have_text(re.compile(r"exp\(%10\[\d+, \d+\] = [\d.]+\) = \+Inf$"))
    reads = page.locator(".provenance-rows").filter(has=page.get_by_role("heading", name="Reads"))
    expect(reads).to_contain_text("line 16")
    assert int(page.evaluate("sessionStorage.clicks")) <= MOST_CLICKS


def test_what_was_not_followed_is_said_and_followed_on_demand(record: Record) -> None:
    """The server had no time to follow the NaN to the end: it is told so here, as it would say it."""
    rest = "1 finding was not fully followed, so that it is not known whether it does harm"
    elsewhere = "host 1 has the elements of %p, which were not looked at"

    def answer(route: Route) -> None:
        found = route.fetch().json() | {"elsewhere": elsewhere}
        if "further=true" not in route.request.url:
            found["rest"] = rest
            found["findings"][-1]["followed"] = False
        route.fulfill(json=found)

    debugger = record("func.func @main() { return }\n")
    page = debugger.page
    page.route(re.compile("/findings(\\?|$)"), answer)
    page.locator(".cm-content").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(SOFTMAX_WITHOUT_SHIFT)
    page.get_by_role("button", name="Run", exact=True).click()
    open_findings(page)
    note = page.locator(".findings-rest")
    expect(note).to_have_text(
        [re.compile(f"^{rest}. Go on$"), re.compile(r"^Host 1 has the elements of %p, .*\.$")]
    )
    expect(page.locator(".finding-row").last).to_contain_text("not fully followed")
    note.get_by_role("button", name="Go on").click()
    expect(note).to_have_text([re.compile("^Host 1 has")])
    expect(page.locator(".finding-row")).to_have_count(2)
    expect(page.locator(".finding-row").last).not_to_contain_text("not followed")
