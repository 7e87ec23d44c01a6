"""The pages of docs/ as the server shows them: /help/<page>."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from hloscope.app.reference.documents import Document, documents
from tests.each import for_each

DOCS = Path(__file__).parents[3] / "docs"


def test_every_page_is_served(client: TestClient) -> None:
    assert {document.name for document in documents()} == {path.stem for path in DOCS.glob("*.md")}
    for document in documents():
        answer = client.get(f"/help/{document.name}")
        assert answer.status_code == 200
        assert f'<a href="/help/{document.name}" aria-current="page">{document.title}</a>' in answer.text
        assert f'<a href="/help/{document.name}">' in client.get("/help").text


@for_each("document", documents(), ids=lambda document: document.name)
def test_links_lead_to_anchors(document: Document) -> None:
    known = {found.name: {heading.anchor for heading in found.headings} for found in documents()}
    for page, anchor in re.findall(r'href="(?:/help/([\w-]+))?(?:#([\w-]+))?"', document.html):
        assert not anchor or anchor in known[page or document.name]
    assert ".md" not in re.sub(r"<code>.*?</code>|<pre.*?</pre>", "", document.html, flags=re.DOTALL)


@pytest.mark.parametrize("document", documents(), ids=lambda document: document.name)
def test_pictures_are_served_from_here(document: Document, client: TestClient) -> None:
    for source in re.findall(r'<img src="([^"]+)"', document.html):
        assert client.get(source).status_code == 200
        assert client.get(source).headers["content-type"].startswith("image/")


@for_each("document", documents(), ids=lambda document: document.name)
def test_nothing_needs_inline_styles_or_scripts(document: Document) -> None:
    assert not re.search(r"\sstyle=|<script|<style", document.html)


@pytest.mark.parametrize("path", ["nothing", "nothing.svg", "..%2FREADME", "%2e%2e/README.md"])
def test_what_is_not_there(path: str, client: TestClient) -> None:
    assert client.get(f"/help/{path}").status_code == 404
