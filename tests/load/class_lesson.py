"""The lesson of a class: its steps are the columns of the teacher's panel, its program is the one whose requests were recorded."""

from __future__ import annotations

from pathlib import Path

from tests.programs import known_example

from .class_session import PROGRAM

NAME = "class"
STEPS = [f"step-{number}" for number in range(1, 13)]
STEP = """
## Step {number} {{#{step}}}
:::ask shape of="%arg{argument}"
What is the shape of `%arg{argument}`?
:::
"""


def write_lesson(folder: Path) -> Path:
    """A lesson with its program; returns its file."""
    found = known_example(PROGRAM)
    (folder / found.file).write_text(found.text, "utf-8")
    head = f"---\ntitle: A class\nsummary: One step after the other.\nminutes: 10\nlang: en\nprograms:\n  train: {found.file}\n---\n"
    steps = [
        STEP.format(number=number, step=step, argument=number % 8) for number, step in enumerate(STEPS, 1)
    ]
    path = folder / f"{NAME}.md"
    path.write_text(head + "".join(steps), "utf-8")
    return path
