"""Files that are dropped on a session's page: a program opens after a question, arrays become inputs."""

import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Check, Record
from tests.browser.debugger_page import text_of
from tests.browser.dropping import drop_files
from tests.browser.settling import settle


@pytest.mark.main_path
def test_a_program_is_opened_after_a_question_and_arrays_are_inputs(
    page: Page, record: Record, tmp_path: Path, axe: Check
) -> None:
    record(text_of("softmax"))
    path = tmp_path / "other.mlir"
    path.write_text(text_of("mlp"), "utf-8")
    editor, before = page.locator(".cm-content"), page.url
    text = editor.inner_text()
    drop_files(editor, [path])
    question = page.get_by_role("dialog", name="Open other.mlir?")
    expect(question).to_contain_text("stays in the list of sessions")
    axe(page, "dialog")
    question.get_by_role("button", name="Stay here").click()
    expect(question).to_have_count(0)
    assert (page.url, editor.inner_text()) == (before, text)

    arrays = tmp_path / "arrays.npz"
    np.savez(arrays, arg0=np.ones((2, 3), np.float32))
    drop_files(page.locator("#panel-tensor"), [arrays])
    inputs = page.get_by_role("dialog", name=re.compile("^Inputs"))
    expect(inputs.get_by_text(re.compile("arrays.npz"))).to_be_visible()
    page.keyboard.press("Escape")

    editor.click()
    page.keyboard.press("Control+Home")
    page.keyboard.type("// mine")
    drop_files(page.locator("#panel-tensor"), [path])
    expect(question).to_contain_text("keeps its text")
    question.get_by_role("button", name="Open", exact=True).click()
    page.wait_for_url(lambda url: "/s/" in url and url.partition("?")[0] != before.partition("?")[0])
    settle(page)
    expect(page.get_by_role("heading", name="other.mlir")).to_be_visible()
