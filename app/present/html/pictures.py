"""Values as small PNG pictures embedded in the HTML, in the colours of the debugger's page: see `engine/colour_scales.py`.

Viridis is by Stéfan van der Walt and Nathaniel Smith (CC0), PuOr by Cynthia Brewer (colorbrewer2.org), the categories
are those of Tableau; static/js/drawing/colour_maps.js has the same stops.
"""

import struct
import zlib
from base64 import b64encode
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hloscope.engine.colour_scales import LEVELS, ColourScale, PaletteName
from hloscope.engine.small_pictures import MINUS_INFINITY, NOT_A_NUMBER, PLUS_INFINITY, picture_of
from hloscope.engine.value_facts import Picture

from ..elements import Array
from .markup import Html, void

STOPS: dict[PaletteName, str] = {
    "viridis": "440154 482475 414487 355f8d 2a788e 21918c 22a884 44bf70 7ad151 bddf26 fde725",
    "purple-orange": "7f3b08 b35806 e08214 fdb863 fee0b6 f7f7f7 d8daeb b2abd2 8073ac 542788 2d004b",
}
COLOURS: dict[PaletteName, str] = {
    "categories": "4e79a7 f28e2c e15759 76b7b2 59a14f edc949 af7aa1 ff9da7 9c755f bab0ab",
    "one": "a6a6a6",
    "two": "d7dbe0 0b5cad",
}
DARK, LIGHT = 251, 252
"""The levels of the marks on NaN and infinities."""
SPECIAL = {
    DARK: "4d0010",
    LIGHT: "ffffff",
    NOT_A_NUMBER: "e3002b",
    PLUS_INFINITY: "ffa3b6",
    MINUS_INFINITY: "4d0010",
}

Palette = NDArray[np.uint8]
"""256 RGB colours: those of the levels, of marks, of infinities and of NaN."""


