"""Which files pages are made of: those that were bundled at install, or the sources as they are written.

static/bundle.mjs leaves static/built/manifest.json: `files` says which bundled file stands for which source, `sources`
of what all of them were made, with their SHA-256. Where hloscope runs from a checkout, they are compared with what is
there whenever a page is made: whoever edits the sources sees the change at once, and never an old bundle.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from time import monotonic
from typing import Any

from ..base.assets import BUILT, PACKAGE

PAGES = ("static/js/pages", "static/css/pages")
"""Each file in these folders is the entry point of a page."""
PANELS = ("static/js/features", "static/css/panels")
"""Folders of panels, which the bundle of a page includes without naming them."""

BUNDLED = "Pages are made of the bundle in static/built."
ASKED_FOR_SOURCES = "Pages are made of the sources in static: the setting dev asks for them."
NO_BUNDLE = (
    "Pages are made of the sources in static: there is no bundle in static/built; `npm run bundle` makes it."
)
STALE = "Pages are made of the sources in static: they have changed since they were bundled; `npm run bundle` does it anew."

log = logging.getLogger("hloscope")


class PageFiles:
    """Looks at the bundle; `dev` asks for the sources in any case, `root` is the checkout or the installed package."""

    def __init__(self, *, dev: bool, root: Path = PACKAGE, look_seconds: float = 0.0) -> None:
        """Nothing is looked at again within `look_seconds`: a class that opens a link does not look 200 times."""
        self._look_seconds, self._look_again = look_seconds, 0.0
        self._dev, self._root = dev, root
        self._in_a_checkout = (root / "pyproject.toml").is_file()
        self._manifest: dict[str, Any] = {}
        self._is_current = False
        self._looked_at: list[tuple[int, int] | None] = []
        self._said = "" if self._in_a_checkout else BUNDLED  # what goes without saying
        self.bundled_files()  # the log says at the start which it is

    def bundled_files(self) -> Mapping[str, str] | None:
        """The bundled file of each source, both by their paths below static/; None where pages are made of sources."""
        if self._dev:
            self._say(ASKED_FOR_SOURCES)
            return None
        if (now := monotonic()) >= self._look_again:
            self._look_again = now + self._look_seconds
            if self._stamps() != self._looked_at:
                self._look()
        return self._manifest["files"] if self._is_current else None

    def _look(self) -> None:
        path = self._root / "static" / BUILT / "manifest.json"
        self._manifest = json.loads(path.read_text("utf-8")) if path.is_file() else {}
        self._looked_at = self._stamps()
        self._is_current = bool(self._manifest) and (not self._in_a_checkout or self._is_of(self._root))
        self._say(BUNDLED if self._is_current else STALE if self._manifest else NO_BUNDLE)

    def _is_of(self, checkout: Path) -> bool:
        """Whether the bundle was made of what the checkout holds."""
        sources: Mapping[str, str] = self._manifest["sources"]
        patterns = ("*/pages/*", "js/features/**/panel.js", "css/panels/*.css")
        found = {
            path.relative_to(checkout).as_posix()
            for each in patterns
            for path in (checkout / "static").glob(each)
        }
        return found <= set(sources) and all(
            _sha256(checkout / name) == found for name, found in sources.items()
        )

    def _stamps(self) -> list[tuple[int, int] | None]:
        """Times and sizes of what is looked at: while they stay the same, so does the answer."""
        names: Iterable[str] = (
            (*PAGES, *PANELS, *self._manifest.get("sources", ())) if self._in_a_checkout else ()
        )
        return [_stamp(self._root / name) for name in (f"static/{BUILT}/manifest.json", *names)]

    def _say(self, sentence: str) -> None:
        if sentence != self._said:
            log.info(sentence)
        self._said = sentence


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
