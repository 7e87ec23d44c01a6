"""`hloscope.record`, `run`, `check`, `maps`, `memory` and `merge`, of text, files, and functions of JAX and other libraries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, overload

import numpy as np

from hloscope.engine.entry import find_entry
from hloscope.engine.errors import Diagnostic, ProgramError
from hloscope.engine.limits import DEFAULT_LIMITS, Limits
from hloscope.engine.outside_results import Bindings
from hloscope.engine.program import BoundFunction, BoundProgram

from ..passes.memory_reports import MemoryReport, report_of
from ..runs.merged_runs import MergedRun, merge_runs
from ..runs.saved_runs import load_run
from ..xla.several_hosts import HostsExecutor
from . import api as python_api
from .given_programs import GivenProgram, Options, given_program, is_host
from .hosts.callbacks import Callbacks, callback_bindings
from .hosts.host_program import HostProgram
from .hosts.jax_adapter import results_on_hosts, several_hosts
from .op_maps import MapsOfProgram, maps_of
from .recording import Recording


def record(
    program: Any,
    *arguments: Any,
    stage: str | None = None,
    static_argnums: int | Sequence[int] | None = None,
    static_argnames: str | Iterable[str] | None = None,
    entry: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    bindings: Mapping[str, Any] | None = None,
    replicas: int | None = None,
    partitions: int | None = None,
    feeds: Mapping[str, Sequence[Any]] | None = None,
    callbacks: Callbacks = None,
    start_at: int | str | None = None,
    on: str | None = None,
    strict: bool = False,
    **named: Any,
) -> Recording:
    """Record a run with every value.

    `program` is a function, called with `arguments` and `named`: any function that JAX can trace, a jitted one,
    `Traced`, `Lowered`, `Compiled`, `Exported`, a `ClosedJaxpr`, a `tf.function`, an `ExportedProgram` of
    PyTorch. `stage` selects its program: `stablehlo`, which JAX passes to XLA, `hlo`, the same program as HLO,
    or `optimized`, the program after XLA's passes. Arrays are copied before anything runs, random keys are
    replaced by their data, and arguments that are not arrays become constants of the program.

    Or `program` is a text of StableHLO or HLO, bytes, the path of a file, or the result of `hloscope.parse`;
    its inputs are then one list: `record(text, [x, y])`. They are arrays, numbers, lists, or anything that
    NumPy converts to an array. An array must have the dtype of its argument, or hold its bits: uint16 for bf16,
    uint8 for f8, int8 for i4. Numbers and lists must be in the range of the dtype; one number fills all
    elements. Tuples are passed as tuples, and tokens are left out.

    `callbacks` are the functions that a program calls by `jax.debug.print`, `pure_callback` and `io_callback`:
    `"run"` calls them in this process, once for each execution, however often values are read later; a mapping
    holds a value, or another function, by the name of each; `"skip"` skips those without results. By default
    those are skipped with a warning, and a run that reaches another callback stops there and names it.

    An error in the run becomes the recording's `state`; inputs that do not fit raise `ProgramError`, an error
    in hloscope itself `Fault`. `bindings` hold the values that code outside of the program produces, by the
    name of the result (`%5`, `%r#1`) or by the callee, `@f`, for all its results; `None` skips a call without
    results. `%5:12` is the `%5` of line 12 alone.

    A run has as many processes as the program declares, or as `replicas` and `partitions` set. All processes
    receive the same input, whole where it is an argument that the program partitions; `Each` holds one input
    per process. `feeds` hold the items of the queues `infeed` and `host:CHANNEL`, each an array or a tuple of
    arrays that belong together; `infeed@1,2` is the queue of process (1, 2) alone. `start_at` is a line of the
    text or the name of a value, `%5`: XLA computes everything before it, and the recording begins there.

    With `on`, the values of the recording are those that XLA computes: on `cpu` (or `xla`), `gpu`, `tpu`, or
    `device`, the default device of jax, each also with flags, `xla:xla_cpu_enable_fast_math=true`. `computed_by`
    names the device, and `unmodified` compares the results with those of the whole program as XLA compiles it.
    `hloscope.XlaFailed` if there is no such device. With `strict`, on a CPU, the recorded program is the HLO text
    after XLA's passes, and each instruction and fusion of it is run as XLA compiles it. A function whose devices are on
    several hosts is recorded by all of them: each calls `record` with `on`, saves its recording, and `hloscope merge`
    joins the files.
    """
    options = Options(stage, static_argnums, static_argnames, on is not None)
    given = _given(program, arguments, named, options, limits)
    return record_given(
        given, entry=entry, limits=limits, bindings=bindings, replicas=replicas, partitions=partitions, feeds=feeds, callbacks=callbacks, start_at=start_at, on=on, strict=strict,
    )  # fmt: skip


def record_given(given: GivenProgram, *, callbacks: Callbacks = None, **options: Any) -> Recording:
    """Record a program with its inputs; `options` are those of `record`."""
    known = given.host.callbacks if given.host is not None else ()

    def answers(program: BoundProgram, function: BoundFunction) -> Bindings:
        return callback_bindings(program, function, known, callbacks)

    lowered = given.host.source if given.host is not None and given.host.stage == "stablehlo" else None
    hosts = several_hosts(lowered) if options.get("on") is not None and lowered is not None else None
    recording = python_api.record(given.program, _inputs_of(given), answers=answers, hosts=hosts, **options)
    recording.host = given.host
    if isinstance(recording.executor, HostsExecutor) and given.host is not None:
        recording.executor.unmodified = _unmodified(recording, given.host)
    return recording


def _unmodified(recording: Recording, host: HostProgram) -> Mapping[int, Sequence[Any]] | str:
    """The results of the unmodified program in each process of this host; every host runs it at the same time."""
    executor = recording.executor
    assert isinstance(executor, HostsExecutor)
    if recording.state.kind != "done":
        return "the recording has not ended"
    if host.callbacks:
        return "it calls Python functions, which would run twice"
    if executor.overrides:
        return "it was recorded with flags"
    try:
        platform, found = results_on_hosts(host.source, host.inputs or ())
    except Exception as failure:  # whatever JAX raises
        return str(failure).partition("\n")[0]
    recorded = executor.engine.versions().platform
    return found if platform == recorded else f"jax runs it on {platform}, and it was recorded on {recorded}"


def load(path: str | Path, limits: Limits = DEFAULT_LIMITS) -> Recording:
    """Load a recording that `recording.save` wrote, and record it again, bit for bit.

    `ProgramError` if the file is not a recording.
    """
    with_run = load_run(Path(path), limits)
    program = python_api.parse(with_run.text, with_run.file, limits)
    executor = with_run.executor(program)
    recording = Recording(
        program, with_run.launch, limits, with_run.entry, with_run.bindings, executor=executor
    )
    recording.record(steps=with_run.steps)
    return recording


def merge(
    files: str | Path | Iterable[str | Path], output: str | Path, limits: Limits = DEFAULT_LIMITS
) -> MergedRun:
    """Join the files that the hosts of a run have saved into one, as `hloscope merge` does.

    `output` opens as any recording, with `hloscope.load` too. The result prints what the command prints: the
    processes of each file, those that no file has, and the number of values. Raises `ProgramError` if the files
    are not of one run.
    """
    paths = [files] if isinstance(files, str | Path) else files
    return merge_runs([Path(path) for path in paths], Path(output), limits)


@overload
def run(program: str | BoundProgram, *arguments: Any, **options: Any) -> tuple[python_api.Array, ...]: ...


@overload
def run(program: Any, *arguments: Any, **options: Any) -> Any: ...


def run(program: Any, *arguments: Any, **options: Any) -> Any:
    """Run a program and return its results as the function does; those of a text are a tuple.

    Leaves are NumPy arrays. Accepts what `hloscope.record` accepts; raises `ProgramError` if the run does not
    end. On a grid: the results on which all processes agree, and partitioned results joined where the program
    describes how to join them. `run_each` returns the results of each process, also where they differ.
    """
    recording = record(program, *arguments, **options)
    results = python_api.joined_results(recording, options.get("entry"))
    return recording.host.join(results) if recording.host is not None else results


def run_each(program: Any, *arguments: Any, **options: Any) -> list[tuple[python_api.Array, ...]]:
    """Run a program like `run`, and return the unjoined results of each process, by its number."""
    return python_api.results_of_each(record(program, *arguments, **options))


def check(program: Any, *arguments: Any, name: str = "<text>", **named: Any) -> tuple[Diagnostic, ...]:
    """The errors, warnings and notes of a program.

    A warning marks what the specification forbids although its meaning is clear, or collectives that may wait
    forever. A program with warnings and notes only (see `severity`) may run. Accepts what `hloscope.record` accepts, a text without inputs; `name` is the file
    name of the text.
    """
    if isinstance(program, str) and not arguments and not named:
        return python_api.check(given_program(program).text, name)
    stage, argnums, argnames = (
        named.pop(option, None) for option in ("stage", "static_argnums", "static_argnames")
    )
    given = _given(program, arguments, named, Options(stage, argnums, argnames), DEFAULT_LIMITS)
    return python_api.check(given.text, given.name)


def maps(
    program: Any,
    *arguments: Any,
    op: str | None = None,
    direction: str = "output-to-input",
    compose: bool = False,
    entry: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    stage: str | None = None,
    **named: Any,
) -> MapsOfProgram:
    """The indexing maps of each op; printed, they read as `hloscope maps` prints them.

    `op` is the name of a result, `%5`; the default is all ops. `direction` is `output-to-input`,
    `input-to-output` or `both`; `compose` follows the maps to the arguments of the function. The program is one
    that `hloscope.record` accepts, a text without inputs.
    """
    given = _given(program, arguments, named, Options(stage), limits)
    parsed = (
        python_api.parse(given.program, limits=limits) if isinstance(given.program, str) else given.program
    )
    return maps_of(parsed, op, direction=direction, compose=compose, entry=entry)


def memory(
    program: Any,
    *arguments: Any,
    stage: str | None = None,
    entry: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    **named: Any,
) -> MemoryReport:
    """The live bytes of a program, what fills its peak, and its collectives; printed, as `hloscope memory` does.

    The program is one that `hloscope.record` accepts, a text without inputs; nothing runs. A function of JAX is
    compiled, and its optimized program read, unless `stage` selects another one.
    """
    chosen = stage or ("optimized" if is_host(program) else None)
    given = _given(program, arguments, named, Options(chosen), limits)
    parsed = (
        python_api.parse(given.program, limits=limits) if isinstance(given.program, str) else given.program
    )
    return report_of(given.name, parsed, find_entry(parsed, entry))


def _given(
    program: Any, arguments: Sequence[Any], named: Mapping[str, Any], options: Options, limits: Limits
) -> GivenProgram:
    """The program; the inputs of a text are one list, which may also be passed by name."""
    if is_host(program):
        return given_program(program, arguments, named, options, limits)
    rest = dict(named)
    listed = rest.pop("inputs", ())
    if len(arguments) > 1:
        raise ProgramError(
            f"the inputs of a text are one list, and {len(arguments)} values are given",
            hint="record(text, [x, y])",
        )
    inputs = arguments[0] if arguments else listed
    if not np.iterable(inputs):
        raise ProgramError(
            f"the inputs of a text are one list, and {inputs!r:.60} is given", hint="record(text, [x, y])"
        )
    return given_program(program, tuple(inputs), rest, options, limits)


def _inputs_of(given: GivenProgram) -> Sequence[Any]:
    if given.inputs is None and given.host is not None and any(item.used for item in given.host.arguments):
        raise ProgramError(
            f"{given.name} is given without values for its arguments",
            hint="Give them behind it: hloscope.record(lowered, x, y).",
        )
    return given.inputs or ()
