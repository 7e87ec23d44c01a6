"""`hloscope print`: programs as text again, in their own language or in StableHLO."""

from __future__ import annotations

import argparse

from hloscope.engine.builder import BuilderError
from hloscope.engine.builder.conversion import stablehlo_module
from hloscope.engine.frontend import load
from hloscope.engine.ir.module import Module
from hloscope.engine.limits import Limits
from hloscope.engine.ops import op_table
from hloscope.engine.syntax import NotHlo, print_hlo, print_module

from .outcome import WRONG, Outcome, exit_code, is_well, outcome_of, run_guarded
from .reading import Chunk, Failure, read_chunks


def reprint(options: argparse.Namespace, limits: Limits) -> int:
    """Prints each program; `--as` names another language than its own. Programs that are wrong are not printed."""

    def print_chunk(chunk: Chunk) -> tuple[Outcome, list[str]]:
        loaded = load(chunk.source, limits)
        if not is_well(loaded) or loaded.module is None:
            return outcome_of(chunk, None, loaded.diagnostics), []
        return outcome_of(chunk, None, ()), [_text(loaded.module, options)]

    outcomes = []
    for number, chunk in enumerate(read_chunks(options.files, limits, split=options.split_input_file)):
        if chunk.is_blank:
            continue
        outcome, texts = run_guarded(chunk, print_chunk)
        outcomes.append(outcome)
        for complaint in outcome.complaints():
            print(complaint)
        for text in texts:
            divider = "// -----\n" if number else ""
            print(f"{divider}{text}", end="", flush=True)
    return exit_code(outcomes)


def _text(module: Module, options: argparse.Namespace) -> str:
    wanted = options.language or module.language
    try:
        if wanted == "hlo":
            return print_hlo(module)
        found = stablehlo_module(module) if module.language == "hlo" else module
        return print_module(found, op_table(), "generic" if wanted == "generic" else "short")
    except (BuilderError, NotHlo) as error:
        raise Failure(str(error), WRONG) from None
