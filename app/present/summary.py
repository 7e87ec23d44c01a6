"""A value as one line, as the summary that the inspector shows, and as a small picture for the margin.

f32                             0.25
i32[3]                          [4, 0, -1]
f32[32,256]                     -1.2 … 3.4  mean 0.1, 2 NaN
f32 in 32×256 lanes             -1.2 … 3.4  mean 0.1
"""

from base64 import b64encode

import numpy as np

from hloscope.engine.colour_scales import ColourScale
from hloscope.engine.expressions import Value
from hloscope.engine.inputs import describe_array
from hloscope.engine.ir.element_types import of_dtype
from hloscope.engine.ir.module import Language
from hloscope.engine.ir.types import TensorType, Type
from hloscope.engine.small_pictures import picture_of
from hloscope.engine.value_facts import Picture, Range, ValueFacts, range_of, scale_of, spread_of

from ..wire import values as wire
from ..wire.values import PlainSummary, Spread, ThumbnailInfo, ValueSummary
from .elements import Array, storage, wire_of
from .numbers import exact_number, json_number, short_number
from .statistics import statistics_of
from .types import layout_json, type_text, unusual_layout

Lanes = tuple[int, ...] | None
WRITTEN_OUT = 8
"""Maximum elements of a one-dimensional tensor that is shown whole."""


def value_summary(
    address: str, array: Array, type: TensorType, lanes: Lanes = None, language: Language = "stablehlo"
) -> ValueSummary:
    """The API's summary of a tensor."""
    numbers = statistics_of(array)
    return {
        "address": address,
        "type": type_text(type, language),
        "shape": list(array.shape),
        "lanes": None if lanes is None else list(lanes),
        "layout": layout_json(type, language),
        "elementType": str(type.element_type),
        "wire": wire_of(type.element_type).json(),
        "count": array.size,
        "text": _line(array, short_type(type, lanes, language), numbers.range),
        "statistics": numbers.statistics_json(),
        "spread": spread_json(array),
        "histogram": numbers.histogram_json(),
    }


def computed_summary(address: str, array: Array, type: TensorType, language: Language) -> ValueSummary:
    """The summary of a tensor that is no value of the program, and lies nowhere in its memory."""
    return {**value_summary(address, array, type, None, language), "layout": None}


def summary_without_value(address: str, type: Type, language: Language = "stablehlo") -> PlainSummary:
    """The summary of a value that is no tensor: a token, a tuple."""
    text = type_text(type, language)
    return {"address": address, "type": text, "shape": None, "lanes": None, "layout": None, "text": text}


def value_text(array: Array, type: TensorType, lanes: Lanes = None, language: Language = "stablehlo") -> str:
    """The value in one line."""
    written = _literal(array)
    return _line(array, short_type(type, lanes, language), range_of(array) if written is None else None)


def facts_text(facts: ValueFacts, type: TensorType, language: Language = "stablehlo") -> str:
    """The same line of a value of several elements, from its facts."""
    return f"{short_type(type, None, language)}  {_range_text(facts.range, _kind_of(type))}"


def _kind_of(type: TensorType) -> str:
    return "b" if storage(type.element_type).kind == "boolean" else ""


def plain_text(array: Array) -> str:
    """A value in one line, from its array alone."""
    return _line(array, describe_array(array), None)


def short_type(type: TensorType, lanes: Lanes = None, language: Language = "stablehlo") -> str:
    """The type in short: `f32[32,256]`, a scalar `f32`.

    In HLO text `f32[]`, and with a layout that is not the usual.
    """
    if language == "hlo":
        text = f"{type_text(type, language, layouts=False)}{unusual_layout(type)}"
        return _in_lanes(text, lanes)
    sizes = ",".join("?" if size is None else str(size) for size in type.shape)
    text = f"{storage(type.element_type)}[{sizes}]" if type.shape else str(storage(type.element_type))
    return _in_lanes(text, lanes)


