"""`hloscope lesson check`: all errors of a lesson, and its reading time."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hloscope.engine.ops import op_table

from ..base.assets import folder
from ..base.settings import Settings
from ..reference.documents import document
from ..wire.lessons import LessonInfo
from .changes import check_exercise
from .choices import check_choices
from .format import LessonErrors
from .leaks import find_leaks
from .markdown import count_words, references
from .resolve import resolve
from .runs import Bounds, shared_runs
from .sources import original_of, parse_source, read_source, translations_of
from .tree import Ask, Change, Lesson, LessonError, Look

WORDS_A_MINUTE = 200
ASK_SECONDS, CHANGE_SECONDS = 30, 90
SHORTEST, LONGEST = 0.7, 2.2
"""Allowed ratio of `minutes` to the reading time: exercises take longer than reading."""
_ANCHOR = re.compile(r'\bid="([^"]+)"')


@dataclass(frozen=True)
class Counts:
    """The contents of a lesson, and its reading time in minutes."""

    steps: int
    questions: int
    exercises: int
    minutes: float


@dataclass
class Report:
    """The report on one file."""

    file: str
    lesson: Lesson | None = None
    info: LessonInfo | None = None
    errors: list[LessonError] = field(default_factory=list)
    warnings: list[LessonError] = field(default_factory=list)
    counts: Counts | None = None


def count(lesson: Lesson) -> Counts:
    """Count the contents of a lesson: words are those of texts, asides, questions and options."""
    words = questions = exercises = 0
    for block in lesson.blocks:
        if isinstance(block, Look):
            continue
        words += count_words(block.source)
        if isinstance(block, Ask):
            questions += 1
            words += sum(count_words(option.text) for option in block.replies.options)
        exercises += isinstance(block, Change)
    minutes = words / WORDS_A_MINUTE + (questions * ASK_SECONDS + exercises * CHANGE_SECONDS) / 60
    return Counts(len(lesson.steps), questions, exercises, minutes)


def check_files(path: Path, settings: Settings, known: Collection[str] | None = None) -> list[Report]:
    """Check a lesson and its translations, or one translation; `known` lessons may be linked to."""
    original = original_of(path)
    folder = (original or path).absolute().parent
    names = known if known is not None else {other.stem for other in folder.glob("*.md")}
    if original is not None:
        return [check_file(path, settings, names)]
    with (
        shared_runs()
    ):  # a translation has the programs of its original, and exercises those of the questions
        return [check_file(each, settings, names) for each in (path, *translations_of(path))]


def check_file(path: Path, settings: Settings, known: Collection[str]) -> Report:
    """Check one file."""
    report = Report(_shown(path))
    try:
        source = read_source(path, report.file)
        lesson = report.lesson = parse_source(source)
        if source["original"] is not None:
            original = parse_source({**source, "text": source["original"], "original": None})
            report.errors += differences(original, lesson)
        report.counts = count(lesson)
        report.errors += _texts(lesson, known)
        report.warnings += _warnings(lesson, report.counts)
        resolved = resolve(lesson, Bounds.of_lesson(settings), source["languages"])
    except LessonErrors as errors:
        report.errors += errors.found
        return report
    except (OSError, UnicodeDecodeError) as error:
        report.errors.append(LessonError(1, f"hloscope cannot read the file: {error}"))
        return report
    report.info = resolved.info
    report.warnings += find_leaks(lesson, resolved)
    if source["original"] is None:  # a translation has the exercises of its original
        report.errors += _exercises(lesson, Bounds.of_trial(settings))
    return report


def _shown(path: Path) -> str:
    absolute, here = path.absolute(), Path.cwd()
    return str(absolute.relative_to(here)) if absolute.is_relative_to(here) else str(path)


def _exercises(lesson: Lesson, bounds: Bounds) -> Iterator[LessonError]:
    for block in lesson.blocks:
        if isinstance(block, Change):
            try:
                program = lesson.programs[block.program]
                check_exercise(program, block, bounds)
                check_choices(program, block, bounds)
            except LessonError as error:
                yield error


def _warnings(lesson: Lesson, counts: Counts) -> Iterator[LessonError]:
    stated, line = lesson.front.minutes, lesson.front.lines.get("minutes", 1)
    if not SHORTEST * counts.minutes <= stated <= LONGEST * counts.minutes + 1:
        yield LessonError(line, f"`minutes` is {stated}, but the lesson takes about {counts.minutes:.0f}")
    for block in lesson.blocks:
        if isinstance(block, Ask):
            if block.kind != "choice" and not block.replies.right:
                yield LessonError(block.line, "the right answer has no explanation", "Write `- right: …`.")
            yield from _silent_options(block)
            if block.kind != "choice" and not block.replies.hints:
                yield LessonError(block.line, "the question has no hint", "Write `- hint: …`.")
        if isinstance(block, Change) and not block.replies.hints:
            yield LessonError(block.line, "the exercise has no hint", "Write `- hint: …`.")


def _silent_options(ask: Ask) -> Iterator[LessonError]:
    for option in ask.replies.options:
        if not option.says:
            yield LessonError(option.line, "this option has no explanation", "Write `text | explanation`.")


# Links and pictures.


def _texts(lesson: Lesson, known: Collection[str]) -> Iterator[LessonError]:
    for line, text in lesson.texts():
        for found in references(text, line):
            said = _image_problem(lesson, found.target, found.text) if found.is_image else None
            said = said if found.is_image else link_problem(found.target, known)
            if said:
                yield LessonError(found.line, said)
    front = lesson.front
    for name in front.needs:
        if name not in known:
            yield LessonError(
                front.lines.get("needs", 1), f"`needs` names the lesson `{name}`, which does not exist"
            )
    for block in lesson.blocks:
        if isinstance(block, Look) and block.playground is not None:
            op = block.playground.partition("#")[0]
            if not _is_op(op):
                yield LessonError(block.line, f"there is no playground of `{op}`")


def _image_problem(lesson: Lesson, target: str, text: str) -> str | None:
    if not text.strip():
        return f"the picture `{target}` has no description for readers who cannot see it: write `![description]({target})`"
    if "//" in target:
        return f"the picture `{target}` is on another server and is left out: save it beside the lesson and name its file"
    if target not in lesson.images and not target.startswith("/static/"):
        return (
            f"there is no picture `{target}` beside the lesson (.svg, .png, .jpg or .webp, at most 200 KiB)"
        )
    return None


def link_problem(target: str, known: Collection[str]) -> str | None:
    """The reason why a link is broken; links to other sites are not followed."""
    path, _, anchor = target.partition("#")
    path = path.partition("?")[0]
    if target.startswith(("https://", "http://", "mailto:")):
        return None
    for start, exists in _PAGES.items():
        if path.startswith(start):
            name = path.removeprefix(start)
            return None if exists(name, anchor) else f"the link `{target}` leads nowhere"
    if path.startswith("/lessons/"):
        name = path.removeprefix("/lessons/")
        return None if name in known else f"the link `{target}` leads nowhere: there is no lesson `{name}`"
    if path == "/help":
        is_there = not anchor or anchor in _ANCHOR.findall(
            (folder("templates") / "help_content.html").read_text()
        )
        return None if is_there else f"the link `{target}` leads nowhere: /help has no `{anchor}`"
    if path in ("/", "/ops", "/playground", "/lessons", "/open"):
        return None
    return f"the link `{target}` is not a page of hloscope: write /help/…, /ops/…, /lessons/… or https://…"


def _is_document(name: str, anchor: str) -> bool:
    found = document(name)
    anchors = {heading.anchor for heading in found.headings} if found else set()
    return found is not None and (not anchor or anchor in anchors)


def _is_op(name: str) -> bool:
    return name in op_table() or f"stablehlo.{name}" in op_table()


_PAGES: dict[str, Callable[[str, str], bool]] = {
    "/help/": _is_document,
    "/ops/": lambda name, _: _is_op(name),
    "/playground/": lambda name, _: _is_op(name),
}


# Translations.


def differences(original: Lesson, translation: Lesson) -> list[LessonError]:
    """Differences between a translation and its original besides words."""
    found: list[LessonError] = []
    ids = [step.id for step in original.steps]
    others = [step.id for step in translation.steps]
    if ids != others:
        line = next(
            (
                step.line
                for step, id in zip(translation.steps, [*ids, *others], strict=False)
                if step.id != id
            ),
            translation.steps[-1].line,
        )
        told = f"the steps are {', '.join(others)}, but in the original {', '.join(ids)}"
        return [LessonError(line, told, "A translation needs the same ids in the same order.")]
    pairs = [(original.intro, translation.intro, 1)]
    pairs += [
        (one.blocks, other.blocks, other.line)
        for one, other in zip(original.steps, translation.steps, strict=True)
    ]
    for mine, theirs, line in pairs:
        found += _block_differences([_shape(block) for block in mine if _is_asked(block)], theirs, line)
    return found


def _is_asked(block: object) -> bool:
    return isinstance(block, Look | Ask | Change)


def _block_differences(
    wanted: Sequence[tuple[object, ...]], blocks: Sequence[object], line: int
) -> Iterator[LessonError]:
    given = [block for block in blocks if isinstance(block, Look | Ask | Change)]
    for block, shape in zip(given, wanted, strict=False):
        if _shape(block) != shape:
            said = "this differs from the original beyond its text"
            yield LessonError(
                block.line, said, "Keep directives, their attributes and expressions unchanged."
            )
            return
    if len(given) != len(wanted):
        yield LessonError(
            given[-1].line if given else line,
            f"the original has {len(wanted)} directives here, but the translation {len(given)}",
        )


def _shape(block: object) -> tuple[object, ...]:
    """The parts of a block that a translation preserves."""
    if isinstance(block, Look):
        return (
            "look",
            block.program,
            block.at,
            block.process,
            block.tab,
            block.value,
            block.element,
            block.playground,
        )
    if isinstance(block, Ask):
        replies = block.replies
        wrong = [(each.value, each.quoted) for each in replies.wrong]
        options = [option.expression for option in replies.options]
        return (
            "ask", block.kind, block.program, block.at, block.process, block.of, block.inside, block.when,
            block.digits, wrong, options, len(replies.hints), bool(replies.right),
        )  # fmt: skip
    assert isinstance(block, Change)
    replies = block.replies
    choices = [(choice.text, choice.variants) for choice in block.choices]
    return "change", block.program, block.passes, block.solution, block.process, len(replies.hints), choices
