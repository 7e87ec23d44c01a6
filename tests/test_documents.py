"""Documents and references: what code, docstrings and Markdown point to is there.

A reference is a path from the top of the repository (`engine/ops/op.py`), a page of `docs/` with headings in quotation
marks behind it, or a link of Markdown. Everything else that the code cites is a public specification.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
READ = {".py", ".js", ".mjs", ".css", ".html", ".md", ".toml", ".yml", ".yaml", ""}
"""Suffixes of the files whose references are checked; those without any are the Makefile and its like."""
COMMENT = re.compile(r"^[ \t]*(?:#|//|\*|/\*\*)?[ \t]*", re.MULTILINE)
PAGE = re.compile(r'\b(docs/[\w.-]+\.md)((?:(?:,| and) "[^"]+")*)')
PATH = re.compile(
    r"(?<![\w/.<-])(?:app|docs|engine|static|templates|tests)/[\w./*<>-]*\w\.(?:py|js|mjs|md|json|css|html)\b(?!\w)"
)
LINK = re.compile(r"\[[^\]]*\]\((?!https?:|mailto:)([^)#\s]*)(?:#([\w-]+))?\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
GENERATED = ("static/vendor/", "static/built/", "engine/version.py")
"""What is there only once the program is installed."""
INVENTED = ("tests/test_layout.py", "tests/test_documents.py")
"""Tests that name paths which need not be there."""
PRIVATE = re.compile(r"\breference/[\w-]+\.md|\b[Ss]eed 00\d|\b(?:DESIGN|FRONTEND)\.md")
"""Documents that are not in the repository."""


@cache
def files() -> tuple[Path, ...]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.split("\n")
    found = (ROOT / name for name in listed if name and Path(name).suffix in READ)
    return tuple(file for file in found if file.is_file() and named(file) not in INVENTED)


@cache
def headings(page: Path) -> frozenset[str]:
    """The headings of a page, without the marks of Markdown."""
    text = FENCE.sub("", page.read_text())
    return frozenset(
        re.sub(r"[`*]", "", title).strip() for title in re.findall(r"^#{1,6} (.*)$", text, re.MULTILINE)
    )


def anchor(heading: str) -> str:
    """As GitHub makes it of a heading, and the help pages do."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def joined(text: str) -> str:
    """The text with its lines put together, without the marks of comments."""
    return re.sub(r"\s+", " ", COMMENT.sub("", text))


def named(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def missing_pages(text: str) -> Iterator[str]:
    for path, titles in PAGE.findall(joined(text)):
        page = ROOT / path
        if not page.is_file():
            yield path
            continue
        yield from (
            f'{path}, "{title}"' for title in re.findall(r'"([^"]+)"', titles) if title not in headings(page)
        )


def missing_paths(text: str) -> Iterator[str]:
    for path in PATH.findall(text):
        pattern = re.sub(r"<[^>]*>", "*", path)
        if not path.startswith(GENERATED) and not any(ROOT.glob(pattern)):
            yield path


def missing_links(file: Path) -> Iterator[str]:
    for target, fragment in LINK.findall(FENCE.sub("", file.read_text())):
        page = (file.parent / target) if target else file
        if not page.exists():
            yield target
        elif fragment and fragment not in map(anchor, headings(page)):
            yield f"{target}#{fragment}"


def is_lesson(file: Path) -> bool:
    """Whether a page is a lesson, whose links are those of the server: `hloscope lesson check` follows them."""
    return file.read_text().startswith("---\n")


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="needs the list of files of the repository")
class TestReferences:
    def test_pages_and_headings_exist(self) -> None:
        missing = {named(file): found for file in files() if (found := [*missing_pages(file.read_text())])}
        assert missing == {}

    def test_paths_exist(self) -> None:
        missing = {named(file): found for file in files() if (found := [*missing_paths(file.read_text())])}
        assert missing == {}

    def test_links_of_markdown_lead_somewhere(self) -> None:
        pages = (file for file in files() if file.suffix == ".md" and not is_lesson(file))
        missing = {named(file): found for file in pages if (found := [*missing_links(file)])}
        assert missing == {}

    def test_nothing_cites_what_is_not_in_the_repository(self) -> None:
        assert [named(file) for file in files() if PRIVATE.search(file.read_text())] == []


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ('"""See docs/index-maps.md, "Scatter" and\n    "Gather"."""', []),
        ('# docs/index-maps.md, "Scatter" and "No such"', ['docs/index-maps.md, "No such"']),
        ("// docs/nothing.md", ["docs/nothing.md"]),
    ],
)
def test_references_are_found(text: str, missing: list[str]) -> None:
    assert [*missing_pages(text)] == missing
