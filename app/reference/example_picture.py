"""The picture of an op without a form in the playground: a result of its example, and the elements that it reads."""

from __future__ import annotations

from functools import lru_cache

from ..present.handouts.maps import MapPicture, Reading, draw_map, map_picture
from ..present.handouts.step_view import find_step_view
from ..present.handouts.svg import document
from ..present.handouts.tensors import Index
from ..present.html.markup import Html, tag
from .example import shown_text
from .example_run import Use, uses_in_example

MOST_KEPT = 512
"""Maximum number of pictures kept; more than there are ops."""
WIDTH = 660
COLOURS = "Each element has the colour of the first element of the result that reads it"


@lru_cache(MOST_KEPT)
def example_picture(op: str) -> Html | None:
    """The first execution in the op's example whose index maps a picture shows; `None` without one."""
    pictures = (_picture(use) for use in uses_in_example(shown_text(op), op))
    found = next((picture for picture in pictures if picture is not None), None)
    if found is None:
        return None
    drawn = document(draw_map(found, WIDTH), f"Index map of {found.name}", found.words, is_file=False)
    unread = "; white ones are not read" if any(map(_is_partly_read, found.readings)) else ""
    caption = tag("figcaption", f"{found.words} {COLOURS}{unread}.")
    return tag("figure", drawn, caption, **{"class": "drawn"})


def _is_partly_read(reading: Reading) -> bool:
    return len(frozenset[Index]().union(*reading.read.values())) < reading.array.size


def _picture(use: Use) -> MapPicture | None:
    view = find_step_view(use.recording, use.process, use.step, "index-map", (), None)
    found = map_picture(view) if view.mapped_step == use.step else None
    return found if isinstance(found, MapPicture) else None
