"""Recognise the message of a protocol buffer, which does not state its type; a reader for another type would accept it.

Field numbers come from XLA's `hlo.proto` and TensorFlow's `saved_model.proto` and `graph.proto`. A module is a message whose
computations hold instructions with names and opcodes; the messages around it give the type of the whole.
"""

import re
from itertools import islice
from typing import Literal

from hloscope.engine.passes.buffer_logs import is_log
from hloscope.engine.passes.protocol_buffers import Message, WireError, delimited
from hloscope.engine.passes.snapshots import is_plain

ProtoKind = Literal[
    "hlo_module",
    "hlo_proto",
    "hlo_snapshot",
    "hlo_unoptimized_snapshot",
    "saved_model",
    "graph",
    "onnx",
    "memory_report",
    "checksums",
]
_NAME = re.compile(r"[\w.\-<>:/ @$%#+*()\[\],=']{1,4000}")
_OPCODE = re.compile(r"[a-z][a-z0-9\-]*")
_OPERATION = re.compile(r"[A-Z_]\w*")
_MOST_CHECKED = 4
"""Checked computations, and checked instructions of each."""


def recognise_proto(data: bytes) -> ProtoKind | None:
    """The kind of message; `None` if it is none of these."""
    try:
        message = Message(data)
        return _of_hlo(message) or ("checksums" if is_log(data) else _of_others(message))
    except WireError:
        return _of_delimited(data)


def _of_delimited(data: bytes) -> ProtoKind | None:
    """The kind of a message after its length, which XLA writes for an HloUnoptimizedSnapshot alone."""
    try:
        found = _of_hlo(Message(delimited(data)[0]))
    except WireError:
        return None
    return found if found == "hlo_unoptimized_snapshot" else None


def module_bytes(data: bytes, kind: str) -> bytes:
    """The bytes of the HloModuleProto in a message of this kind."""
    depth = {"hlo_module": 0, "hlo_proto": 1, "hlo_unoptimized_snapshot": 1, "hlo_snapshot": 2}[kind]
    found = memoryview(data)
    if kind == "hlo_unoptimized_snapshot" and not is_plain(data):
        found, _ = delimited(data)
    for _ in range(depth):
        found = Message(found).content(1)
    return bytes(found)


def _of_hlo(message: Message) -> ProtoKind | None:
    if _is_module(message):
        return "hlo_module"
    inner = _inner(message)
    if inner is None:
        return None
    if _is_module(inner):
        return "hlo_unoptimized_snapshot" if _has_partitions(message) else "hlo_proto"
    innermost = _inner(inner)
    return "hlo_snapshot" if innermost is not None and _is_module(innermost) else None


def _has_partitions(message: Message) -> bool:
    """Whether field 2 holds the arguments of a partition. It is unused in a current HloProto."""
    return message.has(2)


def _inner(message: Message) -> Message | None:
    try:
        return message.message(1) if message.has(1) else None
    except WireError:
        return None


def _is_module(message: Message) -> bool:
    try:
        if not _NAME.fullmatch(message.text(1)):
            return False
        computations = list(islice(message.messages(3), _MOST_CHECKED))
        return bool(computations) and all(_is_computation(each) for each in computations)
    except WireError:
        return False


def _is_computation(message: Message) -> bool:
    instructions = list(islice(message.messages(2), _MOST_CHECKED))
    return bool(instructions) and all(
        _NAME.fullmatch(each.text(1)) and _OPCODE.fullmatch(each.text(2)) for each in instructions
    )


def _of_others(message: Message) -> ProtoKind | None:
    if message.has(1) and 0 < message.number(1) < 100 and message.has(2):
        return "saved_model" if _is_meta_graph(message) else "onnx" if _is_onnx(message) else None
    if _is_graph(message):
        return "graph"
    inner = _inner(message)
    return (
        "memory_report"
        if inner is not None and inner.has(1) and inner.number(1) and not message.has(2)
        else None
    )


def _is_meta_graph(message: Message) -> bool:
    try:
        return any(_is_graph(each.message(2)) for each in message.messages(2))
    except WireError:
        return False


def _is_graph(message: Message) -> bool:
    """Whether it has nodes, each with a name and an operation."""
    try:
        nodes = list(islice(message.messages(1), _MOST_CHECKED))
        return bool(nodes) and all(
            _NAME.fullmatch(each.text(1)) and _OPERATION.fullmatch(each.text(2)) for each in nodes
        )
    except WireError:
        return False


def _is_onnx(message: Message) -> bool:
    """Whether it has a graph with nodes."""
    try:
        return message.has(7) and message.message(7).has(1)
    except WireError:
        return False
