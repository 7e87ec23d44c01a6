"""The page of a dump: from a zip that is dropped to the instruction that is wrong, and into the debugger."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import httpx
import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Check, Complaints, NewPage, OpenPage
from tests.browser.dropping import drop_files
from tests.browser.settling import settle
from tests.passes import folders
from tests.server_process import Server

DROP = """(element, [name, data]) => {
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    const dropped = new DataTransfer();
    dropped.items.add(new File([bytes], name));
    for (const type of ["dragover", "drop"])
        element.dispatchEvent(new DragEvent(type, { dataTransfer: dropped, bubbles: true, cancelable: true }));
}"""


def drop(page: Page, name: str, data: bytes) -> None:
    """Drops a file on the opening page."""
    settle(page)
    page.locator("#program-text").evaluate(DROP, [name, base64.b64encode(data).decode()])


def opened(page: Page) -> Page:
    """The page of a dump, once all of it is known."""
    page.wait_for_url(re.compile("/passes/"))
    expect(page.locator(".dump-sentence")).to_be_visible()
    expect(page.locator(".dump-progress")).to_have_count(0)
    settle(page)
    return page


@pytest.fixture(scope="module")
def dump(server: Server, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The path of a dump whose second run of algsimp swaps operands; it is examined once for all tests that read it."""
    data = folders.zipped(folders.broken(tmp_path_factory.mktemp("broken") / "dump"))
    headers = {"Origin": server.origin, "Cookie": server.cookie}
    answer = httpx.post(
        f"{server.origin}/api/dumps", files={"file": ("dump.zip", data)}, headers=headers, timeout=120
    )
    assert answer.status_code == 201, answer.text
    return str(answer.json()["url"])


@pytest.fixture
def broken(open_page: OpenPage, dump: str) -> Page:
    return opened(open_page(dump))


def row(page: Page, text: str) -> object:
    return page.get_by_role("listbox", name="Passes").get_by_role("option").filter(has_text=text)


@pytest.mark.main_path
def test_from_a_dropped_archive_to_where_a_wrong_element_came_from(
    open_page: OpenPage, axe: Check, tmp_path: Path
) -> None:
    page = open_page()
    drop(page, "dump.zip", folders.zipped(folders.broken(tmp_path / "dump")))
    opened(page)
    expect(page.locator(".dump-sentence")).to_contain_text(
        "algsimp (pass 3, 2nd run) first changed values beyond rounding: %subtract.2 became %subtract.9; element ["
    )
    expect(page.locator(".dump-inputs")).to_contain_text("Inputs from seed 0: tensor<4x4xf32>, tensor<4xf32>")
    passes = page.get_by_role("listbox", name="Passes")
    expect(passes.get_by_role("option", selected=True)).to_have_attribute(
        "aria-label",
        "algsimp, round 2 of simplification (pass 3, 2nd run): wrong, 0 added, 0 removed, 1 changed",
    )
    expect(passes.get_by_role("option").filter(has_text="3 passes changed nothing")).to_be_visible()
    texts = page.get_by_role("listbox", name="Both texts")
    expect(texts.locator(".row.culprit")).to_contain_text("%subtract.2")
    expect(texts.locator(".row.culprit")).to_contain_text("%subtract.9")
    expect(page.locator(".whole-lines mark").first).to_be_visible()
    page.emulate_media(color_scheme="dark")
    axe(page)
    page.emulate_media(color_scheme="light")
    passes.focus()
    passes.press("Enter")
    page.wait_for_url(re.compile(r"/s/[^?]*\?.*compare=1"))
    expect(page.locator(".compare-sentence")).to_contain_text(re.compile("first: %subtract.2 subtract"))
    expect(page.get_by_role("tab", name="run 2")).to_have_attribute("aria-selected", "true")
    settle(page)
    page.get_by_role("button", name="in run 2").click()
    settle(page)
    expect(page.get_by_role("tab", name=re.compile("^Provenance"))).to_have_attribute("aria-selected", "true")
    expect(page.locator(".provenance")).to_contain_text("%subtract.9")
    expect(page.locator(".provenance")).to_contain_text("%multiply.7")


