"""An exercise without a server: the outcome of each combination of its choices, computed when the lesson is exported."""

from collections.abc import Iterator
from itertools import product
from math import prod

from ..wire.lessons import ChangeResult
from .changes import check_change, judge_program
from .runs import Bounds
from .tree import Change, Choice, Lesson, LessonError, Program

MOST_COMBINATIONS = 64
"""Maximum number of programs that the choices of an exercise make."""


def chosen_programs(text: str, choices: tuple[Choice, ...]) -> Iterator[str]:
    """The program of each combination; the variants of the last choice vary fastest, the original comes first."""
    for variants in product(*([choice.text, *choice.variants] for choice in choices)):
        found = text
        for choice, variant in zip(choices, variants, strict=True):
            found = found.replace(choice.text, variant)
        yield found


def choice_results(program: Program, change: Change, bounds: Bounds) -> list[ChangeResult]:
    """The server's answer to each combination, in the order of `chosen_programs`."""
    texts = chosen_programs(program.text, change.choices)
    return [judge_program(program, text, change, bounds) for text in texts]


def results_of_choices(lesson: Lesson, bounds: Bounds) -> dict[str, list[ChangeResult]]:
    """The results of each exercise with choices, by the id of its step."""
    changes = [(step.id, step.change) for step in lesson.steps]
    return {
        id: choice_results(lesson.programs[change.program], change, bounds)
        for id, change in changes
        if change is not None and change.choices
    }


def lines_with(text: str, part: str) -> list[int]:
    """The numbers of the lines on which a part of a program begins."""
    lengths = [len(piece) for piece in text.split(part)[:-1]]
    starts = [sum(lengths[: at + 1]) + at * len(part) for at in range(len(lengths))]
    return [text.count("\n", 0, start) + 1 for start in starts]


def check_choices(program: Program, change: Change, bounds: Bounds) -> None:
    """Verify that the choices of an exercise are parts of its program, and that some combination passes.

    Raises `LessonError`.
    """
    for choice in change.choices:
        _check_choice(program, choice)
    count = prod(1 + len(choice.variants) for choice in change.choices)
    if count > MOST_COMBINATIONS:
        said = f"the choices make {count} programs; an exercise can have {MOST_COMBINATIONS}"
        raise LessonError(change.choices[0].line, said, "Leave out a choice or variants.")
    _check_independent(program, change)
    texts = chosen_programs(program.text, change.choices)
    if change.choices and not any(check_change(program, text, change, bounds)["passed"] for text in texts):
        said = "none of the programs that the choices make passes"
        raise LessonError(change.choices[0].line, said, "Offer the parts of a solution as variants.")


def _check_choice(program: Program, choice: Choice) -> None:
    if choice.text not in program.text:
        said = f"the program `{program.file}` has no text `{choice.text:.60}`"
        raise LessonError(choice.line, said, "Copy a part of the program, with its blanks.")
    everything = [choice.text, *choice.variants]
    if twice := next((text for text in everything if everything.count(text) > 1), None):
        raise LessonError(choice.line, f"the variant `{twice:.60}` occurs twice")


def _check_independent(program: Program, change: Change) -> None:
    """Verify that no choice changes what another one replaces."""
    counts = [program.text.count(choice.text) for choice in change.choices]
    for at, choice in enumerate(change.choices):
        for text in chosen_programs(program.text, change.choices[:at]):
            if text.count(choice.text) != counts[at]:
                said = f"an earlier choice changes where `{choice.text:.60}` stands"
                raise LessonError(
                    choice.line, said, "Make the texts of the choices longer, or list this one first."
                )
