"""Parse and print programs: MLIR as JAX and the specification write it, and HLO text.

The table of ops is a parameter: this package imports no op.
"""

from contextlib import suppress
from typing import Any

from numpy.typing import NDArray

from ..errors import ProgramError
from ..ir.attributes import Attribute
from ..ir.module import Module
from ..ir.types import TensorType, Type
from ..limits import DEFAULT_LIMITS, Limits
from ..source import OnProgress, Source
from .attributes.dense import read_value, split_tuple
from .attributes.print_attributes import print_attribute
from .attributes.print_dense import print_dense
from .attributes.text_reader import TextReader, run_reader
from .forms.operation_draft import OpTable
from .hlo import Infer, NotHlo, looks_like_hlo, parse_hlo, print_hlo
from .modules.printer import print_module, print_operation
from .modules.read_functions import ModuleReader
from .text.editor_tokens import tokens
from .text.recovery import MAX_ERRORS, Abandoned, Recovery, TooManyErrors
from .text.trampoline import run


def parse_module(source: Source, op_table: OpTable, limits: Limits = DEFAULT_LIMITS) -> Module:
    """Parse the program of `source`; raises `ProgramError` at the first error."""
    return run(ModuleReader(source, op_table, limits).module())


def parse_all(
    source: Source,
    op_table: OpTable,
    infer: Infer,
    limits: Limits,
    recovery: Recovery,
    on_progress: OnProgress | None = None,
) -> Module | None:
    """Parse a program in either language; `recovery` collects the errors, and what they cost of the module.

    `None` if the rest of the text cannot be read. `infer` supplies the shapes that HLO text may omit.
    """
    with suppress(TooManyErrors):
        try:
            if looks_like_hlo(source.text):
                return parse_hlo(source, infer, limits, recovery, on_progress)
            reader = ModuleReader(source, op_table, limits, recovery)
            reader.on_progress = on_progress
            return run(reader.module())
        except Abandoned:
            return None
        except ProgramError as error:
            recovery.report(error)
    return None


def parse_attribute(text: str, limits: Limits = DEFAULT_LIMITS) -> Attribute:
    """Parse an attribute."""
    return run_reader(text, limits, TextReader.attribute)


def parse_type(text: str, limits: Limits = DEFAULT_LIMITS) -> Type:
    """Parse a type."""
    return run_reader(text, limits, TextReader.read_type)


def parse_dense_value(text: str, expected: TensorType) -> NDArray[Any]:
    """Parse a value typed by a user: `dense<…>` with or without its type, a nested list, or one number."""
    return run_reader(text, DEFAULT_LIMITS, lambda reader: read_value(reader, expected))
