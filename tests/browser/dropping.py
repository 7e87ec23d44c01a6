"""Files and folders that are dropped on a page, as a browser hears of them from its desktop."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Locator

from tests.browser.settling import box_of

COPY = 1


def drop_files(target: Locator, paths: Sequence[Path]) -> None:
    """Drops files or folders of this machine on the middle of an element: by the protocol of the browser, which makes entries of them."""
    box = box_of(target)
    place = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": COPY}
    session = target.page.context.new_cdp_session(target.page)
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, **place, "data": data})
    session.detach()
