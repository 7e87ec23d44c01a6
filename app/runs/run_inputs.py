"""The inputs of a run as rows: the arguments of its function, then the results of code outside the program.

Outside results have two additional specifications: the default `{"kind": "stop"}` stops the run there, and
`{"kind": "skip"}` continues after an op without results.

The first lines of a program's text may state its title, description and inputs. They are comments of the program, like
any other; `hloscope run` uses the stated inputs where the user gives none.

    // title: Softmax
    // description: One line on what to look at.
    // inputs: normal*3; dense<[1, 2]>

`inputs` has one entry for each argument, separated by semicolons, as `InputSpec.parse` reads them; arguments
beyond them get the default. On a grid an entry may be `apart normal`, drawn from another seed in each process, or
`each 1 | 2 | [3, 4]`, a value for each process.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any, cast

import numpy as np

from hloscope.engine.errors import InputError
from hloscope.engine.inputs import InputSpec as ValueSource
from hloscope.engine.inputs import make_input
from hloscope.engine.ir.module import Language
from hloscope.engine.ir.types import TensorType, Type
from hloscope.engine.limits import Limits
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.outside_results import Bindings, Executions, OutsideResult, bindings_of, outside_results
from hloscope.engine.process_grid.launch import QueueKey
from hloscope.engine.program import BoundFunction, BoundProgram
from hloscope.engine.sharded_runs.sharded_inputs import Boundary

from ..present.input_specs import input_spec, input_spec_json
from ..present.program import location_text
from ..present.types import input_type
from ..wire.input_files import files_in
from ..wire.program import Wanted, WholeType
from ..wire.sessions import Argument, DroppedInput, Feed, GeneratedSpec, InputSpec, OutsideSpec, ValueSpec
from .array_files.stored import array_spec
from .launching import ArgumentSource, parse_queue
from .npz import naming_file, read_arrays

DEFAULT_SPEC: GeneratedSpec = {"kind": "normal", "seed": 0}
STOP: OutsideSpec = {"kind": "stop"}
SKIP: OutsideSpec = {"kind": "skip"}
OF_EXECUTIONS = ".executions"
"""Suffix of an array with one value per execution of an outside result."""
Files = Mapping[str, Mapping[str, Array]]
"""The arrays of files, by file name and array name."""


@dataclass(frozen=True)
class RunInput:
    """An argument, named without `%`, or an outside result, named as in the text."""

    name: str
    type: Type | None
    location: str | None = None
    outside: OutsideResult | None = None
    language: Language = "stablehlo"
    whole: Type | None = None
    """The whole type of a sharded argument; `type` is that of a part."""

    def to_json(self) -> Wanted:
        """The row as JSON for the page, without its input."""
        typed, made = input_type(self.type, self.language), self.outside
        found: Wanted = {"name": self.name, "type": typed["type"], "location": self.location}
        if "literal" in typed:
            found["literal"] = typed["literal"]
        if made is None:
            found["shape"], found["whole"] = _shape(self.type), self._whole_type()
        else:
            found["outside"] = {"op": made.op, "maker": made.maker, "line": made.line}
        return found

    def _whole_type(self) -> WholeType | None:
        if self.whole is None:
            return None
        return {**input_type(self.whole, self.language), "shape": _shape(self.whole)}


def _shape(type: Type | None) -> list[int | None] | None:
    return list(type.shape) if isinstance(type, TensorType) else None


def run_inputs(program: BoundProgram, function: BoundFunction, grid: Grid) -> tuple[RunInput, ...]:
    """The inputs of a run of `function`."""
    language = program.module.language
    wholes = Boundary(program, function, grid).whole_types
    arguments = [
        RunInput(
            value.name.removeprefix("%"), value.type, location_text(value.location), language=language,
            whole=None if whole == value.type else whole,
        )
        for value, whole in zip(function.function.arguments, wholes, strict=True)
    ]  # fmt: skip
    outside = [
        RunInput(item.name, item.type, outside=item, language=language)
        for item in outside_results(program, function)
    ]
    return (*arguments, *outside)


# Specification of each row.


def choose_specs(
    rows: Sequence[RunInput],
    inputs: Sequence[InputSpec | None],
    previous: Sequence[Argument],
    stated: Sequence[InputSpec],
    grid: Grid,
) -> tuple[list[InputSpec], list[DroppedInput]]:
    """A specification for each row, and those of the previous run that no longer fit.

    Stated inputs come first, then those of the run before, then those of the program's own lines.
    """
    if len(inputs) > len(rows):
        given = "1 input is" if len(inputs) == 1 else f"{len(inputs)} inputs are"
        raise InputError(f"{given} given, but the run takes {len(rows)}")
    specs: list[InputSpec | None] = [*inputs, *[None] * (len(rows) - len(inputs))]
    dropped: list[DroppedInput] = []
    for number, old in _rows_before(rows, previous):
        if reason := _misfit_reason(None if number is None else rows[number], old, grid):
            dropped.append({"name": old["name"], "reason": reason})
        elif number is not None and specs[number] is None:
            specs[number] = old["input"]
    ends = [*(_of_grid(spec, grid) for spec in stated), *[DEFAULT_SPEC] * len(rows)]
    spare: list[InputSpec] = [STOP if row.outside else ends[number] for number, row in enumerate(rows)]
    return [spec or spare[number] for number, spec in enumerate(specs)], dropped


def _of_grid(spec: InputSpec, grid: Grid) -> InputSpec:
    """The program's specification, unless it is for another number of processes."""
    fits = spec["kind"] != "each" or len(spec["specs"]) == grid.num_processes
    return spec if fits else DEFAULT_SPEC


