"""All numbers of one revision, in the order of the table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .functions import LONGEST, long_javascript_functions, long_python_functions
from .graphs import circles, with_one_importer
from .op_classes import named_outside
from .tasks import TASKS, files_of
from .tree import Tree

SHORT = 60
"""Lines of a file that would fit into the one that imports it."""


@dataclass(frozen=True)
class Measure:
    """A line of the table: a number, and what it counts."""

    name: str
    title: str
    number: int | None
    counted: tuple[str, ...] = ()

    @classmethod
    def of(cls, name: str, title: str, counted: list[str] | None) -> Measure:
        return cls(name, title, None if counted is None else len(counted), tuple(counted or ()))


@dataclass(frozen=True)
class Size:
    """A package with its lines and files."""

    package: str
    lines: int
    files: int


def sizes(tree: Tree) -> list[Size]:
    """Each package of the engine, the app and the browser's side; then the tests and the documents, each as a whole."""
    packages: dict[str, list[str]] = {}
    for name in [*tree.python, *tree.javascript]:
        packages.setdefault(_package(name), []).append(name)
    for folder, suffixes in OTHERS.items():
        packages[folder] = tree.files(folder, *suffixes)
    return [Size(name, sum(map(tree.lines, files)), len(files)) for name, files in packages.items()]


OTHERS = {"static/css": (".css",), "templates": (".html",), "docs": (".md",), "tests": (".py", ".mjs")}


def _package(name: str) -> str:
    """`engine/ops` of what is in it, `engine` of a module that lies at its top."""
    parts = name.split("/")
    depth = 3 if parts[0] == "static" else 2
    return "/".join(parts[: min(depth, len(parts) - 1)])


def measures(tree: Tree) -> Iterator[Measure]:
    for task in TASKS:
        name = task.title.lower().replace(" ", "-")
        yield Measure.of(
            name, f"files to open: {task.title[0].lower()}{task.title[1:]}", files_of(task, tree)
        )
    named = named_outside(tree)
    pairs = [f"{name}: {', '.join(sorted(found))}" for name, found in named.items()]
    yield Measure.of(
        "op-classes",
        "op classes named outside engine/ops",
        sorted({item for found in named.values() for item in found}),
    )
    yield Measure.of("op-class-files", "files that name them", pairs)
    yield from _circles(tree)
    yield Measure.of("long-python", f"functions over {LONGEST} lines, Python", long_python_functions(tree))
    yield Measure.of(
        "long-js", f"functions over {LONGEST} lines, JavaScript", long_javascript_functions(tree)
    )
    yield from _single(tree)


def _circles(tree: Tree) -> Iterator[Measure]:
    for name, title, graph in (
        ("python-circles", "Python", tree.python_graph),
        ("type-circles", "Python, with imports for types", tree.python_graph_with_types),
        ("js-circles", "JavaScript", tree.javascript_graph),
    ):
        yield Measure.of(name, f"import circles, {title}", [" ".join(group) for group in circles(graph)])


def _single(tree: Tree) -> Iterator[Measure]:
    for name, title, graph in (
        ("single-python", "Python", tree.python_graph),
        ("single-js", "JavaScript", tree.javascript_graph),
    ):
        single = with_one_importer(graph)
        yield Measure.of(name, f"modules with one importer, {title}", single)
        yield Measure.of(
            f"{name}-short",
            f"… of these under {SHORT} lines",
            [each for each in single if tree.lines(each) < SHORT],
        )
