"""Program lines around the current op."""

from __future__ import annotations

from ..html.markup import Html, joined
from .step_view import StepView
from .svg import ADVANCE, Drawing, box, clean, pressed, text

AROUND = 5
"""Lines shown before and after the current one."""
HEIGHT = 20


def lines_around(moment: StepView, around: int | None = AROUND) -> list[tuple[int, str]]:
    """Numbers (from 1) and texts of the lines around the step; all lines if `around` is `None`."""
    lines = moment.recording.program.module.source.text.splitlines()
    if around is None:
        return list(enumerate(lines, 1))
    count = 2 * around + 1
    first = max(0, min(moment.line - 1 - around, len(lines) - count))
    return list(enumerate(lines, 1))[first : first + count]


def cut_line(line: str, characters: int) -> str:
    """The line, cut to `characters`."""
    told = clean(line.expandtabs(2))
    return told if len(told) <= characters else f"{told[: characters - 2].rstrip()} …"


def draw_lines(moment: StepView, width: float, around: int = AROUND) -> Drawing:
    """The lines with their numbers; a tinted bar and an arrow mark the current line."""
    shown = lines_around(moment, around)
    digits = max(len(str(number)) for number, _ in shown)
    side = 18 + (digits + 1.5) * ADVANCE
    characters = int((width - side) / ADVANCE)
    parts: list[Html] = []
    for row, (number, line) in enumerate(shown):
        y, is_current = row * HEIGHT, number == moment.line
        if is_current:
            parts += [
                box(0, y, width, HEIGHT, "tint"),
                box(0, y, 3, HEIGHT, "accent"),
                text(7, y + 14.5, "➜", "accent", size=11),
            ]
        told = cut_line(line, characters)
        body = told.lstrip(" ")
        indent = len(told) - len(body)
        parts += [
            text(
                side - 1.5 * ADVANCE,
                y + 14.5,
                str(number),
                "accent" if is_current else "quiet",
                anchor="end",
                size=12,
            ),
            pressed(side + indent * ADVANCE, y + 14.5, body, len(body) * ADVANCE, "ink"),
        ]
    return Drawing(joined(parts), width, len(shown) * HEIGHT)