def _rows_before(
    rows: Sequence[RunInput], previous: Sequence[Argument]
) -> Iterator[tuple[int | None, Argument]]:
    """Each row of the previous run with the current row at its place, counted separately for arguments and outside results."""
    for outside in (False, True):
        places = [number for number, row in enumerate(rows) if bool(row.outside) == outside]
        olds = [old for old in previous if ("outside" in old) == outside]
        for at, old in enumerate(olds):
            if old["input"] != STOP:
                yield (places[at] if at < len(places) else None), old


def _misfit_reason(row: RunInput | None, old: Argument, grid: Grid) -> str | None:
    if row is None:
        return f"The program no longer has this {'result' if 'outside' in old else 'argument'}."
    new, made = row.to_json(), old.get("outside")
    before = made["maker"] if made else None
    if new["type"] != old["type"]:
        return f"Its type was {old['type']} and is now {new['type']}."
    if row.outside is None and new.get("whole") != old.get("whole"):
        return "The shape of the whole tensor has changed."
    spec = old["input"]
    if spec["kind"] == "each" and len(spec["specs"]) != grid.num_processes:
        return f"It was given for {len(spec['specs'])} processes; the grid is now {grid}."
    if row.outside and row.outside.maker != before:
        return f"It was made by {before}, which {row.outside.maker} has replaced."
    return None


# Values of each row.


def input_values(
    program: BoundProgram, rows: Sequence[RunInput], specs: Sequence[InputSpec], files: Files, limits: Limits
) -> tuple[list[ArgumentSource], Bindings]:
    """The sources of the arguments, and the values of outside results."""
    inputs: list[ArgumentSource] = []
    given: dict[OutsideResult, Array | Executions | None] = {}
    for number, (row, spec) in enumerate(zip(rows, specs, strict=True)):
        if row.outside is None:
            inputs.append(_argument(spec, files))
        elif spec != STOP:
            given[row.outside] = _result(row.outside, spec, number, files, limits)
    return inputs, bindings_of(program, [row.outside for row in rows if row.outside], given)


def given_json(given: ArgumentSource) -> InputSpec:
    """The source of an argument from its specification as sent and stored."""
    specs: list[ValueSpec] = [input_spec_json(spec) for spec in given.specs]
    match given.way:
        case "one":
            return specs[0]
        case "each":
            return {"kind": "each", "specs": specs}
        case "same":
            return {"kind": "same", "base": specs[0]}
        case "apart":
            return {"kind": "apart", "base": cast(GeneratedSpec, specs[0])}


