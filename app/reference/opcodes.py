"""The ops that opcodes of HLO text are read as."""

from collections import defaultdict
from functools import cache

from hloscope.engine.ops.core.op import Op
from hloscope.engine.syntax.hlo.opcode_forms import Form
from hloscope.engine.syntax.hlo.opcodes import forms_of_opcodes, forms_of_ops

from ..wire.reference import FamilyWord, PageAttribute

NO_OPS: list[FamilyWord] = [
    {
        "name": "parameter",
        "sentence": "No op: `parameter(0)` is the first argument of its computation, `parameter(1)` the second.",
    }
]
"""Opcodes of HLO text without an op."""


@cache
def opcodes_by_op() -> dict[str, list[str]]:
    """The HLO opcodes that each op's page describes; each belongs to its usual op."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for opcode, forms in forms_of_opcodes().items():
        found[max(forms, key=_usual).name].append(opcode)
    return dict(found)


def op_of_opcode(opcode: str) -> str | None:
    """The op that HLO text usually means by `opcode`."""
    forms = forms_of_opcodes().get(opcode, ())
    return max(forms, key=_usual).name if forms else None


def replacement_op(op: type[Op]) -> str | None:
    """The op that HLO text is read as, if it is never `op` itself."""
    opcode = op.hlo.opcode or ""
    forms = forms_of_opcodes().get(opcode, ())
    return None if op.name in {form.name for form in forms} else op_of_opcode(opcode)


def attributes_of(op: type[Op]) -> list[PageAttribute]:
    """The HLO attributes of the opcode, and the inputs that they set if named differently."""
    form = forms_of_ops().get(op.name)
    names = {getattr(field, "key", ""): getattr(field, "name", "") for field in form.fields} if form else {}
    return [
        {"key": key, "input": names[key] if names.get(key, key) != key else ""}
        for key in sorted(form.keys if form else ())
    ]


def _usual(form: Form) -> tuple[bool, bool]:
    dialect, _, mnemonic = form.name.partition(".")
    return mnemonic == form.opcode.replace("-", "_"), dialect != "hlo"
