"""A lesson for a saved page: links to pages of hloscope lead to a server, or are plain text."""

from __future__ import annotations

import re
from typing import Any, cast

from ..wire.lessons import LessonInfo

_LINK = re.compile(r'<a href="(/[^"]*)"([^>]*)>(.*?)</a>', re.DOTALL)
HTML = ("html", "says_html", "right_html", "hints")
"""Keys with HTML values."""


def for_file(info: LessonInfo, server: str | None) -> LessonInfo:
    """The lesson with links for a file; `server` is a base URL without a final slash."""
    found = cast(LessonInfo, _adapted(info, server, ""))
    found["session"], found["server"] = "", server
    return found


def _adapted(value: Any, server: str | None, key: str) -> Any:
    if isinstance(value, dict):
        return {name: _adapted(each, server, name) for name, each in value.items()}
    if isinstance(value, list):
        return [_adapted(each, server, key) for each in value]
    return _relinked(value, server) if key in HTML and isinstance(value, str) else value


def _relinked(html: str, server: str | None) -> str:
    if server is None:
        return _LINK.sub(r"\3", html)
    return _LINK.sub(
        lambda found: f'<a href="{server}{found[1]}" target="_blank" rel="noopener">{found[3]}</a>', html
    )
