"""Inputs of a program: generated from a seed, written as a literal, or given as an array.

The same specification, type and argument number give the same numbers on every machine with the same NumPy:
generated numbers come from Philox, keyed by the seed and the argument number, so that arguments differ.

The kinds, for each family of element types:

| kind    | float                        | integer                      | boolean        | complex        |
|---------|------------------------------|------------------------------|----------------|----------------|
| zeros   | 0                            | 0                            | false          | 0              |
| ones    | 1                            | 1                            | true           | 1              |
| iota    | 0, 1, 2, … row-major; starts again where the type cannot hold the next         | real part      |
| uniform | [0, 1), in the type's steps  | 0 to 9, in the type's range  | either         | both parts     |
| normal  | mean 0, deviation 1          | as uniform                   | as uniform     | both parts     |

A token needs no input; any specification yields one. Each element of a tuple gets a value of the requested
kind; a tuple of literals is written `([1, 2], 3)`, with one value for each element that is not a token.
f8E8M0FNU has only powers of two: its zero is 2^-127, its iota counts exponents, its random values are 2^-8 to
2^-1. Quantized tensors get values of their storage type.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any, Literal, cast, get_args

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from .errors import InputError, LimitError, ProgramError
from .input_numbers import consecutive_numbers, constant_number, kind_of, random_numbers, storage_of
from .ir.element_types import ElementType
from .ir.types import TensorType, TokenType, TupleType, Type, leaf_types
from .limits import DEFAULT_LIMITS, Limits
from .ops.core.op import shapes_agree
from .ops.core.scalars import as_tensor
from .ops.core.values import read_only, token, tuple_of
from .syntax import parse_dense_value, split_tuple

Array = NDArray[Any]
InputKind = Literal["zeros", "ones", "iota", "uniform", "normal", "dense", "array"]
GENERATED = ("zeros", "ones", "iota", "uniform", "normal")
MAX_SEED = 2**63 - 1
_GENERATOR_TEXT = re.compile(
    r"(zeros|ones|iota|uniform|normal)(?:\[([\d, ]{0,200})\])?(?::(\d{1,19}))?(?:\*([-+.\deE]{1,32}))?"
)
DEFAULT_SIZE = 4
"""Default size of a dimension whose size is unknown."""


@dataclass(frozen=True, eq=False)
class InputSpec:
    """Specification of one argument's value."""

    kind: InputKind = "normal"
    seed: int = 0
    text: str = ""
    """The literal of kind `dense`: `1.5`, `[[1, 2], [3, 4]]` or `dense<…>`."""
    array: Array | None = field(default=None, repr=False)
    scale: float = 1.0
    """Factor applied to random floating-point and complex values."""
    shape: tuple[int, ...] | None = None
    """The shape to generate, for a type with unknown sizes."""
    exact: bool = True
    """Whether `array` must have the type's dtype or bits; otherwise its numbers are converted."""
    parts: tuple[InputSpec, ...] | None = field(default=None, repr=False)
    """Kind `array` for a tuple: the specification of each element."""

    @classmethod
    def parse(cls, text: str) -> InputSpec:
        """Parse `normal`, `uniform:7` (seed), `normal[5, 3]:7*0.05` (shape, seed, factor), or a literal."""
        found = _GENERATOR_TEXT.fullmatch(text.strip())
        if not found:
            return cls("dense", text=text.strip())
        kind, shape, seed, scale = found.groups()
        sizes = None if shape is None else tuple(int(size) for size in shape.split(",") if size.strip())
        return cls(cast(InputKind, kind), int(seed or 0), scale=_scale(scale or "1"), shape=sizes)

    def __str__(self) -> str:
        """The text that `parse` reads; for an array, its dtype and shape."""
        if self.kind == "array":
            return "an array" if self.array is None else describe_array(self.array)
        if self.kind == "dense":
            return self.text
        seed = f":{self.seed}" if self.seed else ""
        scale = f"*{self.scale:g}" if self.scale != 1 else ""
        shape = "" if self.shape is None else str(list(self.shape))
        return f"{self.kind}{shape}{seed}{scale}"


