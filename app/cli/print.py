"""`hloscope print`: print programs as text, in their own language or in StableHLO."""

import argparse

from hloscope.engine.frontend import load
from hloscope.engine.hlo_to_stablehlo import NotStablehlo, stablehlo_module
from hloscope.engine.ir.module import Module
from hloscope.engine.ops import op_table
from hloscope.engine.syntax import NotHlo, print_hlo, print_module

from ..base.failure import WRONG, Failure
from ..base.settings import Settings
from ..runs.chunks.outcome import Outcome, is_well, outcome_of, print_outcomes
from ..runs.chunks.reading import Chunk
from .options import LANGUAGES, add_files, add_settings


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_files(command)
    command.add_argument(
        "--as",
        dest="language",
        choices=LANGUAGES,
        help="language to print; generic is StableHLO in MLIR's generic form (default: the program's language)",
    )
    command.set_defaults(json=False)
    add_settings(command)


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Print each valid program; `--as` selects another language than its own."""
    limits = settings.limits()

    def print_chunk(chunk: Chunk) -> tuple[Outcome, list[str]]:
        loaded = load(chunk.source, limits)
        if not is_well(loaded) or loaded.module is None:
            return outcome_of(chunk, None, loaded.diagnostics), []
        return outcome_of(chunk, None, ()), [_text(loaded.module, options).removesuffix("\n")]

    return print_outcomes(options, limits, print_chunk, divided=True)


def _text(module: Module, options: argparse.Namespace) -> str:
    wanted = options.language or module.language
    try:
        if wanted == "hlo":
            return print_hlo(module)
        found = stablehlo_module(module) if module.language == "hlo" else module
        return print_module(found, op_table(), "generic" if wanted == "generic" else "short")
    except (NotHlo, NotStablehlo) as error:
        raise Failure(str(error), WRONG) from None
