"""The arrow rule of the layout, kept by reading the imports, and a few habits that files must have.

source, errors, limits            everybody may use these
syntax -> ir <- ops <- verifier, interpreter <- process_grid <- debugger <- app
indexing                          used by ops and by what is right of them
builder                           beside syntax: it makes IR as well
"""

import ast
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ENGINE = ROOT / "engine"

# What each part of the engine may import, itself and the bottom aside. A part that is not listed is new:
# give it its place here.
BOTTOM: dict[str, set[str]] = {"errors": {"source"}, "limits": {"errors", "source"}, "source": set()}
ALLOWED: dict[str, set[str]] = {
    **BOTTOM,
    "ir": set(),
    "indexing": set(),
    "syntax": {"ir"},
    "builder": {
        "events",
        "interpreter",
        "ir",
        "indexing",
        "ops",
        "process_grid",
        "program",
        "syntax",
        "verifier",
    },
    "ops": {"indexing", "ir"},
    "program": {"indexing", "ir", "ops"},
    "chains": {"indexing", "ir", "ops", "program"},
    "verifier": {"indexing", "ir", "ops", "program"},
    "frontend": {"indexing", "ir", "ops", "program", "syntax", "verifier"},
    "open_sizes": {"ir", "ops", "program"},
    "input_numbers": {"ir"},
    "inputs": {"input_numbers", "ir", "ops", "syntax"},
    "events": {"ops", "scalar_loops"},
    "memory": {"ops"},
    "frames": {"memory", "ops", "program"},
    "entry": {"ir", "ops", "program"},
    "outside": {"entry", "ir", "ops", "program"},
    "scalar_loops": {"ir", "ops", "program"},
    "interpreter": {
        *("entry", "events", "frames", "indexing", "ir", "memory", "ops", "outside", "program"),
        *("refusals", "scalar_loops", "shared_results"),
    },
    "shared_results": {"ops", "program"},
    "refusals": {"entry", "ir", "ops", "program"},
    "process_grid": {
        *(
            "entry",
            "events",
            "frames",
            "indexing",
            "interpreter",
            "ir",
            "memory",
            "ops",
            "outside",
            "program",
        ),
        *("refusals", "shared_results", "syntax", "verifier"),
    },
    "debugger": {
        *(
            "builder",
            "chains",
            "entry",
            "events",
            "frames",
            "frontend",
            "indexing",
            "inputs",
            "interpreter",
            "ir",
        ),
        "memory",
        *("ops", "outside", "process_grid", "program", "scalar_loops", "syntax", "verifier"),
    },
}

LONGEST_FILE = 450


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


def _part_of_engine(name: str) -> str | None:
    parts = name.split(".")
    return parts[2] if parts[:2] == ["hloscope", "engine"] and len(parts) > 2 else None


def _breaks(path: Path) -> Iterator[str]:
    part = path.relative_to(ENGINE).with_suffix("").parts[0]
    place = path.relative_to(ROOT)
    if part == "__init__":
        return
    if part not in ALLOWED:
        yield f"{place}: engine/{part} has no place in the arrow rule; give it one in this test"
        return
    bottom = set() if part in BOTTOM else set(BOTTOM)
    for line, name, relative in _imports(path):
        used = _part_of_engine(name)
        if name.split(".")[0] in {"hloscope", "tests"} and not name.startswith("hloscope.engine"):
            yield f"{place}:{line}: the engine imports {name}"
        elif used is not None and not relative:
            yield f"{place}:{line}: inside the engine, import {name} relatively"
        elif used is not None and used != part and used not in ALLOWED[part] | bottom:
            yield f"{place}:{line}: {part} must not import {used}"


def test_the_engine_keeps_the_arrow_rule() -> None:
    broken = [text for path in _python_files("engine") for text in _breaks(path)]
    assert not broken, "\n".join(broken)


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


def test_files_stay_short() -> None:
    """A file that has grown long is two files."""
    files = [*_python_files("engine", "app"), *(ROOT / "static" / "js").rglob("*.js")]
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in files}
    assert not {name: length for name, length in lengths.items() if length > LONGEST_FILE}


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
        ("engine/ops/shape.py", "from ..interpreter import run", "ops must not import interpreter"),
        ("engine/syntax/hlo.py", "from ..ops.shape import OPS", "syntax must not import ops"),
        ("engine/ir/types.py", "from hloscope.engine.source import Span", "relatively"),
        ("engine/source.py", "from .errors import ProgramError", "source must not import errors"),
        ("engine/ops/shape.py", "from .. import interpreter", "ops must not import interpreter"),
        ("engine/verifier.py", "import hloscope.app.store", "the engine imports hloscope.app.store"),
        ("engine/new.py", "", "no place in the arrow rule"),
        (
            "engine/ops/shape.py",
            "from ..ir import Value\nfrom .op import Op\nfrom ..limits import Limits",
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
