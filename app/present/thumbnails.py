"""A value as a small picture with its text, for the margin of its line."""

from __future__ import annotations

from base64 import b64encode

from hloscope.engine.ir.module import Language
from hloscope.engine.ir.types import TensorType
from hloscope.engine.small_pictures import picture_of
from hloscope.engine.value_facts import Picture, ValueFacts

from ..wire.values import ThumbnailInfo
from .elements import Array
from .numbers import json_number
from .summary import Lanes, facts_text, value_text


def thumbnail(
    array: Array, type: TensorType, lanes: Lanes = None, language: Language = "stablehlo"
) -> ThumbnailInfo:
    """Text, range and pixels. Pixel p up to 250 stands for min + p / 250 * (max - min)."""
    return _info(value_text(array, type, lanes, language), picture_of(array))


def thumbnail_of_facts(
    facts: ValueFacts, type: TensorType, language: Language = "stablehlo"
) -> ThumbnailInfo | None:
    """The thumbnail of a value that is elsewhere; `None` if its facts have no picture."""
    return None if facts.picture is None else _info(facts_text(facts, type, language), facts.picture)


def _info(text: str, picture: Picture) -> ThumbnailInfo:
    low, high, pixels, nonfinite = picture
    return {
        "text": text,
        "min": json_number(low),
        "max": json_number(high),
        "nonfinite": nonfinite,
        "width": pixels.shape[1],
        "height": pixels.shape[0],
        "pixels": b64encode(pixels.tobytes()).decode(),
    }
