"""`window={size=3x3 pad=0_1x0_1}` and `padding=1_2_0x0_0_1`, and their properties."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import NoReturn

import numpy as np

from ....errors import ParseError
from ....ir.attribute_values import integers
from ....ir.attributes import Attribute, DenseArrayAttribute, DenseAttribute
from ....ir.element_types import I1, I64
from ....ir.types import TensorType
from ....source import Span
from ..values.hlo_cursor import DXD, PAD, HloCursor

Numbers = tuple[int, ...]
Pairs = tuple[tuple[int, int], ...]
Values = tuple[int | tuple[int, int] | bool, ...]
Properties = dict[str, Attribute]

_KEY = re.compile(r"([A-Za-z_]++)\s*+=")
_TOKEN = re.compile(r"[^\s,{}\"'/]++")
_LARGEST = 1 << 63


@dataclass(frozen=True)
class Window:
    """A window, by dimension; `rhs` is the window itself, `lhs` the base that it slides over."""

    size: Numbers
    stride: Numbers
    pad: Pairs
    """Low and high padding."""
    lhs_dilate: Numbers
    rhs_dilate: Numbers
    rhs_reversal: tuple[bool, ...]

    @classmethod
    def of(
        cls,
        size: Numbers,
        stride: Numbers | None = None,
        pad: Pairs | None = None,
        lhs_dilate: Numbers | None = None,
        rhs_dilate: Numbers | None = None,
        rhs_reversal: tuple[bool, ...] | None = None,
    ) -> Window:
        """A window of the given sizes, with defaults for omitted fields."""
        ones = (1,) * len(size)
        return cls(
            size,
            ones if stride is None else stride,
            ((0, 0),) * len(size) if pad is None else pad,
            ones if lhs_dilate is None else lhs_dilate,
            ones if rhs_dilate is None else rhs_dilate,
            (False,) * len(size) if rhs_reversal is None else rhs_reversal,
        )

    @property
    def is_dilated(self) -> bool:
        """Whether the window or its base is dilated."""
        return any(step != 1 for step in (*self.lhs_dilate, *self.rhs_dilate))

    def stated_fields(self) -> Iterator[tuple[str, Values]]:
        """Names and values of the fields, besides `size`, that differ from their defaults."""
        usual = Window.of(self.size)
        for found in fields(self)[1:]:
            values = getattr(self, found.name)
            if values and values != getattr(usual, found.name):
                yield found.name, values


POINT = Window.of(())
"""The window without dimensions, which a text may omit."""


# Text


def read_window(cursor: HloCursor) -> Window:
    """Read `{size=2x2 stride=2x1 pad=0_1x0_1}`: fields in any order, with defaults."""
    values: dict[str, Values] = {}
    spans: dict[str, Span] = {}
    start = cursor.position
    cursor.enter("{", ", which opens the window")
    while not cursor.peek("}"):
        key = _key(cursor, values)
        token_start = cursor.position
        values[key] = _FIELDS[key](cursor, key)
        spans[key] = cursor.span_from(token_start)
    cursor.leave()
    if values and "size" not in values:
        cursor.fail("the window has no size", start, hint="such as {size=2x2 stride=2x2}")
    for key, span in spans.items():
        _check_length(key, len(values[key]), len(values["size"]), span)
    return Window.of(**values) if values else POINT  # type: ignore[arg-type]


def read_undilated_window(cursor: HloCursor) -> Window:
    """Read the window of an opcode without dilations."""
    start = cursor.position
    found = read_window(cursor)
    if found.is_dilated:
        cursor.fail("select-and-scatter has windows without lhs_dilate and rhs_dilate", start)
    return found


def _key(cursor: HloCursor, known: Mapping[str, object]) -> str:
    start = cursor.position
    match = _KEY.match(cursor.text, start)
    if match is None:
        hint = "fields are separated by blanks, as in {size=2x2 stride=2x2}" if cursor.peek(",") else None
        cursor.fail_expecting("a field of the window, such as size=2x2, or '}'", hint)
    key, span = match[1], Span(start, match.end(1))
    if key not in _FIELDS:
        hint = f"the fields are {', '.join(_FIELDS)}"
        raise ParseError(f"a window has no field '{key}'", span, hint=hint)
    if key in known:
        raise ParseError(f"'{key}' is given twice", span)
    cursor.move(match.end())
    return key


def _check_length(key: str, found: int, wanted: int, span: Span) -> None:
    if found != wanted:
        dimensions = f"{found} dimension{'s' if found != 1 else ''}"
        raise ParseError(f"'{key}' has {dimensions}, but 'size' has {wanted}", span)


def _token(cursor: HloCursor, pattern: re.Pattern[str], wanted: str) -> str:
    """Read the characters up to the next blank, which must match `pattern`."""
    match = _TOKEN.match(cursor.text, cursor.position)
    if match is None:
        cursor.fail_expecting(wanted)
    if pattern.fullmatch(match[0]) is None:
        _fail_match(f"expected {wanted}, found '{match[0][:40]}'", match)
    if max(map(len, re.findall("[0-9]++", match[0]))) > 19:
        _fail_match("a number does not fit in 64 bits", match)
    cursor.move(match.end())
    return match[0]


def _fail_match(message: str, match: re.Match[str]) -> NoReturn:
    raise ParseError(message, Span(match.start(), match.end()))


def _numbers(cursor: HloCursor, key: str) -> Numbers:
    start = cursor.position
    text = _token(cursor, DXD, f"numbers for '{key}' with 'x' between them, such as 2x2")
    return _within(cursor, tuple(map(int, text.split("x"))), start)


def _within(cursor: HloCursor, values: Numbers, start: int) -> Numbers:
    if any(not -_LARGEST <= value < _LARGEST for value in values):
        cursor.fail("a number does not fit in 64 bits", start)
    return values


def _booleans(cursor: HloCursor, key: str) -> tuple[bool, ...]:
    start = cursor.position
    values = _numbers(cursor, key)
    if any(value > 1 for value in values):
        cursor.fail(f"'{key}' is 0 or 1 for each dimension", start)
    return tuple(map(bool, values))


def _places(cursor: HloCursor, wanted: str) -> list[Numbers]:
    start = cursor.position
    text = _token(cursor, PAD, wanted)
    return [_within(cursor, tuple(map(int, part.split("_"))), start) for part in text.split("x")]


def _pairs(cursor: HloCursor, key: str) -> Pairs:
    start = cursor.position
    found = _places(cursor, f"low_high for each dimension of '{key}', such as 0_1x0_1")
    if any(len(part) != 2 for part in found):
        cursor.fail("a window's padding is low_high for each dimension, with nothing in between", start)
    return tuple((low, high) for low, high in found)


_FIELDS: Mapping[str, Callable[[HloCursor, str], Values]] = {
    "size": _numbers,
    "stride": _numbers,
    "pad": _pairs,
    "lhs_dilate": _numbers,
    "rhs_dilate": _numbers,
    "rhs_reversal": _booleans,
}
"""In XLA's order."""


