"""Helpers that read and print in tests."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from hloscope.engine.ir.module import Module, Operation
from hloscope.engine.source import Source
from hloscope.engine.syntax import parse_module

from .op_table import OP_TABLE

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.mlir"))
HEADER = "func.func @f(%a: tensor<2xf32>, %b: tensor<2xi32>) {"


def read(text: str) -> Module:
    """Parse `text`."""
    return parse_module(Source(text), OP_TABLE)


def read_one(line: str) -> Operation:
    """Parse one operation in a function with `%a: tensor<2xf32>` and `%b: tensor<2xi32>`."""
    body = read(f"{HEADER}\n{line}\n}}").functions[0].body
    assert body is not None
    return body.block.operations[-1]


@cache
def program(name: str) -> str:
    """The text of a program in `programs/`."""
    return (Path(__file__).parent / "programs" / f"{name}.mlir").read_text(encoding="utf-8")
