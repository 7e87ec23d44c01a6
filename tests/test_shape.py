"""The numbers of `python -m tests.shape`, on a small tree and on the repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shape.graphs import circles, with_one_importer
from tests.shape.measures import measures, sizes
from tests.shape.op_classes import named_outside
from tests.shape.picture import condensed, levels, picture, reduced
from tests.shape.tree import Tree

ROOT = Path(__file__).parent.parent
SOURCES = {
    "engine/__init__.py": "",
    "engine/ops/__init__.py": "from .shape import Slice\nOPS = (Slice,)\n",
    "engine/ops/shape.py": "from .op import Op\nclass Slice(Op): ...\nclass Call(Op): ...\n",
    "engine/ops/op.py": "class Op: ...\n",
    "engine/run.py": "from .ops.shape import Call, Slice\nfrom . import frames\n",
    "engine/frames.py": "def later():\n    from .run import x\n",
    "app/web/main.py": "from hloscope.engine import run\nfrom ...engine.ops import OPS\nfrom ..store import seat\n",
    "app/store/__init__.py": "",
    "app/store/seat.py": "",
    "static/js/a.js": '/** @type {import("./c.js").C} */\nimport { b } from "./run/b.js";\n',
    "static/js/run/b.js": 'export const b = () => import("../c.js");\n',
    "static/js/c.js": "export const c = 1;\n",
    "CONTRIBUTING.md": "## Add an op\n\n1. Write `engine/ops/<family>.py`.\n2. Add `app/web/main.py`.\n\n## Next\n\n1. `tests/x.py`\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    for name, text in SOURCES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return Tree(tmp_path)


def test_imports_are_found(tree: Tree) -> None:
    assert tree.python_graph["engine/run.py"] == {"engine/ops/shape.py", "engine/frames.py"}
    assert tree.python_graph["app/web/main.py"] == {
        "engine/run.py",
        "engine/ops/__init__.py",
        "app/store/seat.py",
    }
    assert tree.javascript_graph["static/js/a.js"] == {"static/js/run/b.js"}
    assert tree.javascript_graph["static/js/run/b.js"] == {"static/js/c.js"}


def test_circles_and_single_importers(tree: Tree) -> None:
    assert circles(tree.python_graph) == [["engine/frames.py", "engine/run.py"]]
    assert with_one_importer(tree.python_graph) == [
        "app/store/seat.py",
        "engine/frames.py",
        "engine/ops/op.py",
    ]


def test_op_classes_outside_of_the_ops(tree: Tree) -> None:
    assert named_outside(tree) == {"engine/run.py": {"Slice"}}


def test_the_table(tree: Tree) -> None:
    found = {measure.name: measure.counted for measure in measures(tree)}
    assert found["add-an-op"] == ("app/web/main.py", "engine/ops/<family>.py", "engine/run.py")
    assert {size.package: size.files for size in sizes(tree)}["engine/ops"] == 3


def test_the_arrows_of_the_picture() -> None:
    graph = {"a": {"b", "c"}, "b": {"c"}, "c": {"d"}, "d": {"c"}, "e": set[str]()}
    joined = condensed(graph)
    assert joined == {"a": {"b", "c · d"}, "b": {"c · d"}, "c · d": set(), "e": set()}
    assert levels(joined) == {"a": 2, "b": 1, "c · d": 0, "e": 0}
    assert reduced(joined)["a"] == {"b"}


def test_the_picture_in_the_documents_is_current() -> None:
    """`python -m tests.shape --picture docs/layers.svg` draws it anew."""
    assert (ROOT / "docs" / "layers.svg").read_text() == picture(Tree(ROOT))
