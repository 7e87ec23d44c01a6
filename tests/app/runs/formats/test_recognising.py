"""What a file is, by its bytes: real files, and such as look like something else."""

from __future__ import annotations

import bz2
import io
import lzma
import zipfile
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.app.runs.formats.bytecode import producer_of, version_of
from hloscope.app.runs.formats.failures import REFUSED
from hloscope.app.runs.formats.kinds import PROGRAMS, Kind, recognise
from tests.app.runs.formats.packed import gzipped
from tests.app.runs.formats.protos import literal, module, nested, number, varint

DATA = Path(__file__).parents[3] / "data" / "formats"
FILES = {
    "f.mlirbc": "mlir_bytecode",
    "f_0.9.0.vhlo": "portable_artifact",
    "symbolic.jax_export": "jax_export",
    "f.hlo_module.pb": "hlo_module",
    "f.hlo_proto.pb": "hlo_proto",
    "f.snapshot.pb": "hlo_snapshot",
    "f.memory_report.pb": "memory_report",
}
NODE = nested(1, "x") + nested(2, "Placeholder")
GRAPH = nested(1, NODE) + nested(1, nested(1, "y") + nested(2, "AddV2") + nested(3, "x"))
MADE = {
    "hlo_unoptimized_snapshot": nested(1, module()) + nested(2, nested(1, literal(11, [], 8, b"\0" * 4))),
    "graph": GRAPH,
    "saved_model": number(1, 1) + nested(2, nested(1, b"") + nested(2, GRAPH)),
    "onnx": number(1, 8) + nested(2, "pytorch") + nested(7, nested(1, nested(4, "Add"))),
    "safetensors": (2).to_bytes(8, "little") + b"{}" + b"\0",
    "numpy": b"\x93NUMPY\x01\0",
    "hdf5": b"\x89HDF\r\n\x1a\n",
    "pickle": b"\x80\x04\x95\0",
    "llvm": b"BC\xc0\xde5\x14",
    "object": b"\x7fELF\x02",
    "gzip": gzipped(b""),
    "zip": b"PK\x05\x06" + b"\0" * 18,
    "unknown": b"\xff\xfd\0a",
    "utf16": "module {}".encode("utf-16"),
    "bzip2": bz2.compress(b"module {}"),
    "xz": lzma.compress(b"module {}"),
    "tar": b"x" + b"\0" * 256 + b"ustar\0" + b"\0" * 249,
    "tflite": b"\x1c\0\0\0TFL3\0\0",
    "text": b"module {}",
    "proto_text": b'hlo_module {\n  name: "f"\n}',
}


@pytest.mark.parametrize(("file", "kind"), FILES.items())
def test_real_files_are_recognised(file: str, kind: str) -> None:
    assert recognise((DATA / file).read_bytes()) == kind


@pytest.mark.parametrize(("kind", "data"), MADE.items())
def test_made_files_are_recognised(kind: str, data: bytes) -> None:
    assert recognise(data) == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "text"),
        ("HloModule f\n", "text"),
        ("\ufeffmodule {}", "text"),
        ("// über\nmodule {}", "text"),
        ("\x1b[1mmodule {}", "text"),
        ("node {\n  name: 'x'\n}", "graph"),
        ("# a comment\nversions { producer: 27 }", "graph"),
        ("; ModuleID = 'f'\nsource_filename = \"f\"", "llvm_text"),
        ("digraph G {\nrankdir = TB;", "dot"),
        ("\n<!DOCTYPE html>\n<html>", "html"),
        ('xla_cpu_enable_fast_min_max: false\nxla_dump_to: "d"', "debug_options"),
        ("BufferAssignment:\nallocation 0: size 48", "xla_report"),
        ("{ lambda ; a:f32[3]. let b:f32[3] = tanh a in (b,) }", "jaxpr"),
        ("graph {\n}", "dot"),
        ("saved_model_schema_version: 1\nmeta_graphs {}", "saved_model"),
    ],
)
def test_texts_are_told_apart(text: str, kind: str) -> None:
    assert recognise(text.encode()) == kind


def test_each_kind_is_described_and_read_or_refused() -> None:
    assert set(get_args(Kind)) == PROGRAMS | set(REFUSED) | {"gzip", "zip", "imported"}
    assert not PROGRAMS & set(REFUSED)


def test_the_producer_of_bytecode_is_read() -> None:
    assert producer_of((DATA / "f.mlirbc").read_bytes()).startswith("MLIR")
    assert producer_of((DATA / "f_0.9.0.vhlo").read_bytes()) == "StableHLO_v0.9.0"
    assert version_of((DATA / "f.mlirbc").read_bytes()) == 6
    for cut in (b"ML\xefR", b"ML\xefR\x0d", b"ML\xefR\x0dMLIR", b"ML\xefR\x00", b"ML\xefR\x0d\xff\0"):
        assert producer_of(cut) == ""


@given(st.binary(max_size=400))
def test_any_bytes_are_some_kind(data: bytes) -> None:
    assert recognise(data) in get_args(Kind)


@given(st.sampled_from(sorted(FILES)), st.data())
def test_damaged_files_are_some_kind(file: str, data: st.DataObject) -> None:
    content = bytearray((DATA / file).read_bytes())
    del content[data.draw(st.integers(0, len(content))) :]
    for place in data.draw(st.lists(st.integers(0, max(0, len(content) - 1)), max_size=8)):
        if content:
            content[place] = data.draw(st.integers(0, 255))
    assert recognise(bytes(content)) in get_args(Kind)


def test_a_module_needs_instructions() -> None:
    """A node of TensorFlow begins as a module does."""
    assert recognise(nested(1, "f") + nested(2, "main") + nested(3, nested(1, "main"))) == "unknown"
    assert recognise(nested(1, nested(1, module()))) == "hlo_snapshot"
    assert recognise(nested(1, nested(1, nested(1, module())))) == "unknown"


def test_a_zip_archive_is_recognised_whatever_is_in_it() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("a", b"")
    assert recognise(stream.getvalue()) == "zip"


def test_an_unoptimised_snapshot_may_begin_with_its_length() -> None:
    message = nested(1, module()) + nested(2, nested(2, number(2, 0)))
    assert recognise(varint(len(message)) + message) == "hlo_unoptimized_snapshot"
