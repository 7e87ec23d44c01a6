"""A Triton kernel as data: its operations, read from a JSON description of its MLIR bytecode.

Values have numbers, which count through the whole kernel. `app/xla/triton_kernels.py` writes the JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ....ir.element_types import INDEX, ElementType, element_type

_PURE = ("arith.", "math.", "tt.load", "tt.bitcast", "tt.splat")
"""Beginnings of the names of operations without effects: they are left out where nothing reads their results."""


@dataclass(frozen=True)
class KernelType:
    """The type of a value: a scalar or a tensor, of numbers or of pointers to them."""

    shape: tuple[int, ...]
    element: str
    """MLIR's name of the numbers."""
    is_pointer: bool = False

    @cached_property
    def pointee(self) -> ElementType | None:
        """The type of the numbers, behind a pointer or not; `None` if it is none of hloscope's."""
        return element_type(self.element)

    @cached_property
    def element_type(self) -> ElementType:
        """The type of the elements; those of pointers are addresses."""
        assert self.pointee is not None
        return INDEX if self.is_pointer else self.pointee

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.element_type.dtype

    def __str__(self) -> str:
        return f"!tt.ptr<{self.element}>" if self.is_pointer else self.element


@dataclass(frozen=True)
class KernelOp:
    """An operation: numbers of its operands and results, the types of both, and its regions of one block each."""

    name: str
    operands: tuple[int, ...]
    operand_types: tuple[KernelType, ...]
    results: tuple[int, ...]
    types: tuple[KernelType, ...]
    attributes: Mapping[str, Any]
    regions: tuple[KernelBlock, ...]

    @property
    def described(self) -> str:
        """Its name, with the function of a library that it calls."""
        symbol = self.attributes.get("symbol")
        return f"{self.name} of {symbol}" if self.name == "tt.extern_elementwise" else self.name


@dataclass(frozen=True)
class KernelBlock:
    arguments: tuple[int, ...]
    operations: tuple[KernelOp, ...]

    def all_operations(self) -> Iterator[KernelOp]:
        """Its operations and those of their regions."""
        for op in self.operations:
            yield op
            for region in op.regions:
                yield from region.all_operations()


@dataclass(frozen=True)
class Kernel:
    name: str
    arguments: tuple[KernelType, ...]
    body: KernelBlock
    value_count: int

    @cached_property
    def operations(self) -> tuple[KernelOp, ...]:
        """All operations, in the order of the text."""
        return tuple(self.body.all_operations())

    @cached_property
    def read_values(self) -> frozenset[int]:
        """The numbers of values that an operation reads."""
        return frozenset(number for op in self.operations for number in op.operands)


def kernel_of(text: str) -> Kernel:
    """The kernel that a JSON describes, without loads whose values nothing reads.

    Pallas loads what it stores over; the values of such loads exist on no device.
    """
    stated = json.loads(text)
    block = _block(stated["body"])
    used: set[int] = set()
    kept = _without_unread(block, used)
    arguments = tuple(map(_type, stated["arguments"]))
    return Kernel(stated["name"], arguments, kept, stated["value_count"])


def _block(stated: Mapping[str, Any]) -> KernelBlock:
    return KernelBlock(tuple(stated["arguments"]), tuple(map(_operation, stated["operations"])))


def _operation(stated: Mapping[str, Any]) -> KernelOp:
    return KernelOp(
        stated["name"],
        tuple(stated["operands"]),
        tuple(map(_type, stated["operand_types"])),
        tuple(stated["results"]),
        tuple(map(_type, stated["types"])),
        stated["attributes"],
        tuple(map(_block, stated["regions"])),
    )


def _type(stated: Any) -> KernelType:
    shape, element = stated
    return KernelType(tuple(shape), element.lstrip("*"), element.startswith("*"))


def _without_unread(block: KernelBlock, used: set[int]) -> KernelBlock:
    """The block without operations that nothing needs; the numbers of all values read are added to `used`."""
    kept: list[KernelOp] = []
    for op in reversed(block.operations):
        if op.name.startswith(_PURE) and used.isdisjoint(op.results):
            continue
        used.update(op.operands)
        regions = tuple(_without_unread(region, used) for region in op.regions)
        kept.append(replace(op, regions=regions))
    return KernelBlock(block.arguments, tuple(reversed(kept)))
