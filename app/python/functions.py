"""`hloscope.record`, `run`, `check`, `maps` and `compare`, of text, files, and functions of JAX and other libraries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, overload

from hloscope.engine.errors import Diagnostic, ProgramError
from hloscope.engine.limits import DEFAULT_LIMITS, Limits
from hloscope.engine.outside_results import Bindings
from hloscope.engine.program import BoundFunction, BoundProgram

from ..comparing.report import EngineComparison
from . import api as python_api
from . import compare as python_compare
from .given_programs import GivenProgram, Options, given_program, is_host
from .hosts.callbacks import Callbacks, callback_bindings
from .op_maps import MapsOfProgram, OpMaps, maps_of
from .recorded.saving import load_run
from .recording import Recording

__all__ = ["OpMaps", "check", "compare", "load", "maps", "record", "run", "run_each"]


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
    **named: Any,
) -> Recording:
    """A whole run, with every value.

    `program` is a function, called with `arguments` and `named`: any that JAX can trace, a jitted one, `Traced`, `Lowered`,
    `Compiled`, `Exported`, a `ClosedJaxpr`, a `tf.function`, an
    `ExportedProgram` of PyTorch. `stage` is which program of it: `stablehlo`, which JAX
    hands to XLA, the same as `hlo`, or `optimized`, what XLA's passes make of it. Arrays are copied before anything runs,
    random keys are taken as their data, and arguments that are no arrays become a part of the program.

    Or it is a text of StableHLO or HLO, bytes, the path of a file, or what `hloscope.parse` gives; its inputs are then one
    list: `record(text, [x, y])`. They are arrays, numbers, lists, or anything that NumPy makes an array of. An array must have
    the dtype of its argument, or be its bits: uint16 for bf16, uint8 for f8, int8 for i4. Numbers and lists must be in it;
    one number stands for all elements. Tuples are given as tuples, and tokens not at all.

    `callbacks` are what a program calls by `jax.debug.print`, `pure_callback` and `io_callback`: with `"run"` they are called here,
    once for each execution, whatever one looks at later; a mapping has a value, or another function, for each by its name; `"skip"` goes
    past those that give nothing. Without it these are gone past with a warning, and a run that comes to another one stops there and
    names it.

    What goes wrong in the run is the recording's `state`; inputs that do not fit raise `ProgramError`, a mistake of ours
    `Fault`. `bindings` are for what code outside of the program makes, by the name of the result (`%5`, `%r#1`) or of
    what makes it, `@f`, for all its results; `None` skips a call that has none. `%5:12` is that of line 12 alone.

    A run is on as many processes as the program says, or as `replicas` and `partitions` do. An input is for all of
    them, whole where it is an argument that the program cuts into parts; or `Each` has one for every process.
    `feeds` has the items of the queues `infeed` and `host:CHANNEL`, each an array or a tuple of those that belong
    together; `infeed@1,2` is the queue of process (1, 2) alone. `start_at` is a line of the text or the name of a value, `%5`: XLA
    computes what comes before, and the recording begins there.
    """
    options = Options(stage, static_argnums, static_argnames)
    given = _given(program, arguments, named, options, limits)
    return record_given(
        given, entry=entry, limits=limits, bindings=bindings, replicas=replicas, partitions=partitions, feeds=feeds, callbacks=callbacks, start_at=start_at,
    )  # fmt: skip


def record_given(given: GivenProgram, *, callbacks: Callbacks = None, **options: Any) -> Recording:
    """The run of a program with its inputs; `options` are those of `record`."""
    known = given.host.callbacks if given.host is not None else ()

    def answers(program: BoundProgram, function: BoundFunction) -> Bindings:
        return callback_bindings(program, function, known, callbacks)

    recording = python_api.record(given.program, _inputs_of(given), answers=answers, **options)
    recording.host = given.host
    return recording


def load(path: str | Path, limits: Limits = DEFAULT_LIMITS) -> Recording:
    """The recording that `recording.save` has written, recorded again: every value is the same as then, bit for bit.

    `ProgramError` for a file that is none.
    """
    with_run = load_run(Path(path), limits)
    recording = Recording(
        python_api.parse(with_run.text, with_run.file, limits),
        with_run.launch,
        limits,
        with_run.entry,
        with_run.bindings,
    )
    recording.record(steps=with_run.steps)
    return recording


@overload
def run(program: str | BoundProgram, *arguments: Any, **options: Any) -> tuple[python_api.Array, ...]: ...


@overload
def run(program: Any, *arguments: Any, **options: Any) -> Any: ...


def run(program: Any, *arguments: Any, **options: Any) -> Any:
    """The results, as the function returns them, with NumPy arrays as leaves; of text those of the entry function, a tuple.

    Takes what `hloscope.record` takes; raises `ProgramError` if the run does not come to its end. On a grid these are the results
    that all processes agree on, and wholes of those that are parts and say how they are joined. Where processes have
    different results, `run_each` gives them all.
    """
    recording = record(program, *arguments, **options)
    results = python_api.joined_results(recording, options.get("entry"))
    return recording.host.join(results) if recording.host is not None else results


def run_each(program: Any, *arguments: Any, **options: Any) -> list[tuple[python_api.Array, ...]]:
    """The results of each process of a grid, by its number; else as `run`, without putting them together."""
    return python_api.results_of_each(record(program, *arguments, **options))


def check(program: Any, *arguments: Any, name: str = "<text>", **named: Any) -> tuple[Diagnostic, ...]:
    """What is wrong with a program, and what the specification forbids although it is plain what is meant.

    The program may run if there is no error among them, only warnings (by their `severity`). Takes what `hloscope.record` takes,
    without inputs where it is a text; `name` is what the text is called.
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
    """Which elements each op reads, as indexing maps: printed, they are as `hloscope maps` prints them.

    `op` is the name of a result, `%5`; without it all ops are meant. `direction` is `output-to-input`, `input-to-output` or
    `both`; `compose` follows the maps all the way to the function's arguments. The program is as `hloscope.record` takes it,
    a text without inputs.
    """
    given = _given(program, arguments, named, Options(stage), limits)
    parsed = (
        python_api.parse(given.program, limits=limits) if isinstance(given.program, str) else given.program
    )
    return maps_of(parsed, op, direction=direction, compose=compose, entry=entry)


