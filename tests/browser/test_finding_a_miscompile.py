"""docs/finding-a-miscompile.md in the browser: the passes of the dump, and XLA's values beside ours."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser import miscompile
from tests.browser.conftest import Check, OpenPage

pytestmark = pytest.mark.oracle


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bool]:
    """A folder with what the page's programs write, and whether the fault is there."""
    folder = tmp_path_factory.mktemp("miscompile")
    return folder, miscompile.export(folder)


def test_passes_that_change_no_bit(open_page: OpenPage, exported: tuple[Path, bool], axe: Check) -> None:
    page = open_page()
    miscompile.show_passes(page, exported[0])
    expect(page.locator(".dump-sentence")).to_have_text(
        re.compile("^the same values after every pass$", re.I)
    )
    expect(page.locator(".dump-detail")).to_contain_text("same bits Instructions: 3 added.")
    texts = page.get_by_role("listbox", name="Both texts")
    expect(texts).to_contain_text(re.compile(r"%ynn_fusion = f32\[32769\]\{0\} fusion\("))
    for name in ("dot_general", "integer_pow", "reduce_sum"):
        expect(texts.get_by_role("option").filter(has_text=f"%{name}.0 =")).to_have_count(1)
    axe(page)


def test_the_values_of_xla_beside_ours(open_page: OpenPage, exported: tuple[Path, bool], axe: Check) -> None:
    """The fault of jax-ml/jax#39103, and no difference where jaxlib no longer has it."""
    page = open_page()
    folder, has_fault = exported
    miscompile.show_comparison(page, folder, has_fault)
    verdict = page.locator(".compare-origin summary")
    expect(verdict).to_contain_text(
        "not the code that XLA generates for %ynn_fusion" if has_fault else "agrees"
    )
    expect(page.locator(".compare-sentence")).to_contain_text(
        "1 of 9 values differ beyond rounding; first: %8 reduce, line 13, element [32768]"
        if has_fault
        else "same bits"
    )
    axe(page)
