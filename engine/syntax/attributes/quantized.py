"""Read `!quant.uniform<…>`, quantized per tensor, per axis or per block.

The specification's constraints on quantized types (C1 to C13) are checked here, where their parameters are
read. Quantization per block is MLIR's: the specification's grammar lacks it, and no op of StableHLO takes
such tensors.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

import ml_dtypes

from ...cursor import NUMBER
from ...errors import ConstraintError
from ...ir.element_types import ELEMENT_TYPES, ElementType, QuantizedType, element_type
from ...ir.types import Dimension
from ..text.dense_elements import storage_limits
from ..text.float_text import float_bits, print_float
from .reader import Reader

_STORAGE = re.compile(r"([su]?)(i?)([0-9]{1,3})\Z")
_WHOLE = re.compile(r"!quant\.uniform<(?:[^<>]++|<[^<>]*+>)*+>")
_F64 = ELEMENT_TYPES["f64"]
_MAX_STORED = 32
"""Maximum bits of a storage type, as in MLIR's quant dialect; the specification states none."""
_Parameters = list[tuple[float, int]]
_Blocks = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class _Stored:
    """The ranges that scales and zero points are checked against."""

    expressed: ElementType
    low: int
    high: int


def read_quantized(reader: Reader) -> QuantizedType:
    """Read `!quant.uniform<…>`; repeated types are cached."""
    match = _WHOLE.match(reader.text, reader.position)
    known = reader.quantized_types.get(match[0]) if match else None
    if match and known:
        reader.move(match.end())
        return known
    start = reader.position
    found = _read(reader)
    reader.quantized_types[reader.text[start : reader.end]] = found
    return found


def _read(reader: Reader) -> QuantizedType:
    reader.expect("!quant.uniform")
    reader.enter("<", " after '!quant.uniform'")
    storage = _storage(reader)
    stated = _storage_range(reader, storage) if reader.peek("<") else None
    reader.expect(":", " and the expressed type")
    expressed = _read_expressed(reader)
    stored = _Stored(expressed, *(stated or storage_limits(storage)))
    axis: int | None = None
    blocks: _Blocks | None = None
    if reader.accept(":"):
        if reader.peek("{"):
            blocks = tuple(reader.list_of("{", lambda: _block(reader)))
        else:
            axis = _axis(reader)
    reader.expect(",", " and the scale")
    shape, parameters = _parameters(reader, stored, axis, blocks)
    reader.leave()
    scales, zero_points = tuple(scale for scale, _ in parameters), tuple(zero for _, zero in parameters)
    low, high = stated or (None, None)
    found = QuantizedType(
        "", "quantized", storage.bits, storage, expressed, low, high, axis, scales, zero_points, blocks, shape
    )
    object.__setattr__(found, "name", spell_quantized(found))
    return found


def _error(reader: Reader, label: str, message: str, start: int) -> NoReturn:
    raise ConstraintError(message, reader.span_from(start), label=label)


# Storage type, expressed type and dimensions


def _storage(reader: Reader) -> ElementType:
    start = reader.position
    word = reader.word("the storage type, such as i8")
    match = _STORAGE.match(word)
    known = element_type(("ui" if match[1] == "u" else "i") + match[3]) if match else None
    if known is None or not known.is_integer or known.bits > _MAX_STORED:
        reader.fail(
            f"'{word}' is not a storage type", start, hint="storage types are i2 to i32 and u2 to u32"
        )
    return known


def _storage_range(reader: Reader, storage: ElementType) -> tuple[int, int]:
    start = reader.position
    reader.enter("<")
    low = reader.integer("the smallest stored value")
    reader.expect(":")
    high = reader.integer("the largest stored value")
    reader.leave()
    least, greatest = storage_limits(storage)
    if not least <= low < high <= greatest:
        sentence = f"storage_min and storage_max must be in order and within {least} to {greatest}"
        _error(reader, "C3", f"{sentence}, not {low} and {high}", start)
    return low, high


def _read_expressed(reader: Reader) -> ElementType:
    start = reader.position
    word = reader.word("the expressed type, such as f32")
    known = element_type(word)
    if known is None or not known.is_float:
        reader.fail(f"'{word}' is not a floating-point type, which quantized values stand for", start)
    return known


def _axis(reader: Reader) -> int:
    start = reader.position
    axis = reader.integer("the quantization dimension")
    if axis < 0:
        _error(reader, "C11", f"the quantization dimension is {axis}, below 0", start)
    return axis


def _block(reader: Reader) -> tuple[int, int]:
    """Read `dimension:block size`."""
    axis = _axis(reader)
    reader.expect(":", " and the size of a block")
    start = reader.position
    size = reader.integer("the size of a block")
    return (axis, size) if size > 0 else reader.fail(f"a block has a size above 0, not {size}", start)


# Scales and zero points