def test_keys_filters_folds_and_other_inputs(broken: Page, axe: Check, tmp_path: Path) -> None:
    page = broken
    passes = page.get_by_role("listbox", name="Passes")
    chosen = passes.get_by_role("option", selected=True)
    passes.focus()
    passes.press("ArrowDown")
    settle(page)
    expect(chosen).to_contain_text("cpu_after_optimizations")
    assert "stage=5" in page.url
    expect(page.locator(".pass-note")).to_contain_text("The texts are identical.")
    passes.press("Home")
    settle(page)
    expect(page.locator(".pass-note")).to_contain_text("This is the first text of the module.")
    passes.get_by_role("option").filter(has_text="3 passes changed nothing").click()
    settle(page)
    expect(passes.get_by_role("option")).to_have_count(6)
    page.get_by_role("button", name="changed only").click()
    settle(page)
    expect(passes.get_by_role("option")).to_have_count(1)
    page.get_by_role("button", name="changed only").click()
    page.get_by_role("button", name="1 wrong").click()
    settle(page)
    expect(passes.get_by_role("option")).to_have_count(1)
    page.get_by_role("button", name="1 wrong").click()
    page.get_by_label("Filter passes").fill("no such pass")
    settle(page)
    expect(page.locator(".dump-rows .empty")).to_be_visible()
    page.get_by_label("Filter passes").fill("")
    page.get_by_role("button", name="Show it").click()
    settle(page)
    expect(chosen).to_contain_text("algsimp")
    page.reload()
    opened(page)
    expect(chosen).to_contain_text("algsimp")
    assert "stage=4" in page.url

    texts = page.get_by_role("listbox", name="Both texts")
    before = texts.get_by_role("option").count()
    texts.get_by_role("option").filter(has_text="lines without a changed instruction").click()
    settle(page)
    assert texts.get_by_role("option").count() > before
    expect(texts).to_contain_text("HloModule jit_f")
    texts.get_by_role("option").filter(has_text="%multiply.7 =").first.click()
    settle(page)
    expect(page.locator(".whole-lines")).to_contain_text('op_name="jit(f)/mul"')

    page.get_by_role("button", name="Other inputs").click()
    settle(page)
    axe(page)
    page.get_by_label("Seed").fill("5")
    page.get_by_role("button", name="Run on this seed").click()
    expect(page.locator(".dump-inputs")).to_contain_text("Inputs from seed 5")
    opened(page)
    expect(page.locator(".dump-sentence")).to_contain_text("algsimp (pass 3, 2nd run)")
    np.savez(tmp_path / "ones.npz", x=np.ones((4, 4), np.float32), b=np.ones(4, np.float32))
    page.get_by_role("button", name="Other inputs").click()
    page.get_by_label("A file of arrays").set_input_files(tmp_path / "ones.npz")
    expect(page.locator(".dump-inputs")).to_contain_text("Inputs from ones.npz")


def test_every_state_of_the_page_is_accessible_on_a_phone(
    new_page: NewPage, server: Server, axe: Check, tmp_path: Path
) -> None:
    folder = folders.broken(tmp_path / "dump")
    (folder / "module_0001.jit_f.cpu_after_optimizations-buffer-assignment.txt").write_text(
        "BufferAssignment:\nallocation 0: size 64, parameter 0, shape |f32[4,4]|:\n"
        " value: <0 x.1 @0> (size=64,offset=0): f32[4,4]{1,0}\n"
    )
    (folder / "module_0001.jit_f.f.ll").write_text("; ModuleID = 'f'\ndefine void @f()\n")
    (folder / "module_0001.jit_f.obj-file.o").write_bytes(b"\x7fELF\0")
    page = new_page(viewport={"width": 390, "height": 844})
    page.goto(server.url)
    drop(page, "dump.zip", folders.zipped(folder))
    opened(page)
    axe(page)
    page.get_by_role("option").filter(has_text="before_optimizations").click()
    settle(page)
    axe(page, ".dump-detail")
    page.get_by_role("tab", name="Other files").click()
    settle(page)
    for name, shown in (
        ("buffer-assignment", "parameter 0"),
        ("f.ll", "define void"),
        ("obj-file", "not shown"),
    ):
        page.get_by_role("listbox", name="Files").get_by_role("option").filter(has_text=name).click()
        settle(page)
        expect(page.locator(".dump-detail")).to_contain_text(shown)
    axe(page)


def test_a_folder_is_packed_and_listed_among_recent_sessions(
    open_page: OpenPage, tmp_path: Path, axe: Check
) -> None:
    page = open_page()
    folder = folders.healthy(tmp_path / "my dump")
    settle(page)
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose a folder").click()
    chooser.value.set_files(folder)
    opened(page)
    expect(page.get_by_role("heading", name="my dump")).to_be_visible()
    expect(page.locator(".dump-sentence")).to_have_text("the same values after every pass")
    page.get_by_role("link", name="hloscope").click()
    settle(page)
    card = (
        page.get_by_role("region", name="Recent sessions").get_by_role("listitem").filter(has_text="my dump")
    )
    expect(card).to_contain_text("the same values after every pass")
    axe(page, ".recent-sessions")
    card.get_by_role("button", name="Rename my dump").click()
    page.get_by_label("Name of the session").fill("layer 3")
    page.get_by_label("Name of the session").press("Enter")
    settle(page)
    card = (
        page.get_by_role("region", name="Recent sessions").get_by_role("listitem").filter(has_text="layer 3")
    )
    card.get_by_role("link", name="layer 3").click()
    opened(page)
    expect(page.get_by_role("heading", name="layer 3")).to_be_visible()
    page.go_back()
    settle(page)
    card.get_by_role("button", name="Delete layer 3").click()
    expect(card).to_contain_text("Delete this dump permanently?")
    card.get_by_role("button", name="Delete", exact=True).click()
    expect(card).to_have_count(0)


