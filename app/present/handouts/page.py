"""A step of a run as HTML to print: program with the current line, value, index map."""

from ..html.markup import Html, joined, tag
from .maps import draw_map, map_picture
from .picture import MAPS, caption, lines_around, where
from .step_view import StepView
from .svg import clean, document
from .tensors import Cells, draw_cells

WIDTH = 660
"""Width of a picture in pixels; fits a sheet of paper."""
MOST_LINES = 400
"""Maximum lines of a program printed whole; of a longer one, lines around the current one."""


def handout_html(moment: StepView) -> str:
    """The sections of the page, without scripts and styles."""
    return joined(
        (tag("p", where(moment), **{"class": "where"}), *_value(moment), *_map(moment), _program(moment))
    )


def _program(moment: StepView) -> Html:
    count = len(moment.recording.program.module.source.text.splitlines())
    shown = lines_around(moment, None if count <= MOST_LINES else MOST_LINES // 2 - 1)
    rows = [_line(text, is_current=number == moment.line) for number, text in shown]
    some = f" (lines {shown[0][0]:,} to {shown[-1][0]:,} of {count:,})" if len(shown) < count else ""
    listing = tag("ol", *rows, start=shown[0][0] if shown else 1, **{"class": "program"})
    return tag("section", tag("h2", f"Program{some}"), listing, **{"class": "listing"})


def _line(text: str, *, is_current: bool) -> Html:
    marked = {"class": "current", "aria-current": "step"} if is_current else {}
    return tag("li", tag("code", clean(text) or " "), **marked)


def _value(moment: StepView) -> list[Html]:
    shown = moment.shown
    if shown is None:
        return [tag("p", "No value is recorded at this step.")]
    said = tag("p", tag("code", caption(moment, shown)))
    parts = [tag("h2", "Value ", tag("code", shown.name)), said]
    if shown.array is not None:
        cells = Cells(shown.array, moment.element)
        parts.append(
            document(
                draw_cells(cells, WIDTH), f"Picture of {shown.name}", caption(moment, shown), is_file=False
            )
        )
    return [tag("section", *parts, **{"class": "figure"})]


def _map(moment: StepView) -> list[Html]:
    found = map_picture(moment)
    if isinstance(found, str):
        return [tag("section", tag("h2", "Index map"), tag("p", found))] if moment.tab in MAPS else []
    drawn = document(draw_map(found, WIDTH), f"Index map of {found.name}", found.words, is_file=False)
    note = "Each element of the result has a colour. Elements that it reads have the colour of their first reader; white ones are not read."
    said = [tag("p", tag("code", found.words)), drawn, tag("p", note, **{"class": "note"})]
    return [tag("section", tag("h2", "Index map"), *said, **{"class": "figure"})]
