"""Mistakes of ours. One costs the program at which it happened, and nobody else; the log says where it was."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hloscope.engine.errors import Diagnostic, ProgramError

LONGEST_SENTENCE = 300


class Fault(RuntimeError):
    """A mistake of hloscope's own, not of the program; `__cause__` is what went wrong."""


def sentence(error: BaseException) -> str:
    """What went wrong, in one line."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return f"a fault of hloscope's own: {text:.{LONGEST_SENTENCE}}"


def fault_diagnostic(error: BaseException) -> Diagnostic:
    """A mistake of ours as what became of a program."""
    return Diagnostic(sentence(error), kind="fault")


@contextmanager
def separate_faults() -> Iterator[None]:
    """Raises `Fault` for what is no mistake of the program's, and no lack of memory."""
    try:
        yield
    except (ProgramError, Fault, MemoryError):
        raise
    except Exception as error:
        raise Fault(sentence(error)) from error