def needs_value(type: Type) -> bool:
    """Whether an argument needs a value: all but tokens, and tuples of tokens, do."""
    return any(not isinstance(leaf, TokenType) for leaf in leaf_types(type))


def make_input(
    spec: InputSpec,
    type: Type,
    argument: int,
    name: str = "",
    limits: Limits = DEFAULT_LIMITS,
    what: str = "",
) -> Array:
    """Build the read-only value of argument number `argument`, called `name` in the program.

    Error messages call the value `what` if it is not an argument.
    """
    return _make(spec, as_tensor(type), _InputPosition(argument, name, type, what=what), limits)


def _make(spec: InputSpec, type: Type, position: _InputPosition, limits: Limits) -> Array:
    if isinstance(type, TokenType):
        return read_only(token())
    if isinstance(type, TupleType):
        return read_only(tuple_of([_make(*item, limits) for item in _elements(spec, type, position)]))
    if not isinstance(type, TensorType):
        raise position.error(f"cannot be given: only tensors, tokens and tuples can be inputs, not {type}")
    if spec.kind == "array":
        array = (
            spec.array if spec.exact or spec.array is None else _numbers(spec.array, type, position, limits)
        )
        value = _fit(array, type, position, limits)
    else:
        type = _fill_sizes(type, spec, position)
        _check_bytes(type.byte_count, position, limits)
        value = (
            _literal(spec.text, type, position) if spec.kind == "dense" else _generate(spec, type, position)
        )
    return read_only(value)


def _elements(
    spec: InputSpec, type: TupleType, position: _InputPosition
) -> Iterator[tuple[InputSpec, Type, _InputPosition]]:
    """The specification, type and position of each element of a tuple."""
    if spec.parts is not None and len(spec.parts) == len(type.types):
        for number, (part, found) in enumerate(zip(spec.parts, type.types, strict=True)):
            yield part, found, replace(position, path=(*position.path, number), type=found)
        return
    if spec.kind == "array":
        raise position.error(
            "is a tuple, not one array", hint="Choose a kind, such as normal, or write ([1, 2], 3)."
        )
    texts = _texts(spec.text, type, position) if spec.kind == "dense" else [spec.text] * len(type.types)
    for number, (found, text) in enumerate(zip(type.types, texts, strict=True)):
        inside = replace(position, path=(*position.path, number), type=found)
        yield replace(spec, text=text), found, inside


def _texts(text: str, type: TupleType, position: _InputPosition) -> list[str]:
    """The literal of each element; empty for tokens."""
    wanted = [number for number, found in enumerate(type.types) if not isinstance(found, TokenType)]
    parts = split_tuple(text)
    if parts is None or len(parts) != len(wanted):
        raise position.error(f"is a tuple: write its {len(wanted)} values in parentheses, as in ([1, 2], 3)")
    texts = dict(zip(wanted, parts, strict=True))
    return [texts.get(number, "") for number in range(len(type.types))]


def describe_array(array: Array) -> str:
    """`float32[32, 784]`."""
    return f"{array.dtype.name}[{', '.join(map(str, array.shape))}]"


@dataclass(frozen=True)
class _InputPosition:
    """The argument, or the element of it, that an error message refers to."""

    argument: int
    name: str
    type: Type
    path: tuple[int, ...] = ()
    """Path of the element within a tuple argument."""
    what: str = ""

    def error(self, message: str, hint: str | None = None) -> InputError:
        return InputError(f"{self} {message}", hint=hint)

    def __str__(self) -> str:
        name = f" (%{self.name.removeprefix('%')})" if self.name else ""
        subject = self.what or f"argument {self.argument}{name}"
        inside = f", element {'.'.join(map(str, self.path))}," if self.path else ""
        return f"{subject}{inside} of type {self.type}"


def _scale(text: str) -> float:
    try:
        scale = float(text)
    except ValueError:
        scale = float("nan")
    if not isfinite(scale):
        raise InputError(f"'{text}' is not a factor", hint="Write a number, as in normal:7*0.05.")
    return scale


