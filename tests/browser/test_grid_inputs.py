"""The dialog of inputs, of a program that runs on several processes."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.app.grid_programs import PARTITIONED, SUM_OF_PAIRS
from tests.browser.conftest import Check, Record


def run_info(page: Page) -> Any:
    """The session's run, as the server has it."""
    return page.evaluate(
        "async () => (await (await fetch(location.pathname.replace('/s/', '/api/sessions/'))).json()).run"
    )


@pytest.mark.main_path
def test_each_process_gets_a_value_of_its_own(record: Record, axe: Check) -> None:
    page = record(SUM_OF_PAIRS).page
    page.get_by_role("button", name="Inputs").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("4 processes, as the program says")
    dialog.get_by_label("How processes get argument 0, x").select_option("each")
    axe(page, "dialog")
    for process in range(4):
        label = f"argument 0, x, process ({process}, 0)"
        dialog.get_by_label(f"Source of {label}").select_option("dense")
        dialog.get_by_label(f"Numbers of {label}").fill(f"[{process}, 1]")
    dialog.get_by_role("button", name="Run with these inputs").click()
    expect(dialog).to_have_count(0)
    run = run_info(page)
    assert run["grid"] == {"replicas": 4, "partitions": 1}
    assert [spec["text"] for spec in run["arguments"][0]["input"]["specs"]] == [f"[{n}, 1]" for n in range(4)]


def test_another_grid_is_chosen_and_kept(record: Record) -> None:
    page = record(SUM_OF_PAIRS).page
    page.get_by_role("button", name="Inputs").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Partitions").fill("2")
    dialog.get_by_label("Partitions").blur()
    expect(dialog).to_contain_text("8 processes, the program says 4 × 1")
    dialog.get_by_role("button", name="Run with these inputs").click()
    expect(dialog).to_have_count(0)
    assert run_info(page)["processes"] == 8
    page.get_by_role("button", name="Inputs").click()
    expect(dialog.get_by_label("Partitions")).to_have_value("2")
    dialog.get_by_label("Replicas").fill("400")
    dialog.get_by_label("Replicas").blur()
    dialog.get_by_role("button", name="Run with these inputs").click()
    expect(dialog.get_by_role("alert")).to_contain_text("max_processes allows 256")
    dialog.get_by_role("button", name="As the program says").click()
    expect(dialog.get_by_label("Replicas")).to_have_value("4")


def test_what_is_cut_is_given_whole(record: Record) -> None:
    page = record(PARTITIONED).page
    page.get_by_role("button", name="Inputs").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("a part of f32[8]")
    dialog.get_by_label("Source of argument 0, part").select_option("dense")
    typed = dialog.get_by_label("Numbers of argument 0, part")
    typed.fill("[1, 2]")
    expect(dialog.locator(".alarm")).to_be_visible()
    dialog.get_by_label("How processes get argument 0, part").select_option("same")
    expect(dialog.locator(".alarm")).to_have_count(0)
    dialog.get_by_label("How processes get argument 0, part").select_option("one")
    typed.fill("[1, 2, 3, 4, 5, 6, 7, 8]")
    expect(dialog.locator(".alarm")).to_have_count(0)
    dialog.get_by_role("button", name="Run with these inputs").click()
    expect(dialog).to_have_count(0)
    assert run_info(page)["arguments"][0]["input"] == {"kind": "dense", "text": "[1, 2, 3, 4, 5, 6, 7, 8]"}
