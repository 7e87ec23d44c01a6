"""Read a program of any supported form from the bytes of its file."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hloscope.engine.errors import LimitError
from hloscope.engine.limits import DEFAULT_LIMITS, Limits
from hloscope.engine.passes.protocol_buffers import WireError
from hloscope.engine.passes.snapshots import Snapshot, read_snapshot

from ...base.plugins import find_importer
from ...xla.engine import XlaEngine
from ...xla.failures import XlaFailed, XlaMissing, XlaRefused
from .failures import UnreadableProgram
from .kinds import ARTIFACT_PRODUCER, DESCRIBED, PROGRAMS, Kind, producer_of, recognise
from .packing import too_large, unpack_gzip, unpack_zip
from .program_file import Choices, ProgramFile
from .protos import module_bytes

_PACKED_IN_EACH_OTHER = 2
OF_HLO: frozenset[Kind] = frozenset({"hlo_module", "hlo_proto", "hlo_snapshot", "hlo_unoptimized_snapshot"})
_LONGEST_REASON = 400


def read_program(
    data: bytes,
    name: str,
    *,
    sizes: Mapping[str, int] | None = None,
    platform: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    engine: XlaEngine | None = None,
    strict: bool = True,
) -> ProgramFile:
    """Read the program in a file with these bytes; `name` is the user's name for it.

    jaxlib converts MLIR bytecode, portable artifacts, functions serialised by `jax.export` and XLA's protocol buffers in a
    separate process: `engine`, or a temporary one. `sizes` are the symbolic sizes that `jax.export` leaves open, by name;
    missing ones are proposed. `platform` is one of the exported platforms. If the file leaves nothing open, these two are
    an error if `strict`, and otherwise ignored.

    Raises `UnreadableProgram` if it finds no readable program, and `LimitError` if the file or the text is larger than
    `max_program_bytes`.
    """
    most = limits.max_program_bytes
    for _ in range(_PACKED_IN_EACH_OTHER + 1):
        if len(data) > most:
            raise too_large(name, most)
        kind = recognise(data)
        if kind not in ("gzip", "zip"):
            break
        unpacked = unpack_gzip(data, name, most) if kind == "gzip" else unpack_zip(data, name, most)
        data, name = unpacked.data, f"{name}!{unpacked.name}" if unpacked.name else name
    else:
        raise UnreadableProgram(f"{name} is packed more than {_PACKED_IN_EACH_OTHER} times")
    if kind != "jax_export":
        if strict:
            _refuse_choices(sizes, platform, name)
        sizes, platform = None, None
    if kind == "text":
        return ProgramFile(data.decode("utf-8-sig"), name)
    if kind not in PROGRAMS:
        if imported := _imported(data, name, most):
            return imported
        raise _refusal(kind, data, name)
    return _converted(data, name, kind, sizes or {}, platform or "", limits, engine)


def _refuse_choices(sizes: Mapping[str, int] | None, platform: str | None, name: str) -> None:
    if sizes or platform:
        what = f"the size {next(iter(sizes))}" if sizes else f"the platform {platform}"
        raise UnreadableProgram(
            f"{what} is not open in {name}: only what jax.export has serialised leaves sizes and platforms open",
            hint="Sizes that a text leaves open are those of its inputs: --input 'normal[5, 3]'."
            if sizes
            else None,
        )


def _imported(data: bytes, name: str, most: int) -> ProgramFile | None:
    """The program as read by a plugin's importer; `None` if no importer recognises the file."""
    importer = find_importer(data)
    if importer is None:
        return None
    try:
        text = importer.read(data)
    except ValueError as error:
        raise UnreadableProgram(f"{name} is {importer.described} that cannot be read: {error}") from error
    note = f"From {importer.described}."
    text = f"// {note}\n{text}"
    if len(text.encode()) > most:
        raise too_large(f"the text of {name}", most)
    return ProgramFile(text, name, "imported", notes=(note,))


def _refusal(kind: Kind, data: bytes, name: str) -> UnreadableProgram:
    found = UnreadableProgram.of_kind(kind, name)
    if kind == "unknown":
        try:
            data.decode()
        except UnicodeDecodeError as error:
            return UnreadableProgram(f"{found.message}: byte {error.start} is not UTF-8", hint=found.hint)
        if (at := data.find(0)) >= 0:
            return UnreadableProgram(f"{found.message}: byte {at} is 0", hint=found.hint)
    return found


