"""A value of a run as HTML: picture, type, range, and the numbers of a small value."""

from collections.abc import Iterator, Sequence

import numpy as np

from hloscope.engine.ir.types import TensorType

from ..elements import Array
from ..numbers import exact_number, short_number
from ..statistics import statistics_of
from ..summary import value_text
from .markup import NUMBER, Html, code, heading, line, row, shown, table, tag
from .pictures import heat_map

MOST_NUMBERS = 64
MOST_COLUMNS = 16
MOST_ELEMENTS = 1 << 22
"""Maximum elements of a value whose statistics a notebook cell computes."""


def value_html(
    name: str, where: str, tensor: tuple[Array, TensorType] | None, dims: Sequence[str] | None = None
) -> str:
    """A single value: name with type, origin, and array (`None` if it is no tensor)."""
    content = (
        _content(*tensor, dims)
        if tensor is not None
        else [line("It is not a tensor, and so has no elements.")]
    )
    return shown(heading(code(name), f" {where}"), *content)


def _content(array: Array, type: TensorType, dims: Sequence[str] | None) -> Iterator[Html]:
    if dims:
        yield line(f"Dimensions: {', '.join(dims)}.")
    if not array.size:
        yield line("It has no elements.")
        return
    text = value_text(array, type)
    if array.ndim:
        yield line(heat_map(array, f"picture of {text}"))
        yield line(_picture_words(array))
    if array.size > MOST_ELEMENTS:
        yield line(code(text))
        return
    yield _statistics(array)
    if array.size <= MOST_NUMBERS:
        yield _numbers(array)


def _picture_words(array: Array) -> str:
    """The legend of the picture."""
    sizes = " × ".join(map(str, array.shape))
    folded = ": leading dimensions are folded into rows" if array.ndim > 2 else ""
    return f"{sizes}{folded}. NaN and infinities are red."


def _statistics(array: Array) -> Html:
    numbers = statistics_of(array)
    found = numbers.range
    ends = "|smallest|", "|largest|"
    low, high = ends if array.dtype.kind == "c" else ("smallest", "largest")
    cells = [("elements", f"{found.count:,}")]
    if found.finite:
        cells += [
            (low, short_number(found.minimum)),
            (high, short_number(found.maximum)),
            ("mean", short_number(found.mean)),
            ("deviation", short_number(numbers.deviation)),
            ("zeros", f"{numbers.zeros:,}"),
        ]
    counts = (("NaN", found.nan), ("+Inf", found.positive_infinities), ("-Inf", found.negative_infinities))
    cells += [(name, f"{count:,}") for name, count in counts if count]
    return table([name for name, _ in cells], [row(*(code(text) for _, text in cells))])


def _numbers(array: Array) -> Html:
    """All elements as one table; leading dimensions become rows with their index."""
    matrix = array.reshape(-1, array.shape[-1]) if array.ndim else array.reshape(1, 1)
    if matrix.shape[1] > MOST_COLUMNS:
        return line(code(", ".join(map(exact_number, array.ravel()))))
    rows = []
    for number, elements in enumerate(matrix):
        index = np.unravel_index(number, array.shape[:-1]) if array.ndim > 1 else ()
        head = [tag("th", f"[{', '.join(map(str, index))}]", style=NUMBER)] if array.ndim > 1 else []
        cells = (tag("td", code(exact_number(each)), style=NUMBER) for each in elements)
        rows.append(tag("tr", *head, *cells))
    return tag("table", tag("tbody", *rows), style="border-collapse:collapse;margin:4px 0")
