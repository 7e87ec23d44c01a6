"""The smallest error that the judge calls different, and how much larger it is than what rounding really does.

`python -m tests.comparison.sensitivity` prints it for values of 100 programs: a factor 1 + e is planted in each result
and in some values before, and the noise that rounding makes there is the distance from the program in f64, over some
inputs; for a program without wider types, the distance of randomly rounded runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import Any

import numpy as np

import hloscope
from hloscope.engine.comparison.bounds import RunBounds
from hloscope.engine.comparison.difference import Verdict
from hloscope.engine.comparison.judge import Judge
from hloscope.engine.comparison.random_rounding import Noise
from hloscope.engine.comparison.widening import widened
from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.core.ranks import is_inexact
from hloscope.engine.ops.core.rounding import unit_roundoff
from hloscope.engine.ops.core.values import is_tuple
from tests.debugger.programs import returned_by

from .drafts import drafted
from .functions import FUNCTIONS

GRID = [10.0 ** (step / 8) for step in range(-128, 1)]
"""Relative errors that are planted, eight in each power of ten."""
SEEDS = range(4)
"""Inputs over which the noise is measured."""
INNER = 3
"""Values before the results in which errors are planted too."""
OTHER_TYPES = {
    **dict.fromkeys(("mlp", "attention", "rms_norm", "momentum"), "bf16"),
    **dict.fromkeys(("layer_norm", "log_softmax"), "f16"),
    **dict.fromkeys(("adam", "solved", "sines"), "f64"),
    "spectrum": "c128",
}
"""Functions that are measured in a second type."""


def programs() -> list[tuple[str, dict[str, Any]]]:
    """The name of each program, and its options."""
    return [*((name, {}) for name in FUNCTIONS), *((name, {"t": t}) for name, t in OTHER_TYPES.items())]


@dataclass(frozen=True)
class Measured:
    """The sensitivity of one value."""

    program: str
    value: str
    smallest: float
    """The smallest planted error from which on all are called different; infinite if none is."""
    noise: float
    of_thousandth: Verdict
    """The verdict on a factor of 1.001."""
    is_narrow: bool
    """Whether the value has fewer digits than f32."""

    @property
    def ratio(self) -> float:
        """How much larger the error must be than the noise."""
        return self.smallest / self.noise

    def __str__(self) -> str:
        return f"{self.program:28} {self.value:10} {self.smallest:9.0e} {self.noise:9.1e} {self.ratio:9.1f}  {self.of_thousandth}"


@dataclass
class Sensitivity:
    """The measure of one program."""

    name: str
    options: dict[str, Any]

    def measured(self) -> Iterator[Measured]:
        """The sensitivity of each result and of some values before."""
        places = {**self._inner(), **self._results()}
        for name, address in places.items():
            noise = max(self._noise(address), unit_roundoff(self.run.value(address).dtype))
            verdicts = [self._verdict(address, error) for error in GRID]
            kept = next((k for k in range(len(GRID)) if set(verdicts[k:]) == {"different"}), None)
            yield Measured(
                " ".join([self.name, *map(str, self.options.values())]),
                name,
                float("inf") if kept is None else GRID[kept],
                noise,
                self._verdict(address, 1e-3),
                unit_roundoff(self.run.value(address).dtype) > 2.0**-24,
            )

    @cached_property
    def runs(self) -> list[Recording]:
        """The run on each of some inputs."""
        text, draft = drafted(FUNCTIONS[self.name], **self.options)
        return [hloscope.record(text, draft.inputs(seed)) for seed in SEEDS]

    @property
    def run(self) -> Recording:
        return self.runs[0]

    @cached_property
    def wide(self) -> list[Recording]:
        """The same runs in f64; none for a program that cannot be widened."""
        program = widened(self.run.program)
        if program is None:
            return []
        wanted = [value.type.element_type.dtype for value in program.entry.function.arguments]  # type: ignore[union-attr]
        return [
            hloscope.record(program, [_cast(x, t) for x, t in zip(run.launch.inputs[0], wanted, strict=True)])
            for run in self.runs
        ]

    @cached_property
    def bounds(self) -> RunBounds:
        return RunBounds(self.run)

    @cached_property
    def judge(self) -> Judge:
        return Judge(self.run)

    def _results(self) -> dict[str, Address]:
        made = enumerate(returned_by(self.bounds.run))
        return {f"result {number}": address for number, address in made if self._is_float(address)}

    def _inner(self) -> dict[str, Address]:
        """Some values evenly over the run."""
        results = {*self._results().values()}
        steps = [Address(0, "s", step, 0) for step in range(self.run.tracks[0].step_count)]
        found = [at for at in steps if at not in results and self._is_float(at) and self._is_made(at)]
        chosen = found[:: max(1, len(found) // INNER)][:INNER]
        return {f"step {address.number}": address for address in chosen}

    def _is_float(self, address: Address) -> bool:
        try:
            value = self.run.value(address)
        except (KeyError, IndexError):
            return False
        return not is_tuple(value) and is_inexact(value.dtype) and bool(np.count_nonzero(value))

    def _is_made(self, address: Address) -> bool:
        bound = self.run.program.ops[self.run.tracks[0].op_of(address.number)]
        return bool(bound.operands) and not bound.op.findings.moves_elements

    def _verdict(self, address: Address, error: float) -> Verdict:
        ours = self.run.value(address)
        wide = np.complex128 if ours.dtype.kind == "c" else np.float64
        planted = (ours.astype(wide) * (1 + error)).astype(ours.dtype)
        return self.judge.difference(address, ours, planted, self.bounds.of(address)).verdict

    def _noise(self, address: Address) -> float:
        """The relative error that rounding makes at an address."""
        if self._is_wide(address):
            value = self.run.value(address)
            return _mean([_apart(value, moved) for moved in Noise(self.run).at(address)])
        pairs = zip(self.runs, self.wide, strict=True)
        return _mean([_apart(one.value(address), exact.value(address)) for one, exact in pairs])

    def _is_wide(self, address: Address) -> bool:
        return not self.wide or unit_roundoff(self.run.value(address).dtype) <= 2.0**-53


def _cast(value: Array, dtype: np.dtype[Any]) -> Array:
    return value.astype(dtype)


def _apart(value: Array, exact: Array) -> float:
    """The distance of two arrays relative to their magnitude."""
    wide = np.complex128 if exact.dtype.kind == "c" else np.float64
    one, other = value.astype(wide), exact.astype(wide)
    finite = np.isfinite(one) & np.isfinite(other)
    size = float(np.linalg.norm(other[finite]))
    return float(np.linalg.norm((one - other)[finite])) / size if size else 0.0


def _mean(found: list[float]) -> float:
    return float(np.sqrt(np.mean(np.square(found))))


def summary(found: list[Measured]) -> str:
    """The median and the worst ratio, and the number of acquittals of a factor of 1.001."""
    ratios = [value.ratio for value in found]
    wide = [value for value in found if not value.is_narrow]
    acquitted = sum(value.of_thousandth == "same" for value in wide)
    unknown = sum(value.of_thousandth == "unknown" for value in wide)
    return (
        f"{len({value.program for value in found})} programs, {len(found)} values: median ratio {median(ratios):.1f}, worst {max(ratios):.1f}; "
        f"{acquitted} acquittals of a factor of 1.001 in f32 or wider, {unknown} unknown"
    )


def main() -> None:
    """Print a line for each value, and the summary."""
    print(f"{'program':28} {'value':10} {'smallest':>9} {'noise':>9} {'ratio':>9}  1.001")
    found = []
    for name, options in programs():
        for value in Sensitivity(name, options).measured():
            found.append(value)
            print(value, flush=True)
    print(summary(found))


if __name__ == "__main__":
    main()
