"""From text to a runnable program: parse, then verify. Errors in the program are returned as values."""

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
    """Result of loading a text: the module if it parsed, the program if it can run, and the diagnostics."""

    source: Source
    module: Module | None
    program: BoundProgram | None
    diagnostics: tuple[Diagnostic, ...]


def parse(source: Source, limits: Limits = DEFAULT_LIMITS) -> Module:
    """Parse a StableHLO or HLO program; raises `ProgramError` at the first error."""
    if looks_like_hlo(source.text):
        return parse_hlo(source, _infer_shape, limits)
    return parse_module(source, reading_table(), limits)


def _infer_shape(operation: Operation) -> Type | None:
    """Infer the shape of an HLO instruction that states none, if its operands determine it."""
    # Some ops read the declared result: accept an inferred shape only if it does not depend on the
    # declaration.
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
    source: Source, limits: Limits = DEFAULT_LIMITS, on_line: Callable[[int], None] | None = None
) -> Loaded:
    """Parse and verify; never raises `ProgramError`. Calls `on_line` with the line being verified."""
    with _garbage_collection_off():
        try:
            module = parse(source, limits)
        except ProgramError as error:
            return Loaded(source, None, None, (error.diagnostic(),))
        verified = verify(module, op_table(), limits, on_line)
        return Loaded(source, module, verified.program, verified.diagnostics)


@contextmanager
def _garbage_collection_off() -> Iterator[None]:
    """Disable the garbage collector: it would scan the growing tree repeatedly and find no garbage."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
