"""The handwritten parts of an op's form: instructive examples, and dependencies of fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Texts = str | tuple[str, ...]
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

    op: str
    """Without `stablehlo.`."""
    operands: Mapping[str, Texts] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)
    """Each field of the form, and its initial value."""
    title: str = ""
    """The title of the initial form."""
    sentence: str = ""
    presets: tuple[Preset, ...] = ()
    grid: tuple[int, int] | None = None
    """Replicas and partitions, for a collective op."""
    goes_with: Mapping[str, str] = field(default_factory=dict)
    """The operand that supplies an operand's element type, if it is not the first."""
    scalars: str = ""
    """The operand with a scalar for each dimension of the first, shown as one list."""


@dataclass(frozen=True)
class NoForm:
    """An op without a form, and the reason."""

    op: str
    why: str
