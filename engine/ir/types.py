"""Types of values. Source: the specification's section on types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

from .element_types import ElementType, QuantizedType
from .layouts import Layout

Dimension = int | None
"""A size, or `None` if it is unknown (`?`)."""


class Type:
    """The type of a value; `str` is MLIR's spelling."""


@dataclass(frozen=True)
class TensorType(Type):
    """`tensor<2x?xf32>`; bounded dimensions keep their bounds, HLO text adds a layout."""

    shape: tuple[Dimension, ...]
    element_type: ElementType
    bounds: tuple[Dimension, ...] | None = None
    """`#stablehlo.bounds<…>`: the upper bound of each unknown size, `None` if there is none."""
    encoding: str | None = None
    """Any other encoding attribute, as text."""
    layout: Layout | None = field(default=None, compare=False)
    """The layout that HLO text states; `None` means row-major."""

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def is_static(self) -> bool:
        """Whether every size is known."""
        return None not in self.shape

    @property
    def sizes(self) -> tuple[int, ...]:
        """The shape; requires `is_static`."""
        assert self.is_static, f"{self} has sizes that are not known"
        return tuple(size for size in self.shape if size is not None)

    @property
    def greatest_shape(self) -> tuple[Dimension, ...]:
        """The shape, with the bounds of unknown sizes in their place."""
        bounds = self.bounds or (None,) * self.rank
        return tuple(bound if size is None else size for size, bound in zip(self.shape, bounds, strict=True))

    @property
    def element_count(self) -> int:
        """Number of elements; requires `is_static`."""
        return prod(self.sizes)

    @property
    def byte_count(self) -> int:
        """Bytes that NumPy needs; requires `is_static`."""
        return self.element_count * self.element_type.dtype.itemsize

    def with_shape(self, shape: tuple[Dimension, ...]) -> TensorType:
        """The same elements in another shape, without bounds, encoding or layout."""
        return TensorType(shape, self.element_type)

    def with_element_type(self, element_type: ElementType) -> TensorType:
        """The same shape and bounds with other elements."""
        return TensorType(self.shape, element_type, self.bounds, self.encoding)

    def __str__(self) -> str:
        return f"tensor<{self.spelled_shape()}{self.element_type}{self._suffix()}>"

    def spelled_shape(self) -> str:
        """`2x?x`, including the last `x`."""
        return "".join("?x" if size is None else f"{size}x" for size in self.shape)

    def _suffix(self) -> str:
        if self.bounds is not None:
            sizes = ", ".join("?" if bound is None else str(bound) for bound in self.bounds)
            return f", #stablehlo.bounds<{sizes}>"
        return f", {self.encoding}" if self.encoding else ""


@dataclass(frozen=True)
class UnrankedTensorType(Type):
    """`tensor<*xf32>`."""

    element_type: ElementType

    def __str__(self) -> str:
        return f"tensor<*x{self.element_type}>"


@dataclass(frozen=True)
class ScalarType(Type):
    """A bare element type, as the type of an attribute or of a foreign dialect's value."""

    element_type: ElementType

    def __str__(self) -> str:
        return str(self.element_type)


@dataclass(frozen=True)
class IntegerType(Type):
    """A builtin integer type that no supported tensor holds (`i24`, `si7`)."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class TokenType(Type):
    """`!stablehlo.token`."""

    def __str__(self) -> str:
        return "!stablehlo.token"


@dataclass(frozen=True)
class _Compound(Type):
    """Common base of futures and tuples."""

    types: tuple[Type, ...]

    @cached_property
    def has_static_leaves(self) -> bool:
        """Whether all tensors in it have known sizes."""
        return all(map(has_static_leaves, self.types))


@dataclass(frozen=True)
class FutureType(_Compound):
    """`!stablehlo.future<…>`: the tensors of an asynchronous op."""

    def __str__(self) -> str:
        return f"!stablehlo.future<{', '.join(map(str, self.types))}>"


@dataclass(frozen=True)
class NoneType(Type):
    """`none`."""

    def __str__(self) -> str:
        return "none"


@dataclass(frozen=True)
class TupleType(_Compound):
    """`tuple<…>`."""

    def __str__(self) -> str:
        return f"tuple<{', '.join(map(str, self.types))}>"


@dataclass(frozen=True)
class MemrefType(Type):
    """`memref<2xf32>`: the buffer type of the specification."""

    shape: tuple[Dimension, ...]
    element_type: ElementType
    suffix: str = ""
    """Layout and memory space, as text."""

    def __str__(self) -> str:
        shape = "".join("?x" if size is None else f"{size}x" for size in self.shape)
        return f"memref<{shape}{self.element_type}{self.suffix}>"


@dataclass(frozen=True)
class BufferType(Type):
    """`b(f32[2])` of HLO text: a buffer that holds a value."""

    type: Type

    def __str__(self) -> str:
        return f"b({self.type})"


@dataclass(frozen=True)
class FunctionType(Type):
    """`(inputs) -> results`."""

    inputs: tuple[Type, ...]
    results: tuple[Type, ...]

    def __str__(self) -> str:
        results = ", ".join(map(str, self.results))
        single = len(self.results) == 1 and not isinstance(self.results[0], FunctionType)
        return f"({', '.join(map(str, self.inputs))}) -> {results if single else f'({results})'}"


@dataclass(frozen=True)
class OpaqueType(Type):
    """A type of an unknown dialect (`!foo.bar<…>`), as text."""

    text: str

    def __str__(self) -> str:
        return self.text


def parts(found: Type) -> tuple[Type, ...]:
    """The types of a tuple's elements; any other type alone."""
    return found.types if isinstance(found, TupleType) else (found,)


def leaf_types(found: Type) -> Iterator[Type]:
    """The types nested in tuples and futures at any depth, in order; any other type alone."""
    if isinstance(found, TupleType | FutureType):
        for part in found.types:
            yield from leaf_types(part)
    else:
        yield found


def leaf_paths(found: Type) -> Iterator[tuple[int, ...]]:
    """The path to each of `leaf_types`, in order: positions in tuples and futures, outermost first."""
    if isinstance(found, TupleType | FutureType):
        for number, part in enumerate(found.types):
            yield from ((number, *rest) for rest in leaf_paths(part))
    else:
        yield ()


def type_at(found: Type, path: Sequence[int]) -> Type:
    """The type of a part of a value; `KeyError` if there is none."""
    for number in path:
        if not isinstance(found, TupleType | FutureType) or number >= len(found.types):
            raise KeyError(path)
        found = found.types[number]
    return found


def has_static_leaves(found: Type) -> bool:
    """Whether all tensors in a type have known sizes; cached per tuple."""
    if isinstance(found, TupleType | FutureType):
        return found.has_static_leaves
    return not isinstance(found, TensorType) or found.is_static


def leaf_count(found: Type) -> int:
    """Number of `leaf_types`."""
    return sum(1 for _ in leaf_types(found))


def holds_values(found: Type) -> bool:
    """Whether it holds any tensor: tokens, and tuples of tokens, do not."""
    return any(map(holds_values, found.types)) if isinstance(found, TupleType) else found != TokenType()


def tensor(shape: tuple[Dimension, ...], element_type: ElementType) -> TensorType:
    """Shorthand for `TensorType(shape, element_type)`."""
    return TensorType(shape, element_type)


def is_quantized(value_type: Any) -> bool:
    """Whether `value_type` is a tensor with quantized elements."""
    return isinstance(value_type, TensorType) and isinstance(value_type.element_type, QuantizedType)
