"""Resolve a lesson with the recordings of its programs: positions, answers, values, HTML.

resolve(lesson, bounds)     the page's data and the inputs of its runs; `LessonErrors` with all errors
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.run_location import RunLocation

from ..wire.lessons import ChangeBlock, LessonBlock, LessonInfo, LessonStep, LookBlock, NoteBlock, TextBlock
from .choices import lines_with
from .format import LessonErrors
from .labels import labels_of
from .places import seen_from, track_of, words_of
from .questions import resolve_question
from .resolver import Resolver
from .runs import Bounds, Recorded, record
from .tree import Ask, At, Block, Change, Lesson, LessonError, Look, Text

HLO = "hlo"


@dataclass(frozen=True)
class Resolved:
    """A lesson for the page, and the runs of its session in order."""

    info: LessonInfo
    runs: Sequence[Recorded]


def resolve(lesson: Lesson, bounds: Bounds, languages: Sequence[str] = ()) -> Resolved:
    """Resolve a lesson with its recordings; `LessonErrors`."""
    resolver = Resolver(lesson, {key: record(program, bounds) for key, program in lesson.programs.items()})
    _check_programs(resolver)
    intro = _blocks(resolver, lesson.intro, "")
    steps: list[LessonStep] = [
        {"id": step.id, "title": step.title, "blocks": _blocks(resolver, step.blocks, step.id)}
        for step in lesson.steps
    ]
    if resolver.errors:
        raise LessonErrors(sorted(resolver.errors, key=lambda error: error.line))
    _hide_beyond([intro, *(step["blocks"] for step in steps)])
    front = lesson.front
    info: LessonInfo = {
        "name": lesson.name,
        "title": front.title,
        "summary": front.summary,
        "language": front.language,
        "languages": list(languages or [front.language]),
        "minutes": front.minutes,
        "version": version_of(lesson),
        "session": "",
        "programs": [key for key, found in resolver.runs.items() if found.recording is not None],
        "intro": intro,
        "steps": steps,
    }
    if labels := labels_of(front.language):
        info["labels"] = labels
    return Resolved(info, [found for found in resolver.runs.values() if found.recording is not None])


def _hide_beyond(pages: Iterable[Sequence[LessonBlock]]) -> None:
    """Leave values that a step shows, or asks about, to the steps before and after it."""
    seen: set[tuple[int, str]] = set()
    for blocks in pages:
        here = set(shown_values(blocks))
        for block in blocks:
            for hidden in block["hides"] if block["kind"] == "ask" else ():
                value = hidden["run"], hidden["address"]
                hidden["beyond"] = value not in seen
                here.add(value)
        seen |= here


def shown_values(blocks: Iterable[LessonBlock]) -> Iterator[tuple[int, str]]:
    """The run and address of each value that a step shows."""
    for block in blocks:
        place = block["place"] if block["kind"] == "look" else None
        if place is not None and place["address"] is not None:
            yield place["run"], place["address"]


def version_of(lesson: Lesson) -> str:
    """A hash of the questions and their subjects, without the wording: the key of progress."""
    programs = [
        [each.key, each.text, list(each.inputs), each.grid, each.entry] for each in lesson.programs.values()
    ]
    asked = [[step.id, [_asked(block) for block in step.blocks]] for step in lesson.steps]
    text = json.dumps([programs, asked], separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _asked(block: Block) -> list[str | int | None]:
    """The questions of a block, without the wording."""
    if isinstance(block, Ask):
        options = [option.expression for option in block.replies.options]
        return [block.kind, block.program, str(block.at), block.of, block.inside, block.when, *options]
    if isinstance(block, Change):
        return ["change", block.program, block.passes]
    return []


def _check_programs(resolver: Resolver) -> None:
    """Verify that each program is used, and that no two are the same run."""
    used = {block.program for block in resolver.lesson.blocks}
    seen: dict[tuple[str, str], str] = {}
    for key, found in resolver.runs.items():
        line = found.program.line
        if key not in used:
            resolver.errors.append(
                LessonError(line, f"nothing is about the program `{key}`", "Leave it out.")
            )
        if found.recording is None:
            resolver.guard(lambda key=key, line=line: _check_exercise_only(resolver, key, line))  # type: ignore[misc]
            continue
        what = found.text, json.dumps([found.inputs, found.grid, found.entry])
        if what in seen:
            same = f"the programs `{seen[what]}` and `{key}` are the same run"
            resolver.errors.append(LessonError(line, same, "Leave one out."))
        seen[what] = key


def _check_exercise_only(resolver: Resolver, key: str, line: int) -> None:
    """Verify that only exercises use a program that does not run, in texts without values."""
    blocks = resolver.lesson.blocks
    if not any(isinstance(block, Change) and block.program == key for block in blocks):
        resolver.recorded(key, line)


def _blocks(resolver: Resolver, blocks: Iterable[Block], step: str) -> list[LessonBlock]:
    found: list[LessonBlock] = []
    asked = 0
    for block in blocks:
        if isinstance(block, Ask):
            asked += 1
        made = resolver.guard(
            lambda block=block, asked=asked: _block(
                resolver, block, f"{step}.{asked}" if step else f"{asked}", step
            )  # type: ignore[misc]
        )
        if made is not None:
            found.append(made)
    return found


def _block(resolver: Resolver, block: Block, id: str, step: str) -> LessonBlock:
    match block:
        case Text():
            return _text(resolver, block)
        case Look():
            return _look(resolver, block)
        case Ask():
            return resolve_question(resolver, block, id)
        case Change():
            return _change(resolver, block, step)


def _text(resolver: Resolver, block: Text) -> TextBlock | NoteBlock:
    html = resolver.html(block.source, block.line, block.program)
    return {"kind": "note", "html": html} if block.note else {"kind": "text", "html": html}


def _look(resolver: Resolver, look: Look) -> LookBlock:
    if look.playground is not None:
        page = f"/playground/{look.playground.removeprefix('stablehlo.')}"
        label = look.label or f"Playground: {look.playground.partition('#')[0].removeprefix('stablehlo.')}"
        return {"kind": "look", "label": label, "place": None, "playground": page}
    at = look.at or (At("value", look.value) if look.value else At("start"))
    place = resolver.place(look.program, at, look.process, look.line)
    address: Address | None = None
    if look.value is not None:
        address = seen_from(place, look.value, look.line)
        if look.element is not None:
            resolver.check_element(place, address, look.element, look.line)
    _check_tab(look, place)
    label = look.label or words_of(place, at, look.value, resolver.lesson.front.language)
    wire = resolver.wire_place(look.program, place, look.tab, address, look.element)
    return {"kind": "look", "label": label, "place": wire, "playground": None}


def _check_tab(look: Look, place: RunLocation) -> None:
    """Verify that the program has the contents of a tab."""
    recording = place.recording
    if look.tab == "grid" and len(recording.tracks) == 1:
        raise LessonError(
            look.line, "the run has one process, so there is no tab `grid`", "Write grid: 1x2 at the top."
        )
    if look.tab == "op" and place.at_end:
        raise LessonError(look.line, "at the end there is no op for the tab `op`", 'Write at="before %2".')


def _change(resolver: Resolver, change: Change, step: str) -> ChangeBlock:
    found = resolver.runs[change.program]
    if not step:
        raise LessonError(change.line, "an exercise stands in a step", "Write `## Title {#id}` before it.")
    place = None
    if found.recording is not None:
        track_of(found.recording, change.process, change.line)
        start = RunLocation(found.recording, change.process, 0)
        place = resolver.wire_place(change.program, start, "tensor", None, None)
    # Texts of an exercise describe the original program, unless it does not run.
    program = change.program

    def html(text: str, inline: bool = True) -> str:
        return resolver.html(text, change.line, program, inline=inline)

    is_mlir = found.recording is None or found.recording.program.module.language != HLO
    return {
        "kind": "change",
        "id": step,
        "html": html(change.source, inline=False),
        "run": place and place["run"],
        "place": place,
        "name": found.program.file.rpartition("/")[2],
        "text": found.text,
        "entry": found.program.entry,
        "inputs": found.inputs,
        "grid": found.grid,
        "syntax": "mlir" if is_mlir and not found.program.file.endswith((".hlo", ".txt")) else "hlo",
        "passes": change.passes,
        "choices": [
            {"lines": lines_with(found.text, choice.text), "variants": [choice.text, *choice.variants]}
            for choice in change.choices
        ],
        "hints": [html(hint) for hint in change.replies.hints],
        "right_html": html(change.replies.right) if change.replies.right else "",
    }
