"""Finds a browser for the tests, installs one where there is none, or says what to type.

`python -m tests.browser.find_browser --install` is what `make setup` runs; without `--install` it only looks.
"""

import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

NAMES = ("chromium-headless-shell", "chromium", "google-chrome", "msedge")

# The pages of one visitor share a process: a new one would compile the page's code again. The last flag makes working
# offline a tested property: no name but the server's own address resolves.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--renderer-process-limit=1",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)

# For pages that live a few seconds: to optimise their code takes longer than that code would run.
SHORT_LIVED = "--js-flags=--no-maglev --no-turbofan"

SHARED_MEMORY = Path("/dev/shm")
ENOUGH_SHARED_MEMORY = 1 << 30

INSTALL_WITH_PLAYWRIGHT = (sys.executable, "-m", "playwright", "install", "--only-shell", "chromium")
INSTALL_WITH_APT = ("apt-get", "install", "-y", "chromium-headless-shell")
INSTALL_SECONDS = 300

WHAT_TO_TYPE = f"""no browser to test with was found, and none could be installed. Type one of these:
  {" ".join(("python", *INSTALL_WITH_PLAYWRIGHT[1:]))}
  sudo {" ".join(INSTALL_WITH_APT)}
  export HLOSCOPE_BROWSER=/path/to/a/chromium"""


class NoBrowser(Exception):
    """There is no browser; the message says what to type."""


@dataclass(frozen=True)
class Found:
    """A browser's program; None is the one that Playwright installed and finds itself."""

    executable: str | None

    def __str__(self) -> str:
        return self.executable or "Playwright's own Chromium"


def find_browser(*, install: bool) -> Found:
    """The first browser there is, in the order that CONTRIBUTING.md gives."""
    found = _present()
    if found is None and install:
        with _one_at_a_time():
            found = _present() or _installed()
    if found is None:
        raise NoBrowser(WHAT_TO_TYPE)
    return found


def flags_to_drop() -> list[str]:
    """Flags of Playwright that make each tile of a page a file on the disk; a small /dev/shm, as in containers, needs them."""
    has_room = SHARED_MEMORY.is_dir() and shutil.disk_usage(SHARED_MEMORY).free >= ENOUGH_SHARED_MEMORY
    return ["--disable-dev-shm-usage"] if has_room else []


def _present() -> Found | None:
    if named := os.environ.get("HLOSCOPE_BROWSER"):
        if shutil.which(named) is None:
            raise NoBrowser(f"HLOSCOPE_BROWSER names {named}, which is not a program")
        return Found(named)
    if _playwright_has_its_own():
        return Found(None)
    on_path = (path for name in NAMES if (path := shutil.which(name)))
    first = next(on_path, None)
    return Found(first) if first else None


def _installed() -> Found | None:
    if _runs(INSTALL_WITH_PLAYWRIGHT) and _playwright_has_its_own():
        return Found(None)
    may_use_apt = shutil.which("apt-get") is not None and os.geteuid() == 0
    if may_use_apt and not _runs(INSTALL_WITH_APT) and _runs(("apt-get", "update")):
        _runs(INSTALL_WITH_APT)
    return _present()


def _playwright_has_its_own() -> bool:
    """Whether the folders that Playwright would install into are there, complete."""
    asked = subprocess.run(
        [*INSTALL_WITH_PLAYWRIGHT[:4], "--dry-run", *INSTALL_WITH_PLAYWRIGHT[4:]],
        capture_output=True,
        text=True,
        check=False,
    )
    folders = [
        Path(line) for line in re.findall(r"Install location:\s*(.+?)\s*$", asked.stdout, re.MULTILINE)
    ]
    shells = [folder for folder in folders if "chromium" in folder.name]
    return bool(shells) and all((folder / "INSTALLATION_COMPLETE").exists() for folder in shells)


def _runs(command: tuple[str, ...]) -> bool:
    try:
        subprocess.run(command, check=True, timeout=INSTALL_SECONDS, stdout=sys.stderr)
    except (OSError, subprocess.SubprocessError):
        return False
    return True


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Several test processes that start together must not install over each other."""
    with (Path(tempfile.gettempdir()) / "hloscope-browser.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    try:
        print(f"browser for the tests: {find_browser(install='--install' in sys.argv)}")
    except NoBrowser as reason:
        sys.exit(str(reason))
