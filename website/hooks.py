"""What mkdocs finds beside docs/: the site's own pages, the files at the top of the repository, pictures, playable pages."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

from hloscope.app.lessons.shipped import Shelf
from hloscope.app.reference.examples import examples
from website.llms import llms_text

HERE = Path(__file__).parent
ROOT = HERE.parent
SOURCE = "https://github.com/hloscope/hloscope/blob/main/"
PLAYABLE = ROOT / "dist" / "playable"
TOP = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "CODE_OF_CONDUCT.md": "conduct.md",
}
"""Files at the top of the repository, and the names of their pages."""
MOVED = ("docs/", "static/images/", "website/pages/")
"""Folders of the repository that the site has, without the name of their first folder or folders."""
FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"^(?=  +\S)", re.MULTILINE)
LAST_PARAGRAPH = re.compile(r"(?<=\n\n)((?:  +\S.*\n)+)(?=- )")
LINK = re.compile(r"\]\(((?!https?:|mailto:|#)[^)#\s]+)")


def on_files(files: Files, config: Any) -> Files:
    """Add the files that do not lie in docs/."""
    for name, path in _added():
        files.append(File.generated(config, name, abs_src_path=str(path)))
    files.append(File.generated(config, "llms.txt", content=llms_text(config["site_url"])))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Point links at the site's pages, and fill in the lists of lessons and examples."""
    if page.file.src_uri == "play.md":
        return markdown.replace("<!-- examples -->", _examples()).replace("<!-- lessons -->", _lessons())
    return "".join(
        part if part.startswith("```") else _with_python_markdown_lists(_relink(page.file, part))
        for part in FENCE.split(markdown)
    )


def _relink(page: File, markdown: str) -> str:
    return LINK.sub(lambda link: f"]({_target(page, link[1])}", markdown)


def _with_python_markdown_lists(markdown: str) -> str:
    """Lists of CommonMark for Python-Markdown: four blanks of indentation, and a blank line after an item's last paragraph."""
    return INDENTED.sub("  ", LAST_PARAGRAPH.sub(r"\1\n", markdown))


def _added() -> Iterator[tuple[str, Path]]:
    for folder, prefix, pattern in (
        (HERE / "pages", "", "**/*.md"),
        (HERE / "assets", "assets/", "*"),
        (ROOT / "static/images", "images/", "*.png"),
        (PLAYABLE, "play/", "*/*"),
    ):
        for path in sorted(folder.glob(pattern)):
            yield prefix + path.relative_to(folder).as_posix(), path
    yield "assets/favicon.svg", ROOT / "static/icon.svg"
    for name, page in TOP.items():
        yield page, ROOT / name


def _target(page: File, link: str) -> str:
    """A link of a file of the repository as a link of its page on the site."""
    name = (Path(page.abs_src_path or "").parent / link).resolve().relative_to(ROOT).as_posix()
    if name in TOP:
        found = TOP[name]
    elif name.startswith(MOVED):
        found = re.sub("^(docs|static|website/pages)/", "", name)
    else:
        return SOURCE + name
    return os.path.relpath(found, Path(page.src_uri).parent)


def _examples() -> str:
    """The examples as cards with pictures."""
    return "\n".join(
        f'<a class="card" href="examples/{found.name}.html"><img src="pictures/{found.name}.png" alt="">'
        f"<b>{escape(found.title)}</b><span>{escape(found.description)}</span></a>"
        for found in examples()
    )


def _lessons() -> str:
    """The lessons as a numbered list of links."""
    return "\n".join(
        f"{number}. [{found['title']}](play/lessons/{found['name']}.html), {found['minutes']} minutes"
        f"{_translations(found['languages'])}: {found['summary']}"
        for number, found in enumerate(Shelf().titles(None), 1)
    )


def _translations(languages: list[str]) -> str:
    names = {"de": "German", "fr": "French"}
    others = [names.get(language, language) for language in languages if language != "en"]
    return f", also in {' and '.join(others)}" if others else ""
