"""Every public question of an op, found by looking at its class: nobody has to list them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from hloscope.engine.ops.core.exchanges import Place
from hloscope.engine.ops.core.op import Op
from hloscope.engine.ops.core.process_groups import ALONE, ProcessId

WITH: dict[str, Callable[[Op], Any]] = {
    "operand_types": lambda op: op.operand_types,
    "result_types": lambda op: op.known_results,
    "grid": lambda op: ALONE,
    "place": lambda op: Place(ProcessId(0, 0), ALONE),
}
"""What a question may ask for that is at hand without a run."""
OF_SIZES = {
    "products_of_each",
    "cost",
    "index_maps",
    "inverse_index_maps",
    "value_maps",
    "documented_maps",
    "indexing",
    "placement",
}
"""Questions that are asked once sizes are known: before that, any element may belong to any other."""
IN_A_RUN = {
    "begin",
    "resume",
    "evaluate",
    "map_operands",
    "link",
    "process_values",
    "results_outside_groups",
    "placeholders",
    "twin",
}
"""Questions that take values, or what others brought: a run asks them."""
WAYS = {"compute", "direct", "function"}
"""How `evaluate` of an elementwise op is put together, where it is not written out."""


def questions(op: Op, *, has_sizes: bool) -> Iterator[str]:
    """The names of the op's public questions that need no values."""
    later = IN_A_RUN | WAYS | (set() if has_sizes else OF_SIZES)
    for name in dir(type(op)):
        if name.startswith("_") or name in later:
            continue
        found = inspect.getattr_static(type(op), name)
        is_property = isinstance(found, property | cached_property)
        if is_property or (inspect.isfunction(found) and set(_needed(found)) <= set(WITH)):
            yield name


def _needed(function: Callable[..., Any]) -> list[str]:
    """The parameters without a default."""
    parameters = list(inspect.signature(function).parameters.values())[1:]
    return [found.name for found in parameters if found.default is found.empty]


def ask(op: Op, name: str) -> Any:
    """The answer, all of it."""
    found = inspect.getattr_static(type(op), name)
    if not inspect.isfunction(found):
        answer = getattr(op, name)
    else:
        question: Callable[..., Any] = getattr(op, name)
        answer = question(*(WITH[parameter](op) for parameter in _needed(found)))
    return list(answer) if isinstance(answer, Iterator) else answer
