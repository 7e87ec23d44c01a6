"""Every public question of an op and of its facets, found from the classes without a list."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from functools import cached_property
from typing import Any

from hloscope.engine.ops.core.exchanges import GridPosition
from hloscope.engine.ops.core.op import Op
from hloscope.engine.ops.core.process_groups import ALONE, ProcessId

WITH: dict[str, Callable[[Op], Any]] = {
    "op": lambda op: op,
    "operand_types": lambda op: op.operand_types,
    "result_types": lambda op: op.known_results,
    "grid": lambda op: ALONE,
    "place": lambda op: GridPosition(ProcessId(0, 0), ALONE),
}
"""What a question may ask for that is at hand without a run."""
OF_SIZES = {
    *("products_of_each", "cost", "index_maps", "inverse_index_maps", "value_maps"),
    *("drawing.documented_maps", "indexing", "tracing.placement"),
}
"""Questions that are asked once sizes are known: before that, any element may belong to any other."""
IN_A_RUN = {
    "begin",
    "resume",
    "evaluate",
    "runtime_variables.map_operands",
    "link",
    "runtime_variables.process_values",
    "results_outside_groups",
    "placeholders",
    "twin",
}
"""Questions that take values, or what others brought: a run asks them."""
WAYS = {"compute", "direct", "function"}
"""How `evaluate` of an elementwise op is put together, where it is not written out."""


FACETS = [name for name in dir(Op) if is_dataclass(getattr(Op, name))]
"""The names of the facets."""


def questions(op: Op, *, has_sizes: bool) -> Iterator[str]:
    """The names of the op's public questions that need no values; of a facet's with its name: `drawing.picture`."""
    later = IN_A_RUN | WAYS | (set() if has_sizes else OF_SIZES)
    names = {name: (type(op), name) for name in dir(type(op)) if name not in FACETS}
    for facet in FACETS:
        facet_class = type(getattr(op, facet))
        names |= {f"{facet}.{name}": (facet_class, name) for name in dir(facet_class) if name[0] != "_"}
    for question, (owner, name) in names.items():
        if question.startswith("_") or question in later:
            continue
        found = inspect.getattr_static(owner, name)
        is_property = isinstance(found, property | cached_property)
        if is_property or (inspect.isfunction(found) and set(_needed(found)) <= set(WITH)):
            yield question


def _needed(function: Callable[..., Any]) -> list[str]:
    """The parameters without a default, besides `self`."""
    parameters = list(inspect.signature(function).parameters.values())[1:]
    return [found.name for found in parameters if found.default is found.empty]


def ask(op: Op, question: str) -> Any:
    """The answer, all of it."""
    facet, _, name = question.rpartition(".")
    owner = getattr(op, facet) if facet else op
    answer = getattr(owner, name)
    if inspect.ismethod(answer):
        answer = answer(*(WITH[parameter](op) for parameter in _needed(answer.__func__)))
    return list(answer) if isinstance(answer, Iterator) else answer
