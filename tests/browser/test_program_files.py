"""Files of programs that are no text, chosen or dropped on the opening page."""

from __future__ import annotations

import gzip
import io
import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Page, Route, expect

from tests.app.export.test_saved_recording import saved
from tests.app.runs.formats.test_recognising import DATA, MADE
from tests.app.serving import ADD
from tests.browser.conftest import Check, Complaints
from tests.browser.dropping import drop_files
from tests.browser.settling import settle
from tests.server_process import Server

ASKED = {
    "id": None,
    "url": None,
    "name": "model.bin",
    "notes": ["From a function serialised by jax.export."],
    "choices": {
        "sizes": [{"name": "b", "size": 2}, {"name": "k", "size": 3}],
        "platforms": ["cpu", "tpu"],
        "platform": "cpu",
    },
}


@pytest.fixture
def home(page: Page, server: Server) -> Page:
    page.goto(server.url)
    settle(page)
    return page


def choose(page: Page, name: str, data: bytes) -> None:
    file: FilePayload = {"name": name, "mimeType": "application/octet-stream", "buffer": data}
    page.locator("input[type=file]").set_input_files(file)


@pytest.mark.main_path
def test_a_packed_program_is_opened(home: Page, complaints: Complaints) -> None:
    """A zip archive is first taken for a dump, which this one is not; a dropped `.gz` is tested below."""
    complaints.allow("422")
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("add.mlir", ADD)
    choose(home, "add.zip", stream.getvalue())
    home.wait_for_url(re.compile("/s/"))
    expect(home.locator(".cm-content")).to_contain_text("add")


def test_what_is_no_program_says_what_to_do_and_a_dropped_file_is_opened(
    home: Page, complaints: Complaints
) -> None:
    complaints.allow("422")
    choose(home, "nothing.mlir", b"\n")
    said = home.locator("#program-said")
    expect(said).to_have_text("nothing.mlir is empty.")
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("read.me", "")
    choose(home, "notes.zip", stream.getvalue())
    expect(said).to_contain_text("notes.zip holds no HLO text. Dump with")
    choose(home, "saved_model.pb", MADE["saved_model"])
    expect(home.locator("#program-said")).to_contain_text("saved_model.pb is a SavedModel of TensorFlow")
    expect(home.locator("#program-said")).to_contain_text("experimental_get_compiler_ir")

    numbers = list(gzip.compress(ADD.encode()))
    home.locator("textarea").evaluate(
        """(field, numbers) => {
          const dropped = new DataTransfer();
          dropped.items.add(new File([new Uint8Array(numbers)], "add.mlir.gz"));
          field.dispatchEvent(new DragEvent("drop", { dataTransfer: dropped, bubbles: true, cancelable: true }));
        }""",
        numbers,
    )
    home.wait_for_url(re.compile("/s/"))


def test_a_file_is_dropped_anywhere_on_the_page(home: Page, tmp_path: Path) -> None:
    file = tmp_path / "add.mlir.gz"
    file.write_bytes(gzip.compress(ADD.encode()))
    drop_files(home.locator("h1").first, [file])
    home.wait_for_url(re.compile("/s/"))


@pytest.mark.main_path
def test_a_recording_is_opened_with_the_values_of_its_device(home: Page, tmp_path: Path) -> None:
    """Chosen, dropped, and dropped on a session's page, where arrays would become inputs."""
    file = saved(tmp_path)

    def shown(before: str) -> str:
        home.wait_for_url(lambda url: "/s/" in url and url.partition("?")[0] != before)
        settle(home)
        expect(home.get_by_role("button", name="computed by a device")).to_be_visible()
        return home.url.partition("?")[0]

    choose(home, file.name, file.read_bytes())
    chosen = shown("")
    home.go_back()
    drop_files(home.locator("h1").first, [file])
    dropped = shown(chosen)
    drop_files(home.locator("#panel-tensor"), [file])
    question = home.get_by_role("dialog", name="Open run.npz?")
    question.get_by_role("button", name="Open", exact=True).click()
    shown(dropped)


def test_sizes_and_the_platform_are_asked_for(home: Page, axe: Check, complaints: Complaints) -> None:
    """What the server proposes is shown, and what was typed is what it is told."""
    complaints.allow("422")
    told: list[str] = []

    def answer(route: Route) -> None:
        told.append(route.request.url.partition("?")[2])
        if len(told) == 2:
            error = {
                "error": {"kind": "format", "message": "it does not take b=1.", "hint": "Choose others."}
            }
            route.fulfill(status=422, json=error)
        else:
            route.fulfill(status=200, json=ASKED)

    home.route("**/api/sessions/from-file*", answer)
    choose(home, "model.bin", (DATA / "symbolic.jax_export").read_bytes())
    dialog = home.get_by_role("dialog", name="Open model.bin")
    expect(dialog).to_contain_text(
        "It leaves sizes and the platform open; the fields contain a valid proposal."
    )
    expect(dialog.get_by_label("b", exact=True)).to_have_value("2")
    expect(dialog.get_by_label("k", exact=True)).to_have_value("3")
    axe(home, "dialog")
    dialog.get_by_label("b", exact=True).fill("1")
    dialog.get_by_label("Platform").select_option("tpu")
    dialog.get_by_role("button", name="Open in the debugger").click()
    expect(dialog.get_by_role("status")).to_have_text("it does not take b=1. Choose others.")
    axe(home, "dialog")
    assert told == ["", "size=b%3D1&size=k%3D3&platform=tpu"]
    home.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


@pytest.mark.oracle
def test_an_export_of_jax_is_opened_from_end_to_end(home: Page) -> None:
    choose(home, "symbolic.jax_export", (DATA / "symbolic.jax_export").read_bytes())
    dialog = home.get_by_role("dialog")
    dialog.get_by_label("b", exact=True).fill("8")
    dialog.get_by_role("button", name="Open in the debugger").click()
    home.wait_for_url(re.compile("/s/"))
    expect(home.locator(".cm-content")).to_contain_text("Size b = 8.")
