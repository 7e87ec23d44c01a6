"""Compiled programs that are kept on disk: what is compiled again, and what is not."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from hloscope.app.comparing.on_device import DeviceRun, executor_on
from hloscope.app.xla.compilations import Compilations
from hloscope.app.xla.engine import XlaEngine
from tests.debugger.programs import recorded
from tests.debugger.test_executor import LAYERS

X = np.arange(4, dtype=np.float32)


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("HLOSCOPE_COMPILATION_CACHE_BYTES")


def _counts(name: str = "cpu", cache_bytes: int | None = None) -> dict[str, int]:
    """The compilations of a recording and its unmodified program, in a process of its own."""
    executor = executor_on(name, cache_bytes=cache_bytes)
    recording = recorded(LAYERS, [X, X], executor=executor)
    assert not DeviceRun(recording, executor).unmodified.problem
    found: dict[str, int] = executor.engine.count_compilations()  # type: ignore[attr-defined]
    executor.engine.close()  # type: ignore[attr-defined]
    return found


@pytest.mark.oracle
def test_a_second_start_compiles_nothing(tmp_path: Path) -> None:
    first = _counts()
    assert first["compiled"] > 1
    assert first["loaded"] == 0
    assert _counts() == {"compiled": 0, "loaded": first["compiled"]}
    # Other options are other programs, and a damaged file is compiled again.
    assert _counts("cpu:xla_cpu_enable_fast_math=true") == first
    for path in (tmp_path / "hloscope" / "compilations").iterdir():
        path.write_bytes(path.read_bytes()[:-1])
    assert _counts() == first


@pytest.mark.oracle
def test_texts_of_one_signature_are_separate_programs() -> None:
    """XLA compiles a text without its passes in place of a carrier, which states its signature alone."""
    engine: XlaEngine = executor_on("cpu").engine  # type: ignore[assignment]
    negated = "HloModule m, is_scheduled=true\n\nENTRY e {\n  p = f32[4] parameter(0)\n  ROOT r = f32[4] negate(p)\n}\n"
    for text, wanted in ((negated, -X), (negated.replace("negate", "abs"), abs(X))):
        (found,) = engine.run(text, [X], as_written=True)
        assert found.tolist() == wanted.tolist()
    assert engine.count_compilations() == {"compiled": 2, "loaded": 0}
    engine.close()


@pytest.mark.oracle
def test_without_a_cache_everything_is_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = _counts(cache_bytes=0)
    assert _counts(cache_bytes=0) == first
    monkeypatch.setenv("HLOSCOPE_COMPILATION_CACHE_BYTES", "0")
    assert _counts() == first
    assert not (tmp_path / "hloscope").exists()


def test_the_least_recently_used_programs_are_deleted(tmp_path: Path) -> None:
    kept = Compilations(tmp_path / "kept", 3 * (32 + 100))
    for key in (b"a", b"b", b"c"):
        kept.store(key, key * 100)
    for age, key in enumerate((b"b", b"a", b"c")):
        os.utime(kept._path(key), ns=(age, age))
    assert kept.load(b"b") == b"b" * 100, "which makes it the latest"
    kept.store(b"d", b"d" * 100)
    assert [kept.load(key) is not None for key in (b"a", b"b", b"c", b"d")] == [False, True, True, True]
    kept.store(b"e", b"e" * 1000)
    assert kept.load(b"e") is None
