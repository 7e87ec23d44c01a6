"""The result of `build()`: a computation that runs, prints, and serves as a part of others."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..hlo_to_stablehlo import NotStablehlo, stablehlo_module
from ..ir.attributes import ArrayAttribute, Attribute, SymbolAttribute
from ..ir.module import Block, Function, Module, Operation, Region, Value
from ..ir.types import FunctionType, TensorType, TokenType, TupleType, Type, parts
from ..limits import DEFAULT_LIMITS, Limits
from ..ops import op_table
from ..ops.core.op import Array
from ..ops.core.values import is_tuple, token, tuple_of
from ..process_grid import results_of
from ..program import BoundProgram
from ..source import Span
from ..syntax import print_hlo, print_module
from ..verifier import verify
from .builder_error import BuilderError


@dataclass(frozen=True, eq=False)
class XlaComputation:
    """A finished computation: `functions` are the functions that it uses, and its own, the last."""

    functions: tuple[Function, ...]

    @property
    def function(self) -> Function:
        """The function of the computation itself."""
        return self.functions[-1]

    @property
    def name(self) -> str:
        """The name of the computation."""
        return self.function.name

    @property
    def type(self) -> FunctionType:
        """The types of its parameters and of its result."""
        return self.function.type

    @property
    def result_type(self) -> Type:
        """The type of its result."""
        return self.function.result_types[0]

    @cached_property
    def module(self) -> Module:
        """An HLO module with this computation as its entry."""
        entry = replace(self.function, visibility="public")
        return Module((*self.functions[:-1], entry), self.name, language="hlo")

    @cached_property
    def stablehlo(self) -> Module:
        """The same program as StableHLO; `BuilderError` names an instruction that StableHLO cannot express."""
        try:
            return stablehlo_module(self.module)
        except NotStablehlo as error:
            raise BuilderError(error.message, op=error.op) from None

    @cached_property
    def program(self) -> BoundProgram:
        """The verified program, an argument of `hloscope.run` and `hloscope.record`."""
        verified = verify(self.module, op_table())
        if verified.program is None:
            raise BuilderError("\n".join(found.text for found in verified.diagnostics))
        return verified.program

    def as_hlo_text(self) -> str:
        """The program as HLO text."""
        return print_hlo(self.module)

    def as_stablehlo_text(self) -> str:
        """The program as StableHLO in MLIR's syntax; tuples are flattened, regions are inline."""
        return print_module(self.stablehlo, op_table())

    def run(self, *inputs: Any, limits: Limits = DEFAULT_LIMITS) -> Any:
        """Run the program and return the value of its root: an array, or a tuple for a tuple.

        Inputs are arrays of the parameters' types, or array-likes, which are converted; the input of a tuple
        parameter is a sequence. A run that fails raises `ProgramError`.
        """
        arguments = self.function.arguments
        if len(inputs) != len(arguments):
            raise BuilderError(f"{self.name} takes {len(arguments)} inputs, not {len(inputs)}")
        arrays = [_value(given, to.type, to.name) for given, to in zip(inputs, arguments, strict=True)]
        (result,) = results_of(self.program, arrays, limits)
        return _python(result)


def _value(given: Any, wanted: Type, name: str) -> Array:
    """An input as a value of a type; arrays keep their own type."""
    if isinstance(wanted, TupleType):
        return tuple_of(_tuple_values(given, wanted, name))
    if isinstance(wanted, TokenType):
        return token()
    array = np.asarray(given)
    if isinstance(given, np.ndarray | np.generic) or not isinstance(wanted, TensorType):
        return array
    return array.astype(wanted.element_type.dtype)


def _tuple_values(given: Any, wanted: TupleType, name: str) -> Sequence[Array]:
    count = len(parts(wanted))
    if not isinstance(given, Sequence | np.ndarray) or len(given) != count:
        raise BuilderError(f"{name} is a tuple of {count}: pass a sequence of {count} values")
    return [_value(item, to, name) for item, to in zip(given, wanted.types, strict=True)]


def _python(value: Array) -> Any:
    return tuple(map(_python, value)) if is_tuple(value) else value


# Embed computations in others: their functions under names that are unique in the program.


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
