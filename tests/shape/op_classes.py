"""Classes of ops, and who names them outside of `engine/ops/`."""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache

from .tree import Tree, imports

MACHINE = frozenset(
    (
        *(
            "Branching",
            "Call",
            "Conditional",
            "CustomCall",
            "FuncReturn",
            "Fusion",
            "Return",
            "RunParallel",
            "While",
        ),
        *("AskingOp", "CollectiveOp", "DynamicForm", "DynamicOp", "Late", "LateOp", "Op", "Partitioned"),
        *("PointToPoint", "Selecting"),
    )
)
"""The ops that running a program is made of, and the protocols that groups of ops share; any part may know them.

`tests/test_op_classes.py` says which module may know which. `Late` and `LateOp` are what dynamic ops were called."""


@cache
def op_classes(tree: Tree) -> set[str]:
    """The names of `Op` and of all classes that are derived from it."""
    bases: dict[str, set[str]] = defaultdict(set)
    for name in tree.python:
        if name.startswith("engine/ops/"):
            for node in ast.walk(tree.parsed[name]):
                if isinstance(node, ast.ClassDef):
                    bases[node.name] |= {_name(base) for base in node.bases}
    found = {"Op"}
    while grown := {name for name, parents in bases.items() if parents & found} - found:
        found |= grown
    return found


@cache
def named_outside(tree: Tree) -> dict[str, set[str]]:
    """For each file outside of `engine/ops/` the op classes that it imports, those of the machine left out."""
    classes, known = op_classes(tree) - MACHINE, set(tree.python)
    defined = _defined(tree)
    found: dict[str, set[str]] = {}
    for name in tree.python:
        if not name.startswith("engine/ops/"):
            named = {
                item
                for module, item in imports(name, tree.parsed[name], known)
                if module.startswith("engine/ops/") and item in classes and item in defined[module]
            }
            if named:
                found[name] = named
    return found


def _defined(tree: Tree) -> dict[str, set[str]]:
    """For each module of ops the derived classes that it defines, or hands on from modules beside it."""
    return {
        name: {node.name for node in ast.walk(parsed) if isinstance(node, ast.ClassDef) and node.bases}
        | {item for module, item in imports(name, parsed, set(tree.python)) if name.endswith("__init__.py")}
        for name, parsed in tree.parsed.items()
        if name.startswith("engine/ops/")
    }


def _name(base: ast.expr) -> str:
    base = base.value if isinstance(base, ast.Subscript) else base
    return base.id if isinstance(base, ast.Name) else getattr(base, "attr", "")
