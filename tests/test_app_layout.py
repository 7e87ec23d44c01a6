"""The order of the parts of `app`: each imports only what is on a layer below its own. And who spells addresses."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
APP = ROOT / "app"

LAYERS: tuple[str, ...] = (
    "array_files assets batched_action complete_answers cores differences faults file_permissions generated_sizes keys logs memory outside_columns progress_lines public python_values recalled_reads single_flight surrogates",
    "blas documents hosts launching page_files wire",
    "errors examples given_programs hub input_files lesson_handout npz present settings",
    "as_html connections guard large_texts local_server reference run_files source_files store verification",
    "collected_answer handouts known_problems local_client progress python_program python_sources recorded runs starting",
    "built_files housekeeping kept_runs known_runs lessons playground recording_cache shared_answers view_links",
    "workers",
    "kept_sessions one_file run_pairs run_records xla",
    "formats passes sessions",
    "dumps engine_jobs lesson_sessions opened_files pass_dumps python_programs reducing second_engine session_copies session_pages",
    "commands rooms",
    "api debugger_launch op_maps",
    "api_document debug_adapter language_server notebook",
    "pages python_recording",
    "lesson_pages moment_pages python_api",
    "main python_compare",
    "lesson_tools python_functions serving",
    "python_sessions tools",
    "cli nan_watch torch_capture",
)
"""From the bottom up; parts of one line do not import each other."""
PLACES = {part: number for number, line in enumerate(LAYERS) for part in line.split()}

ADDRESS = re.compile(r"\.[sf]\{|\.\[sf\]|\.[sf]\(?\\d|[\"']\.[sf][\"']")
"""`p.sN.r` or `p.fN.i`, as a text that is put together or taken apart spells it."""
SPELLS_ADDRESSES = {"engine/debugger/address.py"}


def _parts() -> set[str]:
    found = {path.stem if path.is_file() else path.name for path in APP.iterdir()}
    return {
        name for name in found if (APP / f"{name}.py").exists() or (APP / name / "__init__.py").exists()
    } - {"__init__"} | {"public"}


def _imports(path: Path) -> Iterator[str]:
    """The parts that a module imports."""
    package = ("app", *path.relative_to(APP).parts[:-1])
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1]
            module = (*base, *(node.module.split(".") if node.module else ()))
            yield from ((*module, name.name)[1] for name in node.names if len((*module, name.name)) > 1)


def test_each_part_of_the_app_has_its_layer() -> None:
    assert _parts() == set(PLACES)


def test_parts_of_the_app_import_only_what_is_below_them() -> None:
    broken = [
        f"{path.relative_to(ROOT)}: {part} must not import {used}"
        for path in sorted(APP.rglob("*.py"))
        for part in [path.relative_to(APP).with_suffix("").parts[0]]
        for used in _imports(path)
        if part in PLACES and used in PLACES and used != part and PLACES[used] >= PLACES[part]
    ]
    assert not broken, "\n".join(broken)


def test_no_layer_could_be_lower() -> None:
    """A part is right above the highest one that it uses: an order that nobody needs is not kept."""
    used: dict[str, set[str]] = {}
    for path in APP.rglob("*.py"):
        part = path.relative_to(APP).with_suffix("").parts[0]
        used.setdefault(part, set()).update(
            name for name in _imports(path) if name in PLACES and name != part
        )
    loose = {part: max((PLACES[name] + 1 for name in used.get(part, ())), default=0) for part in PLACES}
    assert {part: place for part, place in loose.items() if place != PLACES[part]} == {}


def test_addresses_are_written_and_parsed_in_one_module() -> None:
    broken = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for folder in ("engine", "app")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if str(path.relative_to(ROOT)) not in SPELLS_ADDRESSES
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if ADDRESS.search(line)
    ]
    assert not broken, "\n".join(broken)
