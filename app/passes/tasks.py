"""Tasks of separate processes: make inputs, read shardings, run a stage, find the culprit.

A task is a frame: its description, texts and then arrays. The answer is JSON and the bytes of arrays.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from math import isnan
from time import perf_counter
from typing import Any

import numpy as np

from hloscope.engine.comparison.judge import Judge
from hloscope.engine.comparison.random_rounding import RUNS, Noise, coarsest_unit
from hloscope.engine.comparison.widening import between, exact_results, wider_spreads
from hloscope.engine.errors import InputError, LimitError, ProgramError
from hloscope.engine.inputs import InputSpec, make_input
from hloscope.engine.ir.types import TensorType, leaf_types
from hloscope.engine.limits import MEBIBYTE, Limits
from hloscope.engine.open_sizes import size_arguments
from hloscope.engine.ops.core.devices import device_of
from hloscope.engine.outside_results import outside_results
from hloscope.engine.passes.carried_shardings import CarriedShardings
from hloscope.engine.passes.instructions import read_instructions
from hloscope.engine.passes.text_changes import compare_texts
from hloscope.engine.sharding.notation.tilings import Tiling

from ..base.blas import share_products
from ..processes.arrays import Array, pack, unpack_all
from ..processes.framing import Buffer, Frame
from ..runs.generated_sizes import with_sizes
from ..runs.npz import arguments_of, match
from .culprit import Executed, Search
from .original_values import differing_values
from .pool import Pool, Reply, Task, number_json
from .stage_program import (
    SignatureError,
    StageProgram,
    finish,
    leaves_of,
    load_stage,
    shardings_in,
    start,
    with_room,
)

Answer = tuple[dict[str, Any], Sequence[Buffer]]
INPUTS = "inputs"
"""The name of the first stage's argument leaves."""
KEPT_BYTES = 16 * MEBIBYTE
"""Maximum bytes of values that a run keeps, if only its results are read."""


def preload() -> None:
    """Load all modules that tasks need, before the first fork."""
    text = "HloModule m\n\nENTRY %m (x: f32[2]) -> f32[2] {\n  ROOT %x = f32[2]{0} parameter(0)\n}\n"
    share_products(1)
    stage = load_stage(text, "m", Limits(), CarriedShardings())
    finish(stage, start(stage, [np.zeros(2, np.float32)], {}, Limits()))


def perform(task: Frame, kept: Mapping[str, Frame]) -> Answer:
    """Perform a task. An invalid program is an answer: `problem`, its `kind` and `hint`."""
    begin = perf_counter()
    try:
        message, buffers = TASKS[task.message["kind"]](_Job(task, kept))
    except ProgramError as error:
        message, buffers = {"problem": error.message, "kind": _kind(error), "hint": error.hint or ""}, ()
    return {**message, "seconds": perf_counter() - begin}, buffers


def _kind(error: ProgramError) -> str:
    if isinstance(error, SignatureError):
        return "signature"
    return "limit" if isinstance(error, LimitError) else error.kind


class _Job:
    """A task and its resources."""

    def __init__(self, task: Frame, kept: Mapping[str, Frame]) -> None:
        self.fields: dict[str, Any] = task.message["fields"]
        self.buffers = task.buffers
        self._kept = kept
        self.limits = Limits(**self.fields["limits"])
        # A text states what its products round, and hloscope computes both texts: no device does.
        self.device = replace(device_of(self.fields.get("platform", "")), products={})

    def text(self, number: int = 0) -> str:
        """One of the task's texts."""
        return bytes(self.buffers[number]).decode()

    def stage(self, number: int = 0) -> StageProgram:
        """The program of one of its texts."""
        name = self.fields["names"][number]
        return load_stage(self.text(number), name, self.limits, self.carried)

    @property
    def carried(self) -> CarriedShardings:
        """The shardings from other texts."""
        found = self.fields.get("shardings") or {"arguments": [], "results": []}
        return CarriedShardings(
            tuple(map(_read_tiling, found["arguments"])), tuple(map(_read_tiling, found["results"]))
        )

    def constants(self, number: int = 0) -> dict[str, Array]:
        """The arrays of constants that a text leaves out."""
        names = self.fields["constants"][number]
        described = self.fields["described"][number]
        arrays = unpack_all(described, self.buffers[len(self.fields["names"]) + number]) if names else []
        return dict(zip(names, arrays, strict=True))

    @property
    def inputs(self) -> list[Array]:
        """The leaves of the first stage's arguments."""
        frame = self._kept[INPUTS]
        return unpack_all(frame.message["arrays"], frame.buffers[0])


