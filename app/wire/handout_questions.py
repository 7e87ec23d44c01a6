"""Questions about a moment of a run: as a picture, and as pages to print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .questions import Answer, Question

SVG = "image/svg+xml"


@dataclass(frozen=True)
class MomentQuestion(Question[bytes]):
    """What is looked at at a step of a process; `value` is its number and the way into its tuples, empty where none is chosen."""

    process: int
    step: int
    tab: str
    value: Sequence[int]
    element: Sequence[int] | None


@dataclass(frozen=True)
class PictureQuestion(MomentQuestion):
    """The moment as an SVG, which is called `title`."""

    title: str
    has_lines: bool = True
    """Whether lines of the program are above the value."""

    def answer(self, text: str, *, final: bool) -> Answer[bytes]:
        """The picture as the answer."""
        return Answer(text.encode("utf-8", "replace"), SVG, final)


@dataclass(frozen=True)
class HandoutQuestion(MomentQuestion):
    """The moment as HTML, to be put into a page."""

    def answer(self, text: str, *, final: bool) -> Answer[bytes]:
        """The sections as the answer."""
        return Answer(text.encode("utf-8", "replace"), "text/html", final)
