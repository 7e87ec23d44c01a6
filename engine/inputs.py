"""Inputs of a program: generated from a seed, written as a literal, or given as an array.

The same specification, type and argument number give the same numbers on every machine with the same NumPy:
generated numbers come from Philox, keyed by the seed and the argument number, so that each argument differs.
What the kinds mean for each family of element types:

| kind    | float                        | integer                      | boolean        | complex        |
|---------|------------------------------|------------------------------|----------------|----------------|
| zeros   | 0                            | 0                            | false          | 0              |
| ones    | 1                            | 1                            | true           | 1              |
| iota    | 0, 1, 2, … row-major; starts again where the type cannot hold the next         | real part      |
| uniform | [0, 1), in the type's steps  | 0 to 9, in the type's range  | either         | both parts     |
| normal  | mean 0, deviation 1          | as uniform                   | as uniform     | both parts     |

A token is there whatever is asked for. A tuple gets a value for each of its elements, of the kind that is asked for;
as numbers it is written `([1, 2], 3)`, with a value for each element that is no token.

f8E8M0FNU has powers of two only: its zero is 2^-127, its iota counts exponents, its random values are
2^-8 to 2^-1. Quantized tensors get values of their storage type.
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
LARGEST_SEED = 2**63 - 1
_GENERATOR_TEXT = re.compile(
    r"(zeros|ones|iota|uniform|normal)(?:\[([\d, ]{0,200})\])?(?::(\d{1,19}))?(?:\*([-+.\deE]{1,32}))?"
)
USUAL_SIZE = 4
"""Elements along a dimension of unknown size, where nobody says how many."""


@dataclass(frozen=True, eq=False)
class InputSpec:
    """How one argument gets its value."""

    kind: InputKind = "normal"
    seed: int = 0
    text: str = ""
    """The literal of kind `dense`: `1.5`, `[[1, 2], [3, 4]]` or `dense<…>`."""
    array: Array | None = field(default=None, repr=False)
    scale: float = 1.0
    """What random floating-point and complex values are multiplied by."""
    shape: tuple[int, ...] | None = None
    """The shape to make, for a type whose sizes are not all known."""
    exact: bool = True
    """Whether `array` must have the type's dtype or its bits; else it is numbers, which must be in the type."""
    parts: tuple[InputSpec, ...] | None = field(default=None, repr=False)
    """Of kind `array` for a tuple: how each element gets its value."""

    @classmethod
    def parse(cls, text: str) -> InputSpec:
        """`normal`, `uniform:7` (seed 7), `normal[5, 3]:7*0.05` (shape, seed, factor), or else a dense literal."""
        found = _GENERATOR_TEXT.fullmatch(text.strip())
        if not found:
            return cls("dense", text=text.strip())
        kind, shape, seed, scale = found.groups()
        sizes = None if shape is None else tuple(int(size) for size in shape.split(",") if size.strip())
        return cls(cast(InputKind, kind), int(seed or 0), scale=_scale(scale or "1"), shape=sizes)

    def __str__(self) -> str:
        """The text that `parse` reads; of an array, what it is."""
        if self.kind == "array":
            return "an array" if self.array is None else describe_array(self.array)
        if self.kind == "dense":
            return self.text
        seed = f":{self.seed}" if self.seed else ""
        scale = f"*{self.scale:g}" if self.scale != 1 else ""
        shape = "" if self.shape is None else str(list(self.shape))
        return f"{self.kind}{shape}{seed}{scale}"


def needs_value(type: Type) -> bool:
    """Whether an argument needs a value: all do but tokens and tuples of nothing else."""
    return any(not isinstance(leaf, TokenType) for leaf in leaf_types(type))


def default_input() -> InputSpec:
    """What an argument gets when nobody says: normal with seed 0."""
    return InputSpec("normal")


def make_input(
    spec: InputSpec,
    type: Type,
    argument: int,
    name: str = "",
    limits: Limits = DEFAULT_LIMITS,
    what: str = "",
) -> Array:
    """The read-only value of argument number `argument`, which the program calls `name`.

    Messages call it `what`, where it is no argument.
    """
    return _make(spec, as_tensor(type), _Place(argument, name, type, what=what), limits)


