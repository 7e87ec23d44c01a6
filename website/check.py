"""Checks of a built site: `python -m website.check dist/site`.

Each link, picture, script and style must lead to a file of the site, and each fragment to an element of its page. Nothing
may be loaded from another origin; links to other origins are not followed. A document must have the same lists, tables
and programs as under /help, which a reader of Markdown with other rules makes.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from hloscope.app.reference.documents import documents

BASE = "/hloscope/"
"""Path of the site on its host, as `site_url` states it; 404.html has absolute links."""
COMPARED = re.compile(r"<(li|ul|ol|table|tr|pre|h2|h3|em|strong|code)[ >]")
LOADED = {"src", "srcset", "poster"}
"""Attributes whose targets a browser loads by itself."""


@dataclass
class Page(HTMLParser):
    """The ids of a page, and its links as attribute and target."""

    ids: set[str] = field(default_factory=set)
    links: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in {"id", "name"} and value:
                self.ids.add(value)
            if name in {"href", *LOADED} and value:
                self.links.append(
                    ("src" if tag == "link" and ("rel", "stylesheet") in attrs else name, value)
                )


@cache
def read_page(path: Path) -> Page:
    """A page of the site."""
    page = Page()
    page.feed(path.read_text("utf-8"))
    return page


def dead_links(site: Path) -> Iterator[str]:
    """A line for each link that leads nowhere, and for each resource of another origin."""
    for path in sorted(site.rglob("*.html")):
        for attribute, target in read_page(path).links:
            if reason := _fault(site, path, attribute, target):
                yield f"{path.relative_to(site)}: {target}: {reason}"


def _fault(site: Path, page: Path, attribute: str, target: str) -> str | None:
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        is_foreign = attribute in LOADED and parts.scheme not in {"data", "blob"}
        return "loaded from another origin" if is_foreign else None
    path = unquote(parts.path)
    found = (site / path.removeprefix(BASE) if path.startswith("/") else page.parent / path).resolve()
    found = page if not path else found / "index.html" if found.is_dir() else found
    if not found.is_file():
        return "no such file"
    missing = (
        parts.fragment and found.suffix == ".html" and unquote(parts.fragment) not in read_page(found).ids
    )
    return "no such heading" if missing else None


def misread_documents(site: Path) -> Iterator[str]:
    """A line for each document whose elements are not those of its page under /help."""
    for document in documents():
        text = (site / document.name / "index.html").read_text("utf-8")
        article = text[text.index("<article") : text.index("</article>")]
        here, there = (Counter(COMPARED.findall(html)) for html in (article, document.html))
        if odd := {name: (here[name], there[name]) for name in here | there if here[name] != there[name]}:
            yield f"{document.name}: elements here and under /help: {odd}"


def main() -> None:
    """Print the faults of the site that the command line names; exit with 1 if there are any."""
    site = Path(sys.argv[1]).resolve()
    found = [*dead_links(site), *misread_documents(site)]
    print(*found, sep="\n")
    print(f"{len(found)} faults in {sum(1 for _ in site.rglob('*.html'))} pages")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
