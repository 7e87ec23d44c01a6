"""Runs `hloscope reduce` on the program and inputs of a run, in a separate process."""

import asyncio
import io
import json
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from hloscope.engine.limits import Limits

from ..answers.lines import MOST_ELEMENTS, nested
from ..answers.values import NpyQuestion
from ..base.errors import ApiError
from ..base.settings import Settings
from .desk import Desk
from .programs import Opened, communicate

MOST_INPUT_BYTES = 64 << 20
GRACE_SECONDS = 30.0
"""Time added to that of the search: the process starts, checks the program and writes its result."""


async def reduce_run(desk: Desk, opened: Opened, check: str, seconds: float) -> dict[str, Any]:
    """What `hloscope reduce --json` prints, without the folder, and the text of the program that is left."""
    if not desk.may_start_processes:
        raise ApiError(
            403, "second_engine", "This server starts no processes for reductions.",
            hint="The setting second_engine=yes allows it; or use `hloscope mcp` on your machine.",
        )  # fmt: skip
    assert opened.run is not None
    if opened.run["grid"]["replicas"] * opened.run["grid"]["partitions"] > 1:
        raise ApiError(
            422, "request", "A program of several processes is reduced by `hloscope reduce` itself."
        )
    async with desk.turn:
        with tempfile.TemporaryDirectory(prefix="hloscope-reduce-") as folder:
            return await _reduce(desk, opened, check, seconds, Path(folder))


async def _reduce(desk: Desk, opened: Opened, check: str, seconds: float, folder: Path) -> dict[str, Any]:
    assert opened.run is not None
    program, inputs = folder / "program.mlir", folder / "inputs.npz"
    program.write_text(opened.run["text"])
    arrays = [
        await _array(desk, opened.key, f"0.f0.{number}") for number in range(len(opened.run["arguments"]))
    ]
    np.savez(inputs, allow_pickle=False, **{f"in_{number}": array for number, array in enumerate(arrays)})
    options = ["--check", check, "--json", "--seconds", str(seconds), "--out", str(folder / "out")]
    options += [part for stated in _limits(desk.settings) for part in ("--set", stated)]
    options += ["--entry", opened.run["entry"]] + (["--inputs", str(inputs)] if arrays else [])
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "hloscope", "reduce", str(program), *options, start_new_session=True,
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        printed, told = await communicate(child, None, seconds + GRACE_SECONDS)
    finally:
        with suppress(ProcessLookupError):  # and what it has started
            os.killpg(child.pid, signal.SIGKILL)
    lines = printed.decode(errors="replace").splitlines()
    if not lines:
        raise ApiError(422, "reduce", told.decode(errors="replace").strip()[-400:].removeprefix("hloscope: "))
    found: dict[str, Any] = json.loads(lines[-1])
    files = found.pop("files", None)
    if files is None:
        raise ApiError(422, "reduce", found["problem"], hint="diagnose says which fault the run has.")
    return {
        **found,
        "program": Path(files["program"]).read_text("utf-8"),
        "inputs": _texts(Path(files["inputs"])),
    }


def _texts(file: Path) -> list[str]:
    """Small inputs as `open` takes them; the kind of larger ones."""
    with np.load(file, allow_pickle=False) as arrays:
        return [_text(arrays[name]) for name in arrays.files]


def _text(array: Any) -> str:
    if array.size > MOST_ELEMENTS:
        return f"{array.dtype}{list(array.shape)}, too large to list"
    return json.dumps(nested(array)).replace('"', "")


def _limits(settings: Settings) -> Iterator[str]:
    """The limits of runs that differ from the defaults, as the command takes them."""
    usual = Settings()
    for name in (each.name for each in fields(Limits)):
        if hasattr(usual, name) and getattr(settings, name) != getattr(usual, name):
            yield f"{name}={getattr(settings, name)}"


async def _array(desk: Desk, key: str, address: str) -> Any:
    """A value of a recording, whole."""
    data = bytearray()
    while True:
        answer = await desk.sessions.recordings.ask(key, NpyQuestion(address, len(data)))
        data += answer.body
        total = int(answer.headers["X-Total"])
        if total > MOST_INPUT_BYTES:
            raise ApiError(
                413, "limit", f"An input has {total:,} bytes, and a reduction takes {MOST_INPUT_BYTES:,}."
            )
        if len(data) >= total:
            return np.load(io.BytesIO(data), allow_pickle=False)
