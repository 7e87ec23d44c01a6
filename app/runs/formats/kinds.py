"""The kind of a file, recognised by its content and never by its name.

The header of MLIR bytecode is parsed without MLIR: "MLIR Bytecode Format", sections "Magic Number" and "MLIR Encoding".
"""

import re
import struct
from typing import Literal

from hloscope.engine.passes.saved_buffers import is_record_file

from .protos import recognise_proto

Kind = Literal[
    "text",
    "mlir_bytecode",
    "portable_artifact",
    "jax_export",
    "hlo_module",
    "hlo_proto",
    "hlo_snapshot",
    "hlo_unoptimized_snapshot",
    "gzip",
    "zip",
    "safetensors",
    "numpy",
    "saved_model",
    "graph",
    "onnx",
    "hdf5",
    "pickle",
    "llvm",
    "object",
    "proto_text",
    "memory_report",
    "checksums",
    "saved_buffers",
    "llvm_text",
    "dot",
    "html",
    "debug_options",
    "xla_report",
    "jaxpr",
    "tflite",
    "tar",
    "bzip2",
    "xz",
    "zstd",
    "ptx",
    "torchscript",
    "utf16",
    "imported",
    "unknown",
]
DESCRIBED: dict[Kind, str] = {
    "text": "text",
    "mlir_bytecode": "MLIR bytecode",
    "portable_artifact": "a StableHLO portable artifact",
    "jax_export": "a function serialised by jax.export",
    "hlo_module": "an HloModuleProto",
    "hlo_proto": "an HloProto",
    "hlo_snapshot": "an HloSnapshot",
    "hlo_unoptimized_snapshot": "an HloUnoptimizedSnapshot",
}
"""A description of each kind of program."""
PROGRAMS = frozenset(DESCRIBED)
"""The kinds that are programs."""
GZIP = b"\x1f\x8b"
ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_BEGINNINGS: tuple[tuple[bytes, Kind], ...] = (
    (GZIP, "gzip"),
    *((start, "zip") for start in ZIP),
    (b"\x93NUMPY", "numpy"),
    (b"\x89HDF\r\n\x1a\n", "hdf5"),
    (b"BC\xc0\xde", "llvm"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\0", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\xff\xfe", "utf16"),
    (b"\xfe\xff", "utf16"),
    (b"\x7fELF", "object"),
    (b"\xcf\xfa\xed\xfe", "object"),
)  # fmt: skip
_PICKLE = re.compile(rb"\x80[\x02-\x05]")
_TEXT_HEAD = 4096
_GRAPH_TEXT = re.compile(r"(?:\s|#[^\n]*\n)*(?:node|library|versions)\s*\{")
_SAVED_MODEL_TEXT = re.compile(r"(?:\s|#[^\n]*\n)*(?:saved_model_schema_version\s*:|meta_graphs\s*\{)")
_PROTO_TEXT = re.compile(r"(?:\s|#[^\n]*\n)*(?:hlo_module|hlo)\s*\{|\s*name\s*:\s*\"")


_OTHER_TEXTS: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (re.compile(r"\s*(?:; ModuleID = |source_filename = |target (?:datalayout|triple) = )"), "llvm_text"),
    (re.compile(r"\s*(?://[^\n]*\n\s*)*\.version\s"), "ptx"),
    (re.compile(r"\s*graph\(%"), "torchscript"),
    (re.compile(r"\s*(?:strict\s+)?(?:di)?graph\b[^{\n]*\{"), "dot"),
    (re.compile(r"\s*<(?:!doctype html|html|svg|\?xml)\b", re.IGNORECASE), "html"),
    (re.compile(r"\s*entries \{\s*(?:\w+_id|buffer_idx|check\w+|is_input_buffer): "), "checksums"),
    (re.compile(r"\s*xla_\w+: "), "debug_options"),
    (re.compile(r"\s*(?:BufferAssignment:|Total bytes used: )"), "xla_report"),
    (re.compile(r"\s*\{ ?lambda\b"), "jaxpr"),
)
"""The beginnings of texts that are no programs."""


