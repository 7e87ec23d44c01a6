"""The picture of an op without a form in the playground: what its example reads and gives."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from hloscope.engine.colour_scales import ColourScale, Kind, colour_scale, kind_of
from hloscope.engine.value_facts import as_numbers, range_of, spread_of

from ..present.handouts.maps import MapPicture, Reading, draw_map, map_picture
from ..present.handouts.step_view import find_step_view
from ..present.handouts.svg import Drawing, document, in_rows, labelled, text
from ..present.handouts.tensors import Cells, Index, draw_cells
from ..present.html.markup import Html, tag
from ..present.numbers import exact_number
from .example import shown_text
from .example_run import Tensor, Use, uses_in_example

MOST_KEPT = 512
"""Maximum number of pictures kept; more than there are ops."""
WIDTH = 660
COLOURS = "Each element has the colour of the first element of the result that reads it"


@lru_cache(MOST_KEPT)
def example_picture(op: str) -> Html | None:
    """The first execution in the op's example whose index maps a picture shows, else the values of the first one.

    `None` if the example does not run the op, or the op has no tensors.
    """
    uses = uses_in_example(shown_text(op), op)
    with_maps = (picture for use in uses if (picture := _maps(use)) is not None)
    return next(with_maps, None) or (_values(uses[0]) if uses else None)


def _figure(drawing: Drawing, title: str, description: str, caption: str) -> Html:
    drawn = document(drawing, title, description, is_file=False)
    return tag("figure", drawn, tag("figcaption", caption), **{"class": "drawn"})


def _maps(use: Use) -> Html | None:
    view = find_step_view(use.recording, use.process, use.step, "index-map", (), None)
    found = map_picture(view) if view.mapped_step == use.step else None
    if not isinstance(found, MapPicture):
        return None
    unread = "; white ones are not read" if any(map(_is_partly_read, found.readings)) else ""
    caption = f"{found.words} {COLOURS}{unread}."
    return _figure(draw_map(found, WIDTH), f"Index map of {found.name}", found.words, caption)


def _is_partly_read(reading: Reading) -> bool:
    return len(frozenset[Index]().union(*reading.read.values())) < reading.array.size


def _values(use: Use) -> Html | None:
    """The operands and results of an execution, in each process."""
    uses = list(use.in_all_processes())
    tensors = [tensor for each in uses for tensor in (*each.read, *each.results)]
    if not tensors:
        return None
    scales, several = _scales(tensors), len(uses) > 1
    rows = [in_rows(_drawn(each, scales, several), WIDTH) for each in uses]
    sides = [side for side, given in (("operands", use.read), ("results", use.results)) if given]
    caption = f"Its {' and '.join(sides)} in the example{', in each process' if several else ''}."
    return _figure(
        in_rows(rows, 0),
        f"Values of {use.bound.operation.name}",
        " ".join(_words(each, several) for each in uses),
        f"{caption} Tensors of the same kind of numbers have one colour scale.",
    )


def _words(use: Use, has_name: bool) -> str:
    told = "; ".join(f"{tensor.name} is {_written(tensor)}" for tensor in (*use.read, *use.results))
    return f"{f'In process {use.recording.process_name(use.process)}, ' if has_name else ''}{told}."


def _scales(tensors: Sequence[Tensor]) -> dict[Kind, ColourScale]:
    """The colour scale of all tensors of each kind."""
    found = dict[Kind, ColourScale]()
    for kind in {kind_of(tensor.array.dtype) for tensor in tensors}:
        of_kind = (tensor.array for tensor in tensors if kind_of(tensor.array.dtype) == kind)
        joined = np.concatenate([as_numbers(array).ravel() for array in of_kind])
        ends = range_of(joined)
        found[kind] = colour_scale(kind, ends.minimum, ends.maximum, spread_of(joined))
    return found


def _drawn(use: Use, scales: dict[Kind, ColourScale], has_name: bool) -> Iterator[Drawing]:
    if has_name:
        said = use.recording.process_name(use.process)
        yield labelled("Process", Drawing(text(0, 13, said), 0, 13))
    for side, tensors in (("operand", use.read), ("result", use.results)):
        for tensor in tensors:
            cells = Cells(tensor.array, scale=scales[kind_of(tensor.array.dtype)])
            yield labelled(f"{tensor.name}, {side}", draw_cells(cells, WIDTH))


def _written(tensor: Tensor) -> str:
    return " ".join(np.array2string(tensor.array, separator=", ", formatter={"all": exact_number}).split())
