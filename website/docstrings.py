"""An extension of griffe: sessions of Python in docstrings (`>>> …`) are code, not Markdown."""

from __future__ import annotations

import re
from typing import Any

import griffe

SESSION = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)


class Sessions(griffe.Extension):
    """Fences each session in a docstring."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Fence the sessions of one object's docstring."""
        if obj.docstring:
            obj.docstring.value = SESSION.sub(r"```pycon\n\g<0>\n```", obj.docstring.value)
