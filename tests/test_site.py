"""The site's sources: what `make site` must not forget. Whether it builds is checked by `make site` itself."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import hloscope
from website.check import dead_links
from website.llms import llms_text

ROOT = Path(__file__).parent.parent
DESCRIBED = re.compile(r"^::: hloscope\.(\w+)$", re.MULTILINE)


def test_the_reference_describes_each_public_name_once() -> None:
    pages = sorted((ROOT / "website/pages/api").glob("*.md"))
    described = [name for page in pages for name in DESCRIBED.findall(page.read_text("utf-8"))]
    assert sorted(described) == sorted(set(hloscope.__all__) - {"__version__"})


def test_each_document_and_page_of_the_reference_is_in_the_menu() -> None:
    menu = (ROOT / "website/mkdocs.yml").read_text("utf-8")
    documents = [path.name for path in (ROOT / "docs").glob("*.md")]
    reference = [f"api/{path.name}" for path in (ROOT / "website/pages/api").glob("*.md")]
    assert [name for name in (*documents, *reference) if f"- {name}\n" not in menu] == []


@pytest.mark.parametrize(
    ("link", "fault"),
    [
        ('<a href="other/#here">', None),
        ('<a href="other/index.html">', None),
        ('<a href="/hloscope/other/">', None),
        ('<a href="https://openxla.org/">', None),
        ('<img src="data:image/png;base64,">', None),
        ('<a href="other/#gone">', "no such heading"),
        ('<a href="gone.html">', "no such file"),
        ('<script src="https://example.org/x.js">', "loaded from another origin"),
        ('<link rel="stylesheet" href="//example.org/x.css">', "loaded from another origin"),
    ],
)
def test_dead_links_are_found(tmp_path: Path, link: str, fault: str | None) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other/index.html").write_text('<h2 id="here">Here</h2>')
    (tmp_path / "index.html").write_text(link)
    assert [line.rpartition(": ")[2] for line in dead_links(tmp_path)] == ([fault] if fault else [])


def test_agents_read_about_each_document() -> None:
    text = llms_text("https://site.example/")
    listed = re.findall(r"^- \[.+\]\(https://site\.example/([\w-]+)/\): .+\.$", text, re.MULTILINE)
    assert sorted(listed) == sorted(path.stem for path in (ROOT / "docs").glob("*.md"))
    assert "## Find a fault with hloscope" in text
