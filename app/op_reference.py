"""The reference of all ops, made from their classes."""

from __future__ import annotations

import inspect
import textwrap
from dataclasses import fields
from functools import cache
from typing import Any

from engine.frontend import load
from engine.ops import OPS, op_table
from engine.ops.op import Op
from engine.program import BoundOperation, BoundProgram
from engine.source import Source

from .examples import examples
from .present.ops import op_details

JSON = dict[str, Any]
SPECIFICATION = "https://github.com/openxla/stablehlo/blob/main/docs/spec.md"
XLA = "https://openxla.org/xla/operation_semantics"


@cache
def families() -> list[JSON]:
    """Ops as the engine groups them: one family a module."""
    found: dict[str, JSON] = {}
    for op in dict.fromkeys(OPS):
        name = op.__module__.rpartition(".")[2]
        family = found.setdefault(name, {"name": name, "title": _title(name), "ops": []})
        family["ops"].append({"name": op.name, "sentence": _sentence(op), "url": f"/ops/{op.name}"})
    return list(found.values())


@cache
def op_page(name: str) -> JSON | None:
    """What the page of an op shows; the dialect may be left out."""
    op = op_table().get(name) or op_table().get(f"stablehlo.{name}")
    if op is None:
        return None
    return {
        "name": op.name,
        "opcode": op.hlo_opcode,
        "sentence": _sentence(op),
        "documentation": [" ".join(part.split()) for part in _documentation(op).split("\n\n")],
        "inputs": _inputs(op),
        "spec_url": _specification(op),
        **_as_it_stands(op),
    }


def _documentation(op: type[Op]) -> str:
    # Not `inspect.getdoc`: what a class inherits says nothing about the op.
    return inspect.cleandoc(op.__doc__ or "")


def _sentence(op: type[Op]) -> str:
    return " ".join(_documentation(op).partition("\n\n")[0].split())


def _inputs(op: type[Any]) -> list[JSON]:
    return [
        {"name": field.name, "kind": str(field.type)}
        for field in fields(op)
        if not field.name.startswith("_")
    ]


def _specification(op: type[Op]) -> str | None:
    dialect, _, mnemonic = op.name.partition(".")
    if dialect == "stablehlo":
        return f"{SPECIFICATION}#{mnemonic}"
    return f"{XLA}#{op.xla_name.lower()}" if op.xla_name else None


def _as_it_stands(op: type[Op]) -> JSON:
    """The op as the gallery's programs have it: its text, the constraints it keeps, its index maps."""
    found = _seen_in_examples().get(op.name)
    if found is None:
        return {"example": None, "constraints": [], "maps": []}
    program, bound = found
    details = op_details(program, bound.id)
    return {
        "example": _text(program, bound),
        "constraints": [constraint["label"] for constraint in details["constraints"] if constraint["label"]],
        "maps": [{**each, "name": _operand_name(bound, each["operand"])} for each in details["maps"]],
    }


@cache
def _seen_in_examples() -> dict[str, tuple[BoundProgram, BoundOperation]]:
    """Each op's first place in the gallery's programs."""
    found: dict[str, tuple[BoundProgram, BoundOperation]] = {}
    for example in examples():
        program = load(Source(example.text, example.file)).program
        assert program is not None
        for bound in program.ops:
            found.setdefault(bound.op.name, (program, bound))
    return found


def _text(program: BoundProgram, bound: BoundOperation) -> str:
    source, span = program.module.source, bound.operation.span
    indent = source.line_and_column(span.start)[1] - 1
    return textwrap.dedent(" " * indent + source.text[span.start : span.end])


def _operand_name(bound: BoundOperation, number: int) -> str:
    return bound.operation.operands[number].name


def _title(module: str) -> str:
    return module.replace("_", " ").capitalize()
