"""The files that one opens for four tasks that newcomers have.

CONTRIBUTING.md has a section for each task, whose numbered steps name the files. Besides, one has to look through each
file that names op classes, or takes addresses apart, as what one changes may have to be known there too. Revisions
whose CONTRIBUTING.md had no such sections have the files that the same change touched then.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from .op_classes import named_outside
from .tree import Tree

STEP = re.compile(r"^\d+\. .*(?:\n {2,}.*)*", re.MULTILINE)
FILE = re.compile(r"`((?:app|docs|engine|static|templates|tests)/[\w./<>*-]+\.\w+)`")
ADDRESS = re.compile(r"[}\d\])]\.s(?:\$?\{|\(?\\d)|\\\.s\(|Address\.parse\(")
"""What writes an address `p.sN.r` as text, or takes one apart."""


@dataclass(frozen=True)
class Task:
    title: str
    """Of the task, and of its section in CONTRIBUTING.md."""
    earlier: tuple[str, ...]
    """The files of revision d6fa2da."""
    besides: Callable[[Tree], set[str]] = lambda _: set()


def _op_lists(tree: Tree) -> set[str]:
    lists = ("app/reference/families.py", "static/js/run/families.js")
    named = set(named_outside(tree))
    return named | {name for name in lists if (tree.root / name).is_file() and _lists_ops(tree, name)}


def _lists_ops(tree: Tree, name: str) -> bool:
    """Whether a file has names of ops in it, as a table of families would."""
    return len(re.findall(r"stablehlo\.\w+|\"\w+_\w+\"", tree.text(name))) > 10


def _maps_of_classes(tree: Tree) -> set[str]:
    """Where parts of maps or of their pictures are chosen by the class of the op."""
    places = ("engine/chains/", "engine/debugger/", "app/present/")
    return {name for name in named_outside(tree) if name.startswith(places)}


def _address_texts(tree: Tree) -> set[str]:
    return {name for name in [*tree.python, *tree.javascript] if ADDRESS.search(_code(tree, name))}


def _code(tree: Tree, name: str) -> str:
    return tree.code(name) if name.endswith(".js") else tree.text(name)


TASKS = (
    Task(
        "Add an op",
        (
            "engine/ops/<family>.py",
            "app/reference/examples/ops/<dialect.op>.mlir",
            "tests/ops/test_<family>.py",
        ),
        _op_lists,
    ),
    Task(
        "Add a panel",
        (
            *("static/js/panels/<panel>.js", "static/js/panels/<panel>/*.js", "static/js/<panel>/*.js"),
            *(
                "static/js/panels/stage.js",
                "static/js/store.js",
                "static/js/actions.js",
                "static/js/commands.js",
            ),
            *(
                "static/js/types.js",
                "static/css/<panel>.css",
                "templates/session.html",
                "templates/help_content.html",
            ),
            *("app/web/api/<panel>.py", "app/web/main.py", "app/schemas.py", "app/present/<panel>.py"),
            *("app/workers/<panel>_answers.py", "app/workers/worker.py"),
        ),
    ),
    Task(
        "Follow an address",
        (
            *("static/js/panels/variables.js", "static/js/store.js", "static/js/run/values.js"),
            *(
                "static/js/tensor/windows.js",
                "static/js/api.js",
                "app/web/api/recordings.py",
                "app/workers/supervisor.py",
            ),
            *("app/workers/worker.py", "engine/debugger/address.py", "engine/debugger/recording.py"),
        ),
        _address_texts,
    ),
    Task(
        "Fix a map",
        (
            *(
                "engine/ops/<family>.py",
                "engine/indexing/builders/<family>.py",
                "tests/ops/test_index_maps.py",
            ),
            "tests/ops/known_insensitive.py",
        ),
        _maps_of_classes,
    ),
)


def files_of(task: Task, tree: Tree) -> list[str]:
    """The files of the task's section, and those that have to be looked through besides."""
    return sorted({*(_section_files(task.title, tree) or task.earlier), *task.besides(tree)})


def _section_files(title: str, tree: Tree) -> list[str]:
    section = re.search(
        rf"^## {title}\n(.*?)(?=^## |\Z)", tree.text("CONTRIBUTING.md"), re.MULTILINE | re.DOTALL
    )
    return [name for step in STEP.findall(section[1]) for name in FILE.findall(step)] if section else []