# Inputs


def _make_inputs(job: _Job) -> Answer:
    """The leaves of a stage's whole arguments: supplied by name, else made from the seed."""
    stage = job.stage()
    names: list[str] = job.fields["given"]
    arrays = unpack_all(job.fields["arrays"], job.buffers[-1])
    given = dict(zip(names, arrays, strict=True))
    found = [leaf for value in _values(stage, given, job) for leaf in leaves_of(value)]
    described, data = pack(found)
    return {"arrays": described, "types": [str(kind) for kind in stage.argument_types]}, [data]


def _values(stage: StageProgram, given: Mapping[str, Array], job: _Job) -> list[Array]:
    function = stage.function.function
    arguments = arguments_of(function)
    named = match(arguments, list(given))
    missing = [argument for argument in arguments if argument.is_given and argument.number not in named]
    if given and missing:
        has = ", ".join(given)
        raise InputError(
            f"there is no array for argument {missing[0].number} ({missing[0].name}: {missing[0].type}) among {has}",
            hint=f"Name it in_{missing[0].number}, or give one array for each of the {len(arguments)} arguments in order.",
        )
    sizes = size_arguments(stage.program, stage.function)
    values = []
    for number, kind in enumerate(stage.argument_types):
        name = named.get(number)
        array = None if name is None else given[name]
        exact = name not in job.fields["loose"]
        spec = (
            InputSpec("array", array=array, exact=exact) if name else InputSpec("normal", job.fields["seed"])
        )
        stated = with_sizes(spec, kind, sizes.get(number)) if name is None else spec
        values.append(make_input(stated, kind, number, function.arguments[number].name, job.limits))
    return values


def _rows(job: _Job) -> Answer:
    """The inputs of a stage's run, in order.

    Arguments with their numbers of leaves, then the constants that the text leaves out.
    """
    stage = job.stage()
    types = [value.type for value in stage.function.function.arguments]
    arguments = [{"leaves": sum(isinstance(leaf, TensorType) for leaf in leaf_types(kind))} for kind in types]
    outside = outside_results(stage.program, stage.function)
    return {"rows": [*arguments, *({"constant": found.name.removeprefix("%")} for found in outside)]}, ()


# Shardings


def _read_shardings(job: _Job) -> Answer:
    """The shardings of arguments and results that the texts of a module state together."""
    texts = [(name, job.text(number)) for number, name in enumerate(job.fields["names"])]
    found = shardings_in(texts, job.limits)
    return {
        "arguments": [tiling and asdict(tiling) for tiling in found.arguments],
        "results": [tiling and asdict(tiling) for tiling in found.results],
    }, ()


def _read_tiling(stated: Mapping[str, Any] | None) -> Tiling | None:
    if stated is None:
        return None
    devices = stated["devices"]
    return Tiling(
        tuple(stated["tiles"]),
        None if devices is None else tuple(devices),
        stated["terms"],
        stated["is_manual"],
    )


# Runs


def _run(job: _Job) -> Answer:
    """The results of a stage, leaf by leaf."""
    stage = job.stage()
    recording = start(stage, job.inputs, job.constants(), with_room(job.limits, KEPT_BYTES))
    results = finish(stage, recording)
    described, data = pack(results)
    return {
        "results": described,
        "names": list(stage.result_names),
        "steps": recording.step_count,
        "processes": stage.grid.num_processes,
        "partitioned": stage.is_partitioned,
    }, [data]


