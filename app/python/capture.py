"""Capture the programs that XLA dumps while JAX compiles, without environment flags, and the passes over a function."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from shutil import make_archive
from tempfile import TemporaryDirectory
from typing import Any

from hloscope.engine.errors import InputError
from hloscope.engine.limits import Limits

from ..passes.python_passes import Passes
from ..passes.read_modules import Request
from ..present.npy import as_plain
from ..runs.value_files import write_values
from ..xla.failures import INSTALL
from .given_programs import Options, given_program, is_host
from .hosts.jax_adapter import extra_xla_flags, watched_executions
from .hosts.leaves import value_of


def flags(folder: Path) -> list[tuple[str, str | bool]]:
    """XLA options of one compilation that dump every change, with constants and arguments."""
    return [
        ("xla_dump_to", str(folder)),
        ("xla_dump_hlo_as_text", True),
        ("xla_dump_hlo_pass_re", ".*"),
        ("xla_dump_large_constants", True),
        ("xla_dump_hlo_snapshots", True),
    ]


@contextmanager
def capture_passes(request: Request, folder: str | Path | None = None) -> Iterator[Passes]:
    """Dump all that JAX compiles within the block, into `folder` or a temporary folder.

    Compiled functions are compiled again: the caches of JAX are cleared before the block, and again after it,
    because functions compiled within it would continue to dump. `InputError` if JAX is not installed, or if
    nothing was compiled.
    """
    try:
        jax = import_module("jax")
    except ImportError:
        raise InputError("hloscope.capture needs JAX", hint=f"Type `{INSTALL}`.") from None
    temporary = TemporaryDirectory(prefix="hloscope-passes-") if folder is None else None
    place = Path(temporary.name if temporary else str(folder))
    place.mkdir(parents=True, exist_ok=True)
    found = Passes(place, request, temporary)
    found._is_open = True
    jax.clear_caches()
    try:
        with (
            without_cache(),
            extra_xla_flags(flags(place)),
            watched_executions(partial(_save_arguments, place)),
        ):
            yield found
    finally:
        jax.clear_caches()
        found._is_open = False
    if not any(place.iterdir()):
        raise InputError(
            "nothing was compiled within hloscope.capture()", hint="Call the function within the block."
        )


def _save_arguments(folder: Path, module: str, arguments: Sequence[Any]) -> None:
    with suppress(InputError):  # arrays that lie partly on other hosts
        arrays = [as_plain(value_of(array, "an argument")) for array in arguments]
        named = {f"in_{number}": array for number, array in enumerate(arrays)}
        write_values(folder / f"{module}.arguments.npz", named)


@contextmanager
def without_cache() -> Iterator[None]:
    """Disable the compilation cache on disk, because a cache hit skips the passes."""
    jax = import_module("jax")
    before = jax.config.jax_enable_compilation_cache
    jax.config.update("jax_enable_compilation_cache", False)
    try:
        yield
    finally:
        jax.config.update("jax_enable_compilation_cache", before)


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
