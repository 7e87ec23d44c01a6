"""The example of the page of a function, as the program printed it, and that program."""

from __future__ import annotations

from functools import cache
from pathlib import Path

SNIPPET = """import inspect

import jax


def show(function, *arguments):
    traced = jax.jit(function).trace(*arguments)
    lowered = traced.lower()
    lines, first = inspect.getsourcelines(function)
    print("==== Python, from line", first, "of", inspect.getsourcefile(function))
    print("".join(lines))
    print("==== jaxpr")
    print(traced.jaxpr.jaxpr.pretty_print(source_info=True, use_color=False))
    print("==== StableHLO")
    print(lowered.as_text(debug_info=True))
    print("==== HLO")
    print(lowered.compile().as_text())


show(your_function, its_arguments)
"""
"""Prints the stages of a function, in the sections that the page reads."""


@cache
def printed_example() -> str:
    """What `SNIPPET` printed for a softmax of two rows."""
    return (Path(__file__).parent / "examples" / "function.txt").read_text("utf-8")