@overload
def compare(
    before: Any,
    after: None = None,
    inputs: Sequence[Any] = (),
    other_inputs: None = None,
    *,
    against: str | Callable[..., Any],
    stage: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    **options: Any,
) -> EngineComparison: ...


@overload
def compare(
    before: Any,
    after: Any = None,
    inputs: Sequence[Any] = (),
    other_inputs: Sequence[Any] | None = None,
    *,
    against: None = None,
    stage: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    **options: Any,
) -> python_compare.Comparison: ...


def compare(
    before: Any,
    after: Any = None,
    inputs: Sequence[Any] = (),
    other_inputs: Sequence[Any] | None = None,
    *,
    against: str | Callable[..., Any] | None = None,
    stage: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    **options: Any,
) -> python_compare.Comparison | EngineComparison:
    """Two runs side by side: which pairs of values differ, by how much, and which is the first that is more than rounding.

    `before` is a program as `hloscope.record` takes it, or a recording; `inputs` are a function's arguments, trees of arrays
    among them. `after` is another program or recording; or a mapping from names to arrays, or the path of an `.npz` or a folder
    of probes with those (`save_run`); without it the same program runs a second time, on `other_inputs`. `options` are those of
    `hloscope.record`, for both runs; `other` has those of the second run, where they differ: `other={"partitions": 4}`.
    Inputs of the first run are cast where arguments of the second are other floats.

    Without `tolerance` an error is held against what rounding may do to that very value. A number is an error to the
    magnitude of each element; `hloscope.Tolerance` an absolute one too. A run that does not come to its end raises
    `ProgramError`.

    `against` names a second engine: `xla`, `xla:FLAGS`, `jaxlib==VERSION`, or a function of the same arguments, whose results
    are compared. Where XLA differs beyond rounding, the first value that does is looked for, and the pass or the generated
    code that is guilty. `hloscope.XlaFailed` where XLA is not there, or has no such flag.
    """
    chosen = Options(stage)
    first, given = _compared(before, inputs, chosen, limits)
    if against is not None:
        other = _flat(against, inputs) if callable(against) and is_host(before) else against
        return python_compare.compare(first, None, given, against=other, limits=limits, **options)
    others = other_inputs
    if is_host(before) and after is None and other_inputs is not None:
        _, others = _compared(before, other_inputs, chosen, limits)
    second = after
    if is_host(after):
        second, others = _compared(after, inputs if other_inputs is None else other_inputs, chosen, limits)
    return python_compare.compare(first, second, given, others, limits=limits, **options)


def _compared(
    value: Any, inputs: Sequence[Any], options: Options, limits: Limits
) -> tuple[Any, Sequence[Any]]:
    """What the comparison of texts takes for a program, and its inputs."""
    if not is_host(value) and not isinstance(value, bytes):
        return value, inputs
    given = given_program(value, tuple(inputs), {}, options, limits)
    return given.program, given.inputs or ()


def _flat(function: Callable[..., Any], inputs: Sequence[Any]) -> Callable[..., Any]:
    """A function of flat arrays that calls `function` with `inputs`, and gives its leaves."""

    def called(*_: Any) -> Any:
        import jax

        return tuple(jax.tree_util.tree_leaves(function(*inputs)))

    called.__name__ = called.__qualname__ = getattr(function, "__name__", "called")
    return called


def _given(
    program: Any, arguments: Sequence[Any], named: Mapping[str, Any], options: Options, limits: Limits
) -> GivenProgram:
    """The program; of a text the inputs are one list, which may be named so."""
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
    return given_program(program, tuple(inputs), rest, options, limits)


def _inputs_of(given: GivenProgram) -> Sequence[Any]:
    if given.inputs is None and given.host is not None and any(item.used for item in given.host.arguments):
        raise ProgramError(
            f"{given.name} is given without values for its arguments",
            hint="Give them behind it: hloscope.record(lowered, x, y).",
        )
    return given.inputs or ()
