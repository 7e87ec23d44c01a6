"""Files and folders that only their owner can read."""

from pathlib import Path

OTHERS = 0o077


def restrict_to_owner(path: Path) -> None:
    """Remove the permissions of other users from a file or folder."""
    mode = path.stat().st_mode
    if mode & OTHERS:
        path.chmod(mode & 0o777 & ~OTHERS)
