"""Values of a run by name, as files of other runs contain them.

`%5` is the value of that name in the program, `%5[3]` that of its fourth execution, counted from 0, `%5@1,0`
that of process (1, 0). `helper:%5` belongs to a function other than the entry, if the language names values per
function. `in_0` are the inputs, `out_0` the results. The mark `%` is optional.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..debugger.address import Address
from ..debugger.recording import Recording
from ..ops.core.op import Array
from ..ops.core.values import is_tuple, leaves
from ..program import BoundProgram


@dataclass(frozen=True)
class Named:
    """A recorded value and its names, the canonical one first."""

    names: tuple[str, ...]
    address: Address


def named_values(recording: Recording) -> Iterator[Named]:
    """Yield the values of all steps in order, and the inputs of the entry function.

    Constants and empty values are left out. Elements of a tuple are named `%t.0`, `%t.1`, ….
    """
    for process in range(len(recording.tracks)):
        suffix = process_suffix(recording, process)
        yield from _inputs(recording, process, suffix)
        yield from _steps(recording, process, suffix)


def values_by_name(recording: Recording) -> dict[str, Array]:
    """The values of a run by canonical name, as `hloscope.save_run` writes them."""
    found = {}
    for named in named_values(recording):
        found[named.names[0]] = recording.value(named.address)
    for process, track in enumerate(recording.tracks[: recording.grid.num_processes]):
        parts = [leaf for value in track.results() or () for leaf in leaves(value)]
        found |= {
            f"out_{number}{process_suffix(recording, process)}": part for number, part in enumerate(parts)
        }
    return found


def process_suffix(recording: Recording, process: int) -> str:
    """Suffix of the names of a process's values; empty if there is one process."""
    if len(recording.tracks) == 1:
        return ""
    return "@" + recording.process_name(process).strip("()").replace(" ", "")


def _inputs(recording: Recording, process: int, suffix: str) -> Iterator[Named]:
    if not recording.tracks[process].frame_count:
        return
    block = recording.program.blocks[recording.tracks[process].block_of(0)]
    for number, value in enumerate(block.arguments):
        own = recording.program.values[value].name
        names = [f"in_{number}", own, own.removeprefix("%")]
        yield from _parts(recording, [name + suffix for name in names], Address(process, "f", 0, number))


def _steps(recording: Recording, process: int, suffix: str) -> Iterator[Named]:
    track, program = recording.tracks[process], recording.program
    ops = track.op_column
    totals = np.bincount(ops, minlength=len(program.ops))
    seen = np.zeros(len(program.ops), np.int64)
    for step, op in enumerate(ops.tolist()):
        bound = program.ops[op]
        count, seen[op] = int(seen[op]), seen[op] + 1
        if not bound.results or bound.op.traits.is_constant or track.finish_of(step) is None:
            continue
        for index, value in enumerate(bound.results):
            plain = value_name(program, bound.block, program.values[value].name)
            own = plain if totals[op] == 1 else f"{plain}[{count}]"
            names = [own, own.replace("%", "", 1), *([plain] if count == totals[op] - 1 else [])]
            address = Address(process, "s", step, index)
            yield from _parts(recording, [name + suffix for name in dict.fromkeys(names)], address)


def _parts(recording: Recording, names: list[str], address: Address) -> Iterator[Named]:
    value = recording.value(address)
    if not is_tuple(value):
        if value.size:
            yield Named(tuple(names), address)
        return
    for number in range(len(value)):
        inner = address._replace(path=(*address.path, number))
        yield from _parts(recording, [f"{name}.{number}" for name in names], inner)


def value_name(program: BoundProgram, block: int, name: str) -> str:
    """The name of a value of a block, with its function in MLIR unless that is the entry."""
    function = program.blocks[block].function
    entry = program.entry
    if program.module.language == "hlo" or (entry is not None and entry.function.name == function):
        return name
    return f"{function}:{name}"
