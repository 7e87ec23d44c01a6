"""Functions that are longer than a page of a small screen."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
from pathlib import Path

from .tree import Tree

LONGEST = 30
"""Lines, with the signature and the docstring."""
READER = Path(__file__).with_name("functions.mjs")


def long_python_functions(tree: Tree) -> list[str]:
    return [
        f"{name}:{node.lineno}: {node.name}, {length} lines"
        for name, parsed in tree.parsed.items()
        for node in ast.walk(parsed)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (length := (node.end_lineno or node.lineno) - node.lineno + 1) > LONGEST
    ]


def long_javascript_functions(tree: Tree) -> list[str] | None:
    """None where there is no Node to read them."""
    if shutil.which("node") is None:
        return None
    names = "\n".join(str(tree.root / name) for name in tree.javascript)
    answer = subprocess.run(["node", READER], input=names, capture_output=True, text=True, check=False)
    if answer.returncode:
        return None
    return [
        f"{Path(file).relative_to(tree.root)}:{line}: {length} lines"
        for file, line, length in json.loads(answer.stdout)
        if length > LONGEST
    ]
