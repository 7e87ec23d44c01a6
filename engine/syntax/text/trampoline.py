"""Run generators that call each other by `yield`, so that nesting in a program costs no Python frames."""

from collections.abc import Generator
from typing import Any, TypeVar

from ...errors import ProgramError

Result = TypeVar("Result")
Steps = Generator[Any, Any, Result]
"""A generator that yields other generators and receives their return values, or their errors."""


def run(first: Steps[Result]) -> Result:
    """Run `first` and all generators that it yields; returns its result."""
    stack: list[Steps[Any]] = [first]
    value: Any = None
    failed: ProgramError | None = None
    while stack:
        try:
            call = stack[-1].send(value) if failed is None else stack[-1].throw(failed)
        except StopIteration as finished:
            stack.pop()
            value, failed = finished.value, None
        except ProgramError as error:
            stack.pop()
            if not stack:
                raise
            failed = error
        else:
            stack.append(call)
            value = failed = None
    result: Result = value
    return result