def _check_bytes(count: int, position: _InputPosition, limits: Limits) -> None:
    if count > limits.max_tensor_bytes:
        raise LimitError(
            f"{position} takes {count:,} bytes; max_tensor_bytes allows {limits.max_tensor_bytes:,}",
            label="max_tensor_bytes",
        )


def _fill_sizes(type: TensorType, spec: InputSpec, position: _InputPosition) -> TensorType:
    """`type` with every size known: as stated, as in the literal, or the default size."""
    stated = _literal_shape(spec.text) if spec.kind == "dense" and not type.is_static else spec.shape
    if stated is None:
        bounds = type.bounds or (None,) * type.rank
        defaults = (min(DEFAULT_SIZE, DEFAULT_SIZE if bound is None else bound) for bound in bounds)
        stated = tuple(
            other if size is None else size for size, other in zip(type.shape, defaults, strict=True)
        )
    if not shapes_agree(stated, type.shape):
        raise position.error(f"cannot have the shape {list(stated)}")
    return type if type.is_static else type.with_shape(stated)


def _literal_shape(text: str) -> tuple[int, ...] | None:
    """Shape of a nested list; `None` for a single number, which fits any shape."""
    body = text.strip().removeprefix("dense<").removesuffix(">").strip()
    if not body.startswith("["):
        return None
    try:
        # Words and parenthesised pairs count as elements, as numbers do.
        found = json.loads(re.sub(r"\([^()]*\)|[^\s,\[\]]+", "0", body))
    except (ValueError, RecursionError):
        return None
    sizes = []
    while isinstance(found, list):
        sizes.append(len(found))
        found = found[0] if found else None
    return tuple(sizes)


def _literal(text: str, type: TensorType, position: _InputPosition) -> Array:
    try:
        return parse_dense_value(text, type)
    except LimitError:
        raise
    except ProgramError as error:
        shown = text if len(text) <= 60 else text[:59] + "…"
        raise position.error(f"cannot be {shown!r}: {error.message}", hint=error.hint) from None


# Arrays given by the user.


def _fit(array: Array | None, type: TensorType, position: _InputPosition, limits: Limits) -> Array:
    if array is None:
        raise position.error("has no array", hint="Choose an array, or a kind such as normal.")
    _check_shape(array, type, position)
    _check_bytes(array.size * type.element_type.dtype.itemsize, position, limits)
    fitted = _as_dtype(array, type.element_type)
    if fitted is None:
        raise position.error(f"cannot take {describe_array(array)}", hint=_dtype_hint(type.element_type))
    # Copy a writable array: the caller may change it while the recording refers to it.
    return fitted.copy() if fitted.flags.writeable else fitted


def _numbers(array: Array, type: TensorType, position: _InputPosition, limits: Limits) -> Array:
    """Convert untyped numbers to the type; a single number is broadcast to all elements."""
    storage = storage_of(type.element_type)
    known = "biu" if storage.kind == "boolean" or _is_integer(storage) else "biuf"
    if array.size and array.dtype.kind not in known + ("c" if storage.kind == "complex" else ""):
        raise position.error(
            f"cannot take {describe_array(array)}: {type.element_type} holds no such numbers"
        )
    if storage.kind == "boolean" and not np.isin(array, (0, 1)).all():
        raise position.error(
            f"cannot take {describe_array(array)}: {type.element_type} holds 0 and 1, false and true"
        )
    if _is_integer(storage) and array.size:
        information = ml_dtypes.iinfo(storage.dtype)
        worst = next(
            (x for x in (array.min(), array.max()) if not information.min <= x <= information.max), None
        )
        if worst is not None:
            raise position.error(f"cannot hold {worst}: {storage} has {information.min} to {information.max}")
    with np.errstate(over="ignore"):
        fitted = array.astype(storage.dtype)
    if fitted.ndim or not type.rank:
        return fitted
    sized = _fill_sizes(type, InputSpec(), position)
    _check_bytes(sized.byte_count, position, limits)
    return np.broadcast_to(fitted, sized.sizes)