def print_window(window: Window) -> str:
    """Print a window as XLA does, without fields of default values."""
    sizes = [("size", window.size)] if window.size else []
    return f"{{{' '.join(f'{key}={_times(values)}' for key, values in (*sizes, *window.stated_fields()))}}}"


def _times(values: Values) -> str:
    return "x".join(
        "_".join(map(str, each)) if isinstance(each, tuple) else str(int(each)) for each in values
    )


# Padding of the op `pad`


def read_padding(cursor: HloCursor) -> tuple[Numbers, Numbers, Numbers]:
    """Read `1_2_0x0_0_1`: low, high and interior padding of each dimension; no text means no dimensions."""
    if cursor.at_end or cursor.peek(",") or "\n" in cursor.text[cursor.end : cursor.position]:
        return (), (), ()
    wanted = "low_high or low_high_interior for each dimension, such as 1_2_0x0_0_1"
    found = _places(cursor, wanted)
    rows = [part if len(part) == 3 else (*part, 0) for part in found]
    low, high, interior = zip(*rows, strict=True)
    return low, high, interior


def print_padding(low: Numbers, high: Numbers, interior: Numbers) -> str:
    """Print padding as XLA does: interior padding of all dimensions, or of none."""
    has_interior = any(interior)
    return "x".join(
        f"{a}_{b}_{c}" if has_interior else f"{a}_{b}" for a, b, c in zip(low, high, interior, strict=True)
    )


