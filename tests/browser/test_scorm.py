"""A lesson as a SCORM 1.2 package, in a learning management system of one page."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from playwright.sync_api import Page, Route, expect

from hloscope.app.cli.main import main
from tests.browser.conftest import NewPage
from tests.server_process import make_bundle

LESSON = Path(__file__).parent / "lessons" / "sample.md"
SYSTEM = "http://lms.example"
CONTENT = "{http://www.imsproject.org/xsd/imscp_rootv1p1p2}"
SCORM = "{http://www.adlnet.org/xsd/adlcp_rootv1p2}"
MOST_SUSPENDED = 4096
AROUND = """<!doctype html><html lang="en"><title>A course</title>
<script>
const kept = JSON.parse(localStorage.getItem("kept") || "{}"), calls = [];
window.API = {
  LMSInitialize: (nothing) => (calls.push("initialize"), "true"),
  LMSGetValue: (field) => kept[field] ?? "",
  LMSSetValue: (field, value) => { kept[field] = value; return "true"; },
  LMSCommit: () => { localStorage.setItem("kept", JSON.stringify(kept)); return "true"; },
  LMSFinish: () => { localStorage.setItem("finished", String(1 + Number(localStorage.getItem("finished")))); return "true"; },
};
</script>
<iframe title="The lesson" src="/course/index.html" width="1200" height="760"></iframe></html>"""


def _kept(page: Page, wanted: dict[str, str]) -> dict[str, str]:
    """What the system keeps, once it has these values."""
    page.wait_for_function(
        "(wanted) => Object.entries(wanted).every(([field, value]) => JSON.parse(localStorage.getItem('kept') || '{}')[field] === value)",
        arg=wanted,
    )
    found: dict[str, str] = json.loads(page.evaluate("localStorage.getItem('kept')"))
    return found


def test_a_package_reports_completion_and_score_and_continues(new_page: NewPage, tmp_path: Path) -> None:
    make_bundle()
    out = tmp_path / "sample.zip"
    assert main(["lesson", "export", str(LESSON), "--scorm", "-o", str(out)]) == 0
    package = zipfile.ZipFile(io.BytesIO(out.read_bytes()))
    root = ElementTree.fromstring(package.read("imsmanifest.xml"))
    resource = root.find(f".//{CONTENT}resource")
    item = root.find(f".//{CONTENT}item")
    organizations = root.find(f"{CONTENT}organizations")
    assert resource is not None
    assert item is not None
    assert organizations is not None
    assert (resource.get("href"), resource.get(f"{SCORM}scormtype")) == ("index.html", "sco")
    assert item.get("identifierref") == resource.get("identifier")
    assert (
        organizations.find(f"{CONTENT}organization[@identifier='{organizations.get('default')}']") is not None
    )
    assert {file.get("href") for file in root.iter(f"{CONTENT}file")} == set(package.namelist()) - {
        "imsmanifest.xml"
    }
    assert root.findtext(f"{CONTENT}metadata/{CONTENT}schemaversion") == "1.2"

    page = new_page(viewport={"width": 1280, "height": 820})

    def serve(route: Route) -> Any:
        body = package.read("index.html").decode() if "/course/" in route.request.url else AROUND
        return route.fulfill(body=body, content_type="text/html; charset=utf-8")

    page.route(f"{SYSTEM}/**", serve)
    page.goto(f"{SYSTEM}/")
    # What a person before left in this browser is not this person's.
    page.evaluate(
        "localStorage.setItem('hloscope.lesson.sample', JSON.stringify({version: 'old', done: ['clamped']}))"
    )
    lesson = page.frame_locator("iframe")
    step = lesson.locator("#lesson-step")
    following = lesson.get_by_role("button", name="Next", exact=True)
    expect(step).to_have_text("Rows of a table")
    following.click()
    field = lesson.get_by_role("textbox").first
    field.fill("18")
    lesson.get_by_role("button", name="Answer", exact=True).click()
    first = _kept(page, {"cmi.core.lesson_location": "clamped", "cmi.core.lesson_status": "incomplete"})
    assert 0 < int(first["cmi.core.score.raw"]) < 100
    assert len(first["cmi.suspend_data"]) <= MOST_SUSPENDED

    # The next visit begins where this one ended, also without this browser's memory.
    page.evaluate("localStorage.removeItem('hloscope.lesson.sample')")
    page.reload()
    expect(step).to_have_text("Where does row 9 come from?")
    expect(lesson.locator(".lesson-ask")).to_contain_text("Right.")
    page.wait_for_function("localStorage.getItem('finished') === '1'")
    ended = _kept(page, {"cmi.core.exit": "suspend"})
    assert len(ended["cmi.core.session_time"]) == len("0000:00:00")
    while following.count():
        for name in ("Show the answer", "Skip it"):
            while (shown := lesson.get_by_role("button", name=name)).count():
                shown.first.click()
        following.click()
    for name in ("Show the answer", "Skip it"):
        while (shown := lesson.get_by_role("button", name=name)).count():
            shown.first.click()
    if (finish := lesson.get_by_role("button", name="Finish")).count():
        finish.click()
    done = _kept(page, {"cmi.core.lesson_status": "completed"})
    assert done["cmi.core.score.raw"] == first["cmi.core.score.raw"]  # answers that were shown count nothing
