"""What comes out of the printer: nothing that is pressed, nothing cut, light, the program with its current line, vectors."""

from __future__ import annotations

import re
import zlib
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Check, OpenPage, Record
from tests.browser.settling import settle

LINES = 90
PROGRAM = "\n".join(
    [
        "func.func @main(%x: tensor<4x6xf32>) -> tensor<6x4xf32> {",
        "  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>",
        *(f"  %{n + 1} = stablehlo.add %{n}, %{n} : tensor<6x4xf32>" for n in range(LINES)),
        f"  return %{LINES} : tensor<6x4xf32>",
        "}",
        "",
    ]
)
ON_PAPER = """() => [...document.body.querySelectorAll("button, select, nav, header.site, [role=toolbar]")].filter((element) => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && !element.closest(".op-choice");
}).map((element) => element.outerHTML.slice(0, 80))"""
SCROLLS = """() => [...document.querySelectorAll("body *")].filter((element) => {
    const { overflowX, overflowY, visibility } = getComputedStyle(element);
    const cut = (overflowX !== "visible" && element.scrollWidth > element.clientWidth + 1)
        || (overflowY !== "visible" && element.scrollHeight > element.clientHeight + 1);
    return element.clientWidth > 1 && visibility === "visible" && cut;
}).map((element) => element.outerHTML.slice(0, 80))"""


def _pages(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def _streams(pdf: bytes) -> bytes:
    """What is drawn on all pages, unpacked."""
    found = b""
    for match in re.finditer(rb"stream\r?\n", pdf):
        try:
            found += zlib.decompressobj().decompress(pdf[match.end() :])
        except zlib.error:
            continue
    return found


@pytest.mark.main_path
def test_a_handout_has_the_program_and_vectors_and_so_has_the_printed_debugger(
    record: Record, axe: Check, tmp_path: Path
) -> None:
    debugger = record(PROGRAM)
    page = debugger.page
    for _ in range(2):
        page.keyboard.press("F10")
    settle(page)
    page.get_by_role("button", name="Share", exact=True).click()
    with page.context.expect_page() as opened:
        page.get_by_role("menuitem", name=re.compile("^Print a handout")).click()
    handout = opened.value
    handout.wait_for_load_state()
    axe(handout)
    expect(handout.locator("li.current")).to_contain_text("%2 = stablehlo.add %1")
    expect(handout.locator(".program li")).to_have_count(LINES + 4)
    assert handout.locator("script").count() == 0
    pdf = handout.pdf(path=tmp_path / "handout.pdf", format="A4")
    assert 2 <= _pages(pdf) <= 5
    # No picture of pixels: rectangles and letters.
    assert b"/Subtype /Image" not in pdf
    assert _streams(pdf).count(b" re\n") + _streams(pdf).count(b" re ") > 24
    expect(handout.get_by_role("link", name="Back to the debugger")).to_be_visible()
    handout.emulate_media(media="print")
    expect(handout.get_by_role("link", name="Back to the debugger")).to_be_hidden()
    handout.close()
    debugger.press("Alt+Shift+F10")
    for theme in ("dark", "contrast"):
        _prints(page, theme, tmp_path)


def _prints(page: Page, theme: str, tmp_path: Path) -> None:
    page.evaluate("(theme) => (document.documentElement.dataset.theme = theme)", theme)
    settle(page)
    pdf = page.pdf(path=tmp_path / f"{theme}.pdf", format="A4")
    assert 2 <= _pages(pdf) <= 4
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    printed = page.locator("#printed")
    expect(printed.locator("li")).to_have_count(LINES + 4)
    expect(printed.locator("li.current")).to_contain_text("%1 = stablehlo.add")
    source = printed.locator("img").get_attribute("src") or ""
    assert source.startswith("data:image/svg+xml;base64,")
    assert (
        printed.locator("img").evaluate("(picture) => picture.decode().then(() => picture.naturalWidth)")
        == 760
    )
    assert page.evaluate(ON_PAPER) == []
    assert page.locator("body").evaluate("(body) => getComputedStyle(body).color") == "rgb(26, 30, 35)"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="null")  # "screen" would hold for the next print, too
    expect(printed).to_be_hidden()


@pytest.mark.parametrize("path", ["/ops/stablehlo.gather", "/help/findings", "/playground/gather"])
def test_pages_print_without_what_is_pressed_and_cut_nothing(open_page: OpenPage, path: str) -> None:
    page = open_page(path)
    settle(page)
    page.set_viewport_size({"width": 690, "height": 1000})  # as wide as paper
    page.emulate_media(media="print")
    settle(page)
    assert page.evaluate(ON_PAPER) == []
    assert page.evaluate(SCROLLS) == []
    for lines in page.locator(".cm-content").all():  # which is in a tree of its own
        assert lines.evaluate("(text) => text.offsetWidth <= text.parentElement.clientWidth")
    page.emulate_media(media="screen")
    assert page.evaluate(ON_PAPER) != []
