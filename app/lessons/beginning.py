"""The lesson that `hloscope lesson new` writes: a complete example of the format."""

from __future__ import annotations

import re
from pathlib import Path

BEGINNING = Path(__file__).parent / "beginning"
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,59}")


def write_beginning(folder: Path, name: str) -> Path:
    """Write `NAME.md`, and its programs below `programs/`, into a folder.

    `ValueError` if the name is invalid or a file exists.
    """
    plain = name.removesuffix(".md")
    if not _NAME.fullmatch(plain):
        raise ValueError(
            f"a lesson's name has lowercase letters, digits, hyphens and _, starting with a letter, unlike {name:.60}"
        )
    texts = {
        folder / f"{plain}.md": (BEGINNING / "lesson.md").read_text("utf-8").replace("NAME", plain),
        folder / "programs" / f"{plain}.mlir": (BEGINNING / "program.mlir").read_text("utf-8"),
        folder / "programs" / f"{plain}_solved.mlir": (BEGINNING / "solution.mlir").read_text("utf-8"),
    }
    for path in texts:
        if path.exists():
            raise ValueError(f"{path} already exists: choose another name")
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder / f"{plain}.md"
