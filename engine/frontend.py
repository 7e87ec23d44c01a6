"""From text to a program that may run: parse, then verify. Mistakes of the program come back as values."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from .errors import Diagnostic, ProgramError
from .ir.module import Module
from .limits import DEFAULT_LIMITS, Limits
from .ops import op_table
from .program import BoundProgram
from .source import Source
from .syntax import parse_module
from .verifier import verify


@dataclass(frozen=True)
class Loaded:
    """What became of a text: the module if it parsed, the program if it may run, and what is wrong."""

    source: Source
    module: Module | None
    program: BoundProgram | None
    diagnostics: tuple[Diagnostic, ...]


def load(source: Source, limits: Limits = DEFAULT_LIMITS) -> Loaded:
    """Parses and verifies; never raises `ProgramError`."""
    with _uncollected():
        try:
            module = parse_module(source, op_table(), limits)
        except ProgramError as error:
            return Loaded(source, None, None, (error.diagnostic(),))
        verified = verify(module, op_table())
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
