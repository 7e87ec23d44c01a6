"""Kinds of dump files, recognised by their first bytes and, failing that, by their names."""

import re
from typing import Literal

from .names import DumpName
from .saved_buffers import is_record_file

Content = Literal[
    "hlo",
    "stablehlo",
    "hlo_proto",
    "snapshot",
    "unoptimized_snapshot",
    "arguments",
    "checksums",
    "saved_buffers",
    "buffers",
    "buffer_values",
    "live_ranges",
    "memory",
    "llvm",
    "ptx",
    "thunks",
    "options",
    "html",
    "graph",
    "link",
    "object",
    "text",
    "binary",
]

DESCRIBED: dict[Content, str] = {
    "hlo": "HLO text",
    "stablehlo": "MLIR text",
    "hlo_proto": "HLO as a protocol buffer",
    "snapshot": "one execution: the module, its arguments and its result",
    "unoptimized_snapshot": "one execution: the module before all passes and its arguments",
    "arguments": "the arguments of one execution on several devices, as hloscope.capture() saves them",
    "checksums": "checksums of the buffers of each kernel before and after it ran",
    "saved_buffers": "buffers that XLA saved while modules ran",
    "buffers": "buffer assignment",
    "buffer_values": "the values of each buffer",
    "live_ranges": "live ranges of values",
    "memory": "memory usage report",
    "llvm": "LLVM IR",
    "ptx": "PTX",
    "thunks": "thunk sequence",
    "options": "options of the compilation",
    "html": "a graph as a page",
    "graph": "a graph in DOT",
    "link": "the address of a graph",
    "object": "machine code",
    "text": "text",
    "binary": "bytes of an unknown form",
}
"""Short description of each kind."""
IS_TEXT: frozenset[Content] = frozenset(DESCRIBED) - {
    *("hlo_proto", "snapshot", "unoptimized_snapshot", "arguments", "checksums", "saved_buffers", "object", "binary")
}  # fmt: skip
"""Kinds that are shown as text."""
HEAD_BYTES = 1024
"""Number of leading bytes that suffice to recognise a file."""
_COMMENTS = re.compile(rb"(?:\s+|//[^\n]*\n|/\*.*?\*/)*+", re.DOTALL)
_BEGINNINGS: tuple[tuple[re.Pattern[bytes], Content], ...] = (
    (re.compile(rb"HloModule\b"), "hlo"),
    (re.compile(rb"(?:builtin\.)?module\b|\"builtin\.module\"|func\.func\b|stablehlo\.|sdy\.|#[\w.]+ ?=|!\w+ ?="), "stablehlo"),
    (re.compile(rb"BufferAssignment:"), "buffers"),
    (re.compile(rb"Total bytes used:"), "buffer_values"),
    (re.compile(rb"HloLiveRange \(max"), "live_ranges"),
    (re.compile(rb"Memory Space:"), "memory"),
    (re.compile(rb"; ModuleID|source_filename ="), "llvm"),
    (re.compile(rb"\.version\s"), "ptx"),
    (re.compile(rb"<!DOCTYPE html|<html", re.IGNORECASE), "html"),
    (re.compile(rb"digraph\b"), "graph"),
    (re.compile(rb"https?://"), "link"),
)  # fmt: skip
_OPTIONS = ("pbtxt", "textproto")
_BY_EXTENSION: dict[str, Content] = {
    "hlo.pb": "hlo_proto",
    "hlo_snapshot.pb": "snapshot",
    "hlo_unoptimized_snapshot.pb": "unoptimized_snapshot",
    "hlo_unoptimized_snapshot.txt": "unoptimized_snapshot",
    "npz": "arguments",
    "o": "object",
    "ptx": "ptx",
    "ll": "llvm",
}


def recognise(name: DumpName, head: bytes) -> Content:
    """Recognise a file by its name and its first `HEAD_BYTES` bytes, uncompressed."""
    if (stated := _BY_EXTENSION.get(name.extension)) is not None:
        return stated
    if name.text.startswith("buffer_debug_log.module_"):
        return "checksums"
    if name.rest.endswith(".tfrecord") and is_record_file(head):
        return "saved_buffers"
    if name.extension == "pb":
        return "snapshot" if re.search(r"(?:^|\.)snapshot(?:\.|$)", name.rest) else "binary"
    start = _COMMENTS.match(head)
    rest = head[start.end() if start else 0 :]
    found = next((content for pattern, content in _BEGINNINGS if pattern.match(rest)), None)
    return found or _by_name(name, head)


def _by_name(name: DumpName, head: bytes) -> Content:
    if head.startswith((b"\x7fELF", b"\xcf\xfa\xed\xfe", b"MZ")):
        return "object"
    if b"\0" in head:
        return "binary"
    if "thunk_sequence" in name.rest:
        return "thunks"
    if name.extension in _OPTIONS or name.rest.endswith("debug_options"):
        return "options"
    return "text"
