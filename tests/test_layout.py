"""The arrow rule of `tests/layers.py`, kept by reading the imports, and a few habits that files must have."""

import ast
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.layers import ALLOWED, BOTTOM, FOLDED, part_of, used_part

ROOT = Path(__file__).parent.parent
ENGINE = ROOT / "engine"


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
def _import_statements(text: str) -> list[ast.Import | ast.ImportFrom]:
    return [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]


def _imports(path: Path) -> Iterator[tuple[int, str, bool]]:
    """Line, dotted name from `hloscope` on, and whether it was written relative, of all that `path` imports.

    `app` and `engine` are parts of the package `hloscope`, though they lie at the top of the repository.
    """
    package = "hloscope", *path.relative_to(ROOT).with_suffix("").parts[:-1]
    for node in _import_statements(path.read_text()):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, name.name, False) for name in node.names)
        elif node.level == 0:
            yield node.lineno, node.module or "", False
        else:
            base = package[: len(package) - node.level + 1]
            module = (*base, *(node.module.split(".") if node.module else ()))
            # `from . import x` names the module x, or something of the package itself.
            yield from ((node.lineno, ".".join((*module, name.name)), True) for name in node.names)


def _breaks(path: Path) -> Iterator[str]:
    place = str(path.relative_to(ROOT))
    part = part_of(place)
    if part == "__init__":
        return
    if part not in ALLOWED:
        yield f"{place}: engine/{part} has no place in the arrow rule; give it one in tests/layers.py"
        return
    allowed = ALLOWED[part] if part in BOTTOM else ALLOWED[part] | BOTTOM.keys()
    for line, name, relative in _imports(path):
        if name.split(".")[0] in {"hloscope", "tests"} and not name.startswith("hloscope.engine"):
            yield f"{place}:{line}: the engine imports {name}"
        elif (used := _used_by(part, name)) is not None and not relative:
            yield f"{place}:{line}: inside the engine, import {name} relatively"
        elif used is not None and used not in allowed:
            yield f"{place}:{line}: {part} must not import {used}"


def _used_by(part: str, name: str) -> str | None:
    """The part of the engine that an imported name is of; `None` for what is not of the engine, or of `part` itself."""
    parts = name.split(".")
    if parts[:2] != ["hloscope", "engine"] or len(parts) < 3:
        return None
    is_package = len(parts) == 3 or not _is_part(f"{parts[2]}.{parts[3]}")
    used = used_part(part, "/".join(["engine", parts[2], *(["__init__"] if is_package else parts[3:])]))
    return None if used == part else used


def _is_part(name: str) -> bool:
    return name in ALLOWED or name.split(".", maxsplit=1)[0] not in FOLDED


def test_the_engine_keeps_the_arrow_rule() -> None:
    broken = [text for path in _python_files("engine") for text in _breaks(path)]
    assert not broken, "\n".join(broken)


def test_nothing_is_allowed_that_no_import_needs() -> None:
    """A permission that is left over would let an arrow come back unseen."""
    used: dict[str, set[str]] = {part: set() for part in ALLOWED}
    for path in _python_files("engine"):
        part = part_of(str(path.relative_to(ROOT)))
        if part in used:
            used[part] |= {found for _, name, _ in _imports(path) if (found := _used_by(part, name))}
    left_over = {part: unused for part, allowed in ALLOWED.items() if (unused := allowed - used[part])}
    assert not left_over


def test_the_arrow_rule_has_an_order() -> None:
    """Each part uses only what comes before it, so that no two of them import each other."""
    known = set(BOTTOM)
    for part, allowed in ALLOWED.items():
        assert allowed <= known, f"{part} uses {sorted(allowed - known)}, which must come before it"
        known.add(part)


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
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and MODULE_NAME.fullmatch(node.value)
        if node.value.split(".")[1:3] != list(path.relative_to(ROOT).parts[:2])
    ]
    assert not broken, "\n".join(broken)


def test_the_app_imports_itself_relatively() -> None:
    public = ROOT / "app" / "public"  # becomes the top of the package
    broken = [
        f"{path.relative_to(ROOT)}:{line}: inside the app, import {name} relatively"
        for path in _python_files("app")
        for line, name, relative in _imports(path)
        if name.startswith("hloscope.app") and not relative and public not in path.parents
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


@pytest.mark.parametrize(
    ("file", "text", "complaint"),
    [
        (
            "engine/ops/core/shape.py",
            "from ...interpreter import run",
            "ops.core must not import interpreter",
        ),
        ("engine/syntax/hlo.py", "from ..ops.shape import OPS", "syntax must not import ops"),
        ("engine/ir/types.py", "from hloscope.engine.source import Span", "relatively"),
        ("engine/source.py", "from .errors import ProgramError", "source must not import errors"),
        ("engine/ops/core/shape.py", "from ... import interpreter", "ops.core must not import interpreter"),
        ("engine/ops/core/op.py", "from ..hlo.copies import Copy", "ops.core must not import ops.hlo"),
        ("engine/verifier.py", "import hloscope.app.store", "the engine imports hloscope.app.store"),
        ("engine/new.py", "", "no place in the arrow rule"),
        (
            "engine/ops/core/shape.py",
            "from ...ir import Value\nfrom .op import Op\nfrom ...limits import Limits",
            "",
        ),
    ],
)
def test_the_rule_finds(
    file: str, text: str, complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    monkeypatch.setattr(f"{__name__}.ENGINE", tmp_path / "engine")
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text(text)
    found = "\n".join(_breaks(path))
    assert complaint in found
    assert bool(complaint) == bool(found)
