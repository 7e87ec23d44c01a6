"""How a program says what it is called with, and what of its pipeline is dumped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Function = Callable[..., Any]
EVERY_CHANGE = ".*"
"""A text after each pass that reports a change; `.+` after every pass."""


@dataclass(frozen=True)
class Argument:
    """The type of an argument, and the mesh axes that its dimensions are cut along."""

    shape: tuple[int, ...]
    dtype: str = "float32"
    axes: tuple[str | None, ...] | None = None


@dataclass(frozen=True)
class Program:
    """A function, its arguments, and the flags that it is dumped with."""

    function: Function
    arguments: tuple[Argument, ...]
    mesh: tuple[int, ...] = ()
    """The sizes of the axes `a`, `b`, … of the mesh; nothing for one device."""
    passes: str = EVERY_CHANGE
    pipelines: str = ""
    """A regular expression for the pipelines that are dumped; empty for all."""
    asked_for: bool = False
    """Whether it is dumped only where it is named."""


@dataclass
class Registry:
    """All programs by name."""

    programs: dict[str, Program] = field(default_factory=dict)

    def add(self, *arguments: Argument, name: str = "", **options: Any) -> Callable[[Function], Function]:
        """Adds the function that it decorates, under its name or another one."""

        def register(function: Function) -> Function:
            called = name or function.__name__
            assert called not in self.programs, called
            self.programs[called] = Program(function, arguments, **options)
            return function

        return register


REGISTRY = Registry()
program = REGISTRY.add


def f32(*shape: int) -> Argument:
    """An argument of f32."""
    return Argument(shape)


def i32(*shape: int) -> Argument:
    """An argument of i32."""
    return Argument(shape, "int32")


def of(dtype: str, *shape: int) -> Argument:
    """An argument of any element type."""
    return Argument(shape, dtype)


def cut(*shape: int, axes: tuple[str | None, ...]) -> Argument:
    """An argument of f32 that is cut along mesh axes, one for each dimension."""
    return Argument(shape, "float32", axes)
