"""A step of a run as one SVG: program lines above the chosen value or its index map."""

from ..html.markup import Html, joined
from ..numbers import exact_number
from ..summary import value_text
from .maps import MapPicture, draw_map, map_picture
from .step_view import StepView, ViewedValue
from .svg import ADVANCE, SIZE, Drawing, box, clean, document, moved, pressed, text
from .tensors import Cells, draw_cells, sheet_of

WIDTH = 760
MARGIN = 14
MAPS = ("index", "provenance")
"""Tabs of the page whose picture is the index map."""


def picture_svg(moment: StepView, title: str, *, has_lines: bool = True) -> str:
    """The picture as a file; without lines, only the value or the map."""
    inner, told = WIDTH - 2 * MARGIN, where(moment)
    head = [
        text(0, SIZE, clean(title)[:60], "ink"),
        text(inner, SIZE, told[:70], "quiet", anchor="end", size=12),
    ]
    program = [Drawing(joined(head), inner, SIZE + 8), draw_lines(moment, inner)] if has_lines else []
    parts, y = [], float(MARGIN)
    for drawing in (*program, *figures(moment, inner)):
        parts.append(moved(MARGIN, y, drawing.content))
        y += drawing.height + 12
    whole = Drawing(joined(parts), WIDTH, y - 12 + MARGIN)
    return str(document(whole, f"{clean(title)}, {told}", description(moment), is_file=True))


def where(moment: StepView) -> str:
    """The step and its current op, or that the run has ended."""
    recording = moment.recording
    process = f", process {recording.process_name(moment.process)}" if len(recording.tracks) > 1 else ""
    steps = f"{moment.track.step_count:,}"
    if moment.bound is None:
        return f"after all {steps} steps{process}"
    return f"step {moment.step:,} of {steps}{process}, current op {moment.bound.operation.name}"


def figures(moment: StepView, width: float) -> list[Drawing]:
    """The caption and the picture of the value, or of the map."""
    shown = moment.shown
    if shown is None:
        return [_said("No value is recorded at this step.", width)]
    if moment.tab in MAPS:
        found = map_picture(moment)
        if isinstance(found, MapPicture):
            return [_said(found.words, width), draw_map(found, width)]
        return [_said(found, width), *_tensor(moment, shown, width)]
    return _tensor(moment, shown, width)


def _tensor(moment: StepView, shown: ViewedValue, width: float) -> list[Drawing]:
    captions = _said(caption(moment, shown), width)
    if shown.array is None:
        return [captions]
    return [captions, draw_cells(Cells(shown.array, moment.element), width)]


def caption(moment: StepView, shown: ViewedValue) -> str:
    """The value in one line, and the marked element."""
    if shown.array is None or shown.type is None:
        return f"{shown.name} is not a tensor and has no elements."
    told = (
        f"{shown.name}: {value_text(shown.array, shown.type, None, moment.recording.program.module.language)}"
    )
    part = sheet_of(shown.array, moment.element).words
    if part:
        told += f"; shown: {part}"
    if moment.element is not None:
        told += f"; [{', '.join(map(str, moment.element))}] = {exact_number(shown.array[moment.element])}"
    return told


def description(moment: StepView) -> str:
    """The alternative text of the picture."""
    source = moment.recording.program.module.source.text.splitlines()
    line = source[moment.line - 1].strip() if 0 < moment.line <= len(source) else ""
    told = [f"Line {moment.line}: {clean(line)[:300]}."]
    if moment.shown is not None:
        found = map_picture(moment) if moment.tab in MAPS else ""
        told.append(
            found.words
            if isinstance(found, MapPicture)
            else f"{found} {caption(moment, moment.shown)}.".strip()
        )
    return " ".join(told)


def _said(said: str, width: float) -> Drawing:
    """A caption, wrapped to the width."""
    most, lines = int(width / ADVANCE), [""]
    for word in clean(said).split(" "):
        if len(lines[-1]) + len(word) + 1 > most and lines[-1]:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    parts: list[Html] = [text(0, SIZE + row * 18, line[:most], "ink") for row, line in enumerate(lines[:4])]
    return Drawing(joined(parts), width, len(parts) * 18)


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


def draw_lines(moment: StepView, width: float) -> Drawing:
    """The lines with their numbers; a tinted bar and an arrow mark the current line."""
    shown = lines_around(moment)
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
