"""Files and folders that nobody else on this machine may look into."""

from __future__ import annotations

from pathlib import Path

OTHERS = 0o077


def restrict_to_owner(path: Path) -> None:
    """Take away what rights others have on a file or folder."""
    mode = path.stat().st_mode
    if mode & OTHERS:
        path.chmod(mode & 0o777 & ~OTHERS)