# Properties


def window_properties_of_convolution(window: Window | None) -> Properties:
    """The properties of convolution, without defaults; the sizes are those of the kernel."""
    window = window or POINT
    return {_CONVOLUTION[key]: _attribute(values) for key, values in window.stated_fields()}


_CONVOLUTION = {
    "stride": "window_strides",
    "pad": "padding",
    "lhs_dilate": "lhs_dilation",
    "rhs_dilate": "rhs_dilation",
    "rhs_reversal": "window_reversal",
}
_REDUCE_WINDOW = {"lhs_dilation": "base_dilations", "rhs_dilation": "window_dilations"}


def window_properties_of_reduce_window(window: Window | None) -> Properties:
    """The properties of reduce_window and select_and_scatter, without `rhs_reversal`, which XLA ignores as well."""
    window = window or POINT
    found = window_properties_of_convolution(window)
    found.pop("window_reversal", None)
    renamed = {_REDUCE_WINDOW.get(name, name): value for name, value in found.items()}
    return {"window_dimensions": integers(window.size), **renamed}


def window_properties_of_custom_call(window: Window | None) -> Properties:
    """The properties of a custom_call that is a convolution; the kernel need not determine the sizes."""
    window = window or POINT
    return {"window_dimensions": integers(window.size), **window_properties_of_convolution(window)}


def convolution_window(properties: Mapping[str, Attribute], kernel_sizes: Numbers) -> Window:
    """The window that convolution's properties state."""
    return Window.of(
        kernel_sizes,
        _state(properties, "window_strides"),
        _state_pairs(properties),
        _state(properties, "lhs_dilation"),
        _state(properties, "rhs_dilation"),
        _state_booleans(properties),
    )


def reduce_window_window(properties: Mapping[str, Attribute]) -> Window:
    """The window that the properties of reduce_window or select_and_scatter state."""
    return Window.of(
        _state(properties, "window_dimensions") or (),
        _state(properties, "window_strides"),
        _state_pairs(properties),
        _state(properties, "base_dilations"),
        _state(properties, "window_dilations"),
    )


def _attribute(values: Values) -> Attribute:
    if isinstance(values[0], tuple):
        data = np.array(values, np.int64)
        data.flags.writeable = False
        return DenseAttribute(TensorType((len(values), 2), I64), data)
    return DenseArrayAttribute(I1 if isinstance(values[0], bool) else I64, values)  # type: ignore[arg-type]


def _read_flat(attribute: Attribute | None) -> Numbers | None:
    """The numbers of a list, or of a tensor as in older texts."""
    match attribute:
        case DenseArrayAttribute(_, values):
            return tuple(map(int, values))
        case DenseAttribute(_, data):
            return tuple(map(int, data.reshape(-1).tolist()))
    return None


def _state(properties: Mapping[str, Attribute], name: str) -> Numbers | None:
    return _read_flat(properties.get(name))


def _state_pairs(properties: Mapping[str, Attribute]) -> Pairs | None:
    flat = _state(properties, "padding")
    return None if flat is None else tuple(zip(flat[::2], flat[1::2], strict=True))


def _state_booleans(properties: Mapping[str, Attribute]) -> tuple[bool, ...] | None:
    flat = _state(properties, "window_reversal")
    return None if flat is None else tuple(map(bool, flat))
