"""Run generators that call each other by `yield`, so that nesting in a program costs no Python frames."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

Result = TypeVar("Result")
Steps = Generator[Any, Any, Result]
"""A generator that yields other generators and receives their return values."""


def run(first: Steps[Result]) -> Result:
    """Run `first` and all generators that it yields; returns its result."""
    stack: list[Steps[Any]] = [first]
    value: Any = None
    while stack:
        try:
            call = stack[-1].send(value)
        except StopIteration as finished:
            stack.pop()
            value = finished.value
        else:
            stack.append(call)
            value = None
    result: Result = value
    return result
