"""What the document on Python shows of functions of JAX; runs in a process of its own, see `running`."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hloscope.app.base.settings import Settings
from hloscope.app.python.debug import Session

DOCUMENT = Path(__file__).parents[4] / "docs" / "python.md"
CASES: dict[str, Callable[[], Any]] = {}


def blocks() -> Any:
    """Runs the blocks one after the other, as one would in a notebook, without opening a browser."""
    opened: list[str] = []
    Session.open = lambda self: opened.append(self.name)  # type: ignore[method-assign]
    names: dict[str, Any] = {}
    found = re.findall(r"^```python\n(.*?)^```", DOCUMENT.read_text(), re.MULTILINE | re.DOTALL)
    # A file of its own, for JAX reads where a function is.
    path = Settings.load().data_folder() / "document.py"
    for block in found:
        path.write_text(block)
        exec(compile(block, str(path), "exec"), names)
    seen = names["seen"]
    names["seen"].session.close()
    return {"blocks": len(found), "opened": opened, "sentence": seen.sentence}


CASES["blocks"] = blocks
