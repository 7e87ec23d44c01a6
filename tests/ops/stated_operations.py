"""Operations as programs state them, at least one of every op, to be changed one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from hloscope.app.reference.examples import examples
from hloscope.engine.frontend import load
from hloscope.engine.ir.attributes import Attribute
from hloscope.engine.ir.module import Module, Operation, Region
from hloscope.engine.ops import op_table
from hloscope.engine.ops.core.field_plans import FieldPlan, attribute_plans
from hloscope.engine.ops.core.op import Op
from hloscope.engine.source import Source

from ..syntax.hlo.every_opcode import PROGRAMS

ROOT = Path(__file__).parent.parent.parent
FOLDERS = (ROOT / "app" / "reference" / "examples" / "ops", ROOT / "tests" / "conformance")


@dataclass(frozen=True)
class Stated:
    """An operation of a program."""

    module: Module
    operation: Operation
    op: Op
    """The operation as its program has bound it."""

    @property
    def op_class(self) -> type[Op]:
        """What the operation is."""
        return op_table()[self.operation.name]

    def attribute_plans(self) -> Iterator[FieldPlan]:
        """The fields that are filled from attributes, those of records included."""
        return iter(attribute_plans(self.op_class, self.op_class.attribute_records(self.operation)))

    def with_operation(self, changed: Operation) -> Module:
        """The module with another operation in its place."""
        functions = (
            replace(found, body=found.body and _changed(found.body, self.operation, changed))
            for found in self.module.functions
        )
        return replace(self.module, functions=tuple(functions))

    def with_attribute(self, name: str, attribute: Attribute) -> Operation:
        """The operation with another attribute."""
        return replace(self.operation, properties={**self.operation.properties, name: attribute})


def _changed(region: Region, old: Operation, new: Operation) -> Region:
    blocks = (
        replace(block, operations=tuple(_operation(found, old, new) for found in block.operations))
        for block in region.blocks
    )
    return replace(region, blocks=tuple(blocks))


def _operation(found: Operation, old: Operation, new: Operation) -> Operation:
    if found is old:
        return new
    if not found.regions:
        return found
    return replace(found, regions=tuple(_changed(region, old, new) for region in found.regions))


@cache
def every_stated() -> Mapping[str, tuple[Stated, ...]]:
    """By the op's name, its operations in the programs of the examples and the tests, shortest programs first."""
    files = (path for folder in FOLDERS for path in sorted(folder.iterdir()) if path.is_file())
    texts = [*(path.read_text("utf-8") for path in files if path.suffix in (".mlir", ".hlo"))]
    texts += [example.text for example in examples()] + list(PROGRAMS.values())
    found: dict[str, list[Stated]] = {}
    for text in sorted(texts, key=len):
        program = load(Source(text, "stated")).program
        for bound in program.ops if program else ():
            stated = Stated(program.module, bound.operation, bound.op)  # type: ignore[union-attr]
            found.setdefault(bound.operation.name, []).append(stated)
    return {name: tuple(items) for name, items in found.items()}
