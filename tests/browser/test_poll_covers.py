"""A teacher's own poll: what it asks for is nowhere on a member's page until the answer is shown, and then it is."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage, Record
from tests.browser.lesson_scan import SCAN, units_of
from tests.browser.room_page import answer_poll, ask_class, join, open_room
from tests.browser.settling import settle, show_tab
from tests.server_process import Server

ASKED = 8_642
PROGRAM = f"""func.func @main() -> tensor<3x2xi32> {{
  %x = stablehlo.constant dense<[1, 2, 3, 4, 5, {ASKED // 2}]> : tensor<6xi32>
  %plain = stablehlo.negate %x : tensor<6xi32>
  %double = stablehlo.add %x, %x : tensor<6xi32>
  %table = stablehlo.reshape %double : (tensor<6xi32>) -> tensor<3x2xi32>
  %result = func.call @turn(%table) : (tensor<3x2xi32>) -> tensor<3x2xi32>
  return %result : tensor<3x2xi32>
}}
func.func private @turn(%own: tensor<3x2xi32>) -> tensor<3x2xi32> {{
  %turned = stablehlo.reverse %own, dims = [0] : tensor<3x2xi32>
  return %turned : tensor<3x2xi32>
}}
"""
REPEATS = ("%double", "%table", "%turned", "%result")


def _told(page: Page) -> list[str]:
    """Where the page tells the number."""
    settle(page)
    number = re.compile(rf"(?<!\d){ASKED // 1000},?{ASKED % 1000}(?!\d)")
    return [
        f"{unit.place}: {unit.text}"
        for unit in units_of(page.evaluate(SCAN)["units"])
        if number.search(unit.text)
    ]


@pytest.mark.main_path
def test_no_page_of_a_member_tells_what_a_poll_asks_for(
    record: Record, new_page: NewPage, server: Server
) -> None:
    teacher = record(PROGRAM).page
    code = open_room(teacher)
    teacher.keyboard.press("Escape")
    student = join(new_page(), server, code)
    teacher.keyboard.press("F5")
    expect(student.locator(".where .count")).to_have_text("end of 8 steps")
    assert _told(student)

    teacher.locator(".cm-content").get_by_text("%double").first.click()
    dialog = ask_class(teacher, "A number")
    dialog.get_by_role("combobox", name="Value").select_option(label="%double 6")
    dialog.get_by_role("textbox", name="Element").fill("5")
    dialog.get_by_role("button", name="Ask", exact=True).click()
    expect(student.get_by_role("heading", name="What will %double[5] be?")).to_be_visible()

    # Each value, its thumbnail, its fly-out, and what the other panels show of it.
    for name in REPEATS:
        student.mouse.move(2, 2)
        expect(student.locator(".cm-tooltip")).to_have_count(0)
        student.locator(".cm-content").get_by_text(name).first.click()
        expect(student.locator("#panel-tensor")).to_contain_text(f"{name} is hidden")
        assert _told(student) == []
    thumbnails = student.locator(".strip img")
    expect(thumbnails).to_have_count(len(("%x", "%plain")))
    for tab in ("Variables", "Steps", "Index map", "Provenance", "Tensor"):
        show_tab(student, tab)
        assert _told(student) == []
    student.locator(".cm-content").get_by_text("%table").first.hover()
    expect(student.locator(".cm-tooltip")).to_be_visible()
    assert _told(student) == []
    assert _told(teacher)
    answer_poll(student, "1")

    teacher.get_by_role("button", name="Show results").click()
    expect(student.locator(".room-truth")).to_contain_text(f"Recorded: {ASKED}")
    expect(student.locator("#panel-tensor canvas").first).to_be_visible()
    expect(thumbnails).to_have_count(len(("%x", "%plain", *REPEATS)))
    expect(student.locator(".strip").filter(has_text=str(ASKED))).not_to_have_count(0)
