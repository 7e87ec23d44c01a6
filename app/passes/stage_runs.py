"""Run the texts of one module: each distinct text once, on the same inputs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import nan
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import numpy as np

from hloscope.engine.errors import InputError
from hloscope.engine.limits import Limits
from hloscope.engine.passes.protocol_buffers import WireError
from hloscope.engine.passes.snapshots import Snapshot, read_snapshot

from ..processes.arrays import Array, pack, unpack_all
from ..processes.framing import Buffer
from ..runs.npz import read_arrays
from ..runs.python_values import LOOSE
from .elided import StageConstants
from .pool import Pool, Reply, Task, number_of
from .read_modules import ReadModule, Request

_CARRYING = (
    "04.output_module.mlir",
    "03.after_minimal_partitioner_with_global_shapes.mlir",
    "02.after_propagation.mlir",
)
"""Texts of Shardy with the shardings of results."""
_MOST_CARRIERS = 6


@dataclass(frozen=True)
class StageTexts:
    """The distinct texts of a module, and what each needs to run."""

    keys: tuple[str, ...]
    """In the order of the first stage of each."""
    places: Mapping[str, int]
    """The first stage of each text."""
    read: ReadModule = field(repr=False)
    constants: Sequence[StageConstants] = field(repr=False)
    """For each stage, the arrays of constants that its text leaves out."""
    limits: Limits
    shardings: Mapping[str, Any] = field(default_factory=dict)

    def task(self, kind: str, keys: Sequence[str], **fields: Any) -> Task:
        """A task on texts, by their keys."""
        places = [self.places[key] for key in keys]
        packed = [pack(list(self.constants[at].arrays.values())) for at in places]
        buffers: list[Buffer] = [self.read.texts[at].encode() for at in places]
        buffers += [data for _, data in packed]
        stated = {
            "names": [self.read.module.stages[at].path for at in places],
            "constants": [list(self.constants[at].arrays) for at in places],
            "described": [described for described, _ in packed],
            "shardings": dict(self.shardings),
            "limits": self.limits.describe(),
            "platform": self.read.module.platform,
        }
        return Task(kind, stated | fields, buffers)


@dataclass(frozen=True)
class Ran:
    """The outcome of a text's run."""

    results: tuple[Array, ...] = ()
    """The result leaves, whole."""
    names: tuple[str, ...] = ()
    """Their names in the text."""
    partitioned: bool = False
    processes: int = 1
    problem: str = ""
    """The reason why there are none; empty if there are."""
    kind: str = ""
    hint: str = ""
    seconds: float = 0.0


def texts_of(read: ReadModule, constants: Sequence[StageConstants], limits: Limits) -> StageTexts:
    """The distinct texts of a module."""
    places: dict[str, int] = {}
    for at, key in enumerate(read.keys):
        places.setdefault(key, at)
    return StageTexts(tuple(places), places, read, constants, limits)


# Shardings


def read_shardings(pool: Pool, texts: StageTexts) -> dict[str, Any]:
    """The shardings that all texts of a partitioned module state together; none otherwise."""
    carriers = sharding_carriers(texts)
    if not carriers:
        return {}
    names = [name for name, _ in carriers]
    task = Task(
        "shardings",
        {"names": names, "limits": texts.limits.describe()},
        [text.encode() for _, text in carriers],
    )
    (_, reply), *_ = pool.run([task])
    return {} if reply.problem else {name: reply.message[name] for name in ("arguments", "results")}


def sharding_carriers(texts: StageTexts) -> list[tuple[str, str]]:
    """The names and texts that state shardings of a partitioned module; none of another module."""
    if not any(table and "num_partitions=" in table.header for table in texts.read.tables):
        return []
    return [*_stating_roots(texts), *_shardy_texts(texts.read)][:_MOST_CARRIERS]


