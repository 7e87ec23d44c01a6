"""A lesson for a saved page: with the results of its exercises; links to pages of hloscope lead to a server, or are plain text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from ..wire.lessons import ChangeResult, LessonInfo

_LINK = re.compile(r'<a href="(/[^"]*)"([^>]*)>(.*?)</a>', re.DOTALL)
HTML = ("html", "says_html", "right_html", "hints")
"""Keys with HTML values."""


def for_file(info: LessonInfo, server: str | None, results: Mapping[str, list[ChangeResult]]) -> LessonInfo:
    """The lesson with links for a file; `server` is a base URL without a final slash.

    `results`: of the choices of exercises, by the id of the exercise.
    """
    found = cast(LessonInfo, _adapted(info, server, ""))
    found["session"], found["server"] = "", server
    for block in (block for step in found["steps"] for block in step["blocks"]):
        if block["kind"] == "change" and block["id"] in results:
            block["results"] = results[block["id"]]
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
