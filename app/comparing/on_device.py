"""Recordings whose values XLA computes, on any platform that jax finds, and the unmodified program beside them."""

import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, isnan
from pathlib import Path
from typing import Any

import numpy as np

from hloscope.engine.comparison.elements import ulps_apart
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.ops.core.values import leaves
from hloscope.engine.remote_values import local

from ..base.settings import Settings
from ..processes.arrays import Array
from ..runs.executed_values import KeptExecutor
from ..xla.engine import ADDRESS_SPACE
from ..xla.executor import XlaExecutor
from ..xla.failures import XlaFailed
from ..xla.resident import Resident
from ..xla.several_hosts import Hosts, HostsExecutor
from .against import Against, environments, parse_on
from .comparing import text_for_xla
from .hlo_texts import is_optimised
from .our_runs import OurRun
from .strict import StrictExecutor

SECONDS = 600.0
"""Timeout of one request: to compile a segment and run it, or to run the whole program."""
MOST_LISTED = 5
"""Maximum number of results in the sentence that compares a recording with the unmodified program."""


def executor_on(
    name: str,
    processes: int = 1,
    *,
    strict: bool = False,
    hosts: Hosts | None = None,
    cache_bytes: int | None = None,
) -> XlaExecutor:
    """The executor of `xla`, `cpu`, `gpu`, `tpu`, `device` or `jaxlib==VERSION`, each also with `:FLAGS`.

    `strict`: that of optimised text. `hosts`: of the devices of this host alone. `cache_bytes`: maximum bytes of kept
    compilations; by default the environment's setting. XLA's process lives as long as the executor. Raises `InputError` for an unknown name, `XlaFailed` without such a device.
    """
    named: Against = parse_on(name)
    engine = named.engine(SECONDS, ADDRESS_SPACE, processes)
    most = Settings.load().compilation_cache_bytes if cache_bytes is None else cache_bytes
    engine.compilations = compilations(most)
    if hosts is not None:
        executor: XlaExecutor = HostsExecutor(engine, named.overrides, hosts=hosts)
    else:
        executor = (StrictExecutor if strict else XlaExecutor)(engine, named.overrides)
    executor.resident = Resident(engine)
    weakref.finalize(executor, engine.close)
    assert executor.computed_by
    return executor


def compilations(most_bytes: int) -> tuple[Path, int]:
    """The folder of compiled programs, in the user's cache, and its maximum size."""
    return environments() / "compilations", most_bytes


@dataclass(frozen=True)
class ResultDifference:
    """A result of which the unmodified program computes other bits."""

    number: int
    elements: int
    size: int
    ulps: float | None
    """Largest distance; `None` for types without units in the last place, NaN if one of two elements is NaN."""

    @property
    def distance(self) -> float:
        """The distance to sort by: infinite where units in the last place do not state it."""
        return inf if self.ulps is None or isnan(self.ulps) else self.ulps

    @property
    def sentence(self) -> str:
        """`result 0 in 3 of 12 elements, by at most 2 ULP`."""
        far = "" if self.ulps is None else f", by at most {self.ulps:,.0f} ULP"
        far = ", where one is NaN" if self.ulps is not None and np.isnan(self.ulps) else far
        return f"result {self.number} in {self.elements:,} of {self.size:,} elements{far}"


@dataclass(frozen=True)
class UnmodifiedRun:
    """The comparison of a recording's results with those of the unmodified program on the same device."""

    differences: tuple[ResultDifference, ...] = ()
    problem: str = ""
    """The reason why there is none."""
    told: str = ""
    """The sentence of a comparison that was made before, in place of its differences."""
    told_same: bool = True

    @property
    def is_same(self) -> bool:
        """Whether all results have the same bits."""
        return not self.differences and not self.problem and self.told_same

    @property
    def sentence(self) -> str:
        """The comparison in words."""
        if self.told:
            return self.told
        if self.problem:
            return f"the unmodified program was not compared: {self.problem}"
        if not self.differences:
            return "its results have the same bits as those of the unmodified program"
        shown, where = list(self.differences), ""
        if len(shown) > MOST_LISTED:
            where = f" in {len(shown):,} results; the {MOST_LISTED} furthest"
            shown = sorted(shown, key=lambda each: each.distance, reverse=True)[:MOST_LISTED]
        listed = "; ".join(each.sentence for each in shown)
        return f"the unmodified program, which XLA fuses or orders in another way, has other bits{where}: {listed}"


