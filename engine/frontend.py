"""From text to a runnable program: parse, then verify. Errors in the program are returned as values."""

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
from .ops.core.binding import bind
from .program import BoundProgram
from .source import OnProgress, Source
from .syntax import MAX_ERRORS, Recovery, looks_like_hlo, parse_all, parse_hlo, parse_module
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


def load(source: Source, limits: Limits = DEFAULT_LIMITS, on_progress: OnProgress | None = None) -> Loaded:
    """Parse and verify; never raises `ProgramError`. Calls `on_progress` periodically."""
    with _garbage_collection_off():
        recovery = Recovery()
        module = _parse_all(source, limits, recovery, on_progress)
        if module is None:
            return Loaded(source, None, None, _diagnostics(recovery))
        verified = verify(module, op_table(), limits, on_progress, recovery)
        if recovery.errors:
            return Loaded(source, None, None, _diagnostics(recovery, verified.diagnostics))
        return Loaded(source, module, verified.program, verified.diagnostics)


def _parse_all(
    source: Source, limits: Limits, recovery: Recovery, on_progress: OnProgress | None
) -> Module | None:
    try:
        return parse_all(source, reading_table(), _infer_shape, limits, recovery, on_progress)
    except ProgramError as error:  # of the text as a whole, such as its size
        recovery.errors.append(error)
        return None


def _diagnostics(recovery: Recovery, verified: tuple[Diagnostic, ...] = ()) -> tuple[Diagnostic, ...]:
    """The errors of a text in its order; `verified` are those of the operations that were read."""
    errors = [error.diagnostic() for error in recovery.errors]
    found = sorted([*errors, *verified], key=lambda diagnostic: diagnostic.span.start)
    if len(errors) >= MAX_ERRORS:
        message = f"reading stopped after {MAX_ERRORS} errors; the rest of the text was not checked"
        found.append(Diagnostic(message, found[-1].span, "limit", severity="note"))
    return tuple(found)


@contextmanager
def _garbage_collection_off() -> Iterator[None]:
    """Disable the garbage collector: it would scan the growing tree repeatedly and find no garbage.

    The tree stays young: `gc.freeze` and `gc.unfreeze` make it old, but only where nothing else is frozen, and
    `gc.get_freeze_count` takes tens of milliseconds to say so.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
