"""Programs that JAX exports for sizes that are not known run with inputs that nobody states."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hloscope.app.cli.main import main

from .client import Oracle
from .test_frameworks import names

pytestmark = pytest.mark.oracle
_TOLD = re.compile(r"unstated size: (--input .*) (?:goes|go) further")
_TYPED = re.compile(r"--input '([^']+)'")
MOST_HINTS = 3
INNER = "_wrapped_jax_export_main"
"""The function that JAX calls with the sizes, as integers, before the arguments."""


def test_made_up_inputs_go_together_or_we_say_what_to_type(
    oracle: Oracle, tmp_path: Path, capsys: Any, record_property: Callable[[str, object], None]
) -> None:
    found = names("DYNAMIC", "SYMBOLIC", "OPEN_SIZES")
    hints = {
        (name, entry): _hints_needed(oracle.export(name)[0], entry, tmp_path / f"{name}.mlir", capsys)
        for name in found
        for entry in ("main", INNER)
    }
    at_once = sum(not count for count in hints.values())
    told = sum(0 < count <= MOST_HINTS for count in hints.values())
    record_property(
        "measured", f"made-up inputs: of {len(hints)} programs {at_once} run at once, {told} as told"
    )
    assert at_once > 0.85 * len(hints)


def _hints_needed(text: str, entry: str, file: Path, capsys: Any) -> int:
    """How often the run has to be told another size, as its error says."""
    file.write_text(text)
    given: dict[str, str] = {}
    for count in range(MOST_HINTS + 1):
        options = (f"--input={name}={value}" for name, value in given.items())
        code = main(["run", str(file), "--entry", entry, *options])
        said = capsys.readouterr().err
        if code == 0:
            return count
        told = _TOLD.search(said)
        if told is None and entry == INNER:
            # Only its caller knows how the sizes are related: three times one that is stated, for instance.
            assert "were made up" in said or "was made up" in said, said
            return MOST_HINTS + 1
        assert told, said
        given |= dict(option.split("=", 1) for option in _TYPED.findall(told[1]))
    raise AssertionError(said)