def recognise(data: bytes) -> Kind:
    """The kind of a file with these bytes."""
    for start, kind in _BEGINNINGS:
        if data.startswith(start):
            return kind
    if is_record_file(data):
        return "saved_buffers"
    if data[4:8] == b"TFL3":
        return "tflite"
    if data[257:262] == b"ustar":
        return "tar"
    if data.startswith(MAGIC):
        return "portable_artifact" if producer_of(data).startswith(ARTIFACT_PRODUCER) else "mlir_bytecode"
    if _is_safetensors(data):
        return "safetensors"
    if module_of_export(data) is not None:
        return "jax_export"
    if text := _beginning_of_text(data):
        return _kind_of_text(text)
    if found := recognise_proto(data):
        return found
    return "pickle" if _PICKLE.match(data) else "unknown"


def _beginning_of_text(data: bytes) -> str | None:
    """The beginning of a text; `None` if the bytes are not text. An empty file is an empty text."""
    if b"\0" in data:
        return None
    try:
        data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    start = data[:_TEXT_HEAD].decode("utf-8-sig", "ignore")
    if any(ord(sign) < 32 and sign not in "\t\n\r\f\v\x1b" for sign in start):
        return None
    return start or " "


def _kind_of_text(text: str) -> Kind:
    if _GRAPH_TEXT.match(text):
        return "graph"
    if _SAVED_MODEL_TEXT.match(text):
        return "saved_model"
    if _PROTO_TEXT.match(text):
        return "proto_text"
    for pattern, kind in _OTHER_TEXTS:
        if pattern.match(text):
            return kind
    return "text"


def _is_safetensors(data: bytes) -> bool:
    if len(data) < 10:
        return False
    (length,) = struct.unpack_from("<Q", data)
    return 2 <= length <= len(data) - 8 and data[8:9] == b"{"


_MODULE_FIELD = 13
_U16, _U32, _I32 = struct.Struct("<H"), struct.Struct("<I"), struct.Struct("<i")


def module_of_export(data: bytes) -> memoryview | None:
    """The StableHLO module of a function that `jax.export` serialised; `None` if it is anything else.

    These files are FlatBuffers with the module in field 13 of the root table; every offset is checked. Source: "FlatBuffers
    Internals", "Tables".
    """
    try:
        table = _U32.unpack_from(data, 0)[0]
        offsets = table - _I32.unpack_from(data, table)[0]
        slot = 4 + 2 * _MODULE_FIELD
        if offsets < 0 or _U16.unpack_from(data, offsets)[0] < slot + 2:
            return None
        field = _U16.unpack_from(data, offsets + slot)[0]
        if field == 0:
            return None
        vector = table + field + _U32.unpack_from(data, table + field)[0]
        length = _U32.unpack_from(data, vector)[0]
    except struct.error:
        return None
    module = memoryview(data)[vector + 4 : vector + 4 + length]
    return module if len(module) == length and bytes(module[: len(MAGIC)]) == MAGIC else None


MAGIC = b"ML\xefR"
ARTIFACT_PRODUCER = "StableHLO_v"
"""Producer prefix of artifacts with StableHLO's compatibility guarantees, before a version."""
_LONGEST_PRODUCER = 200
_PRINTABLE = re.compile(r"[ -~]+")


def producer_of(data: bytes) -> str:
    """The producer's name; empty if it is not readable."""
    start = len(MAGIC) + _varint_size(data[len(MAGIC) : len(MAGIC) + 1])
    end = data.find(b"\0", start, start + _LONGEST_PRODUCER)
    found = data[start:end].decode("ascii", "replace") if end >= 0 else ""
    return found if _PRINTABLE.fullmatch(found) else ""


def _varint_size(first: bytes) -> int:
    """The size of a number in bytes, from its first byte: one leading zero bit per further byte."""
    return (first[0] & -first[0]).bit_length() if first and first[0] else 9
