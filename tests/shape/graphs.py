"""Questions about a graph of imports."""

from __future__ import annotations

from collections import Counter

from .tree import Graph


def circles(graph: Graph) -> list[list[str]]:
    """Groups of modules that import one another, directly or by others: strongly connected components."""
    order: list[str] = []
    seen: set[str] = set()
    for start in graph:
        _visit(start, graph, seen, order)
    importers = turned(graph)
    seen = set()
    groups: list[list[str]] = []
    for start in reversed(order):
        group: list[str] = []
        _visit(start, importers, seen, group)
        groups.append(sorted(group))
    return sorted(group for group in groups if len(group) > 1)


def turned(graph: Graph) -> Graph:
    """For each module those that import it."""
    importers: Graph = {name: set() for name in graph}
    for name, targets in graph.items():
        for target in targets & importers.keys():
            importers[target].add(name)
    return importers


def with_one_importer(graph: Graph) -> list[str]:
    """Modules that exactly one other imports; packages, and what only the table of a package imports, do not count."""
    return sorted(
        name
        for name, importers in turned(graph).items()
        if len(importers) == 1
        and not name.endswith("__init__.py")
        and not next(iter(importers)).endswith("__init__.py")
    )


def between(graph: Graph, part_of: dict[str, str]) -> Counter[tuple[str, str]]:
    """How many imports lead from one part to another."""
    return Counter(
        (part_of[name], part_of[target])
        for name, targets in graph.items()
        for target in targets
        if part_of[name] != part_of[target]
    )


def _visit(start: str, graph: Graph, seen: set[str], order: list[str]) -> None:
    """Appends what is reached from `start` to `order`, each behind what it leads to."""
    stack = [(start, iter(sorted(graph.get(start, ()))))] if start not in seen else []
    seen.add(start)
    while stack:
        name, rest = stack[-1]
        following = next((target for target in rest if target not in seen and target in graph), None)
        if following is None:
            order.append(name)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(sorted(graph[following]))))
