"""The result of `build()`: a computation that runs, prints, and serves as a part of others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..hlo_to_stablehlo import NotStablehlo, stablehlo_module
from ..ir.module import Function, Module
from ..ir.types import FunctionType, TensorType, TokenType, TupleType, Type, parts
from ..limits import DEFAULT_LIMITS, Limits
from ..ops import op_table
from ..ops.core.op import Array
from ..ops.core.values import is_tuple, token, tuple_of
from ..process_grid import results_of
from ..program import BoundProgram
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
