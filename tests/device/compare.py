"""Verdicts on the programs of a folder that a device runs: false alarms, and planted faults that are found.

`python -m tests.device compare FOLDER [--on PLATFORM] [--seconds N]` runs each `NAME.mlir` or `NAME.hlo` with the inputs
`in_0`, … of `NAME.npz`, and judges the results. Then it plants faults into the program that hloscope runs, one at a time:
the device's results have to differ. `--stored` reads the results of the device from `out_0`, … instead of running it.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hloscope.app.comparing.against import parse_against
from hloscope.app.comparing.budget import Budget
from hloscope.app.comparing.comparing import judge_results
from hloscope.app.comparing.our_runs import OurRun, run_ours
from hloscope.app.comparing.report import EngineComparison, verdict_sentence
from hloscope.app.xla.engine import ADDRESS_SPACE, XlaEngine
from hloscope.app.xla.failures import XlaFailed
from hloscope.engine.comparison.runs import as_dtype
from hloscope.engine.entry import find_entry
from hloscope.engine.errors import InputError, ProgramError
from hloscope.engine.frontend import load
from hloscope.engine.ir.types import TensorType
from hloscope.engine.limits import Limits
from hloscope.engine.ops.core.devices import Device, device_of
from hloscope.engine.ops.core.rounding import unit_roundoff
from hloscope.engine.program import BoundProgram
from hloscope.engine.source import Source
from hloscope.engine.syntax import looks_like_hlo
from tests.passes.planting import plant

Array = NDArray[Any]
FAULTS = {
    "wrong axis": "wrong dimension",
    "off by one": "off-by-one slice",
    "wrong scale of 1e-2": "wrong scale",
}
"""The faults, by what they are called in `tests/passes/planting.py`."""
CHANGED = 0.005
"""Minimum difference of a result that counts as a fault, as a part of the greatest magnitude in it."""
ROUNDINGS = 8
"""The same in unit roundoffs of its type: 1.01 is within the rounding of a bf16 network."""
LIMITS = Limits()


@dataclass(frozen=True)
class Program:
    """A program with its arguments, and the results that a file stores."""

    name: str
    text: str
    arguments: list[Array]
    stored: list[Array]

    @classmethod
    def read(cls, path: Path) -> Program:
        """The program of a path, with the arrays beside it; `ProgramError` for an invalid one."""
        text = path.read_text()
        loaded = load(Source(text), LIMITS)
        if loaded.program is None:
            raise ProgramError(loaded.diagnostics[0].message if loaded.diagnostics else "it cannot be read")
        with np.load(path.with_suffix("").with_suffix(".npz")) as arrays:
            stored = [arrays[name] for name in _numbered("out", arrays)]
            return cls(path.name, text, stored_arguments(loaded.program, arrays), stored)

    def run(self, text: str = "") -> OurRun:
        """Our run of the program, or of a changed text of it."""
        return run_ours(text or self.text, self.arguments, LIMITS)


def stored_arguments(program: BoundProgram, arrays: Mapping[str, Array]) -> list[Array]:
    """The arguments `in_0`, … of the entry function; types that NumPy lacks are stored as their bits or as wider ones."""
    types = [argument.type for argument in find_entry(program, None).function.arguments]
    return [_typed(arrays[f"in_{number}"], of) for number, of in enumerate(types)]


def _numbered(name: str, arrays: Any) -> list[str]:
    return sorted(
        (each for each in arrays if each.startswith(f"{name}_")), key=lambda each: int(each[len(name) + 1 :])
    )


def _typed(value: Array, of: Any) -> Array:
    """An argument in its type, which NumPy's files lack for small floats."""
    assert isinstance(of, TensorType)
    dtype = of.element_type.dtype
    found = as_dtype(value, np.empty(0, dtype))
    return found if found.dtype == dtype else found.astype(dtype)


def as_hlo(text: str) -> str:
    """The program as XLA prints it, which faults are planted into."""
    from jaxlib import _hlo, _jax

    options = _hlo.HloPrintOptions()
    options.print_large_constants = options.print_percent = True
    options.print_metadata = False
    if looks_like_hlo(text):
        return str(_hlo.hlo_module_from_text(text).to_string(options))
    return str(_jax.mlir.mlir_module_to_xla_computation(text).get_hlo_module().to_string(options))


@dataclass
class Results:
    """The device's results: those of a run, or stored ones."""

    device: Device
    engine: XlaEngine | None

    def of(self, program: Program, ours: OurRun) -> list[Array]:
        """The results of a program; `XlaFailed` without any."""
        if self.engine is not None:
            return self.engine.run(program.text, program.arguments)
        return [_stored(value, mine) for value, mine in zip(program.stored, ours.results, strict=True)]


def _stored(value: Array, ours: Array) -> Array:
    found = as_dtype(value, ours)
    return found if found.dtype == ours.dtype else found.astype(ours.dtype)


def judged(run: OurRun, theirs: Sequence[Array], device: Device, seconds: float) -> EngineComparison:
    """The verdict on a device's results."""
    return judge_results(device.title, replace(run, device=device), theirs, LIMITS, Budget(seconds))