def _noise(job: _Job) -> Answer:
    """The results of a stage in randomly rounded runs, run after run; none if one does not end."""
    stage = job.stage()
    recording = start(stage, job.inputs, job.constants(), job.limits)
    finish(stage, recording)
    runs = Noise(recording, job.device).runs
    arrays = [leaf for run in runs for leaf in finish(stage, run)] if len(runs) == RUNS else []
    described, data = pack(arrays)
    return {"results": described, "coarsest": coarsest_unit(stage.program)}, [data]


def _witness(job: _Job) -> Answer:
    """How far the results of two stages are apart in more digits, and how far each of these moves by rounding."""
    runs = []
    for number in range(2):
        stage = job.stage(number)
        runs.append(start(stage, job.inputs, job.constants(number), job.limits))
        finish(stage, runs[-1])
    before, after = (exact_results(run, job.limits) for run in runs)
    apart = between(before, after, job.fields["dtypes"])
    known = [] if all(map(isnan, apart)) else wider_spreads(runs, (before, after), job.limits)
    return {"apart": [*map(number_json, apart)], "spreads": [*map(number_json, known)]}, ()


# The culprit instruction


def _executed(job: _Job, number: int) -> Executed:
    """A run of one of the task's texts, with all values."""
    recording = start(job.stage(number), job.inputs, job.constants(number), job.limits)
    recording.record()
    return Executed.of(recording, read_instructions(job.text(number)))


def _locate(job: _Job) -> Answer:
    """The instruction of the second text that made the numbered results differ from the first's."""
    runs = [_executed(job, number) for number in range(2)]
    changes = compare_texts(runs[0].text, runs[1].text)
    search = Search(runs[0], runs[1], changes, Judge(runs[0].recording, device=job.device))
    found = search.find(job.fields["results"])
    if found is None:
        return {"culprit": None}, ()
    difference = found.difference
    worst = {
        "after": found.after.rpartition("/")[2],
        "before": found.before.rpartition("/")[2],
        "kind": difference.kind,
        "index": list(difference.index or ()),
        "values": [number_json(value) for value in (difference.before, difference.after)],
        "ulps": number_json(difference.ulps),
        "process": found.process if len(runs[1].recording.tracks) > 1 else None,
    }
    return {"culprit": worst}, ()


def _original_values(job: _Job) -> Answer:
    """The instructions of the second text whose value differs from that of their pair in the first."""
    runs = [_executed(job, number) for number in range(2)]
    found = differing_values(
        runs[0], runs[1], job.fields["pairs"], Judge(runs[0].recording, device=job.device)
    )
    return {"differing": list(found)}, ()


TASKS: Mapping[str, Callable[[_Job], Answer]] = {
    "inputs": _make_inputs,
    "rows": _rows,
    "shardings": _read_shardings,
    "run": _run,
    "noise": _noise,
    "witness": _witness,
    "locate": _locate,
    "original_values": _original_values,
}
"""The handler of each kind of task."""


class LocalPool(Pool):
    """Perform tasks in this process: faster than a fork for each, but a task that crashes ends the caller too."""

    def __init__(self) -> None:
        super().__init__(1)
        self._kept: dict[str, Frame] = {}

    def keep(self, name: str, message: Mapping[str, Any], buffers: Sequence[Buffer]) -> None:
        self._kept[name] = Frame({**message}, tuple(buffers))

    def run(self, given: Sequence[Task]) -> Iterator[tuple[int, Reply]]:
        for number, task in enumerate(given):
            frame = Frame({"kind": task.kind, "fields": dict(task.fields)}, tuple(task.buffers))
            yield number, Reply(*perform(frame, self._kept))
