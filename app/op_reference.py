"""The reference of all ops, made from their classes."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from functools import cache
from typing import Any

from engine.ops import OPS, op_table
from engine.ops.op import Op

from .examples import examples

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
        "constraints": [],
        "outputs": "",
        "spec_url": _specification(op),
        "example": _example(op),
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


def _example(op: type[Op]) -> str | None:
    """The first line of the gallery's programs in which the op stands."""
    names = "|".join(map(re.escape, (op.name, *op.aliases)))
    line = re.compile(rf"^\s*(?:%[^=]*= )?\"?(?:{names})\"?[ (<].*$", re.MULTILINE)
    found = (line.search(example.text) for example in examples())
    return next((match.group().strip() for match in found if match), None)


def _title(module: str) -> str:
    return module.replace("_", " ").capitalize()
