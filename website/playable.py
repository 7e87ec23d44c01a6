"""Lessons and examples as one-file pages, made by the commands that users have.

python -m website.playable FOLDER      write lessons/, examples/ and pictures/ below FOLDER
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from base64 import b64decode
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from hloscope.app.lessons.shipped import Shelf
from hloscope.app.present.html.pictures import palette, png
from hloscope.app.reference.examples import Example, example_pictures, examples
from hloscope.engine.colour_scales import ColourScale

ROOT = Path(__file__).parent.parent
HLOSCOPE = (sys.executable, "-m", "hloscope")
FAILED_PROGRAM = 1
"""Exit code of a program that ends in an error: some examples do, and their pages show it."""


def main() -> None:
    """Write the pages of all lessons and examples below the folder that the command line names."""
    (folder,) = map(Path, sys.argv[1:])
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("lessons", "examples", "pictures"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for example in examples():
        (folder / "pictures" / f"{example.name}.png").write_bytes(_picture(example))
    commands = [*_lesson_commands(folder / "lessons"), *_example_commands(folder / "examples")]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(_run, commands))


def _lesson_commands(folder: Path) -> list[list[str]]:
    return [
        [*HLOSCOPE, "lesson", "export", lesson["name"], "--out", str(folder / f"{lesson['name']}.html")]
        for lesson in Shelf().titles(None)
    ]


def _example_commands(folder: Path) -> list[list[str]]:
    return [
        [
            *HLOSCOPE,
            "run",
            f"app/reference/examples/{example.file}",
            "--html",
            str(folder / f"{example.name}.html"),
        ]
        for example in examples()
    ]


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode not in {0, FAILED_PROGRAM} or not Path(command[-1]).is_file():
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")


def _picture(example: Example) -> bytes:
    """The result of an example as a PNG, a pixel for each that the gallery draws."""
    found = example_pictures()[example.name]
    kind, low, high = found["scale"]["kind"], found["scale"]["low"], found["scale"]["high"]
    pixels = np.frombuffer(b64decode(found["pixels"]), np.uint8).reshape(found["height"], found["width"])
    return png(pixels, palette(ColourScale(kind, float(low), float(high)).palette))


if __name__ == "__main__":
    main()