def _converted(
    data: bytes,
    name: str,
    kind: Kind,
    sizes: Mapping[str, int],
    platform: str,
    limits: Limits,
    engine: XlaEngine | None,
) -> ProgramFile:
    recorded = _execution(data, name, kind, limits)
    partitions = recorded.arguments
    given = (module_bytes(data, kind), "hlo_module") if kind in OF_HLO else (data, kind)
    text, about = _ask(*given, name, kind, sizes, platform, engine)
    notes = (_made_from(data, kind), *_notes(about, sizes, platform), *_notes_on_execution(recorded))
    text = "".join(f"// {note}\n" for note in notes) + text
    if len(text.encode()) > limits.max_program_bytes:
        raise too_large(f"the text of {name}", limits.max_program_bytes)
    choices = Choices(about.get("sizes", {}), tuple(about.get("platforms", ())), about.get("platform", ""))
    return ProgramFile(text, name, kind, partitions, recorded.results, notes, choices)


def _ask(
    data: bytes,
    asked: str,
    name: str,
    kind: Kind,
    sizes: Mapping[str, int],
    platform: str,
    engine: XlaEngine | None,
) -> tuple[str, dict[str, Any]]:
    """The converted text with its properties, from jaxlib in a separate process."""
    asking = engine or XlaEngine()
    described = DESCRIBED[kind]
    try:
        return asking.convert(asked, data, sizes=sizes, platform=platform)
    except XlaMissing:
        raise UnreadableProgram.without_jaxlib(name, described) from None
    except XlaRefused as refused:
        reason = " ".join(str(refused).split())
        if "flatbuffers is not installed" in reason:
            raise UnreadableProgram.without_flatbuffers(name) from None
        shown = reason if len(reason) <= _LONGEST_REASON else f"{reason[:_LONGEST_REASON]}…"
        hint = _newer_hint(data, kind)
        told = f", and {shown}" if reason.startswith("it ") else f" that jaxlib cannot read: {shown}"
        raise UnreadableProgram(f"{name} is {described}{told}", hint=hint) from None
    except XlaFailed as failed:
        raise UnreadableProgram(
            f"{name} is {described}, and jaxlib could not read it: {failed}",
            hint="It may be damaged; write it anew.",
        ) from None
    finally:
        if engine is None:
            asking.close()


def _newer_hint(data: bytes, kind: Kind) -> str | None:
    if kind != "portable_artifact":
        return None
    version = producer_of(data).removeprefix(ARTIFACT_PRODUCER)
    return f"StableHLO {version} has written it; if that is newer than what jaxlib reads, type: pip install -U jax jaxlib"


def _execution(data: bytes, name: str, kind: Kind, limits: Limits) -> Snapshot:
    """The arguments and results in a snapshot."""
    if kind not in ("hlo_snapshot", "hlo_unoptimized_snapshot"):
        return Snapshot("", ())
    try:
        found = read_snapshot(data, kind == "hlo_unoptimized_snapshot")
    except (WireError, ValueError) as error:
        raise UnreadableProgram(f"the arguments in {name} cannot be read: {error}") from None
    except RecursionError:
        raise UnreadableProgram(f"the arguments in {name} are tuples in tuples, too deep to read") from None
    total = sum(array.nbytes for part in (*found.arguments, found.results) for array in part)
    if total > limits.session_memory_bytes:
        raise LimitError(
            f"the arguments in {name} have {total:,} bytes; {limits.session_memory_bytes:,} are left for inputs",
            label="session_memory_bytes",
        )
    return found if any(found.arguments) else replace(found, arguments=())


def _made_from(data: bytes, kind: Kind) -> str:
    """A sentence such as `From MLIR bytecode, producer MLIR23.0.0git.`"""
    described = DESCRIBED[kind]
    producer = producer_of(data) if kind in ("mlir_bytecode", "portable_artifact") else ""
    return f"From {described}, producer {producer}." if producer else f"From {described}."


def _notes(about: Mapping[str, Any], sizes: Mapping[str, int], platform: str) -> list[str]:
    """Sentences about the choices and the calling convention."""
    found = []
    for name, size in about.get("sizes", {}).items():
        proposed = "" if name in sizes else ", proposed"
        found.append(f"Size {name} = {size}{proposed}.")
    platforms = about.get("platforms", ())
    if len(platforms) > 1:
        found.append(f"Platform {about['platform']}, of {', '.join(platforms)}.")
    if about.get("devices", 1) > 1:
        found.append(f"Exported for {about['devices']} devices.")
    if unused := about.get("unused", 0):
        found.append(
            f"{unused} of the function's arguments {'is' if unused == 1 else 'are'} not used and left out."
        )
    return found


def _notes_on_execution(recorded: Snapshot) -> list[str]:
    partitions, found = recorded.arguments, []
    if partitions:
        count = len(partitions[0])
        many = f" for each of {len(partitions)} partitions" if len(partitions) > 1 else ""
        found.append(
            f"It holds {count} {'argument' if count == 1 else 'arguments'}{many}, which are its inputs."
        )
    if recorded.results:
        found.append("It holds the results of XLA, with which hloscope run and compare compare a run.")
    return found
