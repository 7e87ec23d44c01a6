"""The rule of colours, in Python: with the cases that tests/js/colour_scales.test.mjs proves of the page."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from hloscope.app.editors.language_server.hover import picture_address
from hloscope.app.present.handouts.tensors import Cells, draw_cells
from hloscope.app.present.html.pictures import (
    DARK,
    LIGHT,
    SPECIAL,
    STOPS,
    coloured,
    heat_map_png,
    marked,
    palette,
)
from hloscope.engine.colour_scales import colour_scale
from hloscope.engine.small_pictures import (
    MINUS_INFINITY,
    NOT_A_NUMBER,
    PLUS_INFINITY,
    facts_with_picture,
    picture_of,
)
from hloscope.engine.value_facts import Picture, range_of, scale_of

CASES: dict[str, Any] = json.loads((Path(__file__).parents[2] / "colour_scales.json").read_text("utf-8"))
LEVELS_OF_CASES = [0, 37, 124, 125, 201, 250, 253, 254, 255]


def _array(case: dict[str, Any]) -> Any:
    dtype = case["dtype"]
    elements = [complex(*each) if isinstance(each, list) else float(each) for each in case["elements"]]
    return np.array(elements).astype(getattr(ml_dtypes, dtype, None) or dtype)


def _hexadecimal(colour: Any) -> str:
    return "#" + bytes(colour.tolist()).hex()


@pytest.mark.parametrize("name", CASES["maps"])
def test_the_palettes_are_those_of_the_page(name: Any) -> None:
    assert [_hexadecimal(palette(name)[level]) for level in LEVELS_OF_CASES] == CASES["maps"][name]


@pytest.mark.parametrize("case", CASES["tensors"], ids=lambda case: case["name"])
def test_scale_and_colours_are_those_of_the_page(case: dict[str, Any]) -> None:
    array, known = _array(case), case["scale"]
    scale = scale_of(array, range_of(array))
    assert scale.palette == case["map"]
    np.testing.assert_array_equal([scale.low, scale.high], [float(known["low"]), float(known["high"])])
    assert scale.shape == known["shape"]
    levels, colours = coloured(picture_of(array, 400, 1))
    assert [_hexadecimal(colours[level]) for level in levels.ravel()[-7:]] == case["lastColours"]


@pytest.mark.parametrize("case", CASES["tensors"], ids=lambda case: case["name"])
def test_facts_of_a_value_elsewhere_have_the_same_picture(case: dict[str, Any]) -> None:
    array = _array(case)
    if array.dtype.kind == "c":
        return  # has no facts
    known, found = picture_of(array), facts_with_picture(array).picture
    assert found is not None
    for other in (found, Picture.from_json(json.loads(json.dumps(found.json())))):
        np.testing.assert_equal(other.scale, known.scale)
        np.testing.assert_array_equal(other.pixels, known.pixels)


def test_pixels_of_several_elements_have_colours_of_elements() -> None:
    array = np.random.default_rng(0).normal(size=(160, 480)).astype(np.float32)
    assert np.unique(picture_of(array).pixels).size > 100  # means would have a dozen


def test_a_slice_has_the_colours_of_its_tensor() -> None:
    whole = np.arange(3 * 40 * 4, dtype=np.float32).reshape(3, 40, 4)
    drawn = draw_cells(Cells(whole, (0, 0, 0)), 400).content
    assert _hexadecimal(palette("viridis")[0]) in drawn
    assert _hexadecimal(palette("viridis")[250]) not in drawn


def test_what_is_not_finite_differs_in_lightness_and_in_its_mark() -> None:
    """For every kind of colour blindness: lightness remains, and black-and-white prints have the marks."""
    lightness = sorted(_luminance(SPECIAL[level]) for level in (MINUS_INFINITY, NOT_A_NUMBER, PLUS_INFINITY))
    for darker, lighter in pairwise(lightness):
        assert (lighter + 0.05) / (darker + 0.05) >= 2.5
    cells = marked(np.array([[NOT_A_NUMBER, PLUS_INFINITY, MINUS_INFINITY, 7]], np.uint8))
    looks = [cells[:, at : at + 6] for at in range(0, 24, 6)]
    counts = [(int((look == DARK).sum()), int((look == LIGHT).sum())) for look in looks]
    assert counts == [(12, 0), (12, 0), (0, 8), (0, 0)]
    assert not np.array_equal(looks[0] == DARK, looks[1] == DARK)
    assert (looks[3] == 7).all()


def test_pictures_of_editors_and_agents_have_the_marks() -> None:
    special = np.array([np.nan, np.inf, -np.inf, 1], np.float32)
    assert picture_address(special) != picture_address(np.array([1, 2, 3, 4], np.float32))
    assert bytes.fromhex(SPECIAL[DARK]) in heat_map_png(special)


def test_large_drawings_have_the_marks() -> None:
    array = np.zeros((40, 20), np.float32)
    array[0, :3] = np.nan, np.inf, -np.inf
    assert draw_cells(Cells(array), 400).content.count("<path") == 3


def test_a_scale_has_no_room_for_what_is_no_number() -> None:
    scale = colour_scale("float", -np.inf, np.inf, (np.nan,) * 5)  # type: ignore[arg-type]
    assert np.isnan(scale.low)
    assert set(STOPS) == {"viridis", "purple-orange"}


def _luminance(colour: str) -> float:
    parts = [channel / 255 for channel in bytes.fromhex(colour)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))