def faults(program: Program, healthy: OurRun) -> Iterator[tuple[str, OurRun]]:
    """Runs of the program with a fault that changes its results, kind by kind in turn."""
    text = as_hlo(program.text)
    kinds = {name: _changing(program, text, kind, healthy) for name, kind in FAULTS.items()}
    while kinds:
        for name in list(kinds):
            found = next(kinds[name], None)
            if found is None:
                del kinds[name]
            else:
                yield name, found


def _changing(program: Program, text: str, kind: str, healthy: OurRun) -> Iterator[OurRun]:
    for planted in plant(text, kind):
        try:
            run = program.run(planted.text)
        except (ProgramError, InputError):
            continue
        if _is_changed(healthy.results, run.results):
            yield run


def _is_changed(before: Sequence[Array], after: Sequence[Array]) -> bool:
    return any(_change(*pair) > 1 for pair in zip(before, after, strict=True))


def _change(before: Array, after: Array) -> float:
    """The greatest difference over the least that counts."""
    one, other = _wide(before), _wide(after)
    least = max(CHANGED, ROUNDINGS * unit_roundoff(before.dtype)) * np.nanmax(np.abs(one), initial=0)
    with np.errstate(all="ignore"):
        return float(np.nanmax(np.abs(one - other), initial=0) / least)


def _wide(value: Array) -> Array:
    return value.astype(np.complex128 if value.dtype.kind == "c" else np.float64)


def main(arguments: list[str]) -> int:
    """Print each verdict, and the counts; 1 if there is a false alarm."""
    parser = argparse.ArgumentParser(prog="python -m tests.device compare", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--on", default="device", help="the platform (default: that of jax)")
    parser.add_argument("--stored", action="store_true", help="judge the stored results, as those of --on")
    parser.add_argument("--faults", type=int, default=6, help="faults of each program (default: %(default)s)")
    parser.add_argument(
        "--seconds", type=float, default=300, help="nothing starts later (default: %(default)s)"
    )
    options = parser.parse_args(arguments)
    end = time.monotonic() + options.seconds
    engine = None if options.stored else parse_against(options.on).engine(options.seconds, ADDRESS_SPACE)
    try:
        device = device_of(options.on) if engine is None else engine.versions().rounding
        return _compare_all(sorted(_programs(options.folder)), Results(device, engine), options.faults, end)
    finally:
        if engine is not None:
            engine.close()


def _programs(folder: Path) -> Iterator[Path]:
    """Programs with arrays beside them: for each name StableHLO, or else HLO."""
    for arrays in folder.glob("*.npz"):
        found = (arrays.with_suffix(end) for end in (".mlir", ".pre.hlo", ".hlo"))
        yield from islice((path for path in found if path.exists()), 1)


def _compare_all(paths: Sequence[Path], results: Results, most: int, end: float) -> int:
    verdicts: Counter[str] = Counter()
    kept: list[tuple[Program, OurRun, list[Array]]] = []
    for path in paths:
        if time.monotonic() > end:
            verdicts["left out"] += 1
            continue
        try:
            program = Program.read(path)
            run = program.run()
            theirs = results.of(program, run)
        except (ProgramError, InputError, XlaFailed) as problem:
            print(f"{path.name}: not run: {str(problem).splitlines()[0]}", flush=True)
            verdicts["not run"] += 1
            continue
        start = time.monotonic()
        found = judged(run, theirs, results.device, max(1.0, end - start))
        verdicts[found.verdict] += 1
        print(f"{path.name}: {verdict_sentence(found)} ({time.monotonic() - start:.1f} s)", flush=True)
        kept.append((program, run, theirs))
    print(
        f"{len(paths)} programs: {', '.join(f'{count} {verdict}' for verdict, count in verdicts.items())}",
        flush=True,
    )
    _plant_all(kept, results.device, most, end)
    return verdicts["wrong"] > 0


def _plant_all(
    kept: Sequence[tuple[Program, OurRun, list[Array]]], device: Device, most: int, end: float
) -> None:
    """Plant faults into the programs in turn, and print how many of each kind are found."""
    counts: Counter[tuple[str, str]] = Counter()
    running = [(program, theirs, islice(faults(program, run), most)) for program, run, theirs in kept]
    while running and time.monotonic() < end:
        for each in list(running):
            program, theirs, planted = each
            fault = next(planted, None) if time.monotonic() < end else None
            if fault is None:
                running.remove(each)
                continue
            kind, run = fault
            found = judged(run, theirs, device, max(1.0, end - time.monotonic()))
            outcome = "unknown" if found.verdict == "unknown" else "missed" if found.is_fine else "found"
            counts[kind, outcome] += 1
            if outcome != "found":
                print(f"{program.name}: {kind}: {outcome}: {verdict_sentence(found)}", flush=True)
    for kind in FAULTS:
        print(
            f"{kind}: "
            + ", ".join(f"{counts[kind, outcome]} {outcome}" for outcome in ("found", "unknown", "missed"))
        )
