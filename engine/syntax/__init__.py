"""Program text to IR and back: MLIR as JAX prints it and as the specification writes it, and HLO text.

This package is handed the table of ops and imports no op.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from ..ir.attributes import Attribute
from ..ir.module import Module
from ..ir.types import TensorType, Type
from ..limits import DEFAULT_LIMITS, Limits
from ..source import Source
from .editor_tokens import tokens
from .hlo import NotHlo, looks_like_hlo, parse_hlo, print_hlo
from .operation_draft import OpSyntax, OpTable
from .print_attributes import print_attribute
from .print_dense import print_dense
from .printer import print_module, print_operation
from .read_functions import ModuleReader
from .reader import Reader, run_reader
from .trampoline import run
from .typed_values import read_value, split_tuple


def parse_module(source: Source, op_table: OpTable, limits: Limits = DEFAULT_LIMITS) -> Module:
    """The program that `source` states; a `ProgramError` at the first thing that is wrong."""
    return run(ModuleReader(source, op_table, limits).module())


def parse_attribute(text: str, limits: Limits = DEFAULT_LIMITS) -> Attribute:
    """The attribute that `text` states."""
    return run_reader(text, limits, Reader.attribute)


def parse_type(text: str, limits: Limits = DEFAULT_LIMITS) -> Type:
    """The type that `text` states."""
    return run_reader(text, limits, Reader.read_type)


def parse_dense_value(text: str, expected: TensorType, limits: Limits = DEFAULT_LIMITS) -> NDArray[Any]:
    """A value as a person types it: `dense<…>` with or without its type, a nested list, or one number."""
    return run_reader(text, limits, lambda reader: read_value(reader, expected))


__all__ = [
    "NotHlo",
    "OpSyntax",
    "OpTable",
    "looks_like_hlo",
    "parse_attribute",
    "parse_dense_value",
    "parse_hlo",
    "parse_module",
    "parse_type",
    "print_attribute",
    "print_dense",
    "print_hlo",
    "print_module",
    "print_operation",
    "split_tuple",
    "tokens",
]
