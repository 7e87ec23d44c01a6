"""Choice between bundled files and sources for pages.

static/bundle.mjs writes static/built/manifest.json: `files` maps sources to bundled files, and `sources` has the SHA-256
of every source. In a checkout, the sources are compared with the manifest whenever a page is made, so that an edited
source takes effect immediately and no stale bundle is served.
"""

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

BUNDLED = "Pages use the bundle in static/built."
SOURCES_BY_SETTING = "Pages use the sources in static, as the setting dev requires."
NO_BUNDLE = (
    "Pages use the sources in static: there is no bundle in static/built; create it with `npm run bundle`."
)
STALE = "Pages use the sources in static: these have changed since the last bundle; update it with `npm run bundle`."

log = logging.getLogger("hloscope")


class PageFiles:
    """Checks the bundle; `dev` forces the sources, `root` is the checkout or the package."""

    def __init__(self, *, dev: bool, root: Path = PACKAGE, look_seconds: float = 0.0) -> None:
        """`look_seconds`: minimum interval between checks of the files."""
        self._look_seconds, self._next_check = look_seconds, 0.0
        self._dev, self._root = dev, root
        self._in_a_checkout = (root / "pyproject.toml").is_file()
        self._manifest: dict[str, Any] = {}
        self._is_current = False
        self._checked_stamps: list[tuple[int, int] | None] = []
        self._logged = "" if self._in_a_checkout else BUNDLED  # the expected case, which is not logged
        self.bundled_files()  # logs the choice at the start

    def bundled_files(self) -> Mapping[str, str] | None:
        """The bundled file of each source, by paths below static/; None if pages use sources."""
        if self._dev:
            self._log_once(SOURCES_BY_SETTING)
            return None
        if (now := monotonic()) >= self._next_check:
            self._next_check = now + self._look_seconds
            if self._stamps() != self._checked_stamps:
                self._check()
        return self._manifest["files"] if self._is_current else None

    def _check(self) -> None:
        path = self._root / "static" / BUILT / "manifest.json"
        self._manifest = json.loads(path.read_text("utf-8")) if path.is_file() else {}
        self._checked_stamps = self._stamps()
        self._is_current = bool(self._manifest) and (not self._in_a_checkout or self._is_of(self._root))
        self._log_once(BUNDLED if self._is_current else STALE if self._manifest else NO_BUNDLE)

    def _is_of(self, checkout: Path) -> bool:
        """Whether the bundle was made from the checkout's present sources."""
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
        """Times and sizes of the checked files; the check is repeated when they change."""
        names: Iterable[str] = (
            (*PAGES, *PANELS, *self._manifest.get("sources", ())) if self._in_a_checkout else ()
        )
        return [_stamp(self._root / name) for name in (f"static/{BUILT}/manifest.json", *names)]

    def _log_once(self, sentence: str) -> None:
        if sentence != self._logged:
            log.info(sentence)
        self._logged = sentence


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
