"""Compare two runs, and save a run's values: `hloscope.compare` and `hloscope.save_run`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, overload

import numpy as np

from hloscope.engine.comparison.difference import Tolerance
from hloscope.engine.comparison.named_values import values_by_name
from hloscope.engine.comparison.runs import RunComparison, compare_recordings
from hloscope.engine.comparison.sentences import verdict_sentence
from hloscope.engine.errors import InputError
from hloscope.engine.limits import DEFAULT_LIMITS, Limits
from hloscope.engine.program import BoundProgram

from ..base.faults import separate_faults
from ..comparing.our_runs import finished
from ..comparing.pair_report import EnginePair
from ..comparing.python_compare import compare_between, compare_engines
from ..comparing.report import EngineComparison
from ..runs.launching import cast_floats
from ..runs.value_files import compare_with_values, is_value_file, read_values, write_values
from .api import parse, record, require_end
from .given_programs import Options, given_program, is_host
from .recording import Recording

Program = BoundProgram | str


class Comparison(RunComparison):
    """Two runs as pairs of values; printing it shows where they diverge."""

    before: Recording

    def __str__(self) -> str:
        return verdict_sentence(self.before, self)


@overload
def compare(
    before: Any,
    after: None = None,
    inputs: Sequence[Any] = (),
    other_inputs: None = None,
    *,
    against: str | Callable[..., Any],
    tolerance: float | Tolerance | None = None,
    repeat: int = 1,
    stage: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    **options: Any,
) -> EngineComparison: ...


@overload
def compare(
    before: Any,
    after: None = None,
    inputs: Sequence[Any] = (),
    other_inputs: None = None,
    *,
    between: Sequence[str],
    tolerance: float | Tolerance | None = None,
    stage: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    **options: Any,
) -> EnginePair: ...


@overload
def compare(
    before: Any,
    after: Any = None,
    inputs: Sequence[Any] = (),
    other_inputs: Sequence[Any] | None = None,
    *,
    against: None = None,
    between: None = None,
    tolerance: float | Tolerance | None = None,
    stage: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    other: Mapping[str, Any] | None = None,
    **options: Any,
) -> Comparison: ...


def compare(
    before: Any,
    after: Any = None,
    inputs: Sequence[Any] = (),
    other_inputs: Sequence[Any] | None = None,
    *,
    against: str | Callable[..., Any] | None = None,
    between: Sequence[str] | None = None,
    tolerance: float | Tolerance | None = None,
    repeat: int = 1,
    stage: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    other: Mapping[str, Any] | None = None,
    **options: Any,
) -> Comparison | EngineComparison | EnginePair:
    """Compare two runs: the pairs that differ, by how much, and the first beyond rounding.

    `before` is a program that `hloscope.record` accepts, or a recording; `inputs` are a function's arguments,
    which may be trees of arrays. `after` is another program or recording; or a mapping from names to arrays, or
    the path of an `.npz` or a folder of probes with those (`save_run`); without it the same program runs a
    second time, on `other_inputs`. `options` are those of `hloscope.record`, for both runs; `other` overrides
    them for the second run: `other={"partitions": 4}`. Inputs of the first run are cast where arguments of the
    second have another float type.

    Without `tolerance`, each difference is compared with the rounding-error bound of that value. A number is a
    tolerance relative to the magnitude of each element; `hloscope.Tolerance` can also be absolute. A run that
    does not end raises `ProgramError`.

    `against` names a second engine: `xla`, `xla:FLAGS`, `gpu`, `tpu`, `device` for the device that jax finds,
    `jaxlib==VERSION`, or a function of the same arguments whose results are compared. If XLA differs beyond
    rounding, the comparison locates the first such value, and the culprit pass or generated code.
    `hloscope.XlaFailed` if XLA is not available, or lacks such a flag. With `repeat=N`, the
    engine runs the compiled program N times, and `repeated` of the comparison lists the results that change.

    `between` names two such engines, for example two versions of jaxlib: the comparison has their results, which
    of them agrees with hloscope, and what appeared and went in their optimised texts.
    """
    if repeat > 1 and not isinstance(against, str):
        raise InputError("repeat runs an engine again", hint='Name one: against="xla".')
    allowed = Tolerance(0.0, tolerance) if isinstance(tolerance, int | float) else tolerance
    chosen = Options(stage)
    first, given = _compared(before, inputs, chosen, limits)
    ours = _recording(first, given, limits, options)
    if between is not None:
        return compare_between(replace(finished(ours), tolerance=allowed), between, limits)
    if against is not None:
        engine = _flat(against, inputs) if callable(against) and is_host(before) else against
        return compare_engines(ours, engine, allowed, limits, repeat)
    if isinstance(after, Path):
        after = read_values(after, limits.session_memory_bytes) if is_value_file(after) else after.read_text()
    if isinstance(after, Mapping):
        values = {name: np.asarray(value) for name, value in after.items()}
        with separate_faults():
            return _comparison(ours, compare_with_values(ours, values, allowed))
    if is_host(after):
        program, given = _compared(after, inputs if other_inputs is None else other_inputs, chosen, limits)
    else:
        program = ours.program if after is None else after
        program = parse(program, limits=limits) if isinstance(program, str) else program
        if other_inputs is not None:
            given = _compared(before, other_inputs, chosen, limits)[1] if after is None else other_inputs
        elif isinstance(program, BoundProgram):
            given = cast_floats(program, given)
    theirs = _recording(program, given, limits, {**options, **(other or {})})
    with separate_faults():
        return _comparison(ours, compare_recordings(ours, theirs, allowed))


def _compared(
    value: Any, inputs: Sequence[Any], options: Options, limits: Limits
) -> tuple[Program | Recording, Sequence[Any]]:
    """A program with its inputs: a function is lowered; text, and a recording, are returned as they are."""
    if isinstance(value, str | BoundProgram | Recording):
        return value, inputs
    given = given_program(value, tuple(inputs), {}, options, limits)
    return given.program, given.inputs or ()


def _flat(function: Callable[..., Any], inputs: Sequence[Any]) -> Callable[..., Any]:
    """A function of flat arrays that calls `function` with `inputs` and returns its leaves."""

    def called(*_: Any) -> Any:
        import jax

        return tuple(jax.tree_util.tree_leaves(function(*inputs)))

    called.__name__ = called.__qualname__ = getattr(function, "__name__", "called")
    return called


def _comparison(before: Recording, found: RunComparison) -> Comparison:
    made = Comparison(
        found.values,
        found.results,
        found.only_before,
        found.only_after,
        found.amplified,
        found.against_exact,
        found.of_programs,
    )
    object.__setattr__(made, "before", before)
    return made


def _recording(
    given: Program | Recording, inputs: Sequence[Any], limits: Limits, options: Mapping[str, Any]
) -> Recording:
    recording = given if isinstance(given, Recording) else record(given, inputs, limits=limits, **options)
    return require_end(recording)


def save_run(path: str | Path, run: Recording | Mapping[str, Any]) -> None:
    """Save the values of a run as an `.npz` that `hloscope compare` reads as the other run.

    `run` is a recording, or a mapping from names to arrays, of a run on any device: `%name` or `name` as in the
    program, `in_0`, … and `out_0`, … for inputs and results. Values of bf16, f8 and similar types are kept as
    bits.
    """
    with separate_faults():
        values = values_by_name(run) if isinstance(run, Recording) else run
    write_values(Path(path), values)
