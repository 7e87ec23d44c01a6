"""Which op classes modules outside of `engine/ops` name, and why.

Other modules read facts about an op from `Op` and its facets (`engine/ops/core/op.py`, `engine/ops/core/facets`). Only
the modules that run programs may name single ops: calls, ends of functions, loops, branches, `run_parallel` and the
dispatch of custom calls. Any module may use the base classes in `engine/ops/core`, and the two in
`engine/ops/collectives` by which processes exchange values.
"""

import ast
import inspect
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

from hloscope.engine.ops.core.op import Op

ROOT = Path(__file__).parent.parent
OPS = "hloscope.engine.ops"
PROTOCOLS = {"CollectiveOp", "PointToPoint"}

CALLS = "runs or checks calls of functions, and their ends"
LOOPS = "runs loops, or follows values from iteration to iteration"
BRANCHES = "tells which branch ran"
GRIDS = "runs functions on a grid of their own"
PARTS = "runs a function on the part of each device"
CUSTOM_CALLS = "tells which code outside of the program is called"
PLUGINS = "a target of a plugin gets the call, and its type is public"

MACHINE: dict[str, dict[str, str]] = {
    "app/base/plugins.py": {"Call": PLUGINS},
    "app/public/hloscope/plugins.py": {"Call": PLUGINS},
    "engine/builder/recorder.py": {"Return": CALLS},
    "engine/chains/bodies.py": {"Branching": BRANCHES, "While": LOOPS},
    "engine/chains/chains.py": {"Branching": BRANCHES, "ManualComputation": PARTS, "While": LOOPS},
    "engine/chains/forwarding.py": {"While": LOOPS},
    "engine/debugger/provenance/frames.py": {"Branching": BRANCHES, "RunParallel": GRIDS, "While": LOOPS},
    "engine/debugger/provenance/links.py": {"RunParallel": GRIDS},
    "engine/debugger/provenance/onward.py": {"RunParallel": GRIDS, "While": LOOPS},
    "engine/value_walks.py": {"While": LOOPS},
    "engine/communication/collective_checks.py": {"Branching": BRANCHES, "ManualComputation": PARTS},
    "engine/communication/program_facts.py": {"Branching": BRANCHES, "RunParallel": GRIDS, "While": LOOPS},
    "engine/communication/dry_run.py": {
        "Branching": BRANCHES,
        "CustomCall": CUSTOM_CALLS,
        "ManualComputation": PARTS,
    },
    "engine/interpreter.py": {"While": LOOPS},
    "engine/live_memory/block_buffers.py": {"While": LOOPS},
    "engine/live_memory/blocks.py": {"While": LOOPS},
    "engine/open_sizes.py": {"Call": CALLS},
    "engine/process_grid/host_queues.py": {"RunParallel": GRIDS},
    "engine/sharded_runs/sharded_inputs.py": {"CustomCall": CUSTOM_CALLS, "ManualComputation": PARTS},
    "engine/sharded_runs/shown_shardings.py": {"CustomCall": CUSTOM_CALLS, "ManualComputation": PARTS},
    "engine/verifier.py": {"Call": CALLS, "FuncReturn": CALLS, "Return": CALLS},
}
"""What may stay: by module, the op classes that it names, with the reason."""


def _modules() -> list[Path]:
    files = (path for folder in ("engine", "app") for path in (ROOT / folder).rglob("*.py"))
    return sorted(path for path in files if not path.is_relative_to(ROOT / "engine" / "ops"))


def _named(path: Path) -> Iterator[str]:
    """Op classes that a module imports from `engine/ops`, or reads from modules that it imports from there."""
    text = path.read_text()
    if "ops" not in text:
        return
    tree = ast.parse(text)
    modules: dict[str, ModuleType] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                found = _imported(path, node, alias.name)
                if isinstance(found, ModuleType):
                    modules[alias.asname or alias.name] = found
                elif _is_op(found):
                    yield alias.name
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found = getattr(modules.get(node.value.id), node.attr, None)
            if _is_op(found):
                yield node.attr


def _imported(path: Path, node: ast.ImportFrom, name: str) -> object:
    """What an import brings from `engine/ops`; `None` if it is from elsewhere."""
    package = ("hloscope", *path.relative_to(ROOT).with_suffix("").parts[:-1])
    base = package[: len(package) - node.level + 1] if node.level else ()
    module = ".".join((*base, *((node.module or "").split(".") if node.module else ())))
    if module != OPS and not module.startswith(f"{OPS}."):
        return None
    found = getattr(import_module(module), name, None)
    return import_module(f"{module}.{name}") if found is None else found


def _is_op(found: object) -> bool:
    if not (inspect.isclass(found) and issubclass(found, Op)):
        return False
    return not found.__module__.startswith(f"{OPS}.core.") and found.__name__ not in PROTOCOLS


@cache
def _names() -> dict[str, set[str]]:
    """The op classes that each module names; modules without any are left out."""
    found = {path.relative_to(ROOT).as_posix(): set(_named(path)) for path in _modules()}
    return {path: names for path, names in found.items() if names}


def test_only_the_machine_names_op_classes() -> None:
    new = {path: sorted(names - MACHINE.get(path, {}).keys()) for path, names in _names().items()}
    assert not {path: names for path, names in new.items() if names}, (
        "make what these modules want to know a question that every op answers"
    )


def test_every_permission_is_used() -> None:
    left_over = {path: sorted(names.keys() - _names().get(path, set())) for path, names in MACHINE.items()}
    assert not {path: names for path, names in left_over.items() if names}
