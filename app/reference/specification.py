"""Inputs, outputs and constraints from the StableHLO specification, by label.

The class of an op without a section has its constraints as sentences in `rules`.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hloscope.engine.ops.core.op import Op

from ..wire.reference import LabelledRow, RuleRow


@dataclass(frozen=True)
class Section:
    """The section of one op."""

    inputs: list[LabelledRow]
    """Label, name and type of each."""
    outputs: list[LabelledRow]
    constraints: list[RuleRow]
    """Label and rule of each; formulas are between backticks."""


def section_of(op: type[Op]) -> Section | None:
    """The section of an op, if the specification has one."""
    dialect, _, mnemonic = op.name.partition(".")
    return sections().get(mnemonic) if dialect == "stablehlo" else None


@cache
def sections() -> dict[str, Section]:
    """All sections by op name."""
    text = Path(__file__).with_name("specification.json").read_text("utf-8")
    return {
        name: Section(found["inputs"], found["outputs"], _rows(found["constraints"]))
        for name, found in json.loads(text).items()
    }


def rules_of(op: type[Op]) -> list[RuleRow]:
    """The constraints of an op: those of its section, or `rules` without labels."""
    section = section_of(op)
    return section.constraints if section else [{"label": "", "text": rule} for rule in op.section.rules]


def _rows(constraints: dict[str, str]) -> list[RuleRow]:
    return [{"label": label, "text": text} for label, text in constraints.items()]
