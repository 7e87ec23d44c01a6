"""The reference of all ops, generated from classes, the specification and worked examples."""

import inspect
import re
from functools import cache

from hloscope.engine.ops import FAMILIES, family_of, op_table
from hloscope.engine.ops.core.op import Op
from hloscope.engine.syntax.text.suggestions import nearest

from ..wire.reference import LabelledRow, ListedOp, OpEntry, OpFamily, OpPage, PageLink
from .attribute_sentences import attribute_sentences
from .example import as_it_stands
from .input_table import inputs_of, results_of
from .opcodes import NO_OPS, attributes_of, op_of_opcode, opcodes_by_op, replacement_op
from .questions import question_of
from .specification import Section, rules_of, section_of

_ELSEWHERE = re.compile(r"\b(?:Specification|MLIR|CHLO|XLA(?: operation semantics)?): ")
"""References in docstrings, which the page shows as links."""
SEARCHED_DIALECTS = (
    *("stablehlo", "chlo", "func", "hlo"),
    *("check", "interpreter", "shape", "tensor", "arith", "sdy"),
)
"""Dialects that are searched for a name without a dialect, in order."""


__all__ = ["SEARCHED_DIALECTS", "families", "near_op", "op_list", "op_page", "question_of"]


@cache
def families() -> list[OpFamily]:
    """All ops by family, as the index shows them."""
    found: dict[str, OpFamily] = {}
    for family in FAMILIES:
        listed = found.setdefault(
            family.anchor, {"name": family.anchor, "title": family.title, "ops": [], "words": []}
        )
        listed["ops"] += map(_entry, family.ops)
        if any(op.name.startswith("hlo.") for op in family.ops):
            listed["words"] = NO_OPS
    return list(found.values())


@cache
def op_list() -> list[ListedOp]:
    """All ops in one list, each with its family and the HLO opcodes that are read as it."""
    return [
        {**op, "family": family["title"], "reads": opcodes_by_op().get(op["name"], [])}
        for family in families()
        for op in family["ops"]
    ]


def op_page(name: str) -> OpPage | None:
    """The page of an op; the name may omit the dialect or be an HLO opcode."""
    op = _op_class(name)
    return None if op is None else _page(op.name)


@cache
def _page(name: str) -> OpPage:
    op = op_table()[name]
    section = section_of(op)
    forms, maps, seen = as_it_stands(op)
    inputs = inputs_of(op, section)
    results = _results(op, seen, section)
    return {
        **_entry(op),
        "family_name": family_of(op).anchor,
        "family": family_of(op).title,
        "paragraphs": _paragraphs(op)[1:],
        "constraints": rules_of(op),
        "read_as": replacement_op(op),
        "attributes": attributes_of(op),
        "sentences": attribute_sentences(op),
        "links": links_of(op, in_specification=section is not None),
        **forms,
        **maps,
        "inputs": inputs,
        "results": results,
        "signature": _signature(op, inputs, results),
    }


def _results(op: type[Op], seen: list[LabelledRow], section: Section | None) -> list[LabelledRow]:
    """Result rows from the section or the class, or else from the example."""
    stated = results_of(op, section)
    if not op.name.startswith("hlo."):
        return list(stated) or seen
    if stated and not op.hlo.packs_results:
        return list(stated)
    return [{"name": "result", "type": f"{item['type']} in the example"} for item in seen]


def _signature(op: type[Op], inputs: list[LabelledRow], results: list[LabelledRow]) -> str:
    """`concatenate(inputs, dimension) → result`, in the specification's words."""
    given = ", ".join(item["name"] for item in inputs)
    made = ", ".join(item["name"] for item in results)
    return f"{op.name.partition('.')[2]}({given})" + (f" → {made}" if made else "")


def near_op(name: str) -> str | None:
    """`did you mean 'gather'?`, if the name of an op is near."""
    ops = (op.partition(".") for op in op_table())
    known = sorted({mnemonic for dialect, _, mnemonic in ops if dialect in SEARCHED_DIALECTS[:4]})
    return nearest(name.rpartition(".")[2], known, likeness=0.7)


def _op_class(name: str) -> type[Op] | None:
    table = op_table()
    names = (name, *(f"{dialect}.{name}" for dialect in SEARCHED_DIALECTS))
    known = next((table[each] for each in names if each in table), None)
    return known or table.get(op_of_opcode(name) or "")


def _entry(op: type[Op]) -> OpEntry:
    return {
        "name": op.name,
        "sentence": _paragraphs(op)[0],
        "url": f"/ops/{op.name}",
        "opcode": op.hlo.opcode,
        "xla_name": op.hlo.xla_name,
        "hlo_note": op.hlo.note,
    }


def _paragraphs(op: type[Op]) -> list[str]:
    # Not `inspect.getdoc`: an inherited docstring does not describe the op.
    text = inspect.cleandoc(op.__doc__ or "")
    parts = [" ".join(part.split()) for part in text.split("\n\n")]
    return [kept for part in parts if (kept := _ELSEWHERE.split(part)[0].strip())] or [""]


_SPECIFICATION = "https://openxla.org/stablehlo/spec"
_OPERATIONS = "https://openxla.org/xla/operation_semantics"
_OPCODES = "https://github.com/openxla/xla/blob/main/xla/hlo/ir/hlo_opcode.h"
"""XLA's list of all opcodes, including those without operation semantics."""
_DIALECTS = {
    "stablehlo": ("the StableHLO dialect", "https://openxla.org/stablehlo/generated/stablehlo"),
    "chlo": ("the CHLO dialect", "https://openxla.org/stablehlo/generated/chlo"),
    "func": ("MLIR's func dialect", "https://mlir.llvm.org/docs/Dialects/Func/"),
    "shape": ("MLIR's shape dialect", "https://mlir.llvm.org/docs/Dialects/ShapeDialect/"),
    "tensor": ("MLIR's tensor dialect", "https://mlir.llvm.org/docs/Dialects/TensorOps/"),
    "arith": ("MLIR's arith dialect", "https://mlir.llvm.org/docs/Dialects/ArithOps/"),
    "sdy": ("the Shardy dialect", "https://openxla.org/shardy/sdy_dialect"),
}


def links_of(op: type[Op], *, in_specification: bool) -> list[PageLink]:
    """Sentences that end with a link: prefix, link text and address."""
    dialect, _, mnemonic = op.name.partition(".")
    found: list[PageLink] = []
    if in_specification:
        found.append(
            {"text": f"{mnemonic} in the StableHLO specification", "url": f"{_SPECIFICATION}#{mnemonic}"}
        )
    elif dialect in _DIALECTS:
        name, url = _DIALECTS[dialect]
        found.append({"text": f"{mnemonic} in {name}", "url": url})
    if op.hlo.xla_name:
        text = f"{op.hlo.xla_name} in XLA's operation semantics"
        found.append({"text": text, "url": f"{_OPERATIONS}#{op.hlo.xla_name.lower()}"})
    elif op.hlo.opcode and dialect == "hlo":
        found.append({"text": f"{op.hlo.opcode} among XLA's opcodes", "url": _OPCODES})
    return found
