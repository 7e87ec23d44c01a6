"""Values of a recording: summaries, pictures, windows, prints."""

from __future__ import annotations

from typing import Literal, TypeAlias

from typing_extensions import TypedDict

from .numbers import JsonNumber, WireType


class ElementWire(TypedDict):
    """The wire form of elements: little-endian, `components` numbers per element."""

    dtype: WireType
    components: Literal[1, 2]


class MemoryLayout(TypedDict):
    """Memory layout of an HLO tensor; `tiles`: 0 for a dimension combined with the next."""

    text: str
    words: str
    majorToMinor: list[int]
    tiles: list[list[int]]
    rowMajor: bool


class ValueStatistics(TypedDict):
    """Statistics of all finite elements; `nan`, `posinf` and `neginf` count the others."""

    min: JsonNumber
    max: JsonNumber
    mean: JsonNumber
    std: JsonNumber
    zeros: int
    nan: int
    posinf: int
    neginf: int


class Histogram(TypedDict):
    """Counts of elements between edges, one more edge than counts; empty where no element is a number."""

    edges: list[JsonNumber]
    counts: list[int]


class Spread(TypedDict):
    """Percentiles of the finite elements, 0.5 and 99.5, and of the magnitudes of those that are not 0: 10, 50 and 99."""

    low: JsonNumber
    high: JsonNumber
    small: JsonNumber
    median: JsonNumber
    large: JsonNumber


ElementKind: TypeAlias = Literal["integer", "float", "truth", "complex"]


class ElementText(TypedDict):
    """One element as the page prints it, and what kind of number it is."""

    text: str
    kind: ElementKind


class NonfiniteElement(TypedDict):
    """An element that is NaN or infinite, the `number`-th of `count`; without an index where there is none."""

    index: list[int] | None
    text: str
    number: int
    count: int


class ValueSummary(TypedDict):
    """Type, shape, statistics and histogram of a tensor; the page has none of what it puts together itself."""

    address: str
    type: str
    shape: list[int]
    lanes: list[int] | None
    layout: MemoryLayout | None
    text: str
    elementType: str
    wire: ElementWire
    count: int
    statistics: ValueStatistics | None
    spread: Spread | None
    histogram: Histogram | None


class PlainSummary(TypedDict):
    """The summary of a value that is no tensor: a token, a tuple."""

    address: str
    type: str
    shape: None
    lanes: None
    layout: None
    text: str


class ThumbnailInfo(TypedDict):
    """A small picture. Pixel p up to 250 stands for min + p / 250 * (max - min); above are infinities and NaN."""

    text: str
    min: JsonNumber
    max: JsonNumber
    nonfinite: bool
    width: int
    height: int
    pixels: str


class WindowHeader(TypedDict):
    """What is in front of the planes of a window: its size in cells, and of how many it is a part."""

    rows: int
    columns: int
    height: int
    width: int
    level: int
    total: tuple[int, int]
    wire: ElementWire
    planes: list[str]


class PrintedText(TypedDict):
    """A text that the program printed at a step."""

    step: int
    text: str


class ValuePair(TypedDict):
    """How a value differs from the first; null where shapes or types differ, or one is NaN and the other is not."""

    index: int
    different: int | None
    of: int
    largest: JsonNumber | None
    first: list[int] | None


class Comparison(TypedDict):
    """Groups of equal values; numbers are indices into the question's list."""

    groups: list[list[int]]
    pairs: list[ValuePair]
    shapes: list[list[int]]


class JointRange(TypedDict):
    """The range of several values, and their counts of NaN and infinities."""

    min: JsonNumber
    max: JsonNumber
    nan: int
    posinf: int
    neginf: int
