"""The handwritten parts of forms: instructive examples, and dependencies of fields.

`setups.toml` has a table for each op, with the keys of `Setup`, and in it one for each example, with the keys of
`Preset`. `shared_fields` are fields that all examples of an op state. `forms` generates the forms of elementwise ops,
which are alike.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

Texts = str | list[str] | tuple[str, ...]
"""A tensor in the short form of `tensors.FormTensor`; several for a variadic input."""


@dataclass(frozen=True)
class Preset:
    """An example: its differences from the initial form."""

    title: str
    sentence: str
    operands: Mapping[str, Texts] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Setup:
    """An op's form."""

    operands: Mapping[str, Texts] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)
    """Each field of the form, and its initial value."""
    title: str = ""
    """The title of the initial form."""
    sentence: str = ""
    presets: tuple[Preset, ...] = ()
    grid: list[int] | None = None
    """Replicas and partitions, for a collective op."""
    goes_with: Mapping[str, str] = field(default_factory=dict)
    """The operand that supplies an operand's element type, if it is not the first."""
    scalars: str = ""
    """The operand with a scalar for each dimension of the first, shown as one list."""


@cache
def setups() -> Mapping[str, Setup]:
    """The handwritten setups, by the op's name."""
    text = Path(__file__).with_suffix(".toml").read_text("utf-8")
    return {f"stablehlo.{found.pop('op')}": _setup(found) for found in tomllib.loads(text)["setups"]}


def _setup(found: dict[str, Any]) -> Setup:
    shared = found.pop("shared_fields", {})
    presets = tuple(
        Preset(**{**preset, "fields": shared | preset.get("fields", {})})
        for preset in found.pop("presets", ())
    )
    return Setup(**found, presets=presets)


_BODIES = "It reads what its bodies read: open its example in the debugger to see their index map."
_PEOPLE = (
    "It moves values in or out of a process, which a picture cannot show: open its example in the debugger."
)
_TOKENS = "A token has no elements."
_TUPLES = "It packs values without reading their elements: open its example in the debugger."
NO_FORMS: Mapping[str, str] = {
    f"stablehlo.{op}": why
    for why, ops in (
        (_BODIES, "while if case composite async_start async_done"),
        (_PEOPLE, "send recv infeed outfeed"),
        (_TOKENS, "after_all create_token"),
        (_TUPLES, "tuple get_tuple_element"),
        ("Code outside the program decides what it reads.", "custom_call"),
        ("It ends a body and returns its values.", "return"),
        ("It reads nothing: its elements are a number of the process.", "partition_id replica_id"),
        ("It reads nothing: its elements are in the text of the program.", "constant"),
    )
    for op in ops.split()
}
"""The StableHLO ops without a form, and the reason for each."""