def test_memory_of_two_dumps_is_compared_with_links_to_their_lines(
    open_page: OpenPage, axe: Check, tmp_path: Path
) -> None:
    texts = {"before": folders.text("subtract(%multiply.7, %broadcast.1)"), "after": folders.text()}
    for name, text in texts.items():
        page = open_page()
        drop(page, f"{name}.zip", folders.zipped(folders.write_dump(tmp_path / name, [text])))
        opened(page)
    page.get_by_role("tab", name="Compare memory").click()
    axe(page, "#dump-list")
    page.get_by_role("listbox", name="Other dumps").get_by_role("option").filter(
        has_text="before.zip"
    ).click()
    peak = page.locator(".memory-changes").get_by_role("row").filter(has_text="peak")
    expect(peak).to_have_text("peak208 B272 B+64 B, +30.8 %")
    axe(page, ".dump-detail")
    page.reload()
    expect(peak).to_be_visible()
    link = page.get_by_role("link", name="%subtract.2")
    line = (
        texts["before"]
        .splitlines()
        .index(next(x for x in texts["before"].splitlines() if "%subtract.2 =" in x))
    )
    expect(link).to_have_text(f"%subtract.2, line {line + 1}")
    link.click()
    expect(page.get_by_role("option", selected=True).filter(has_text="%subtract.2 =")).to_be_visible()


def test_an_examination_can_be_stopped_and_begun_again(open_page: OpenPage, axe: Check) -> None:
    page = open_page()
    drop(page, "slow.zip", folders.slow())
    page.wait_for_url(re.compile("/passes/"))
    progress = page.locator(".dump-progress")
    expect(progress).to_contain_text("Running stages")
    expect(page.get_by_role("listbox", name="Both texts")).to_contain_text("constant(2000000001)")
    page.get_by_role("button", name="Stop").click()
    expect(progress).to_contain_text("It was stopped.")
    settle(page)
    axe(page, ".dump-progress")
    page.get_by_role("button", name="Run again").click()
    expect(progress).to_contain_text("Running stages")
    page.get_by_role("button", name="Stop").click()
    expect(progress).to_contain_text("It was stopped.")


def test_what_is_no_dump_is_told(open_page: OpenPage, complaints: Complaints, tmp_path: Path) -> None:
    complaints.allow("422|404")
    page = open_page()
    drop(page, "notes.zip", b"no archive")
    expect(page.locator("#program-said")).to_contain_text("notes.zip is neither a zip nor a tar archive")
    (tmp_path / "nothing").mkdir()
    settle(page)
    drop_files(page.locator("#program-text"), [tmp_path / "nothing"])
    expect(page.locator("#program-said")).to_contain_text("nothing is empty.")
    open_page("/passes/nothing")
    expect(page.locator("body")).to_contain_text("There is no such dump.")


def test_a_folder_and_several_files_that_are_dropped_are_read_with_all_that_is_in_them(
    open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page()
    folder = folders.healthy(tmp_path / "my dump")
    (folder / "module_0001.jit_f").mkdir()
    (folder / "module_0001.jit_f" / "compile_options.textproto").write_text("num_replicas: 1\n")
    for number in range(130):  # Chromium lists a folder a hundred entries at a time
        (folder / f"note_{number:03}.txt").write_text("a note\n")
    settle(page)
    drop_files(page.locator("#program-text"), [folder])
    opened(page)
    expect(page.get_by_role("heading", name="my dump")).to_be_visible()
    expect(page.locator(".dump-sentence")).to_have_text("the same values after every pass")
    expect(page.get_by_role("tab", name="Other files")).to_contain_text("131")

    open_page()
    files = folders.healthy(tmp_path / "dump")
    settle(page)
    drop_files(page.locator("#program-text"), sorted(files.iterdir()))
    opened(page)
    expect(page.get_by_role("heading", name="6 files")).to_be_visible()
    expect(page.locator(".dump-sentence")).to_have_text("the same values after every pass")


@pytest.mark.oracle
def test_protocol_buffers_are_opened_alone_and_as_a_dump(open_page: OpenPage, tmp_path: Path) -> None:
    dump = folders.of_protocol_buffers(tmp_path / "dump")
    page = open_page()
    settle(page)
    drop_files(page.locator("#program-text"), [dump])
    opened(page)
    expect(page.locator(".dump-sentence")).to_contain_text(
        "the same values after every pass", ignore_case=True
    )
    expect(page.locator(".whole-lines, .dump-texts").first).to_be_visible()
    page = open_page()
    settle(page)
    drop_files(page.locator("#program-text"), [min(dump.iterdir())])
    page.wait_for_url(re.compile("/s/"))
    expect(page.locator(".cm-content")).to_contain_text("ENTRY")
