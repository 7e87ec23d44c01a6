"""Embed computations in others: their functions under names that are unique in the program."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from ..ir.attributes import ArrayAttribute, Attribute, SymbolAttribute
from ..ir.module import Block, Function, Operation, Region, Value
from ..source import Span

_NUMBERED = re.compile(r"\.\d+$")
_FOREIGN = re.compile(r"[^A-Za-z0-9_.-]")


def identifier(name: str) -> str:
    """`name` with the characters that HLO text allows."""
    found = _FOREIGN.sub("_", name) or "_"
    return found if found[0].isalpha() or found[0] == "_" else f"_{found}"


def position_of(value: Value) -> Span:
    """A position for the instruction that defines `value`, as if it stood in a text.

    It differs from that of every other instruction, because random numbers depend on it.
    """
    number = int(value.name.rpartition(".")[2])
    return Span(number, number)


class Embedded:
    """The functions that a computation uses; each comes before its users."""

    def __init__(self, own_name: str, fresh: Callable[[str], str]) -> None:
        self._names = {own_name}
        self._fresh = fresh
        self._ours: dict[int, tuple[Function, Function]] = {}
        """Functions before and after embedding, by the identity of the former."""

    @property
    def functions(self) -> tuple[Function, ...]:
        """All functions, in order."""
        return tuple(ours for _, ours in self._ours.values())

    def function(self, functions: tuple[Function, ...]) -> Function:
        """Embed the last of `functions`, which uses the others; return its embedded form."""
        renames: dict[str, Function] = {}
        for found in functions:
            if id(found) not in self._ours:
                self._ours[id(found)] = found, self._embed(found, renames)
            renames[found.name] = self._ours[id(found)][1]
        return renames[functions[-1].name]

    def _embed(self, function: Function, renames: Mapping[str, Function]) -> Function:
        assert function.body is not None
        values: dict[str, Value] = {}
        block = function.body.block
        arguments = tuple(self._define(argument, values) for argument in block.arguments)
        operations = tuple(self._operation(operation, values, renames) for operation in block.operations)
        body = Region((Block(arguments, operations),))
        return replace(
            function, name=self._unique(function.name), arguments=arguments, body=body, visibility="private"
        )

    def _unique(self, name: str) -> str:
        base, number, found = _NUMBERED.sub("", name), 1, name
        while found in self._names:
            found, number = f"{base}.{number}", number + 1
        self._names.add(found)
        return found

    def _define(self, value: Value, values: dict[str, Value]) -> Value:
        base = _NUMBERED.sub("", value.name.removeprefix("%"))
        values[value.name] = replace(value, name=self._fresh(base))
        return values[value.name]

    def _operation(
        self, operation: Operation, values: dict[str, Value], renames: Mapping[str, Function]
    ) -> Operation:
        operands = tuple(values[value.name] for value in operation.operands)
        functions = [renames[region.function] for region in operation.regions]
        results = tuple(self._define(value, values) for value in operation.results)
        properties = {name: rename(found, renames) for name, found in operation.properties.items()}
        return replace(
            operation,
            operands=operands,
            results=results,
            regions=tuple(map(region_of, functions)),
            properties=properties,
            name_span=position_of(results[0]) if results else operation.name_span,
        )


def region_of(function: Function) -> Region:
    """A region with the body of a function: every region of the builder is one."""
    assert function.body is not None
    return Region(function.body.blocks, function=function.name)


def rename(attribute: Attribute, renames: Mapping[str, Function]) -> Attribute:
    """`attribute` with the new names of functions."""
    if isinstance(attribute, SymbolAttribute) and attribute.root in renames:
        return replace(attribute, root=renames[attribute.root].name)
    if isinstance(attribute, ArrayAttribute):
        return ArrayAttribute(tuple(rename(item, renames) for item in attribute.elements))
    return attribute
