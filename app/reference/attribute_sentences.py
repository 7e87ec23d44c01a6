"""The meaning of each attribute of an op in one sentence, for its page and its form."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from hloscope.engine.ops.core.field_plans import field_plans
from hloscope.engine.ops.core.op import Op

from ..wire.reference import AttributeSentence
from .specification import section_of


@cache
def _sentences() -> Mapping[str, Any]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def sentence_of(op: str, attribute: str) -> str:
    """The meaning of an op's attribute, by their full names; empty if it is not known."""
    found = _sentences().get(op, {}).get(attribute) or _sentences().get(attribute, "")
    return found if isinstance(found, str) else ""


def attribute_sentences(op: type[Op]) -> list[AttributeSentence]:
    """The attributes and regions of an op with a sentence, in the order of the specification."""
    if not op.name.startswith("stablehlo."):
        return []
    section = section_of(op)
    stated = [row["name"] for row in section.inputs] if section else []
    operands = {plan.name for plan in field_plans(op) if plan.source in ("operand", "operands")}
    names = dict.fromkeys([*stated, *(plan.name for plan in field_plans(op))])
    found = [(name, sentence_of(op.name, name)) for name in names if name not in operands]
    return [{"name": name, "sentence": sentence} for name, sentence in found if sentence]