def _is_integer(element_type: ElementType) -> bool:
    return element_type.kind in ("signed", "unsigned", "index")


def _check_shape(array: Array, type: TensorType, position: _InputPosition) -> None:
    known = len(array.shape) == type.rank and all(
        wanted in (None, size) for wanted, size in zip(type.shape, array.shape, strict=True)
    )
    if not known:
        shape = "x".join(map(str, array.shape)) or "()"
        wanted = type.spelled_shape().removesuffix("x") or "()"
        raise position.error(f"cannot take {describe_array(array)}: its shape is {shape}, not {wanted}")
    for size, bound in zip(array.shape, type.bounds or (), strict=False):
        if bound is not None and size > bound:
            raise position.error(
                f"cannot take {describe_array(array)}: size {size} is above the bound {bound}"
            )


def _as_dtype(array: Array, element_type: ElementType) -> Array | None:
    """`array` in the type's dtype, if it holds such values or the raw bits of a small type; else `None`."""
    wanted = element_type.dtype
    native = array.dtype.newbyteorder("=")
    if native == wanted:
        return np.ascontiguousarray(array).astype(wanted, copy=False).reshape(array.shape)
    if wanted.type.__module__ == "numpy" or array.dtype.itemsize != wanted.itemsize:
        return None
    if element_type.bits < 8 and kind_of(element_type) in ("signed", "unsigned"):
        return _as_narrow_integers(array, wanted)
    if native.kind in "uV" and native.fields is None:
        return np.ascontiguousarray(array).astype(native, copy=False).reshape(array.shape).view(wanted)
    return None


def _as_narrow_integers(array: Array, wanted: np.dtype[Any]) -> Array | None:
    """Convert whole bytes, or raw bytes saved from `ml_dtypes`, to the sub-byte integer type `wanted`."""
    if array.dtype.kind == "V":
        return np.ascontiguousarray(array).reshape(array.shape).view(wanted)
    if array.dtype.kind not in "iu":
        return None
    information = ml_dtypes.iinfo(wanted)
    if array.dtype.kind == "u" and information.min < 0:
        array = _sign_extend(array, information.bits)
    fits = array.size == 0 or (array.min() >= information.min and array.max() <= information.max)
    return array.astype(wanted) if fits else None


def _sign_extend(array: Array, bits: int) -> Array:
    """The signed numbers whose two's complement fills the last `bits` bits of bytes, or whole bytes."""
    numbers = array.astype(np.int16)
    half = 1 << (bits - 1)
    numbers[(numbers >= half) & (numbers < 2 * half)] -= 2 * half
    numbers[numbers >= 256 - half] -= 256
    return numbers


def _dtype_hint(element_type: ElementType) -> str:
    wanted = element_type.dtype
    if wanted.type.__module__ == "numpy":
        return f"Convert it with array.astype(np.{wanted.name})."
    return f"Convert it with array.astype(ml_dtypes.{wanted.name}), or give the bits as uint{wanted.itemsize * 8}."


def _generate(spec: InputSpec, type: TensorType, position: _InputPosition) -> Array:
    if not 0 <= spec.seed <= MAX_SEED:
        raise position.error(f"cannot take seed {spec.seed}", hint=f"Seeds are 0 to {MAX_SEED}.")
    element_type, shape = storage_of(type.element_type), type.sizes
    if spec.kind in ("zeros", "ones"):
        return np.broadcast_to(constant_number(spec.kind == "ones", element_type), shape)
    if spec.kind == "iota":
        return consecutive_numbers(type.element_count, element_type).reshape(shape)
    if spec.kind not in ("uniform", "normal"):
        raise position.error(f"cannot take inputs of kind '{spec.kind}'")
    key = np.random.SeedSequence((spec.seed, position.argument, *position.path))
    generator = np.random.Generator(np.random.Philox(key))
    return random_numbers(generator, spec.kind, spec.scale, element_type, shape)


assert {*GENERATED, "dense", "array"} == set(get_args(InputKind))