def _in_lanes(text: str, lanes: Lanes) -> str:
    return f"{text} in {'×'.join(map(str, lanes))} lanes" if lanes else text


def _line(array: Array, type: str, found: Range | None) -> str:
    written = _literal(array)
    if written is None:
        written = _range_text(found or range_of(array), array.dtype.kind)
    return f"{type}  {written}"


def _literal(array: Array) -> str | None:
    if array.ndim == 0:
        return exact_number(array[()])
    if array.ndim == 1 and 0 < array.size <= WRITTEN_OUT:
        return f"[{', '.join(map(exact_number, array))}]"
    return None


def _range_text(found: Range, kind: str) -> str:
    if not found.count:
        return "empty"
    if kind == "b":
        return _truths_text(found)
    counts = ((found.nan, "NaN"), (found.positive_infinities, "+Inf"), (found.negative_infinities, "-Inf"))
    others = [
        f"all {what}" if count == found.count else f"{count:,} {what}" for count, what in counts if count
    ]
    return ", ".join([*([_finite_text(found, kind == "c")] if found.finite else []), *others])


def _truths_text(found: Range) -> str:
    if found.minimum == found.maximum:
        return "all true" if found.maximum else "all false"
    return f"{round(found.mean * found.count):,} of {found.count:,} true"


def _finite_text(found: Range, is_complex: bool) -> str:
    bars = "|" if is_complex else ""
    low, high = (f"{bars}{short_number(end)}{bars}" for end in (found.minimum, found.maximum))
    if found.minimum == found.maximum and low == high:  # not -0 and 0
        few = "1 is" if found.finite == 1 else f"{found.finite:,} are"
        return f"all {low}" if found.finite == found.count else f"{few} {low}"
    return f"{low} … {high}  mean {short_number(round(found.mean, 12) + 0.0)}"


def spread_json(array: Array) -> Spread:
    """The spread of the elements of `array`; of complex ones, of their magnitudes."""
    low, high, small, median, large = map(json_number, spread_of(array))
    return {"low": low, "high": high, "small": small, "median": median, "large": large}


def thumbnail(
    array: Array, type: TensorType, lanes: Lanes = None, language: Language = "stablehlo"
) -> ThumbnailInfo:
    """Text, range, colour scale and pixels."""
    found = range_of(array)
    line = _line(array, short_type(type, lanes, language), found)
    return _info(line, found, picture_of(array, scale=scale_of(array, found)))


def thumbnail_of_facts(
    facts: ValueFacts, type: TensorType, language: Language = "stablehlo"
) -> ThumbnailInfo | None:
    """The thumbnail of a value that is elsewhere; `None` if its facts have no picture."""
    if facts.picture is None:
        return None
    return _info(facts_text(facts, type, language), facts.range, facts.picture)


def _info(text: str, found: Range, picture: Picture) -> ThumbnailInfo:
    scale, pixels, nonfinite = picture
    return {
        "text": text,
        "min": json_number(found.minimum),
        "max": json_number(found.maximum),
        "scale": _scale_json(scale),
        "nonfinite": nonfinite,
        "width": pixels.shape[1],
        "height": pixels.shape[0],
        "pixels": b64encode(pixels.tobytes()).decode(),
    }


def _scale_json(scale: ColourScale) -> wire.ColourScale:
    low, high, soft = map(json_number, (scale.low, scale.high, scale.soft))
    return {"kind": scale.kind, "low": low, "high": high, "shape": scale.shape, "soft": soft}


def line_of(found: Value) -> str:
    """A number, a string, or a tensor's type and range."""
    if isinstance(found, str):
        return found
    if isinstance(found, np.ndarray):
        return tensor_line(found)
    # A Python float is an f64, whatever its original type was.
    return exact_number(found)


def tensor_line(array: Array) -> str:
    """A tensor of which only the array is known: `f32[4]  [0, 1, 2, 3]`."""
    found = of_dtype(array.dtype)
    return value_text(array, TensorType(array.shape, found)) if found else plain_text(array)
