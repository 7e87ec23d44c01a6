"""Strings of HLO text: quoted, with C's escapes."""

from __future__ import annotations

import re

_ESCAPED = re.compile(r'["\\\x00-\x1f\x7f\udc80-\udcff]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def quote(text: str) -> str:
    """Quote a string. Bytes that are not UTF-8, kept as surrogates, become octal escapes."""
    return f'"{_ESCAPED.sub(_escape, text)}"'


def _escape(match: re.Match[str]) -> str:
    short = _SHORT.get(match[0])
    # Always three digits, so that a following digit is not read as part of the escape.
    return short or "".join(f"\\{byte:03o}" for byte in match[0].encode("utf-8", "surrogateescape"))
