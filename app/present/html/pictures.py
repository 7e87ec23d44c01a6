"""Values as small PNG pictures embedded in the HTML, in the heat map colours of the debugger's page.

Viridis is by Stéfan van der Walt and Nathaniel Smith (CC0), PuOr by Cynthia Brewer
(colorbrewer2.org); colours between the stops are interpolated linearly. In the diverging
scale, orange is below zero and purple above; NaN is red.
"""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode

import numpy as np
from numpy.typing import NDArray

from hloscope.engine.small_pictures import LEVELS, MINUS_INFINITY, NOT_A_NUMBER, PLUS_INFINITY, picture_of
from hloscope.engine.value_facts import Picture

from ..elements import Array
from .markup import Html, void

VIRIDIS = "440154 482475 414487 355f8d 2a788e 21918c 22a884 44bf70 7ad151 bddf26 fde725"
ORANGE_PURPLE = "7f3b08 b35806 e08214 fdb863 fee0b6 f7f7f7 d8daeb b2abd2 8073ac 542788 2d004b"
TWO = "d7dbe0 0b5cad"
SPECIAL = {NOT_A_NUMBER: "e3002b", PLUS_INFINITY: "ff6b81", MINUS_INFINITY: "8a0020"}
DIVERGING = 0.1
"""Minimum ratio of the shorter to the longer side at which a scale has zero in its middle."""

Palette = NDArray[np.uint8]
"""256 RGB colours: those up to `LEVELS` of a scale, then those of NaN and infinities."""


def palette(stops: str) -> Palette:
    """The palette interpolated between `stops`."""
    known = np.array([_channels(stop) for stop in stops.split()], np.float64)
    places = np.linspace(0, len(known) - 1, LEVELS + 1)
    found = np.zeros((256, 3), np.uint8)
    for channel in range(3):
        found[: LEVELS + 1, channel] = np.rint(
            np.interp(places, np.arange(len(known)), known[:, channel])
        ).astype(np.uint8)
    for number, colour in SPECIAL.items():
        found[number] = _channels(colour)
    return found


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[:2], 16), int(colour[2:4], 16), int(colour[4:], 16)


def coloured(picture: Picture, *, is_boolean: bool) -> tuple[NDArray[np.uint8], Palette]:
    """Pixels and colours; where values lie on both sides of zero, zero has the middle colour."""
    if is_boolean:
        return picture.pixels, palette(TWO)
    low, high = picture.low, picture.high
    if not (low < 0 < high and min(-low, high) >= DIVERGING * max(-low, high)):
        return picture.pixels, palette(VIRIDIS)
    most = max(-low, high)
    shown = low / most + np.arange(LEVELS + 1) / LEVELS * (high / most - low / most)
    return moved_levels((shown + 1) / 2)[picture.pixels], palette(ORANGE_PURPLE)


def moved_levels(positions: Array) -> NDArray[np.uint8]:
    """A table that moves each level of a picture to its position from 0 to 1; NaN levels stay."""
    levels = np.arange(256, dtype=np.uint8)
    levels[: LEVELS + 1] = np.clip(np.rint(positions * LEVELS), 0, LEVELS)
    return levels


WIDTH, HEIGHT = 256, 128
"""Maximum size, in pixels, of the picture of a single value."""
SHOWN_WIDTH, SHOWN_HEIGHT = 384, 192
LARGEST_PIXEL = 24
STRIP_WIDTH, STRIP_HEIGHT = 72, 20
"""Size of a picture in a table row, in CSS pixels."""


def heat_map(array: Array, words: str) -> Html:
    """A value at the maximum size; `words` is the alternative text."""
    picture = picture_of(array, WIDTH, HEIGHT)
    return _image(picture, array, words, *_size(picture))


def heat_map_png(array: Array) -> bytes:
    """A value as a PNG file, small ones enlarged; of a value without elements, one grey pixel."""
    picture = picture_of(array, WIDTH, HEIGHT)
    if not picture.pixels.size:
        return png(np.zeros((1, 1), np.uint8), np.full((256, 3), 128, np.uint8))
    return _enlarged(picture, *coloured(picture, is_boolean=array.dtype == np.bool_))


def strip(array: Array, words: str) -> Html:
    """A value at the size of a table row."""
    return _image(picture_of(array), array, words, STRIP_WIDTH, STRIP_HEIGHT)


def pattern(numbers: Array, most: int, words: str) -> Html:
    """Element numbers from 0 to `most` in viridis colours, and negative numbers in white."""
    picture, pixels, colours = _pattern(numbers, most)
    return _tag(pixels, colours, words, *_size(picture))


def pattern_png(numbers: Array, most: int) -> bytes:
    """The same as a PNG file, small ones enlarged."""
    picture, pixels, colours = _pattern(numbers, most)
    return _enlarged(picture, pixels, colours)


def _pattern(numbers: Array, most: int) -> tuple[Picture, NDArray[np.uint8], Palette]:
    picture = picture_of(np.where(numbers < 0, np.nan, numbers), WIDTH, HEIGHT)
    shown = picture.low + np.arange(LEVELS + 1) / LEVELS * (picture.high - picture.low)
    colours = palette(VIRIDIS)
    colours[NOT_A_NUMBER] = 255
    return picture, moved_levels(shown / max(1, most))[picture.pixels], colours


def _enlarged(picture: Picture, pixels: NDArray[np.uint8], colours: Palette) -> bytes:
    """A PNG at the size on the page."""
    scale = _size(picture)[0] // pixels.shape[1]
    return png(pixels.repeat(scale, 0).repeat(scale, 1), colours)


def _size(picture: Picture) -> tuple[int, int]:
    """Width and height on the page."""
    height, width = picture.pixels.shape
    scale = max(1, min(SHOWN_WIDTH // max(1, width), SHOWN_HEIGHT // max(1, height), LARGEST_PIXEL))
    return width * scale, height * scale


def _image(picture: Picture, array: Array, words: str, width: int, height: int) -> Html:
    if not picture.pixels.size:
        return Html("")
    return _tag(*coloured(picture, is_boolean=array.dtype == np.bool_), words, width, height)


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
