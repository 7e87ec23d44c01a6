"""Halves of surrogate pairs: JSON can spell them and Python keeps them, but they are no text and nothing writes them down.

What comes from outside is looked at once, where it comes in: the schemas of `app/wire/requests.py` do it for all of a
request or message, the command line for its arguments, settings for the environment, the engine for programs.
"""

from __future__ import annotations

from typing import Any

NO_TEXT = "text holds half of a surrogate pair (U+D800 to U+DFFF), which is no character"


def is_text(text: str) -> bool:
    """Whether it can be written down."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def all_text(value: Any) -> bool:
    """Whether each string in JSON can be written down, names of fields too, however deep it lies."""
    left = [value]
    while left:
        item = left.pop()
        if isinstance(item, str):
            if not is_text(item):
                return False
        elif isinstance(item, dict):
            left += [*item.keys(), *item.values()]
        elif isinstance(item, list | tuple):
            left += item
    return True