def _argument(spec: InputSpec, files: Files) -> ArgumentSource:
    if spec["kind"] == "each":
        return ArgumentSource("each", tuple(_value_source(item, files) for item in spec["specs"]))
    if spec["kind"] == "apart" or spec["kind"] == "same":
        return ArgumentSource(spec["kind"], (_value_source(spec["base"], files),))
    return ArgumentSource.one(_value_source(spec, files))


def _result(
    result: OutsideResult, spec: InputSpec, number: int, files: Files, limits: Limits
) -> Array | Executions | None:
    if (spec == SKIP) != (result.type is None):
        told = "is a value: only what gives nothing is skipped" if result.type else "gives nothing to choose"
        raise InputError(f"{result} {told}", result.span)
    if result.type is None:
        return None
    if spec["kind"] == "same" or spec["kind"] == "each" or spec["kind"] == "apart":
        raise InputError(f"{result} is the same in every process", result.span)
    if spec["kind"] == "file" and spec["array"].endswith(OF_EXECUTIONS):
        return _executions(result, result.type, files[spec["file"]][spec["array"]], number, limits)
    return make_input(_value_source(spec, files), result.type, number, limits=limits, what=str(result))


def _executions(result: OutsideResult, type: Type, values: Array, number: int, limits: Limits) -> Executions:
    """A value for each execution, along the first dimension."""
    if not values.ndim:
        raise InputError(f"{result} is given one number, and not one for each execution", result.span)
    made = [
        make_input(ValueSource("array", array=value), type, number, limits=limits, what=str(result))
        for value in values
    ]
    if not made:
        raise InputError(f"{result} is given for no execution", result.span)
    return Executions(np.stack(made))


def feeds_of(feeds: Sequence[Feed], files: Files) -> dict[QueueKey, list[list[ValueSource]]]:
    """The queue items, with those of the same queue joined in order."""
    found: dict[QueueKey, list[list[ValueSource]]] = {}
    for feed in feeds:
        key = parse_queue(feed["queue"], feed.get("process"))
        items = [[_value_source(spec, files) for spec in item] for item in feed["items"]]
        found.setdefault(key, []).extend(items)
    return found


def _value_source(spec: ValueSpec, files: Files) -> ValueSource:
    if spec["kind"] == "file":
        return array_spec(files[spec["file"]][spec["array"]])
    return input_spec(spec)


def read_files(specs: Any, limits: Limits) -> dict[str, dict[str, Array]]:
    """The needed arrays of each file in the specifications; each file is read once."""
    wanted: dict[str, set[str]] = {}
    paths = {}
    for spec in files_in(specs):
        if not spec.get("path"):
            raise InputError("the file of an input no longer exists", hint="Upload it again.")
        wanted.setdefault(spec["file"], set()).add(spec["array"])
        paths[spec["file"]] = Path(spec["path"])
    budget = limits.session_memory_bytes
    found = {}
    for file, names in wanted.items():
        with naming_file("the uploaded file", paths[file]):
            found[file] = read_arrays(paths[file], sorted(names), budget)
    return found


_FIELDS = ("title", "description", "inputs")
_LINE = re.compile(rf"// ({'|'.join(_FIELDS)}): (.+)")
HEADER_CHARACTERS = 4096
"""Maximum length of the header: the lines must end within it."""


def read_header(text: str) -> dict[str, str]:
    """The stated fields by name, of those lines at the top of `text` that state one."""
    lines = text[:HEADER_CHARACTERS].split("\n")[: len(_FIELDS)]
    matches = takewhile(bool, map(_LINE.fullmatch, lines))
    return {match[1]: match[2].strip() for match in matches if match}


def stated_inputs(text: str) -> tuple[ArgumentSource, ...]:
    """The inputs that the header of `text` states, which may be fewer than the program's arguments."""
    return tuple(
        ArgumentSource.parse(part) for part in read_header(text).get("inputs", "").split(";") if part.strip()
    )
