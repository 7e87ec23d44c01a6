"""Heat map colours of the debugger's page: viridis, diverging orange to purple, red for NaN.

Viridis is by Stéfan van der Walt and Nathaniel Smith (CC0), PuOr by Cynthia Brewer
(colorbrewer2.org); colours between the stops are interpolated linearly. In the diverging
scale, orange is below zero and purple above.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hloscope.engine.small_pictures import LEVELS, MINUS_INFINITY, NOT_A_NUMBER, PLUS_INFINITY
from hloscope.engine.value_facts import Picture

from ..elements import Array

VIRIDIS = "440154 482475 414487 355f8d 2a788e 21918c 22a884 44bf70 7ad151 bddf26 fde725"
ORANGE_PURPLE = "7f3b08 b35806 e08214 fdb863 fee0b6 f7f7f7 d8daeb b2abd2 8073ac 542788 2d004b"
TWO = "d7dbe0 0b5cad"
ONE = "a6a6a6 a6a6a6"
"""The colour of a value with equal elements."""
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
    """Pixels and colours; where values lie on both sides of zero, zero has the middle colour, and equal values are grey."""
    if is_boolean:
        return picture.pixels, palette(TWO)
    low, high = picture.low, picture.high
    if low == high:
        return picture.pixels, palette(ONE)
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
