"""Resolve a name, a line, a source line, a scope or an op name to the ops it denotes."""

import re
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from pathlib import PurePath

import numpy as np

from hloscope.engine.argument_names import argument_names
from hloscope.engine.debugger.address import Address, argument, result
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.errors import InputError
from hloscope.engine.ir.locations import argument_name
from hloscope.engine.program import BoundOperation

from .values import RecordedStep, RecordedValue, scope_of

_SOURCE_LINE = re.compile(r"(.+\.py):(\d{1,9})")
_NAME = re.compile(r"(?:@(?P<function>[^:]+):)?%?(?P<name>[^#]+)(?:#(?P<number>\d{1,9}))?")


def steps_where(recording: Recording, wanted: Callable[[BoundOperation], bool]) -> tuple[RecordedStep, ...]:
    """The steps of all processes whose op is selected, in the order of each process."""
    ops = [bound.id for bound in recording.program.ops if wanted(bound)]
    return tuple(
        RecordedStep(recording, int(step), track.number)
        for track in recording.tracks
        for step in np.flatnonzero(np.isin(track.op_column, ops))
    )


def steps_of_source(recording: Recording, place: str) -> tuple[RecordedStep, ...]:
    """The steps of ops from a line of the user's code, `train.py:12`.

    A line that calls the code with the ops counts too. The end of its path is enough to name a file.
    """
    found = _SOURCE_LINE.fullmatch(place)
    if found is None:
        raise InputError(f"'{place:.200}' is not a line of a file", hint="Write train.py:12.")
    parts, line = PurePath(found[1]).parts, int(found[2])

    def comes_from(bound: BoundOperation) -> bool:
        location = bound.operation.location
        files = location.files() if location else ()
        return any(
            each.line <= line <= (each.end_line or each.line)
            and PurePath(each.file).parts[-len(parts) :] == parts
            for each in files
        )

    return steps_where(recording, comes_from)


def steps_in_scope(recording: Recording, scope: str) -> tuple[RecordedStep, ...]:
    """The steps within a framework scope, `head` or `jit(f)/head`, and within nested scopes."""
    wanted = scope.strip("/").split("/")

    def is_in(bound: BoundOperation) -> bool:
        parts = scope_of(bound).split("/")
        count = len(wanted)
        return any(parts[at : at + count] == wanted for at in range(len(parts) - count + 1))

    return steps_where(recording, is_in)


def values_named(recording: Recording, name: str) -> tuple[RecordedValue, ...]:
    """Every recorded value of a name, in order.

    A name is `%5`, `%5#1`, `@f:%5`, or an argument's tree path. `InputError` lists similar names.
    """
    found = _NAME.fullmatch(name)
    numbers = _numbers(recording, name) or (_numbers_of(recording, found) if found else ())
    if not numbers:
        known = sorted({value.name for value in recording.program.values})
        near = get_close_matches(name, known, 3, 0.5)
        told = f"did you mean {' or '.join(near)}?" if near else "the text has the names of its values"
        raise InputError(f"the program has no value {name:.200}", hint=told)
    return tuple(
        RecordedValue(recording, address) for number in numbers for address in _addresses(recording, number)
    )


def _numbers(recording: Recording, name: str) -> tuple[int, ...]:
    """The values with exactly that name, or arguments that have it on the page or in the user's code."""
    program, names = recording.program, (name, f"%{name}")
    exact = tuple(number for number, value in enumerate(program.values) if value.name in names)
    shown = tuple(number for number, own in program.derive(argument_names).items() if own in names)
    return exact or shown or _arguments(recording, name)


def _arguments(recording: Recording, name: str) -> tuple[int, ...]:
    entry = recording.program.blocks[recording.tracks[0].block_of(0)] if recording.frame_count else None
    if entry is None:
        return ()
    values = recording.program.values
    return tuple(number for number in entry.arguments if argument_name(values[number].location) == name)


def _numbers_of(recording: Recording, found: re.Match[str]) -> tuple[int, ...]:
    program = recording.program
    chosen, name, number = found["function"], found["name"], found["number"]

    def fits(bound: BoundOperation) -> bool:
        return chosen is None or program.blocks[bound.block].function == chosen

    spelled = {f"%{name}"} if number is None else {f"%{name}#{number}"}
    firsts = {f"%{name}#0"} if number is None else set()
    listed: list[int] = []
    for bound in program.ops:
        for value, given in zip(bound.results, bound.operation.results, strict=True):
            if fits(bound) and given.name in spelled | firsts:
                listed.append(value)
    return tuple(listed)


def _addresses(recording: Recording, value: int) -> Iterator[Address]:
    """The addresses at which a value of the program was recorded."""
    made = recording.program.makers[value]
    for track in recording.tracks:
        if made.op is None:
            frames = np.flatnonzero(track.frame_block == made.block)
            yield from (argument(int(frame), made.index, track.number) for frame in frames)
            continue
        for step in np.flatnonzero(track.op_column == made.op):
            if track.finish_of(int(step)) is not None:
                yield result(int(step), made.index, track.number)


def address_in(text: str) -> Address | None:
    """The address that a text spells, such as that of a cause; `None` if it is a name."""
    try:
        return Address.parse(text)
    except ValueError:
        return None


def step_at(recording: Recording, place: Address | int | str) -> int:
    """The step of process 0 at a number, a value's address, a name, or a line of Python."""
    if isinstance(place, Address):
        return place.number if place.kind == "s" else recording.tracks[place.process].start_of(place.number)
    if isinstance(place, int):
        if not 0 <= place <= recording.tracks[0].step_count:
            raise InputError(f"there is no step {place}: the run has {recording.tracks[0].step_count:,}")
        return place
    if (address := address_in(place)) is not None:
        return step_at(recording, address)
    if _SOURCE_LINE.fullmatch(place):
        steps = steps_of_source(recording, place)
        if not steps:
            raise InputError(f"no op of the run comes from {place:.200}")
        return steps[0].number
    found = values_named(recording, place)
    if not found:
        raise InputError(f"{place:.200} was not computed in this run")
    return step_at(recording, found[-1].address)


def path_of(recording: Recording, step: int) -> list[tuple[int, int]]:
    """The frames around a step, outermost first: the op that opened each, and its iteration.

    The page stores its position in the same form.
    """
    track = recording.tracks[0]
    if step >= track.step_count:
        return []
    path = []
    frame: int | None = track.frame_of(step)
    while frame is not None and (opener := track.opener_of(frame)) is not None:
        path.append((track.op_of(opener), track.iteration_of(frame)))
        frame = track.parent_of(frame)
    return path[::-1]
