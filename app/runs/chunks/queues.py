"""Queues on the command line: items for infeed and host queues, and items that a run sends."""

import argparse
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.errors import Diagnostic, InputError
from hloscope.engine.inputs import InputSpec
from hloscope.engine.ir.module import Language
from hloscope.engine.limits import Limits
from hloscope.engine.ops.collectives.point_to_point import PointToPoint
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.process_grid.launch import QueueKey

from ..array_files.stored import array_spec
from ..launching import Feeds, of_process
from ..npz import read_arrays
from .input_options import spec_of
from .results import literal

_ITEM = re.compile(r"item_(\d{1,6})(?:_(\d{1,6}))?")
_OWN = re.compile(r"\s*(\d{1,9}\s*,\s*\d{1,9})\s*=(.*)", re.DOTALL)


def feeds_of(options: argparse.Namespace, grid: Grid, limits: Limits) -> Feeds:
    """The queue items of `--infeed` and `--host`. Raises `InputError` for invalid options."""
    found: dict[QueueKey, list[Sequence[InputSpec]]] = {}
    for value in options.infeed:
        own = _OWN.fullmatch(value)
        _, process = of_process(f"@{own[1]}", grid) if own else ("", None)
        found.setdefault(QueueKey("infeed", 0, process), []).extend(_items(own[2] if own else value, limits))
    for value in options.host_values:
        name, separator, text = value.partition("=")
        channel, process = of_process(name.strip(), grid)
        if not separator or not channel.isdecimal():
            raise InputError(f"--host takes CHANNEL=VALUE, with the number of a channel, not '{value:.200}'")
        found.setdefault(QueueKey("host", int(channel), process), []).extend(_items(text, limits))
    return found


def _items(text: str, limits: Limits) -> Iterator[Sequence[InputSpec]]:
    """One item, with values separated by semicolons; or all items of an .npz file."""
    if text.strip().endswith(".npz"):
        yield from _items_of_file(Path(text.strip()), limits)
    else:
        yield [spec_of(part, limits) for part in text.split(";")]


def _items_of_file(file: Path, limits: Limits) -> Iterator[Sequence[InputSpec]]:
    """`item_0`, …, with several values `item_0_0`, `item_0_1`; else one item per array, in order."""
    arrays = read_arrays(file, budget=limits.session_memory_bytes)
    named = {name: _ITEM.fullmatch(name) for name in arrays}
    if not all(named.values()):
        yield from ([array_spec(array)] for array in arrays.values())
        return
    places = {name: (int(found[1]), int(found[2] or 0)) for name, found in named.items() if found}
    items: dict[int, list[InputSpec]] = {}
    for name in sorted(places, key=lambda name: places[name]):
        items.setdefault(places[name][0], []).append(array_spec(arrays[name]))
    yield from items.values()


def missing_items(recording: Recording) -> Diagnostic:
    """Diagnostic for a wait on an empty queue, at the op, with the option that fills it."""
    process, key = next(iter(recording.awaited_queues.items()))
    track = recording.tracks[process]
    operation = recording.program.ops[track.op_of(track.step_count - 1)].operation
    option = "--infeed VALUE" if key.kind == "infeed" else f"--host {key.channel}=VALUE"
    hint = f"put an item into it with {option}, once for each time that it is taken from"
    return Diagnostic(recording.state.reason, operation.name_span, "run", operation.name, hint=hint)


# Output.


def output_lines(recording: Recording) -> Iterator[tuple[int, str]]:
    """Printed texts and sent queue items in tick order: the op's number and a text."""
    lines = [*_prints(recording), *_output_items(recording)]
    for _, _, _, op, text in sorted(lines):
        yield op, text


def _prints(recording: Recording) -> Iterator[tuple[int, int, int, int, str]]:
    for track in recording.tracks:
        who = f"{process_title(recording, track.number)}: " if len(recording.tracks) > 1 else ""
        for step, text in track.prints:
            yield track.tick_of(step), track.number, step, track.op_of(step), f"{who}{text}"


def _output_items(recording: Recording) -> Iterator[tuple[int, int, int, int, str]]:
    language = recording.program.module.language
    for key, record in recording.queues.items():
        if key.kind not in ("outfeed", "to_host"):
            continue
        where = "outfeed" if key.kind == "outfeed" else f"to the host on channel {key.channel}"
        for move in record.moves:
            op = recording.tracks[move.process].op_of(move.step)
            who = f"{process_title(recording, move.process)}: " if len(recording.tracks) > 1 else ""
            values = _literals(recording, op, move.values, language)
            yield move.tick, move.process, move.step, op, f"{who}{where}: {values}"


def _literals(recording: Recording, op: int, values: Sequence[object], language: Language) -> str:
    found = recording.program.ops[op].op
    types = found.payload if isinstance(found, PointToPoint) else ()
    return "; ".join(literal(value, type, language) for value, type in zip(values, types, strict=True))  # type: ignore[arg-type]


def process_title(recording: Recording, process: int) -> str:
    """`(0, 1)`; for a process of a nested grid, also the grid."""
    team = recording.launch_groups[recording.tracks[process].launch_group]
    replica, partition = team.process_of(process)
    inside = f" of grid {team.number}" if team.number else ""
    return f"({replica}, {partition}){inside}"
