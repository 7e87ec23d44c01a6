"""What the image and a release install is stated with the hashes of its files, in the versions that are tested."""

from __future__ import annotations

import re
from importlib.metadata import distribution
from pathlib import Path
from typing import cast

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
_PIN = re.compile(
    r"^([A-Za-z0-9._-]+)==([^\s;]+)(?: *; *([^\\\n]+?))?((?: \\\n    --hash=sha256:[0-9a-f]{64})*)$",
    re.MULTILINE,
)


def pins(file: str) -> dict[str, tuple[str, int]]:
    """The version of each package, and the number of its files that are known."""
    return {
        name.lower().replace("_", "-").replace(".", "-"): (version, hashes.count("--hash"))
        for name, version, _, hashes in _PIN.findall((ROOT / file).read_text())
    }


@pytest.mark.parametrize("file", ["requirements/image.txt", "requirements/release.txt"])
def test_every_pin_has_hashes_and_the_tested_version(file: str) -> None:
    tested, found = pins("constraints.txt"), pins(file)
    lines = [line for line in (ROOT / file).read_text().splitlines() if line and line[0] not in " #"]
    assert len(found) == len(lines), "each package once, and nothing but pins"
    assert [name for name, (_, hashes) in found.items() if not hashes] == []
    differing = {
        name: version for name, (version, _) in found.items() if name in tested and tested[name][0] != version
    }
    assert differing == {}, "run `make locks`"


def test_the_image_installs_all_that_hloscope_needs() -> None:
    """The requirements of the installed package, and theirs, for the image's system."""
    found, needed, waiting = (
        pins("requirements/image.txt"),
        set[str](),
        [("hloscope", frozenset({"postgresql"}))],
    )
    environment = {
        **cast(dict[str, str], default_environment()),
        "sys_platform": "linux",
        "platform_system": "Linux",
    }
    while waiting:
        name, extras = waiting.pop()
        for text in distribution(name).requires or []:
            requirement = Requirement(text)
            wanted = requirement.marker is None or any(
                requirement.marker.evaluate({**environment, "extra": extra}) for extra in ("", *extras)
            )
            key = requirement.name.lower().replace("_", "-").replace(".", "-")
            if wanted and key not in needed:
                needed.add(key)
                waiting.append((requirement.name, frozenset(requirement.extras)))
    assert needed <= found.keys(), "run `make locks`"


def test_image_and_release_install_by_hash_alone() -> None:
    for file in ("Dockerfile", ".github/workflows/release.yml"):
        text = (ROOT / file).read_text()
        installs = re.findall(r"pip (?:--python \S+ )?install ([^\n&]*)", text.replace("\\\n", " "))
        assert len(installs) > 1
        for options in installs:
            tries_both = (
                "constraints.txt" in options
            )  # where a user's installation is tried, and nothing shipped
            assert "--require-hashes" in options or "--no-index" in options or tries_both, options
