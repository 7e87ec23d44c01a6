"""`hloscope maps`: the elements that each op reads, and the reverse, as formulas."""

import argparse
from dataclasses import replace

from hloscope.engine.frontend import load
from hloscope.engine.limits import Limits

from ..base.failure import Failure
from ..base.settings import Settings
from ..runs.chunks.map_sections import (
    DIRECTIONS,
    STYLE_OF,
    Section,
    WantedMaps,
    bound_entry,
    program_sections,
)
from ..runs.chunks.outcome import Outcome, is_well, outcome_of, print_outcomes, usage_outcome
from ..runs.chunks.reading import Chunk
from .options import add_programs, add_settings, find_style


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_programs(command)
    command.add_argument(
        "--op",
        metavar="%NAME",
        help="the op that computes this value: %%5 or 5, %%5#1 for one result, @f:%%5 in function f (default: all ops)",
    )
    command.add_argument(
        "--direction",
        choices=tuple(DIRECTIONS),
        default="output-to-input",
        help="map each result to the operand elements it reads, each operand to the result elements that read it, or both "
        "(default: %(default)s)",
    )
    command.add_argument(
        "--style",
        type=find_style,
        choices=tuple(STYLE_OF),
        default="xla",
        help="xla: exact maps on one line, as XLA's tools print them; xla-2024: one bound per line and one enclosing map per "
        "operand, as in XLA's document of 2024 (default: %(default)s)",
    )
    command.add_argument(
        "--compose",
        action="store_true",
        help="compose the maps from the results of the function, or of --op, to the function's arguments",
    )
    add_settings(command)


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Print the maps of each program's ops, or of the selected op.

    With `--json`, a line for each program as `outcome.Outcome.line` writes it, with the maps in `maps`.
    """
    limits = settings.limits()
    style = STYLE_OF[options.style]

    def map_chunk(chunk: Chunk) -> tuple[Outcome, list[str]]:
        outcome, sections = _of_chunk(chunk, options, limits)
        if options.json:
            found = [item for section in sections for item in section.json(style)]
            return replace(outcome, about={"style": options.style, "maps": found}), []
        text = "\n\n".join("\n".join(section.text(style)) for section in sections)
        return outcome, [text] if sections else []

    return print_outcomes(options, limits, map_chunk, divided=True)


def _of_chunk(chunk: Chunk, options: argparse.Namespace, limits: Limits) -> tuple[Outcome, list[Section]]:
    loaded = load(chunk.source, limits)
    program = loaded.program
    if not is_well(loaded) or program is None:
        return outcome_of(chunk, None, loaded.diagnostics), []
    try:
        sections = program_sections(
            program, WantedMaps(options.op, options.direction, options.style, options.compose, options.entry)
        )
    except Failure as problem:
        if not options.json:
            raise
        return usage_outcome(chunk, None, problem), []
    name = program.functions[bound_entry(program, options.entry)].function.name
    return outcome_of(chunk, name, loaded.diagnostics), sections
