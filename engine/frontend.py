"""From text to a program that may run: parse, then verify. Mistakes of the program come back as values."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from .errors import Diagnostic, ProgramError
from .ir.element_types import F32, I1
from .ir.module import Module, Operation, Value
from .ir.types import TensorType, TupleType, Type
from .limits import DEFAULT_LIMITS, Limits
from .ops import op_table, reading_table
from .ops.core.binding import bind
from .program import BoundProgram
from .source import Source
from .syntax import looks_like_hlo, parse_hlo, parse_module
from .verifier import verify


@dataclass(frozen=True)
class Loaded:
    """What became of a text: the module if it parsed, the program if it may run, and what is wrong."""

    source: Source
    module: Module | None
    program: BoundProgram | None
    diagnostics: tuple[Diagnostic, ...]


def parse(source: Source, limits: Limits = DEFAULT_LIMITS) -> Module:
    """The program that a text states, StableHLO or HLO; a `ProgramError` at the first thing that is wrong."""
    if looks_like_hlo(source.text):
        return parse_hlo(source, _infer_shape, limits)
    return parse_module(source, reading_table(), limits)


def _infer_shape(operation: Operation) -> Type | None:
    """The shape of an HLO instruction that states none, if its operands determine it."""
    # An op may ask for the declared result: what it infers counts if it is the same whatever is declared.
    guesses = [TensorType((), element_type) for element_type in (I1, F32)]
    found = [_infer_shape_with(operation, guess) for guess in (None, *guesses)]
    if found[0] is not None:
        return found[0]
    return found[1] if found[1] == found[2] else None


def _infer_shape_with(operation: Operation, guess: Type | None) -> Type | None:
    op_class = op_table().get(operation.name)
    results = () if guess is None else (Value("", guess),)
    try:
        found = bind(op_class, replace(operation, results=results)).infer() if op_class else None
    except ProgramError:
        return None
    return TupleType(found) if isinstance(found, tuple) else found


def load(
    source: Source, limits: Limits = DEFAULT_LIMITS, come_to: Callable[[int], None] | None = None
) -> Loaded:
    """Parses and verifies; never raises `ProgramError`. `come_to` is told now and then which line is being verified."""
    with _garbage_collection_off():
        try:
            module = parse(source, limits)
        except ProgramError as error:
            return Loaded(source, None, None, (error.diagnostic(),))
        verified = verify(module, op_table(), limits, come_to)
        return Loaded(source, module, verified.program, verified.diagnostics)


@contextmanager
def _garbage_collection_off() -> Iterator[None]:
    """Switches the garbage collector off: it would search a growing tree again and again, and the tree has no
    garbage.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
