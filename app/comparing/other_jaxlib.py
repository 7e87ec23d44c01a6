"""A jaxlib other than the installed one: in its own environment, created once and kept."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from hloscope.engine.errors import InputError

from ..xla.failures import XlaFailed

_VERSION = re.compile(r"\d+(?:\.\d+)*(?:(?:a|b|rc)\d+)?(?:\.dev\d+)?")
_VERSIONS = re.compile(r" \(from versions: [^)]*\)")
_NO_BUILD = "No matching distribution found"
"""The words of `pip` if no version fits the interpreter."""
INSTALL_SECONDS = 900.0
OTHER_PYTHONS = ("python3.14", "python3.13", "python3.12", "python3.11")
"""Interpreters that are tried if jaxlib has no build for ours."""


def python_with(version: str) -> str:
    """The interpreter of an environment with a version of jax and jaxlib.

    `InputError` if that is not a version, `XlaFailed` if it cannot be installed. The first time, packages are
    fetched as `pip` is configured.
    """
    if not _VERSION.fullmatch(version):
        raise InputError(f"'{version}' is no version of jaxlib", hint="Write jaxlib==0.10.2.")
    folder = environments() / f"jaxlib-{version}-python-{sys.version_info.major}.{sys.version_info.minor}"
    if not (folder / "complete").is_file():
        _install(folder, version)
    return str(folder / "bin" / "python")


def environments() -> Path:
    """The folder of environments, in the user's cache."""
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache) / "hloscope"


def _install(folder: Path, version: str) -> None:
    """Create the environment, with our Python or, if jaxlib has no build for it, another one of the machine."""
    first: XlaFailed | None = None
    for python in (sys.executable, *filter(None, map(shutil.which, OTHER_PYTHONS))):
        # Environments cannot be moved: it is created at its final path, and is valid once it holds `complete`.
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        try:
            _call([python, "-m", "venv", str(folder)])
            pip = [
                str(folder / "bin" / "python"),
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
            ]
            _call([*pip, f"jax=={version}", f"jaxlib=={version}", "numpy", "ml_dtypes"])
            (folder / "complete").touch()
            return
        except XlaFailed as failure:
            first = first or failure
            if _NO_BUILD not in str(first):
                break
    shutil.rmtree(folder, ignore_errors=True)
    assert first is not None
    raise first


def _call(command: list[str]) -> None:
    with tempfile.TemporaryFile() as errors:
        try:
            code = subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
                timeout=INSTALL_SECONDS, check=False,
            ).returncode  # fmt: skip
        except subprocess.TimeoutExpired:
            raise XlaFailed(f"`{' '.join(command)}` took more than {INSTALL_SECONDS:g} s") from None
        errors.seek(0)
        if code:
            said = _VERSIONS.sub("", errors.read().decode(errors="replace")).strip().splitlines()[-3:]
            raise XlaFailed(f"`{' '.join(command)}` failed: {' '.join(said)}")
