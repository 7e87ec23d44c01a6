"""Internal errors. One fails only the program that it happened in; the log has its traceback."""

from collections.abc import Iterator
from contextlib import contextmanager

from hloscope.engine.errors import Diagnostic, ProgramError

LONGEST_SENTENCE = 300


class Fault(RuntimeError):
    """A bug of hloscope, not of the program; `__cause__` is the exception."""


def sentence(error: BaseException) -> str:
    """The error as one line."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return f"a fault of hloscope's own: {text:.{LONGEST_SENTENCE}}"


def fault_diagnostic(error: BaseException) -> Diagnostic:
    """An internal error as the diagnostic of a program."""
    return Diagnostic(sentence(error), kind="fault")


@contextmanager
def separate_faults() -> Iterator[None]:
    """Raise `Fault` in place of any exception but program errors and lack of memory."""
    try:
        yield
    except (ProgramError, Fault, MemoryError):
        raise
    except Exception as error:
        raise Fault(sentence(error)) from error
