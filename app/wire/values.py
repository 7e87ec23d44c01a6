"""Values of a recording: summaries, pictures, windows, prints."""

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
    """Counts of elements between edges, one more edge than counts; empty without finite elements."""

    edges: list[JsonNumber]
    counts: list[int]


class Spread(TypedDict):
    """Percentiles 0.5 and 99.5 of the finite elements, and 10, 50 and 99 of the magnitudes that are not 0."""

    low: JsonNumber
    high: JsonNumber
    small: JsonNumber
    median: JsonNumber
    large: JsonNumber


ElementKind: TypeAlias = Literal["integer", "float", "truth", "complex"]


class ElementText(TypedDict):
    """One element as the page prints it, and its kind of number."""

    text: str
    kind: ElementKind


class NonfiniteElement(TypedDict):
    """An element that is NaN or infinite, the `number`-th of `count`; the index is null if there is none."""

    index: list[int] | None
    text: str
    number: int
    count: int


class ValueSummary(TypedDict):
    """Type, shape, statistics and histogram of a tensor."""

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
    """The summary of a token or a tuple."""

    address: str
    type: str
    shape: None
    lanes: None
    layout: None
    text: str


class ColourScale(TypedDict):
    """The numbers at the ends of the palette, "NaN" without finite elements; `soft`: where arcsinh turns logarithmic."""

    kind: Literal["boolean", "integer", "float", "complex"]
    low: JsonNumber
    high: JsonNumber
    shape: Literal["linear", "log", "arcsinh"]
    soft: JsonNumber


class ThumbnailInfo(TypedDict):
    """A small picture. Pixels up to 250 are levels in the scale; 253 is -Inf, 254 +Inf, and 255 NaN."""

    text: str
    min: JsonNumber
    max: JsonNumber
    scale: ColourScale
    nonfinite: bool
    width: int
    height: int
    pixels: str


class WindowHeader(TypedDict):
    """The header of a window: its size in cells, and the total size."""

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
    """The difference of a value from the first; null if shapes or types differ, or only one side is NaN."""

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