def _stating_roots(texts: StageTexts) -> Iterator[tuple[str, str]]:
    """The texts with shardings of results, latest first; then the first texts of all."""
    read = texts.read
    later, first = [], []
    for key in texts.keys:
        at = texts.places[key]
        table = read.tables[at]
        if table is None or at == 0 or not read.module.stages[at].pipeline:
            first.append(at)
        elif "sharding=" in _root_sharding(at, read):
            later.append(at)
    for at in [*later[::-1], *first]:
        yield read.module.stages[at].path, read.texts[at]


def _root_sharding(at: int, read: ReadModule) -> str:
    table = read.tables[at]
    root = table.roots.get(table.entry) if table else None
    return table.instructions[root].written.sharding if table and root else ""


def _shardy_texts(read: ReadModule) -> Iterator[tuple[str, str]]:
    for wanted in _CARRYING:
        for file in read.module.attachments:
            if file.path.removesuffix(".gz").endswith(wanted):
                yield file.path, read.dump.text(file.path)


# Inputs


@dataclass(frozen=True)
class MadeInputs:
    """The inputs of all stages."""

    arrays: tuple[Array, ...]
    """The argument leaves, whole."""
    origin: str
    """Their source: `seed 0`, a file, a snapshot."""
    types: tuple[str, ...]


def make_inputs(pool: Pool, texts: StageTexts, request: Request) -> MadeInputs:
    """The inputs of all texts, made for the first readable one; `InputError` if none fits."""
    given, origin = _given(texts.read, request)
    names = list(given)
    loose = [name for name, value in _values(request.inputs) if isinstance(value, LOOSE)]
    described, data = pack(list(given.values()))
    problems = []
    for key in texts.keys:
        task = texts.task("inputs", [key], given=names, loose=loose, arrays=described, seed=request.seed)
        task = Task(task.kind, task.fields, [*task.buffers, data])
        (_, reply), *_ = pool.run([task])
        if not (problem := _problem(reply)):
            arrays = unpack_all(reply.message["arrays"], reply.buffers[0])
            pool.keep("inputs", {"arrays": reply.message["arrays"]}, [reply.buffers[0]])
            return MadeInputs(tuple(arrays), origin, tuple(reply.message["types"]))
        problems.append(problem)
        if reply.message.get("kind") == "input" and given:
            raise InputError(problem, hint=reply.message.get("hint") or None)
    return MadeInputs((), problems[0] if problems else "", ())


def _problem(reply: Reply) -> str:
    return reply.problem or str(reply.message.get("problem", ""))


def _given(read: ReadModule, request: Request) -> tuple[dict[str, Array], str]:
    """The supplied arrays by name, and their source."""
    found = request.inputs
    if isinstance(found, str | Path):
        return dict(read_arrays(Path(found), budget=request.limits.session_memory_bytes)), str(found)
    if found is not None:
        return {name: np.asarray(value) for name, value in _values(found)}, "given"
    recorded = _recorded(read, request.limits)
    return recorded if recorded is not None else ({}, f"seed {request.seed}")


def _values(given: Any) -> list[tuple[str, Any]]:
    """The arrays that Python code supplied, by name; none for a file."""
    if isinstance(given, Mapping):
        return [(str(name), value) for name, value in given.items()]
    if given is None or isinstance(given, str | Path):
        return []
    return [(f"in_{number}", value) for number, value in enumerate(given)]


def _recorded(read: ReadModule, limits: Limits) -> tuple[dict[str, Array], str] | None:
    """The arguments of the first execution with a snapshot in the dump, or saved by `capture`."""
    for file in read.module.attachments:
        if file.content == "arguments":
            return _saved_arguments(read.dump.bytes(file.path), limits), file.path
        if file.content not in ("snapshot", "unoptimized_snapshot") or file.path.endswith(".txt"):
            continue
        try:
            found = read_snapshot(read.dump.bytes(file.path), file.content == "unoptimized_snapshot")
        except WireError:
            continue
        if _is_whole(read, found):
            return {f"in_{number}": array for number, array in enumerate(found.arguments[0])}, file.path
    return None


