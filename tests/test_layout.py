"""Habits of imports and files that import-linter does not check; `pyproject.toml` has the layers."""

import ast
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def _python_files(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def _tracked_files() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout: there is no list of the repository's files")
    return [path for name in listed.stdout.decode().split("\0") if name and (path := ROOT / name).is_file()]


@cache
def _nodes(path: Path) -> list[ast.Import | ast.ImportFrom | ast.Constant]:
    """Imports and constants of a module."""
    wanted = ast.Import | ast.ImportFrom | ast.Constant
    return [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, wanted)]


def _imports(path: Path) -> Iterator[tuple[int, str, bool]]:
    """Line, dotted name from `hloscope` on, and whether it was written relative, of all that `path` imports.

    `app` and `engine` are parts of the package `hloscope`, though they lie at the top of the repository.
    """
    package = "hloscope", *path.relative_to(ROOT).with_suffix("").parts[:-1]
    for node in _nodes(path):
        if isinstance(node, ast.Constant):
            continue
        if isinstance(node, ast.Import):
            yield from ((node.lineno, name.name, False) for name in node.names)
        elif node.level == 0:
            yield node.lineno, node.module or "", False
        else:
            base = package[: len(package) - node.level + 1]
            module = (*base, *(node.module.split(".") if node.module else ()))
            # `from . import x` names the module x, or something of the package itself.
            yield from ((node.lineno, ".".join((*module, name.name)), True) for name in node.names)


def test_the_engine_imports_only_what_it_needs() -> None:
    """Text and arrays in, events and values out: no web, no store, no threads, no oracle."""
    forbidden = {"asyncio", "fastapi", "jax", "jaxlib", "jinja2", "multiprocessing", "pickle", "pydantic"}
    forbidden |= {"socket", "sqlalchemy", "sqlite3", "starlette", "subprocess", "threading", "uvicorn"}
    broken = [
        f"{path.relative_to(ROOT)}:{line}: imports {name}"
        for path in _python_files("engine")
        for line, name, _ in _imports(path)
        if name.split(".")[0] in forbidden
    ]
    assert not broken, "\n".join(broken)


ADDRESS = re.compile(r"\.[sf]\{|\.\[sf\]|\.[sf]\(?\\d|[\"']\.[sf][\"']")
"""`p.sN.r` or `p.fN.i`, as code that writes or parses an address spells it."""
SPELLS_ADDRESSES = {"engine/debugger/address.py"}
MODULE_NAME = re.compile(r"hloscope\.(?:app|engine)(?:\.[a-z_]+)+")


def test_addresses_are_written_and_parsed_in_one_module() -> None:
    broken = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in _python_files("engine", "app")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if str(path.relative_to(ROOT)) not in SPELLS_ADDRESSES and ADDRESS.search(line)
    ]
    assert not broken, "\n".join(broken)


def test_modules_named_in_strings_are_of_the_same_room() -> None:
    """import-linter reads import statements; a module that is imported by its name must not evade it."""
    public = ROOT / "app" / "public"
    broken = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {node.value}"
        for path in _python_files("engine", "app")
        if public not in path.parents
        for node in _nodes(path)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and MODULE_NAME.fullmatch(node.value)
        if node.value.split(".")[1:3] != list(path.relative_to(ROOT).parts[:2])
    ]
    assert not broken, "\n".join(broken)


def test_app_and_engine_import_themselves_relatively() -> None:
    public = ROOT / "app" / "public"  # becomes the top of the package
    broken = [
        f"{path.relative_to(ROOT)}:{line}: import {name} relatively"
        for folder in ("app", "engine")
        for path in _python_files(folder)
        for line, name, relative in _imports(path)
        if name.startswith(f"hloscope.{folder}") and not relative and public not in path.parents
    ]
    assert not broken, "\n".join(broken)


def test_app_and_engine_are_imported_as_parts_of_hloscope() -> None:
    """Under a second name a module would be loaded twice, and its classes would not be those of the first."""
    broken = [
        f"{path.relative_to(ROOT)}:{line}: import hloscope.{name}"
        for path in _python_files("app", "engine", "tests")
        for line, name, _ in _imports(path)
        if name.split(".")[0] in {"app", "engine"}
    ]
    assert not broken, "\n".join(broken)


# Put together from parts, for this file is one of those that are read.
MACHINE = re.compile("|".join(("/wo" + "rk/", "/ro" + "ot/", "/ho" + r"me/\w+/", "/Us" + r"ers/\w+/")))
REGISTRY = re.compile(
    r"\b(?:" + "|".join(("registry\\.npm" + "js", "files\\.python" + "hosted", "py" + "pi\\.org")) + ")"
)


def test_no_file_names_a_machine_or_a_registry() -> None:
    """Lock files and documents must mean the same to everybody."""
    broken = []
    for path in _tracked_files():
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(lines, 1):
            if found := MACHINE.search(line) or REGISTRY.search(line):
                broken.append(f"{path.relative_to(ROOT)}:{number}: {found.group()}")
    assert not broken, "\n".join(broken)
