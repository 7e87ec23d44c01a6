"""The sources of one revision: its modules, and which imports which."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

Graph = dict[str, set[str]]
"""For each module the modules that it imports; modules are paths from the top of the repository."""

COMMENTS = re.compile(r"/\*.*?\*/|^\s*//[^\n]*", re.DOTALL | re.MULTILINE)
IMPORTS = re.compile(r"""(?:\bfrom|\bimport|\bimport\()\s*["'](\.[^"']+)["']""")


@dataclass(frozen=True)
class Tree:
    """A folder that holds a revision of the repository."""

    root: Path

    def files(self, folder: str, *suffixes: str) -> list[str]:
        """Paths from the top, in order; nothing that is made at install."""
        found = (
            path for path in (self.root / folder).rglob("*") if path.suffix in suffixes and path.is_file()
        )
        names = (path.relative_to(self.root).as_posix() for path in found)
        return sorted(name for name in names if not name.startswith(("static/vendor", "static/built")))

    @cached_property
    def python(self) -> list[str]:
        return [*self.files("engine", ".py"), *self.files("app", ".py")]

    @cached_property
    def javascript(self) -> list[str]:
        return self.files("static/js", ".js")

    def text(self, name: str) -> str:
        return (self.root / name).read_text()

    def lines(self, name: str) -> int:
        return len(self.text(name).splitlines())

    @cached_property
    def parsed(self) -> dict[str, ast.Module]:
        return {name: ast.parse(self.text(name)) for name in self.python}

    @cached_property
    def python_graph(self) -> Graph:
        """What is imported when the program runs, at the top of a module or in a function."""
        return self._graph(with_types=False)

    @cached_property
    def python_graph_with_types(self) -> Graph:
        """The same, with what is imported for type checkers alone."""
        return self._graph(with_types=True)

    def _graph(self, *, with_types: bool) -> Graph:
        known = set(self.python)
        return {
            name: {target for target, _ in imports(name, tree, known, with_types=with_types)} - {name}
            for name, tree in self.parsed.items()
        }

    @cached_property
    def javascript_graph(self) -> Graph:
        known = set(self.javascript)
        return {name: set(self._javascript_imports(name)) & known for name in self.javascript}

    def code(self, name: str) -> str:
        """JavaScript without comments."""
        return COMMENTS.sub("", self.text(name))

    def _javascript_imports(self, name: str) -> Iterator[str]:
        for target in IMPORTS.findall(self.code(name)):
            yield _normal(PurePosixPath(name).parent / target)


def imports(
    name: str, tree: ast.Module, known: set[str], *, with_types: bool = True
) -> Iterator[tuple[str, str]]:
    """The module of the repository that each imported name comes from, and the name; "" for a whole module."""
    for node in ast.walk(tree) if with_types else _running(tree):
        if isinstance(node, ast.ImportFrom):
            base = _base(name, node)
            for alias in node.names:
                if module := _module([*base, alias.name], known):
                    yield module, ""
                elif module := _module(base, known):
                    yield module, alias.name
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if module := _module(_inside(alias.name.split(".")), known):
                    yield module, ""


def _running(tree: ast.AST) -> Iterator[ast.AST]:
    """All that is executed: not the body of `if TYPE_CHECKING`."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        yield node
        yield from _running(node)


def _base(name: str, node: ast.ImportFrom) -> list[str]:
    """The folders of `from <base> import …`."""
    module = node.module.split(".") if node.module else []
    if node.level == 0:
        return _inside(module)
    folders = list(PurePosixPath(name).parts[:-1])
    return folders[: len(folders) - node.level + 1] + module


def _inside(parts: list[str]) -> list[str]:
    return parts[1:] if parts[:1] == ["hloscope"] else ["", *parts]


def _module(parts: list[str], known: set[str]) -> str | None:
    path = "/".join(parts)
    return next((name for name in (f"{path}.py", f"{path}/__init__.py") if name in known), None)


def _normal(path: PurePosixPath) -> str:
    parts: list[str] = []
    for part in path.parts:
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)