def _saved_arguments(data: bytes, limits: Limits) -> dict[str, Array]:
    with NamedTemporaryFile(suffix=".npz") as file:
        file.write(data)
        file.flush()
        return dict(read_arrays(Path(file.name), budget=limits.session_memory_bytes))


def _is_whole(read: ReadModule, found: Snapshot) -> bool:
    """Whether its arguments belong to the whole program, not to one process."""
    partitioned = any(table and "num_partitions=" in table.header for table in read.tables)
    return not partitioned and len(found.arguments) == 1 and bool(found.arguments[0])


# Runs


def run_texts(pool: Pool, texts: StageTexts) -> Iterator[tuple[str, Ran]]:
    """The key and outcome of each distinct text, as they complete. Equal arrays are shared."""
    known: dict[tuple[str, tuple[int, ...], bytes], Array] = {}
    for number, reply in pool.run([texts.task("run", [key]) for key in texts.keys]):
        yield texts.keys[number], _ran(reply, known)


Witnesses = tuple[list[float], list[float]]
"""How far the results of two texts are apart in more digits, and how far each of these moves by rounding."""


@dataclass(frozen=True)
class Reference:
    """The results of the first text that ran, those of its randomly rounded runs, and witnesses of all texts."""

    results: tuple[Array, ...]
    runs: Sequence[Sequence[Array]]
    """The results of each run; empty if one did not end in time."""
    coarsest: float = 0.0
    """Unit roundoff of the coarsest type of the text."""
    witnesses: Callable[[Sequence[str], Sequence[str]], Witnesses] | None = None
    """A function of the keys of two texts, and the types of their results."""

    def sides(self, number: int) -> list[tuple[Array, list[Array]]]:
        """A result, and its values in the runs."""
        return [(self.results[number], [run[number] for run in self.runs])]


def read_noise(pool: Pool, texts: StageTexts, ran: Mapping[str, Ran]) -> Reference:
    """The noise of rounding in the results of the first text that ran, where results differ at all."""
    reference = next((key for key in texts.keys if not ran[key].problem), None)
    results = [ran[key].results for key in texts.keys if not ran[key].problem]
    if reference is None or all(_same(results[0], found) for found in results):
        return Reference((), ())
    (_, reply), *_ = pool.run([texts.task("noise", [reference])])
    arrays = [] if _problem(reply) else unpack_all(reply.message["results"], reply.buffers[0])
    count = len(results[0])
    runs = [arrays[at : at + count] for at in range(0, len(arrays), count)] if count else []
    return Reference(results[0], runs, reply.message.get("coarsest", 0.0), partial(_witnesses, pool, texts))


def _witnesses(pool: Pool, texts: StageTexts, keys: Sequence[str], dtypes: Sequence[str]) -> Witnesses:
    (_, reply), *_ = pool.run([texts.task("witness", keys, dtypes=list(dtypes))])
    if _problem(reply):
        return [nan] * len(dtypes), []
    apart, spreads = ([*map(number_of, reply.message[name])] for name in ("apart", "spreads"))
    return apart, spreads


def _same(one: Sequence[Array], other: Sequence[Array]) -> bool:
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))


def _ran(reply: Reply, known: dict[tuple[str, tuple[int, ...], bytes], Array]) -> Ran:
    message = reply.message
    if problem := _problem(reply):
        return Ran(problem=problem, kind=message.get("kind", "died"), hint=message.get("hint", ""))
    arrays = unpack_all(message["results"], reply.buffers[0])
    shared = tuple(known.setdefault(_identity(array), array) for array in arrays)
    return Ran(
        shared,
        tuple(message["names"]),
        message["partitioned"],
        message["processes"],
        seconds=message["seconds"],
    )


def _identity(array: Array) -> tuple[str, tuple[int, ...], bytes]:
    from hashlib import blake2b

    return array.dtype.name, array.shape, blake2b(array.tobytes(), digest_size=16).digest()