def _parameters(
    reader: Reader, stored: _Stored, axis: int | None, blocks: _Blocks | None
) -> tuple[tuple[int, ...], _Parameters]:
    """The shape of the nested lists, and their elements in order."""
    if blocks is not None and reader.peek("{"):
        return _read_nested(reader, stored)
    if axis is None:
        if reader.peek("{"):
            hint = "state the dimension of a list of scales after the expressed type: f32:0, {0.5, 0.25}"
            reader.fail_expecting("a scale", hint=hint)
        return (), [_parameter(reader, stored)]
    start = reader.position
    found = reader.list_of("{", lambda: _parameter(reader, stored), " and the scales of the dimension")
    if not found:
        reader.fail(
            "a quantized dimension needs a scale for each of its slices, but the list is empty", start
        )
    return (len(found),), found


def _read_nested(reader: Reader, stored: _Stored) -> tuple[tuple[int, ...], _Parameters]:
    """Read scales in nested lists of equal lengths, with an explicit stack instead of recursion."""
    start, depth = reader.position, 0
    found: _Parameters = []
    lengths: list[int | None] = []
    counts: list[int] = []
    while True:
        while reader.peek("{"):
            reader.enter("{")
            depth += 1
            counts.append(0)
            if depth > len(lengths):
                if found:
                    reader.fail("found a scale beside a list", start)
                lengths.append(None)
        if depth != len(lengths):
            reader.fail_expecting("'{' and a list as deep as those before")
        found.append(_parameter(reader, stored))
        counts[-1] += 1
        while counts and not reader.accept(","):
            reader.leave()
            depth -= 1
            length = counts.pop()
            if lengths[depth] not in (None, length):
                reader.fail(f"a list here has {length} scales or lists, one before {lengths[depth]}", start)
            lengths[depth] = length
            if counts:
                counts[-1] += 1
        if not counts:
            return tuple(length or 0 for length in lengths), found


def _parameter(reader: Reader, stored: _Stored) -> tuple[float, int]:
    start = reader.position
    match = reader.match(NUMBER)
    if not match or "x" in match[0]:
        reader.fail_expecting("a scale")
    scale, range_of = float(match[0]), ml_dtypes.finfo(stored.expressed.dtype)
    least, greatest = float(range_of.smallest_subnormal), float(range_of.max)
    if scale <= 0:
        _error(reader, "C5", f"a scale must be above 0 in {stored.expressed}, not {match[0]}", start)
    sentence = f"a scale must be within {least:g} to {greatest:g}, as {stored.expressed} is"
    if not scale >= least:
        _error(reader, "C5", f"{sentence}, not {match[0]}", start)
    if scale > greatest:
        _error(reader, "C6", f"{sentence}, not {match[0]}", start)
    return scale, _zero_point(reader, stored) if reader.accept(":") else 0


def _zero_point(reader: Reader, stored: _Stored) -> int:
    start = reader.position
    zero = reader.integer("a zero point")
    # A zero point of 0 may be omitted and is valid for every storage range.
    if zero and not stored.low <= zero <= stored.high:
        sentence = f"a zero point must be within {stored.low} to {stored.high}, as stored values are"
        _error(reader, "C7", f"{sentence}, not {zero}", start)
    return zero


def check_shape(reader: Reader, shape: tuple[Dimension, ...], element: QuantizedType, start: int) -> None:
    """Check that a tensor of this shape has the dimensions that its element type refers to."""
    axis = element.quantization_dimension
    if axis is None:
        return
    if axis >= len(shape):
        message = f"quantized along dimension {axis}, but the tensor has rank {len(shape)}"
        _error(reader, "C12", message, start)
    count, size = len(element.scales), shape[axis]
    if size is not None and size != count:
        message = f"dimension {axis} has size {size}, but there are {count} scales"
        _error(reader, "C13", message, start)


# Printing


def spell_quantized(found: QuantizedType) -> str:
    """Print the type as MLIR does."""
    stated = "" if found.storage_min is None else f"<{found.storage_min}:{found.storage_max}>"
    pairs = [
        print_float(float_bits(scale, _F64), _F64) + (f":{zero}" if zero else "")
        for scale, zero in zip(found.scales, found.zero_points, strict=True)
    ]
    dimension, parameters = "", pairs[0]
    if found.quantization_dimension is not None:
        dimension, parameters = f":{found.quantization_dimension}", f"{{{','.join(pairs)}}}"
    if found.block_sizes is not None:
        dimension = f":{{{', '.join(f'{axis}:{size}' for axis, size in found.block_sizes)}}}"
        parameters = _spell_nested(pairs, found.parameters_shape)
    storage = found.storage.name.replace("ui", "u")
    return f"!quant.uniform<{storage}{stated}:{found.expressed}{dimension}, {parameters}>"


def _spell_nested(pairs: list[str], shape: tuple[int, ...]) -> str:
    items = pairs
    for number in reversed(range(len(shape))):
        items = list(_group(items, shape[number]))
    return items[0]


def _group(items: list[str], length: int) -> Iterator[str]:
    for start in range(0, len(items), length):
        yield f"{{{', '.join(items[start : start + length])}}}"
