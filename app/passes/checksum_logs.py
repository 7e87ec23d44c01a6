"""Logs of the checksums that XLA took of buffers, beside the thunk sequence of their module."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hloscope.engine.errors import InputError, ProgramError
from hloscope.engine.passes.buffer_logs import (
    Checksum,
    LogComparison,
    compare_logs,
    log_lines,
    read_log,
    thunk_names,
)
from hloscope.engine.passes.names import parse_name
from hloscope.engine.passes.protocol_buffers import WireError
from hloscope.engine.passes.stages import DumpedFile, DumpedModule

from .dump_files import Dump

_THUNKS = "*thunk_sequence*.txt"


def _read(data: bytes, path: str) -> tuple[Checksum, ...]:
    try:
        return read_log(data)
    except WireError as error:
        raise InputError(f"{path} cannot be read: {error}") from None


def dumped_log_lines(dump: Dump, file: DumpedFile) -> list[str]:
    """The log for people, with what the thunk sequence of its module says of each thunk."""
    module = next((each for each in dump.modules if file in each.attachments), None)
    return log_lines(_read(dump.bytes(file.path), file.path), _names(dump, module) if module else {})


def _names(dump: Dump, module: DumpedModule) -> dict[int, str]:
    file = next((each for each in module.attachments if each.content == "thunks"), None)
    return thunk_names(dump.text(file.path)) if file else {}


def module_log_lines(dump: Dump, module: DumpedModule) -> Iterator[str]:
    """For each log of a module what it holds, and how it differs from the first of them."""
    logs: dict[str, tuple[Checksum, ...]] = {}
    for path in (file.path for file in module.attachments if file.content == "checksums"):
        try:
            logs[path] = _read(dump.bytes(path), path)
        except ProgramError as error:
            yield error.message
            continue
        yield f"{path}: checksums of buffers: {len(logs[path]):,}"
        first = next(iter(logs))
        if path != first:
            found = compare_logs(logs[first], logs[path]).sentences(_names(dump, module))
            yield from (f"  beside {first}: {sentence}" for sentence in found)


def compare_log_files(before: Path, after: Path) -> tuple[LogComparison, list[str]]:
    """The comparison of two logs in files, and its sentences, which name thunks by the thunk sequence beside the first."""
    found = compare_logs(*(_read(path.read_bytes(), path.name) for path in (before, after)))
    if not found.compared:
        raise InputError(
            f"{before.name} and {after.name} have no execution of a thunk in common",
            hint="Compare two executions of one module, with the same filter of thunks.",
        )
    number = parse_name(before.name).module
    beside = (path for path in sorted(before.parent.glob(_THUNKS)) if parse_name(path.name).module == number)
    text = next((path.read_text("utf-8", "replace") for path in beside), "")
    return found, found.sentences(thunk_names(text))
