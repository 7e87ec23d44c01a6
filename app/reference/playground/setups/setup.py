"""What is said of an op's form by hand: a small, instructive example, more of them, and what follows from what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Texts = str | tuple[str, ...]
"""A tensor in the short form of `tensors.FormTensor`; several for an input of many tensors."""


@dataclass(frozen=True)
class Preset:
    """An example: what of the form is otherwise than at the beginning."""

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
    """Each field that the form has, and what it holds at the beginning."""
    title: str = ""
    """What the beginning shows."""
    sentence: str = ""
    presets: tuple[Preset, ...] = ()
    grid: tuple[int, int] | None = None
    """Replicas and partitions, of an op in which processes meet."""
    goes_with: Mapping[str, str] = field(default_factory=dict)
    """For an operand without an element type: whose it takes, where that is not the first's."""
    scalars: str = ""
    """The operand that has a scalar for each dimension of the first: its values are shown as one list."""


@dataclass(frozen=True)
class NoForm:
    """An op that has no form, and why."""

    op: str
    why: str
