"""Words of short forms that state several properties, or one in a special notation."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from ...ir.attribute_values import integer, integers
from ...ir.attributes import Attribute, DenseArrayAttribute, IntegerAttribute, OpaqueAttribute
from ...ir.element_types import I32, I64
from ...ir.module import Operation
from ...ir.types import ScalarType
from .form_attributes import read_precisions, write_precisions
from .operation_draft import Draft

_FORMAT = re.compile(r"e([0-9]{1,4})m([0-9]{1,4})\b")
_SLICE = ("start_indices", "limit_indices", "strides")


@dataclass(frozen=True)
class Word:
    """Read and write functions of a word, and the properties that it states."""

    read: Callable[[Draft], None]
    write: Callable[[Operation], str | None]
    names: frozenset[str]


def _read_slice_ranges(draft: Draft) -> None:
    reader = draft.reader

    def one_range() -> tuple[int, int, int]:
        start = reader.integer("the range's start")
        reader.expect(":", " and the range's limit")
        limit = reader.integer("the range's limit")
        return start, limit, reader.integer("the range's stride") if reader.accept(":") else 1

    ranges = reader.list_of("[", one_range, " and a range for each dimension")
    for number, name in enumerate(_SLICE):
        draft.properties[name] = integers(one[number] for one in ranges)


def _write_slice_ranges(operation: Operation) -> str | None:
    lists = [_integers(operation.properties.get(name)) for name in _SLICE]
    starts, limits, strides = lists
    if starts is None or limits is None or strides is None:
        return None
    if not len(starts) == len(limits) == len(strides):
        return None
    ranges = zip(starts, limits, strides, strict=True)
    return f"[{', '.join(f'{a}:{b}' if c == 1 else f'{a}:{b}:{c}' for a, b, c in ranges)}]"


def _integers(attribute: Attribute | None) -> tuple[float, ...] | None:
    if isinstance(attribute, DenseArrayAttribute) and attribute.element_type == I64:
        return attribute.values
    return None


def _read_format(draft: Draft) -> None:
    match = draft.reader.match(_FORMAT)
    if not match:
        draft.reader.fail_expecting("a format such as e5m10")
    draft.properties["exponent_bits"] = integer(int(match[1]), I32)
    draft.properties["mantissa_bits"] = integer(int(match[2]), I32)


def _write_format(operation: Operation) -> str | None:
    exponent, mantissa = (operation.properties.get(name) for name in ("exponent_bits", "mantissa_bits"))
    for bits in (exponent, mantissa):
        if not isinstance(bits, IntegerAttribute) or bits.type != ScalarType(I32) or bits.value < 0:
            return None
    assert isinstance(exponent, IntegerAttribute)
    assert isinstance(mantissa, IntegerAttribute)
    return f"e{exponent.value}m{mantissa.value}"


def _read_precision(draft: Draft) -> None:
    if draft.reader.accept(","):
        draft.reader.expect_word("precision")
        draft.reader.expect("=")
        draft.properties["precision_config"] = read_precisions(draft)


def _write_precision(operation: Operation) -> str | None:
    if "precision_config" not in operation.properties:
        return ""
    precisions = write_precisions(operation.properties["precision_config"])
    return None if precisions is None else f", precision = {precisions}"


_OVERFLOW = "#arith.overflow"


def _read_overflow(draft: Draft) -> None:
    stated = draft.reader.read_balanced("<") if draft.reader.accept_word("overflow") else "<none>"
    draft.properties["overflowFlags"] = OpaqueAttribute(f"{_OVERFLOW}{stated}")


def _write_overflow(operation: Operation) -> str | None:
    flags = operation.properties.get("overflowFlags")
    text = flags.text if isinstance(flags, OpaqueAttribute) else ""
    if not text.startswith(f"{_OVERFLOW}<"):
        return None
    return "" if text == f"{_OVERFLOW}<none>" else text.removeprefix("#arith.")


WORDS = {
    "overflow-flags": Word(_read_overflow, _write_overflow, frozenset(["overflowFlags"])),
    "slice-ranges": Word(_read_slice_ranges, _write_slice_ranges, frozenset(_SLICE)),
    "exponent-mantissa": Word(_read_format, _write_format, frozenset(["exponent_bits", "mantissa_bits"])),
    "precision-config": Word(_read_precision, _write_precision, frozenset(["precision_config"])),
}
