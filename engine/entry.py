"""The entry function of a run, and the check of its inputs."""

from collections.abc import Sequence

import numpy as np

from .errors import InputError
from .ir.module import Function
from .ir.types import TensorType, TokenType, TupleType, Type
from .ops.core.op import Array, shapes_agree
from .ops.core.scalars import as_tensor
from .ops.core.values import is_tuple
from .program import BoundFunction, BoundProgram

NOTHING_TO_RUN = "there is nothing to run: the module has no function with a body"


def find_entry(program: BoundProgram, name: str | None) -> BoundFunction:
    """The function to run; `InputError` lists the functions if there is no `name`."""
    found = program.functions.get(name.removeprefix("@")) if name else program.entry
    if not program.functions:
        raise InputError(NOTHING_TO_RUN, hint="A run begins at a function: `func.func @main() { … }`.")
    if found is None:
        names = ", ".join(f"@{function}" for function in program.functions)
        what = (
            f"there is no function @{name.removeprefix('@')}" if name else "no function is the obvious entry"
        )
        raise InputError(f"{what}; the program defines {names}", hint="name the entry function")
    return found


def input_count_error(function: Function, wanted: int, found: int) -> InputError:
    """The error for a wrong number of inputs."""
    return InputError(f"@{function.name} takes {wanted} input{'' if wanted == 1 else 's'}, not {found}")


def check_inputs(function: BoundFunction, inputs: Sequence[Array]) -> None:
    """Raise `InputError` unless each argument has an array of a fitting shape and dtype."""
    arguments = function.function.arguments
    if len(inputs) != len(arguments):
        raise input_count_error(function.function, len(arguments), len(inputs))
    for number, (argument, array) in enumerate(zip(arguments, inputs, strict=True)):
        wanted = as_tensor(argument.type)
        if not isinstance(wanted, TensorType | TokenType | TupleType):
            message = f"argument {number} ({argument.name}) is a {wanted}, which cannot be given from outside"
            raise InputError(message, argument.span, hint="choose another entry function")
        if not is_of(array, wanted):
            found = "a tuple" if is_tuple(array) else f"{array.dtype}{list(array.shape)}"
            raise InputError(f"argument {number} ({argument.name}) is {wanted}, not {found}", argument.span)


def is_of(value: Array, wanted: Type) -> bool:
    """Whether a value has a type: a tensor, a token, or a tuple of these."""
    if isinstance(wanted, TupleType):
        if not is_tuple(value) or len(value) != len(wanted.types):
            return False
        return all(is_of(item, found) for item, found in zip(value, wanted.types, strict=True))
    if isinstance(wanted, TokenType):
        return value.shape == (0,) and value.dtype == np.bool_
    return isinstance(wanted, TensorType) and fits(value, wanted)


def fits(array: Array, wanted: TensorType) -> bool:
    """Whether an array has a type, within its known sizes and bounds."""
    if array.dtype != wanted.element_type.dtype:
        return False
    if array.shape == wanted.shape:
        return True  # static sizes have no bounds
    if not shapes_agree(array.shape, wanted.shape):
        return False
    bounds = wanted.bounds or ()
    return all(bound is None or size <= bound for size, bound in zip(array.shape, bounds, strict=False))
