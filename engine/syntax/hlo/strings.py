"""Strings as HLO text has them: between quotes, with C's escapes."""

from __future__ import annotations

import re

_ESCAPED = re.compile(r'["\\\x00-\x1f\x7f\udc80-\udcff]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def quote(text: str) -> str:
    """The string between quotes. Bytes that are not UTF-8, kept as surrogates, are written as octal numbers."""
    return f'"{_ESCAPED.sub(_escape, text)}"'


def _escape(match: re.Match[str]) -> str:
    short = _SHORT.get(match[0])
    # Three digits always: one that follows must not become a part of the number.
    return short or "".join(f"\\{byte:03o}" for byte in match[0].encode("utf-8", "surrogateescape"))
