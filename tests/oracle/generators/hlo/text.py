"""Texts of HLO modules, in the styles in which XLA prints them and its parser takes them.

Written apart from the engine's own printer, which these texts are to check.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st

from hloscope.engine.ir.types import TensorType

from ...values import Array

TOKEN = "token[]"
Shape = TensorType | tuple[Any, ...] | str
"""Of an array, of a tuple, or a token."""
Layout = tuple[int, ...]
_ELEMENTS = {"i1": "pred", "complex<f32>": "c64", "complex<f64>": "c128"}
_REFERENCE = re.compile(r"@([\w.]+)")


@dataclass(frozen=True)
class Style:
    """What a print may show or leave out."""

    percent: bool = False
    operand_shapes: bool = False
    layouts: bool = False
    metadata: bool = False
    signatures: bool = False
    inline: bool = False
    """Whether computations stand where they are applied, if that is one place."""
    nested: bool = False
    """Whether constants stand where they are used."""


styles = st.builds(
    Style,
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)


@dataclass(frozen=True)
class Value:
    """An instruction, as others name it."""

    name: str
    shape: Shape
    layout: Layout | None = None


@dataclass(frozen=True)
class _Line:
    value: Value
    opcode: str
    operands: tuple[Value, ...]
    given: str
    """What stands in the parentheses where that is no operands."""
    attributes: tuple[str, ...]


@dataclass
class Computation:
    """Instructions, of which the last is the root unless another one is named."""

    name: str
    lines: list[_Line] = field(default_factory=list)
    root: Value | None = None

    @property
    def parameters(self) -> list[_Line]:
        """The parameters, in order."""
        return [line for line in self.lines if line.opcode == "parameter"]

    def parameter(self, shape: Shape, layout: Layout | None = None) -> Value:
        """The next parameter."""
        return self._add("parameter", (), str(len(self.parameters)), shape, (), layout)

    def constant(self, value: Array | float, shape: TensorType) -> Value:
        """A literal."""
        array = np.asarray(value).astype(shape.element_type.dtype)
        return self._add("constant", (), literal(np.broadcast_to(array, shape.sizes)), shape, (), None)

    def op(
        self,
        opcode: str,
        operands: Sequence[Value],
        shape: Shape,
        *attributes: str,
        layout: Layout | None = None,
    ) -> Value:
        """Any other instruction; `@name` in an attribute is a computation."""
        return self._add(opcode, tuple(operands), "", shape, attributes, layout)

    def element(self, operand: Value, index: int) -> Value:
        """One element of a tuple."""
        assert isinstance(operand.shape, tuple)
        return self.op("get-tuple-element", [operand], operand.shape[index], f"index={index}")

    def pack(self, operands: Sequence[Value]) -> Value:
        """A tuple of values, each of its own layout."""
        return self.op("tuple", operands, tuple(value.shape for value in operands))

    def _add(
        self,
        opcode: str,
        operands: tuple[Value, ...],
        given: str,
        shape: Shape,
        attributes: tuple[str, ...],
        layout: Layout | None,
    ) -> Value:
        value = Value(f"{opcode}_{len(self.lines)}", shape, layout)
        self.lines.append(_Line(value, opcode, operands, given, tuple(filter(None, attributes))))
        return value


def spelled(shape: Shape, layouts: bool = False, layout: Layout | None = None) -> str:
    """`f32[2,<=3]{1,0}`, or of a tuple `(f32[2], s32[])`, whose first element has the layout."""
    if isinstance(shape, str):
        return shape
    if isinstance(shape, tuple):
        first = [spelled(part, layouts, layout if k == 0 else None) for k, part in enumerate(shape)]
        return f"({', '.join(first)})"
    name = shape.element_type.name
    name = _ELEMENTS.get(name, name.replace("ui", "u") if name.startswith("ui") else name.lower())
    name = re.sub(r"^i(?=\d)", "s", name)
    bounds = shape.bounds or (None,) * shape.rank
    sizes = [
        str(size) if bound is None else f"<={bound}" for size, bound in zip(shape.shape, bounds, strict=True)
    ]
    order = layout if layout is not None else tuple(range(shape.rank))[::-1]
    shown = (layouts or layout is not None) and shape.rank > 0
    return f"{name}[{','.join(sizes)}]" + (f"{{{','.join(map(str, order))}}}" if shown else "")


def literal(value: Array) -> str:
    """What stands in the parentheses of `constant(…)`."""
    if value.ndim == 0:
        return _element(value)
    return f"{{{', '.join(literal(part) for part in value)}}}"


def _element(value: Array) -> str:
    if np.iscomplexobj(value):
        return f"({_element(value.real)}, {_element(value.imag)})"
    if value.dtype == np.bool_:
        return str(bool(value)).lower()
    if value.dtype.kind in "iu" or "int" in value.dtype.name:
        return str(int(value))
    number = float(value)
    return ("-nan" if np.signbit(value) else "nan") if np.isnan(number) else repr(number)


@dataclass(frozen=True)
class Program:
    """A whole module; the entry is the last computation."""

    computations: tuple[Computation, ...]

    def text(self, style: Style) -> str:
        """The module in one style."""
        texts = {found.name: found for found in self.computations}
        inlined = _inlined(self.computations) if style.inline else set()
        writer = _Writer(style, texts, inlined)
        parts = [
            writer.computation(found, entry=found is self.computations[-1])
            for found in self.computations
            if found.name not in inlined
        ]
        return "HloModule case\n\n" + "\n".join(parts)


def _inlined(computations: Sequence[Computation]) -> set[str]:
    attributes = [text for found in computations for line in found.lines for text in line.attributes]
    used = [name for text in attributes for name in _REFERENCE.findall(text)]
    return {name for name in used if used.count(name) == 1}


@dataclass(frozen=True)
class _Writer:
    style: Style
    computations: dict[str, Computation]
    inlined: set[str]

    def computation(self, found: Computation, entry: bool = False) -> str:
        head = ("ENTRY " if entry else "") + self.name(found.name)
        if self.style.signatures:
            root = self._root(found)
            given = [f"{line.value.name}: {spelled(line.value.shape)}" for line in found.parameters]
            head += f" ({', '.join(given)}) -> {spelled(root.shape)}"
        return f"{head} {self.body(found)}\n"

    def body(self, found: Computation) -> str:
        root = self._root(found)
        nested = {line.value.name: line for line in found.lines if self._nests(line, root)}
        lines = [
            self._line(line, line.value == root, nested)
            for line in found.lines
            if line.value.name not in nested
        ]
        return "{\n" + "".join(f"  {line}\n" for line in lines) + "}"

    def name(self, name: str) -> str:
        return f"%{name}" if self.style.percent else name

    def _root(self, found: Computation) -> Value:
        return found.root or found.lines[-1].value

    def _nests(self, line: _Line, root: Value) -> bool:
        return self.style.nested and line.opcode == "constant" and line.value != root

    def _line(self, line: _Line, root: bool, nested: dict[str, _Line]) -> str:
        shape = spelled(line.value.shape, self.style.layouts, line.value.layout)
        operands = line.given or ", ".join(self._operand(value, nested) for value in line.operands)
        text = f"{'ROOT ' if root else ''}{self.name(line.value.name)} = {shape} {line.opcode}({operands})"
        attributes = [self._attribute(found) for found in line.attributes]
        if self.style.metadata:
            attributes.append(
                f'metadata={{op_type="{line.opcode}" op_name="jit(f)/{line.opcode}" source_line=7}}'
            )
        return ", ".join([text, *attributes])

    def _operand(self, value: Value, nested: dict[str, _Line]) -> str:
        shape = spelled(value.shape, self.style.layouts, value.layout)
        if value.name in nested:
            return f"{shape} constant({nested[value.name].given})"
        return f"{shape} {self.name(value.name)}" if self.style.operand_shapes else self.name(value.name)

    def _attribute(self, text: str) -> str:
        return _REFERENCE.sub(lambda match: self._computation(match[1]), text)

    def _computation(self, name: str) -> str:
        if name in self.inlined:
            return self.body(self.computations[name]).replace("\n", "\n  ")
        return self.name(name)


def dimensions(numbers: Sequence[int], name: str = "dimensions") -> str:
    """`dimensions={0,2}`."""
    return f"{name}={{{','.join(map(str, numbers))}}}"