@dataclass(frozen=True)
class DeviceRun:
    """A recording on an executor of XLA."""

    recording: Recording
    executor: XlaExecutor

    @cached_property
    def unmodified(self) -> UnmodifiedRun:
        """The comparison with the unmodified program, which runs for it."""
        recording = self.recording
        if recording.state.kind != "done":
            return UnmodifiedRun(problem="the recording has not ended")
        if isinstance(self.executor, HostsExecutor):
            return self._on_hosts(self.executor.unmodified)
        run, executor = OurRun(recording), self.executor
        text = executor.text or recording.program.module.source.text
        try:
            theirs = executor.engine.run(
                text_for_xla(text), run.arguments, executor.overrides, run.grid, as_written=is_optimised(text)
            )
        except XlaFailed as failure:
            return UnmodifiedRun(problem=str(failure).partition("\n")[0])
        return _compared(run.results, theirs)

    def _on_hosts(self, theirs: Mapping[int, Sequence[Array]] | str) -> UnmodifiedRun:
        """The comparison of the results of this host's processes."""
        if isinstance(theirs, str):
            return UnmodifiedRun(problem=theirs)
        tracks = self.recording.tracks
        ours = {
            number: [local(leaf) for value in tracks[number].results() or () for leaf in leaves(value)]
            for number in theirs
        }
        runs = [_compared(ours[number], results) for number, results in theirs.items()]
        problem = next((run.problem for run in runs if run.problem), "")
        return UnmodifiedRun(tuple(dict.fromkeys(each for run in runs for each in run.differences)), problem)

    def engine_ops(self) -> Iterator[str]:
        """The operations that XLA refuses, so that our engine computes them, each with the reason."""
        program = self.recording.program
        for op, reason in self.executor.refused.items():
            name = program.ops[op].operation.spelled
            yield f"XLA refuses {name} (line {program.line_of(op)}), which is left to hloscope: {reason}"

    def notes(self) -> Iterator[str]:
        """What XLA refuses, and where it computed other bits when it repeated a segment."""
        yield from self.engine_ops()
        program = self.recording.program
        for op in sorted(self.executor.repeated_differently):
            yield f"XLA computed other bits from line {program.line_of(op)} on when it repeated the operations there"

    def lines(self) -> Iterator[str]:
        """What computed the recording, and how it agrees with the unmodified program."""
        yield f"computed by {self.computed_by}; {self.unmodified.sentence}"
        yield from self.notes()

    @property
    def computed_by(self) -> str:
        """`XLA of jaxlib 0.10.2 on cpu`."""
        return self.executor.computed_by

    def json(self) -> dict[str, Any]:
        """The fields of a JSON line, and of a file that keeps the values."""
        return {
            "computed_by": self.computed_by,
            "unmodified": self.unmodified.sentence,
            "same_bits": self.unmodified.is_same,
            "notes": [*self.notes()],
            **({"processes": self.executor.processes} if isinstance(self.executor, HostsExecutor) else {}),
        }


@dataclass(frozen=True)
class KeptDeviceRun:
    """A recording of values that were computed before, and kept in a file."""

    executor: KeptExecutor

    @property
    def computed_by(self) -> str:
        """`XLA of jaxlib 0.10.2 on cpu`."""
        return self.executor.computed_by

    @property
    def unmodified(self) -> UnmodifiedRun:
        """The comparison that was made then."""
        about = self.executor.about
        return UnmodifiedRun(told=str(about["unmodified"]), told_same=bool(about["same_bits"]))

    def lines(self) -> Iterator[str]:
        """What computed the recording, and how it agrees with the unmodified program."""
        yield f"computed by {self.computed_by}; {self.unmodified.sentence}"
        yield from map(str, self.executor.about["notes"])
        if processes := self.executor.about.get("processes"):
            listed = ", ".join(map(str, processes))
            yield f"the file has the values of the processes {listed}; hloscope computes those of the others"

    def json(self) -> dict[str, Any]:
        """The fields of a JSON line, and of a file that keeps the values."""
        return dict(self.executor.about)


def device_run(recording: Recording) -> DeviceRun | KeptDeviceRun | None:
    """The recording with its executor; `None` if our engine computed it."""
    executor = recording.executor
    if isinstance(executor, KeptExecutor):
        return KeptDeviceRun(executor)
    return DeviceRun(recording, executor) if isinstance(executor, XlaExecutor) else None


def _compared(ours: Sequence[Array], theirs: Sequence[Array]) -> UnmodifiedRun:
    """The comparison of the results of one process, or of all in process order."""
    if len(theirs) != len(ours):
        return UnmodifiedRun(problem=f"it has {len(theirs)} results, and the recording {len(ours)}")
    pairs = enumerate(zip(ours, theirs, strict=True))
    found = (_difference(number, one, other) for number, (one, other) in pairs)
    return UnmodifiedRun(tuple(each for each in found if each is not None))


def _difference(number: int, ours: Array, theirs: Array) -> ResultDifference | None:
    """The difference of two results; `None` if they have the same bits."""
    ours, theirs = np.ascontiguousarray(ours), np.ascontiguousarray(theirs)
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        return ResultDifference(number, ours.size, ours.size, None)
    if not ours.size or ours.tobytes() == theirs.tobytes():
        return None
    width = ours.dtype.itemsize
    raw = [value.reshape(-1).view(np.uint8).reshape(-1, width) for value in (ours, theirs)]
    differs = (raw[0] != raw[1]).any(axis=1)
    apart = ulps_apart(ours.reshape(-1)[differs], theirs.reshape(-1)[differs])
    return ResultDifference(
        number, int(differs.sum()), ours.size, None if apart is None else float(apart.max())
    )