@lru_cache
def palette(name: PaletteName) -> Palette:
    """The colours of a palette; read-only."""
    levels = np.arange(LEVELS + 1)
    found = np.zeros((256, 3), np.uint8)
    if name in STOPS:
        found[: LEVELS + 1] = _between(_channels(STOPS[name]), levels / LEVELS)
    else:
        colours = _channels(COLOURS[name])
        # Categories are last digits; the second of two colours begins in the middle.
        parts = np.minimum(levels * len(colours) // LEVELS, len(colours) - 1)
        found[: LEVELS + 1] = colours[levels % len(colours) if name == "categories" else parts]
    for number, colour in SPECIAL.items():
        found[number] = _channels(colour)
    found.flags.writeable = False
    return found


def _between(stops: NDArray[np.float64], places: NDArray[np.float64]) -> NDArray[np.float64]:
    at = places * (len(stops) - 1)
    before = np.minimum(at.astype(int), len(stops) - 2)
    found: NDArray[np.float64] = np.floor(
        stops[before] + (stops[before + 1] - stops[before]) * (at - before)[:, None] + 0.5
    )
    return found


def _channels(colours: str) -> NDArray[np.float64]:
    return np.array([list(bytes.fromhex(colour)) for colour in colours.split()], np.float64)


def coloured(picture: Picture) -> tuple[NDArray[np.uint8], Palette]:
    """Pixels and their colours."""
    return picture.pixels, palette(picture.scale.palette)


_ROWS, _COLUMNS = np.indices((6, 6))
_INNER = (np.minimum(_ROWS, _COLUMNS) >= 1) & (np.maximum(_ROWS, _COLUMNS) <= 4)
_BAR = _ROWS // 2 == 1
MARKS = {
    NOT_A_NUMBER: ((_ROWS + _COLUMNS) % 3 == 0, DARK),
    PLUS_INFINITY: ((_BAR | _BAR.T) & _INNER, DARK),
    MINUS_INFINITY: (_BAR & _INNER, LIGHT),
}
"""Where a cell of 6 x 6 pixels is marked, and with what: NaN is hatched, an infinity has its sign."""


def marked(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The pixels, six times as large, with the marks of those that are not finite."""
    large = pixels.repeat(6, 0).repeat(6, 1)
    for level, (mark, colour) in MARKS.items():
        large[np.kron(pixels == level, mark)] = colour
    return large


WIDTH, HEIGHT = 256, 128
"""Maximum size, in pixels, of the picture of a single value."""
SHOWN_WIDTH, SHOWN_HEIGHT = 384, 192
LARGEST_PIXEL = 24
MARKED_PIXEL = 6
"""Minimum size of a pixel that shows the mark of NaN or an infinity."""
STRIP_WIDTH, STRIP_HEIGHT = 72, 20
"""Size of a picture in a table row, in CSS pixels."""


def heat_map(array: Array, words: str) -> Html:
    """A value at the maximum size; `words` is the alternative text."""
    picture = picture_of(array, WIDTH, HEIGHT)
    return _image(picture, words, *_size(picture))


def heat_map_png(array: Array) -> bytes:
    """A value as a PNG file, small ones enlarged; of a value without elements, one grey pixel."""
    picture = picture_of(array, WIDTH, HEIGHT)
    if not picture.pixels.size:
        return png(np.zeros((1, 1), np.uint8), np.full((256, 3), 128, np.uint8))
    return _enlarged(picture, *coloured(picture))


def strip(array: Array, words: str) -> Html:
    """A value at the size of a table row."""
    return _image(picture_of(array), words, STRIP_WIDTH, STRIP_HEIGHT)


def pattern(numbers: Array, most: int, words: str) -> Html:
    """Element numbers from 0 to `most` in viridis colours, and negative numbers in white."""
    picture, pixels, colours = _pattern(numbers, most)
    return _tag(pixels, colours, words, *_size(picture))


def pattern_png(numbers: Array, most: int) -> bytes:
    """The same as a PNG file, small ones enlarged."""
    picture, pixels, colours = _pattern(numbers, most)
    return _enlarged(picture, pixels, colours)


def _pattern(numbers: Array, most: int) -> tuple[Picture, NDArray[np.uint8], Palette]:
    scale = ColourScale("float", 0, max(1, most))
    picture = picture_of(np.where(numbers < 0, np.nan, numbers), WIDTH, HEIGHT, scale)
    colours = palette("viridis").copy()
    colours[NOT_A_NUMBER] = 255
    return picture._replace(nonfinite=False), picture.pixels, colours


def _enlarged(picture: Picture, pixels: NDArray[np.uint8], colours: Palette) -> bytes:
    """A PNG at the size on the page."""
    scale = _size(picture)[0] // pixels.shape[1]
    if picture.nonfinite and scale >= MARKED_PIXEL:
        pixels, scale = marked(pixels), scale // 6
    return png(pixels.repeat(scale, 0).repeat(scale, 1), colours)


def _size(picture: Picture) -> tuple[int, int]:
    """Width and height on the page."""
    height, width = picture.pixels.shape
    scale = max(1, min(SHOWN_WIDTH // max(1, width), SHOWN_HEIGHT // max(1, height), LARGEST_PIXEL))
    return width * scale, height * scale


def _image(picture: Picture, words: str, width: int, height: int) -> Html:
    if not picture.pixels.size:
        return Html("")
    pixels, colours = coloured(picture)
    if picture.nonfinite and min(width / pixels.shape[1], height / pixels.shape[0]) >= MARKED_PIXEL:
        pixels = marked(pixels)
    return _tag(pixels, colours, words, width, height)


def _tag(pixels: NDArray[np.uint8], colours: Palette, words: str, width: int, height: int) -> Html:
    data = b64encode(png(pixels, colours)).decode()
    # Notebooks' own styles would stretch it.
    size = f"width:{width}px;height:{height}px;max-width:none"
    style = f"image-rendering:pixelated;display:inline-block;margin:0;{size}"
    source = f"data:image/png;base64,{data}"
    return void("img", src=source, alt=words, width=width, height=height, style=style)


def png(pixels: NDArray[np.uint8], colours: Palette) -> bytes:
    """A picture of at most 256 colours, by the PNG specification (third edition, colour type 3)."""
    height, width = pixels.shape
    lines = np.concatenate([np.zeros((height, 1), np.uint8), pixels], axis=1)  # each line unfiltered
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        (
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
            _chunk(b"PLTE", colours.tobytes()),
            _chunk(b"IDAT", zlib.compress(lines.tobytes(), 9)),
            _chunk(b"IEND", b""),
        )
    )


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
