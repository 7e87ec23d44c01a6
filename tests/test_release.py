"""What releases are made of: changelog fragments, pinned actions, and one version from the tags alone."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PINNED = re.compile(r"[\w.-]+/[\w./-]+@(?:v\d+\.\d+\.\d+|[0-9a-f]{40})")
WORKFLOWS = {
    path.stem: yaml.safe_load(path.read_text()) for path in (ROOT / ".github/workflows").glob("*.yml")
}


def test_fragments_are_named_after_an_issue_and_a_type() -> None:
    types = "|".join(found["directory"] for found in PROJECT["tool"]["towncrier"]["type"])
    name = re.compile(rf"(?:\d+|\+[\w-]+)\.(?:{types})\.md")
    fragments = [path for path in (ROOT / "changes").iterdir() if path.name != "README.md"]
    assert [path.name for path in fragments if not name.fullmatch(path.name)] == []
    assert [path.name for path in fragments if not path.read_text("utf-8").strip()] == []


def test_actions_are_pinned() -> None:
    used = [
        step["uses"] for found in WORKFLOWS.values() for job in found["jobs"].values() for step in job["steps"] if "uses" in step
    ]  # fmt: skip
    assert used
    assert [action for action in used if not PINNED.fullmatch(action)] == []


def test_the_supported_versions_of_python_are_tested() -> None:
    versions = re.search(
        r"Python versions are (3\.\d+) to (3\.\d+)", (ROOT / "docs/stability.md").read_text("utf-8")
    )
    assert versions is not None
    first, last = versions.groups()
    jobs = WORKFLOWS["ci"]["jobs"]
    minors = range(int(first[2:]), int(last[2:]) + 1)
    assert jobs["check"]["strategy"]["matrix"]["python"] == [f"3.{minor}" for minor in minors]
    assert jobs["windows"]["strategy"]["matrix"]["python"] == [first, last]
    assert PROJECT["project"]["requires-python"] == f">={first}"


def test_nothing_is_published_unless_a_tag_is_pushed_and_all_is_built() -> None:
    jobs = WORKFLOWS["release"]["jobs"]
    published = {name: job for name, job in jobs.items() if name.startswith("publish-")}
    assert set(published) == {"publish-python", "publish-image", "publish-release", "publish-site"}
    assert {job["if"] for job in published.values()} == {"github.ref_type == 'tag'"}
    for name in ("publish-python", "publish-image"):
        assert set(jobs[name]["needs"]) == {"python", "vscode", "image", "site"}


def test_the_version_is_stated_nowhere() -> None:
    assert "version" not in PROJECT["project"]
    assert PROJECT["project"]["dynamic"] == ["version"]
    package = json.loads((ROOT / "editors/vscode/package.json").read_text("utf-8"))
    assert package["version"] == "0.0.0", "the release workflow writes the tag's version"
