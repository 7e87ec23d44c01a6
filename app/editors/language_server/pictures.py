"""A value as a picture in a hover: a PNG in a data URL."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any

import numpy as np

from hloscope.engine.ir.types import TensorType
from hloscope.engine.small_pictures import LEVELS

from ...present.html.colours import Palette
from ...present.html.pictures import png
from ...present.thumbnails import thumbnail

_SCALE = 6
_LOW, _HIGH = (38, 70, 120), (250, 220, 120)
_MARKS = {253: (60, 60, 200), 254: (230, 120, 30), 255: (220, 20, 60)}
"""-Inf, +Inf, NaN."""


def picture_address(array: Any, type: TensorType) -> str:
    """`data:image/png;base64,…` with a pixel block for each cell of the thumbnail; NaN is red."""
    found = thumbnail(array, type)
    pixels = np.frombuffer(b64decode(found["pixels"]), np.uint8).reshape(found["height"], found["width"])
    large = pixels.repeat(_SCALE, axis=0).repeat(_SCALE, axis=1)
    return f"data:image/png;base64,{b64encode(png(large, _palette())).decode()}"


def _palette() -> Palette:
    share = np.linspace(0, 1, LEVELS + 1)[:, None]
    table = np.zeros((256, 3), np.uint8)
    table[: LEVELS + 1] = np.rint(np.array(_LOW) * (1 - share) + np.array(_HIGH) * share)
    for mark, colour in _MARKS.items():
        table[mark] = colour
    return table
