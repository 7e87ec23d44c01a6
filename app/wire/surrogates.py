"""Detection of unpaired surrogates, which JSON and Python strings can hold but UTF-8 cannot encode.

Each entrance checks its own input: the schemas of `app/wire/requests.py` check requests and messages, the command line
its arguments, the settings the environment, and the engine programs.
"""

from typing import Any

NO_TEXT = "text holds half of a surrogate pair (U+D800 to U+DFFF), which is not a character"


def is_text(text: str) -> bool:
    """Whether a string can be encoded."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def all_text(value: Any) -> bool:
    """Whether all strings in a JSON value can be encoded, including names of fields, at any depth."""
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
