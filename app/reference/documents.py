"""The documents of `docs/` as pages: the same Markdown files that the repository has.

Markdown is CommonMark with tables, without HTML. Headings have the anchors that code hosts generate, a link to
`glossary.md#words` leads to `/help/glossary#words`, and pictures are served from here and from `/static/`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ..base.assets import folder

ORDER = (
    "tutorial",
    "lessons",
    "python",
    "command-line",
    "editors",
    "agents",
    "formats",
    "server",
    "rooms",
    "index-maps",
    "findings",
    "precision",
    "profile",
    "collectives",
    "passes",
    "memory",
    "comparing",
    "xla",
    "reducing",
    "batch",
    "finding-a-miscompile",
    "edge-values",
    "glossary",
    "plugins",
    "stability",
    "architecture",
    "design",
)
"""Order of the list of documents; others follow."""


@dataclass(frozen=True)
class Heading:
    """A heading: its level from 1 on, its text, and its anchor on the page."""

    level: int
    text: str
    anchor: str


@dataclass(frozen=True)
class Document:
    """A page of `docs/`: its name without `.md`, its headings, and its HTML."""

    name: str
    headings: tuple[Heading, ...]
    html: str

    @property
    def title(self) -> str:
        return self.headings[0].text if self.headings else self.name

    @property
    def sections(self) -> list[Heading]:
        """The headings in the list at the top of the page."""
        return [heading for heading in self.headings if heading.level == 2]


@cache
def documents() -> tuple[Document, ...]:
    """All documents, in the order of reading."""
    names = {path.stem for path in folder("docs").glob("*.md")}
    known = [name for name in ORDER if name in names]
    return tuple(_render(name) for name in [*known, *sorted(names.difference(known))])


def document(name: str) -> Document | None:
    """The document of this name; `None` if there is none."""
    return next((found for found in documents() if found.name == name), None)


def drawing(name: str) -> bytes | None:
    """An SVG picture beside the documents; `None` if there is none."""
    path = folder("docs") / f"{name}.svg"
    return path.read_bytes() if re.fullmatch(r"[\w-]+", name) and path.is_file() else None


def anchor(heading: str) -> str:
    """The anchor that code hosts generate for a heading: lower case with hyphens."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _render(name: str) -> Document:
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse((folder("docs") / f"{name}.md").read_text("utf-8"))
    headings = tuple(_headings(tokens))
    for token in tokens:
        _adapt(token)
        for child in token.children or ():
            _adapt(child)
    html = markdown.renderer.render(tokens, markdown.options, {})
    return Document(name, headings, _wrap_scrolling(html))


def _headings(tokens: Sequence[Token]) -> list[Heading]:
    """The headings; their tokens get anchors."""
    found: list[Heading] = []
    for opening, content in pairwise(tokens):
        if opening.type == "heading_open":
            text = "".join(child.content for child in content.children or ())
            found.append(Heading(int(opening.tag[1]), text, anchor(text)))
            opening.attrSet("id", found[-1].anchor)
    return found


def _adapt(token: Token) -> None:
    """Adapt links to this server, and replace styles, which the CSP forbids, by classes."""
    if style := token.attrs.pop("style", None):
        token.attrSet("class", str(style).removeprefix("text-align:"))
    if token.type == "link_open":
        token.attrSet("href", _link(str(token.attrs["href"])))
    if token.type == "image":
        token.attrSet("src", _picture(str(token.attrs["src"])))


def _link(target: str) -> str:
    return re.sub(r"^([\w-]+)\.md(?=#|$)", r"/help/\1", target)


def _picture(source: str) -> str:
    return re.sub(r"^(?=[\w-]+\.svg$)", "/help/", source.removeprefix(".."))


def _wrap_scrolling(html: str) -> str:
    """Let wide tables and programs scroll on their own, also with the keyboard."""
    html = html.replace("<pre>", '<pre tabindex="0">')
    html = html.replace("<table>", '<div class="wide" tabindex="0"><table>')
    return html.replace("</table>", "</table></div>")
