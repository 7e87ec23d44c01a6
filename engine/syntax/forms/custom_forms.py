"""Irregular short forms: a read and a write function for each `custom NAME`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ...ir.module import Operation, Region, Value
from ..text.trampoline import Steps
from .contraction_forms import read_convolution, read_dot_general, write_convolution, write_dot_general
from .control_forms import read_scan, read_while, write_scan, write_while
from .operation_draft import Draft
from .plain_forms import read_barrier, read_constant, write_barrier, write_constant
from .print_pieces import Pieces, Scribe
from .reduce_form import read_reduce, write_reduce
from .shape_forms import (
    read_assuming,
    read_extract,
    read_select,
    read_shape,
    read_typed_value,
    write_assuming,
    write_extract,
    write_select,
    write_shape,
    write_typed_value,
)
from .shardy_forms import (
    read_manual_computation,
    read_named_computation,
    write_manual_computation,
    write_named_computation,
)


class RegionReader(Protocol):
    """Callback with which a custom form reads its regions."""

    def __call__(self, draft: Draft, arguments: tuple[Value, ...] | None) -> Steps[Region]:
        """Read `{…}`; its only block has these arguments, or states its own if they are `None`."""


@dataclass(frozen=True)
class CustomForm:
    """Read and write functions of an irregular form."""

    read: Callable[[Draft, RegionReader], Steps[None] | None]
    """Reads the text after the op's name; a generator if it contains regions."""
    write: Callable[[Operation, Scribe], Pieces | None]


CUSTOM_FORMS = {
    "assuming": CustomForm(read_assuming, write_assuming),
    "barrier": CustomForm(read_barrier, write_barrier),
    "constant": CustomForm(read_constant, write_constant),
    "convolution": CustomForm(read_convolution, write_convolution),
    "dot_general": CustomForm(read_dot_general, write_dot_general),
    "extract": CustomForm(read_extract, write_extract),
    "manual_computation": CustomForm(read_manual_computation, write_manual_computation),
    "named_computation": CustomForm(read_named_computation, write_named_computation),
    "reduce": CustomForm(read_reduce, write_reduce),
    "scan": CustomForm(read_scan, write_scan),
    "select": CustomForm(read_select, write_select),
    "shape": CustomForm(read_shape, write_shape),
    "typed_value": CustomForm(read_typed_value, write_typed_value),
    "while": CustomForm(read_while, write_while),
}


def custom_form(short_form: str) -> CustomForm | None:
    """The form named by `custom NAME`; `None` for a regular form."""
    keyword, _, name = short_form.partition(" ")
    return CUSTOM_FORMS[name] if keyword == "custom" else None