def _make(spec: InputSpec, type: Type, place: _Place, limits: Limits) -> Array:
    if isinstance(type, TokenType):
        return read_only(token())
    if isinstance(type, TupleType):
        return read_only(tuple_of([_make(*item, limits) for item in _elements(spec, type, place)]))
    if not isinstance(type, TensorType):
        raise place.error(f"cannot be given: only tensors, tokens and tuples can be inputs, not {type}")
    if spec.kind == "array":
        array = spec.array if spec.exact or spec.array is None else _numbers(spec.array, type, place, limits)
        value = _fit(array, type, place, limits)
    else:
        type = _fill_sizes(type, spec, place)
        _check_bytes(type.byte_count, place, limits)
        value = _literal(spec.text, type, place) if spec.kind == "dense" else _generate(spec, type, place)
    return read_only(value)


def _elements(spec: InputSpec, type: TupleType, place: _Place) -> Iterator[tuple[InputSpec, Type, _Place]]:
    """How each element of a tuple gets its value."""
    if spec.parts is not None and len(spec.parts) == len(type.types):
        for number, (part, found) in enumerate(zip(spec.parts, type.types, strict=True)):
            yield part, found, replace(place, path=(*place.path, number), type=found)
        return
    if spec.kind == "array":
        raise place.error(
            "is a tuple, not one array", hint="Choose a kind, such as normal, or write ([1, 2], 3)."
        )
    texts = _texts(spec.text, type, place) if spec.kind == "dense" else [spec.text] * len(type.types)
    for number, (found, text) in enumerate(zip(type.types, texts, strict=True)):
        inside = replace(place, path=(*place.path, number), type=found)
        yield replace(spec, text=text), found, inside


def _texts(text: str, type: TupleType, place: _Place) -> list[str]:
    """The text of each element, empty for tokens."""
    wanted = [number for number, found in enumerate(type.types) if not isinstance(found, TokenType)]
    parts = split_tuple(text)
    if parts is None or len(parts) != len(wanted):
        raise place.error(f"is a tuple: write its {len(wanted)} values in parentheses, as in ([1, 2], 3)")
    texts = dict(zip(wanted, parts, strict=True))
    return [texts.get(number, "") for number in range(len(type.types))]


def describe_array(array: Array) -> str:
    """`float32[32, 784]`."""
    return f"{array.dtype.name}[{', '.join(map(str, array.shape))}]"


@dataclass(frozen=True)
class _Place:
    """The argument that a message is about."""

    argument: int
    name: str
    type: Type
    path: tuple[int, ...] = ()
    """Where in an argument that is a tuple."""
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
        raise InputError(f"'{text}' is no factor", hint="Write a number, as in normal:7*0.05.")
    return scale


def _check_bytes(count: int, place: _Place, limits: Limits) -> None:
    if count > limits.max_tensor_bytes:
        raise LimitError(
            f"{place} takes {count:,} bytes; max_tensor_bytes allows {limits.max_tensor_bytes:,}",
            label="max_tensor_bytes",
        )


def _fill_sizes(type: TensorType, spec: InputSpec, place: _Place) -> TensorType:
    """`type` with a size for every dimension: as stated, as the literal has them, or the usual one."""
    stated = _literal_shape(spec.text) if spec.kind == "dense" and not type.is_static else spec.shape
    if stated is None:
        bounds = type.bounds or (None,) * type.rank
        usual = (min(USUAL_SIZE, USUAL_SIZE if bound is None else bound) for bound in bounds)
        stated = tuple(other if size is None else size for size, other in zip(type.shape, usual, strict=True))
    if not shapes_agree(stated, type.shape):
        raise place.error(f"cannot have the shape {list(stated)}")
    return type if type.is_static else type.with_shape(stated)


def _literal_shape(text: str) -> tuple[int, ...] | None:
    """The shape of a nested list; `None` of a single number, which may stand for any."""
    body = text.strip().removeprefix("dense<").removesuffix(">").strip()
    if not body.startswith("["):
        return None
    try:
        # Words and pairs of parts are elements like numbers are.
        found = json.loads(re.sub(r"\([^()]*\)|[^\s,\[\]]+", "0", body))
    except (ValueError, RecursionError):
        return None
    sizes = []
    while isinstance(found, list):
        sizes.append(len(found))
        found = found[0] if found else None
    return tuple(sizes)


def _literal(text: str, type: TensorType, place: _Place) -> Array:
    try:
        return parse_dense_value(text, type)
    except LimitError:
        raise
    except ProgramError as error:
        shown = text if len(text) <= 60 else text[:59] + "…"
        raise place.error(f"cannot be {shown!r}: {error.message}", hint=error.hint) from None


# Arrays that somebody gives.


