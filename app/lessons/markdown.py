"""Render lesson texts: CommonMark with tables, no HTML, and values in place of `{{ … }}`."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from html import escape

from markdown_it import MarkdownIt
from markdown_it.token import Token

from .attributes import PLACE, read_attributes

_PLACEHOLDER = re.compile(r"\{\{ (.+?) \}\}", re.DOTALL)
_MARK = re.compile("\ue000(\\d+)\ue001")
_OURS = re.compile(r"data:image/|/(?!/)")
"""Pictures that need no other server."""
_OTHER_LESSON = re.compile(r"^([\w-]+)\.md(?=#|$)")
_WORD = re.compile(r"\w[\w'’-]*")
ATTRIBUTES = ("program", *PLACE)


@dataclass(frozen=True)
class Placeholder:
    """`{{ EXPRESSION | at="…" }}`: an expression and the position of its evaluation."""

    line: int
    expression: str
    attributes: Mapping[str, str]


Write = Callable[[Placeholder], str]
"""Returns the text that replaces a placeholder."""


def placeholders(source: str, line: int) -> Iterator[Placeholder]:
    """The placeholders of a text that begins on a line; `LessonError`."""
    for found in _PLACEHOLDER.finditer(source):
        at = line + source.count("\n", 0, found.start())
        expression, bar, rest = found[1].partition(" | ")
        attributes = read_attributes(rest, at, "`{{ … }}`", ATTRIBUTES) if bar else {}
        yield Placeholder(at, expression.strip(), attributes)


def to_html(
    source: str, line: int, write: Write, images: Mapping[str, str] | None = None, *, inline: bool = False
) -> str:
    """A text as HTML; `inline`: one paragraph without its tags."""
    found = [(each.expression, write(each)) for each in placeholders(source, line)]
    numbers = iter(range(len(found)))
    marked = _PLACEHOLDER.sub(lambda _: f"\ue000{next(numbers)}\ue001", re.sub("[\ue000\ue001]", "", source))
    markdown = _markdown()
    tokens = markdown.parse(marked)
    for token in _all(tokens):
        _adapt(token, images or {})
    html = str(markdown.renderer.render(tokens, markdown.options, {})).strip()
    html = html.replace("<pre>", '<pre tabindex="0">')
    if inline and html.count("<p>") == 1 and html.startswith("<p>") and html.endswith("</p>"):
        html = html.removeprefix("<p>").removesuffix("</p>")
    return _MARK.sub(lambda mark: _span(*found[int(mark[1])]), html)


def _span(expression: str, text: str) -> str:
    return f'<span class="lesson-value" title="{escape(expression)}">{escape(text)}</span>'


@cache
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table")


def _all(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from token.children or ()


def _adapt(token: Token, images: Mapping[str, str]) -> None:
    """Adapt links to this server, embed pictures, leave out others, and replace styles, which the CSP forbids."""
    if style := token.attrs.pop("style", None):
        token.attrSet("class", str(style).removeprefix("text-align:"))
    if token.type == "link_open":
        href = _OTHER_LESSON.sub(r"/lessons/\1", str(token.attrs["href"]))
        token.attrSet("href", href)
        if href.startswith(("http:", "https:")):
            token.attrSet("target", "_blank")
            token.attrSet("rel", "noopener")
    if token.type == "image":
        source = str(token.attrs["src"])
        token.attrSet("src", images.get(source, source))
        if not _OURS.match(str(token.attrs["src"])):
            # Loading it would tell another server about the reader of the page, handout or saved page.
            token.type, token.content = "text", f"{token.content} (picture left out: {source})".strip()


@dataclass(frozen=True)
class Reference:
    """A link or picture of a text; `text`: the alternative text of a picture."""

    line: int
    target: str
    is_image: bool
    text: str


def references(source: str, line: int) -> Iterator[Reference]:
    """The links and pictures of a text that begins on a line."""
    for token in _markdown().parse(source):
        at = line + (token.map[0] if token.map else 0)
        for child in token.children or ():
            if child.type == "link_open":
                target = _OTHER_LESSON.sub(r"/lessons/\1", str(child.attrs["href"]))
                yield Reference(at, target, False, "")
            elif child.type == "image":
                yield Reference(at, str(child.attrs["src"]), True, child.content)


def count_words(source: str) -> int:
    """The number of words to read: without code blocks and link targets."""
    words = 0
    for token in _markdown().parse(source):
        for child in token.children or ():
            if child.type in ("text", "code_inline"):
                words += len(_WORD.findall(child.content))
    return words
