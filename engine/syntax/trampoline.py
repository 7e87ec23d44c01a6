"""Runs generators that call each other by `yield`, so that a program's depth is not Python's depth."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

Result = TypeVar("Result")
Steps = Generator[Any, Any, Result]
"""A generator that yields other generators and is sent what they return."""


def run(first: Steps[Result]) -> Result:
    """What `first` returns once everything that it calls has returned."""
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
