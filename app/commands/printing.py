"""`hloscope print`: programs as text again, in their own language or in StableHLO."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from hloscope.engine.builder import BuilderError
from hloscope.engine.builder.conversion import stablehlo_module
from hloscope.engine.frontend import Loaded, load
from hloscope.engine.ir.module import Module
from hloscope.engine.limits import Limits
from hloscope.engine.ops import op_table
from hloscope.engine.syntax import NotHlo, print_hlo, print_module

from .outcome import is_well
from .reading import Chunk, Failure, read_chunks

WRONG = 1
LANGUAGES = ("hlo", "stablehlo", "generic")


def reprint(options: argparse.Namespace, limits: Limits) -> int:
    """Prints each program; `--as` names another language than its own. Programs that are wrong are not printed."""
    code = 0
    for number, chunk in enumerate(read_chunks(options.files, limits, split=options.split_input_file)):
        if chunk.is_blank:
            continue
        loaded = load(chunk.source, limits)
        if not is_well(loaded):
            code = WRONG
            print("\n".join(_complaints(chunk, loaded)))
            continue
        assert loaded.module
        print(
            f"{'// -----' if number else ''}{chr(10) if number else ''}{_text(loaded.module, options)}",
            end="",
        )
    return code


def _complaints(chunk: Chunk, loaded: Loaded) -> Iterator[str]:
    for found in loaded.diagnostics:
        yield found.located(chunk.source)


def _text(module: Module, options: argparse.Namespace) -> str:
    wanted = options.language or module.language
    try:
        if wanted == "hlo":
            return print_hlo(module)
        found = stablehlo_module(module) if module.language == "hlo" else module
        return print_module(found, op_table(), "generic" if wanted == "generic" else "short")
    except (BuilderError, NotHlo) as error:
        raise Failure(str(error), WRONG) from None
