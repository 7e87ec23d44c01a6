"""Dump the passes that XLA runs over a function."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from shutil import make_archive
from tempfile import TemporaryDirectory
from typing import Any

from hloscope.engine.errors import InputError
from hloscope.engine.limits import Limits

from ..passes.python_passes import Passes
from ..passes.read_modules import Request
from .capture import flags, without_cache
from .given_programs import Options, given_program, is_host


def dump_of(
    program: Any, arguments: Sequence[Any], named: Mapping[str, Any], options: Options, limits: Limits
) -> tuple[Passes, str]:
    """The passes over a function, and its name; `InputError` if XLA cannot compile it here.

    The function is compiled, and not run: stages are run later, on the values of its arguments.
    """
    if not is_host(program) or type(program).__name__ == "Compiled":
        raise InputError(
            "the passes are those that XLA runs over a function of JAX",
            hint="Give a function and its arguments, or what jax.jit(f).lower(…) gives.",
        )
    given = given_program(program, arguments, named, replace(options, stage="stablehlo"), limits)
    if given.host is None or not hasattr(given.host.source, "compile"):
        raise InputError("the passes are those that XLA runs over a function of JAX")
    folder = TemporaryDirectory(prefix="hloscope-passes-")
    with without_cache():
        given.host.source.compile(compiler_options=dict(flags(Path(folder.name))))
    request = Request(limits=limits, inputs=list(given.inputs) if given.inputs is not None else None)
    return Passes(folder.name, request, folder), given.name


@contextmanager
def packed(folder: Path) -> Iterator[Path]:
    """A folder as a zip archive, deleted after the block."""
    with TemporaryDirectory(prefix="hloscope-") as place:
        yield Path(make_archive(str(Path(place) / "dump"), "zip", folder))
