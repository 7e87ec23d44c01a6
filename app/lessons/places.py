"""Resolve the positions in a lesson to positions of recordings."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.debugger.run_location import RunLocation, values_by_name
from hloscope.engine.debugger.stepping import Outline, over
from hloscope.engine.debugger.track import Track

from .attributes import nearest
from .tree import At, LessonError

END = At("end")


@dataclass(frozen=True)
class _Found:
    """A candidate position, with a step or frame that determines its iteration."""

    position: int
    frame: int


def place_of(recording: Recording, at: At, process: int, line: int) -> RunLocation:
    """The position of `at`; `LessonError` if the run has none."""
    track = track_of(recording, process, line)
    if at.kind in ("start", "end"):
        return RunLocation(recording, process, 0 if at.kind == "start" else track.step_count)
    found = list(_candidates(recording, track, at, line))
    if not found:
        what = f"line {at.line}" if at.kind == "line" else at.value
        said = "no op on it is executed" if at.kind == "line" else "it is never made"
        raise LessonError(line, f'at="{at}": the run does not come to {what}: {said}')
    if at.iteration is not None:
        kept = [each for each in found if _iteration(track, each.frame) == at.iteration]
        if not kept:
            known = sorted({_iteration(track, each.frame) for each in found})
            raise LessonError(
                line,
                f'at="{at}" has no iteration {at.iteration}',
                f"It is there in the iterations {known[0]} to {known[-1]}, counted from 0.",
            )
        found = kept
    number = at.occurrence or 1
    if number > len(found):
        times = "once" if len(found) == 1 else f"{len(found)} times"
        raise LessonError(line, f'at="{at}" has no occurrence {number}: it is there {times}')
    return RunLocation(recording, process, found[number - 1].position)


def track_of(recording: Recording, process: int, line: int) -> Track:
    """The track of a process; `LessonError` if there is none."""
    if process >= len(recording.tracks):
        many = len(recording.tracks)
        raise LessonError(line, f"there is no process {process}: the run has {many}, counted from 0")
    return recording.tracks[process]


def numbers_of(recording: Recording, name: str, line: int) -> list[int]:
    """The numbers of the program's values with a name; `LessonError` if there is none."""
    known = recording.program.derive(values_by_name)
    plain = name.removeprefix("%").replace('"', "")
    if plain in known:
        return list(known[plain])
    if f"{plain}#0" in known:
        raise LessonError(line, f"{name} is several values", f"Write {name}#0 for the first of them.")
    raise LessonError(line, f"the program has no value {name}", nearest(name, [f"%{each}" for each in known]))


def _candidates(recording: Recording, track: Track, at: At, line: int) -> Iterator[_Found]:
    program, outline = recording.program, Outline.of(recording, track.number)
    if at.kind == "line":
        on_line = [bound.id for bound in program.ops if program.line_of(bound.id) == at.line]
        if not on_line:
            lines = sorted({program.line_of(bound.id) for bound in program.ops})
            near = min(lines, key=lambda each: abs(each - at.line))
            raise LessonError(line, f"no op starts on line {at.line}", f"One starts on line {near}.")
        steps = np.flatnonzero(np.isin(track.op_column, on_line)).tolist()
        yield from (_Found(step, track.frame_of(step)) for step in steps)
        return
    numbers = numbers_of(recording, at.value, line)
    makers = [program.makers[number] for number in numbers]
    blocks = [maker.block for maker in makers if maker.op is None]
    for frame in np.flatnonzero(np.isin(track.frame_block, blocks)).tolist() if blocks else ():
        yield _Found(track.start_of(frame), frame)
    ops = [maker.op for maker in makers if maker.op is not None]
    for step in np.flatnonzero(np.isin(track.op_column, ops)).tolist() if ops else ():
        if at.kind == "before":
            yield _Found(step, track.frame_of(step))
        elif track.finish_of(step) is not None:
            yield _Found(over(outline, step), track.frame_of(step))


def _iteration(track: Track, frame: int) -> int:
    """The iteration of the innermost loop around a frame, or else of the frame."""
    openers = track.frame_opener
    at: int | None = frame
    while at is not None:
        opener = track.opener_of(at)
        if opener is not None and np.count_nonzero(openers == opener) > 1:
            return track.iteration_of(at)
        at = track.parent_of(at)
    return track.iteration_of(frame)


def seen_from(place: RunLocation, name: str, line: int) -> Address:
    """The address of a name at a position; `LessonError` if it is not available there."""
    numbers_of(place.recording, name, line)
    found = place.find(name.removeprefix("%").replace('"', ""))
    if found is None:
        hint = f'Say where it is: at="{name}".'
        raise LessonError(line, f"{name} cannot be seen there: it is not made yet, or in another frame", hint)
    return found


def words_of(place: RunLocation, at: At | None, value: str | None, language: str = "en") -> str:
    """A position in a few words, for a button: `%2, line 7`."""
    start, end, end_of, before, line = PLACES.get(language.partition("-")[0], PLACES["en"])
    match at.kind if at else "":
        case "start":
            return start
        case "end":
            return end_of.format(value) if value else end
        case "before":
            return f"{before} {at.value if at else ''}, {line} {place.line}"
        case "line":
            return f"{line} {place.line}"
    shown = value or (at.value if at else "")
    made = (_made_on(place, shown) if shown else None) or place.line
    return f"{shown}, {line} {made}" if shown else f"{line} {made}"


PLACES = {
    "en": ("the start", "the end", "the end: {}", "before", "line"),
    "de": ("Anfang", "Ende", "Ende: {}", "vor", "Zeile"),
    "fr": ("le début", "la fin", "la fin : {}", "avant", "ligne"),
}
"""The start, the end, a value at the end, before a value, and a line, in each language of the panel."""


def _made_on(place: RunLocation, name: str) -> int | None:
    """The line on which a value is defined."""
    found = place.find(name.removeprefix("%"))
    if found is None or found.kind != "s":
        return None
    return place.recording.program.line_of(place.recording.tracks[found.process].op_of(found.number))