def _fit(array: Array | None, type: TensorType, place: _Place, limits: Limits) -> Array:
    if array is None:
        raise place.error("has no array", hint="Choose an array, or a kind such as normal.")
    _check_shape(array, type, place)
    _check_bytes(array.size * type.element_type.dtype.itemsize, place, limits)
    fitted = _as_dtype(array, type.element_type)
    if fitted is None:
        raise place.error(f"cannot take {describe_array(array)}", hint=_dtype_hint(type.element_type))
    # What somebody else may still write to must not change under a recording.
    return fitted.copy() if fitted.flags.writeable else fitted


def _numbers(array: Array, type: TensorType, place: _Place, limits: Limits) -> Array:
    """Numbers without a dtype of their own as the type's; one number stands for all elements."""
    storage = storage_of(type.element_type)
    known = "biu" if storage.kind == "boolean" or _is_integer(storage) else "biuf"
    if array.size and array.dtype.kind not in known + ("c" if storage.kind == "complex" else ""):
        raise place.error(f"cannot take {describe_array(array)}: {type.element_type} holds no such numbers")
    if storage.kind == "boolean" and not np.isin(array, (0, 1)).all():
        raise place.error(
            f"cannot take {describe_array(array)}: {type.element_type} holds 0 and 1, false and true"
        )
    if _is_integer(storage) and array.size:
        information = ml_dtypes.iinfo(storage.dtype)
        worst = next(
            (x for x in (array.min(), array.max()) if not information.min <= x <= information.max), None
        )
        if worst is not None:
            raise place.error(f"cannot hold {worst}: {storage} has {information.min} to {information.max}")
    with np.errstate(over="ignore"):
        fitted = array.astype(storage.dtype)
    if fitted.ndim or not type.rank:
        return fitted
    sized = _fill_sizes(type, InputSpec(), place)
    _check_bytes(sized.byte_count, place, limits)
    return np.broadcast_to(fitted, sized.sizes)


def _is_integer(element_type: ElementType) -> bool:
    return element_type.kind in ("signed", "unsigned", "index")


def _check_shape(array: Array, type: TensorType, place: _Place) -> None:
    known = len(array.shape) == type.rank and all(
        wanted in (None, size) for wanted, size in zip(type.shape, array.shape, strict=True)
    )
    if not known:
        shape = "x".join(map(str, array.shape)) or "()"
        wanted = type.spelled_shape().removesuffix("x") or "()"
        raise place.error(f"cannot take {describe_array(array)}: its shape is {shape}, not {wanted}")
    for size, bound in zip(array.shape, type.bounds or (), strict=False):
        if bound is not None and size > bound:
            raise place.error(f"cannot take {describe_array(array)}: size {size} is above the bound {bound}")


def _as_dtype(array: Array, element_type: ElementType) -> Array | None:
    """`array` as the type's dtype where it states such values, bits of the small types included."""
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
    """Integers of the sub-byte type `wanted` from whole bytes, or from raw bytes that NumPy saved of `ml_dtypes`."""
    if array.dtype.kind == "V":
        return np.ascontiguousarray(array).reshape(array.shape).view(wanted)
    if array.dtype.kind not in "iu":
        return None
    information = ml_dtypes.iinfo(wanted)
    fits = array.size == 0 or (array.min() >= information.min and array.max() <= information.max)
    return array.astype(wanted) if fits else None


def _dtype_hint(element_type: ElementType) -> str:
    wanted = element_type.dtype
    if wanted.type.__module__ == "numpy":
        return f"Convert it with array.astype(np.{wanted.name})."
    return f"Convert it with array.astype(ml_dtypes.{wanted.name}), or give the bits as uint{wanted.itemsize * 8}."


def _generate(spec: InputSpec, type: TensorType, place: _Place) -> Array:
    if not 0 <= spec.seed <= LARGEST_SEED:
        raise place.error(f"cannot take seed {spec.seed}", hint=f"Seeds are 0 to {LARGEST_SEED}.")
    element_type, shape = storage_of(type.element_type), type.sizes
    if spec.kind in ("zeros", "ones"):
        return np.broadcast_to(constant_number(spec.kind == "ones", element_type), shape)
    if spec.kind == "iota":
        return consecutive_numbers(type.element_count, element_type).reshape(shape)
    if spec.kind not in ("uniform", "normal"):
        raise place.error(f"cannot take inputs of kind '{spec.kind}'")
    key = np.random.SeedSequence((spec.seed, place.argument, *place.path))
    generator = np.random.Generator(np.random.Philox(key))
    return random_numbers(generator, spec.kind, spec.scale, element_type, shape)


assert {*GENERATED, "dense", "array"} == set(get_args(InputKind))
