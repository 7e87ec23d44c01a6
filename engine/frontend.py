"""From text to a program that may run: parse, then verify. Mistakes of the program come back as values."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from .errors import Diagnostic, ProgramError
from .ir.element_types import F32, I1
from .ir.module import Module, Operation, Value
from .ir.types import TensorType, TupleType, Type
from .limits import DEFAULT_LIMITS, Limits
from .ops import op_table, reading_table
from .ops.binding import bind
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
        return parse_hlo(source, _inferred, limits)
    return parse_module(source, reading_table(), limits)


def _inferred(operation: Operation) -> Type | None:
    """The shape of an HLO instruction that states none, where its operands tell it."""
    # An op may ask for the declared result: what it infers counts if it is the same whatever is declared.
    guesses = [TensorType((), element_type) for element_type in (I1, F32)]
    found = [_inferred_with(operation, guess) for guess in (None, *guesses)]
    if found[0] is not None:
        return found[0]
    return found[1] if found[1] == found[2] else None


def _inferred_with(operation: Operation, guess: Type | None) -> Type | None:
    op_class = op_table().get(operation.name)
    results = () if guess is None else (Value("", guess),)
    try:
        found = bind(op_class, replace(operation, results=results)).infer() if op_class else None
    except ProgramError:
        return None
    return TupleType(found) if isinstance(found, tuple) else found


def load(source: Source, limits: Limits = DEFAULT_LIMITS) -> Loaded:
    """Parses and verifies; never raises `ProgramError`."""
    with _uncollected():
        try:
            module = parse(source, limits)
        except ProgramError as error:
            return Loaded(source, None, None, (error.diagnostic(),))
        verified = verify(module, op_table(), limits)
        return Loaded(source, module, verified.program, verified.diagnostics)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the garbage collector, which would look again and again at a growing tree that has no garbage."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
