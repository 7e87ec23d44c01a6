"""Files of programs without jaxlib: what is packed, what is refused and why, what is asked of XLA's process."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hloscope.app.cli.main import main
from hloscope.app.passes.dumps.archives import is_dump
from hloscope.app.runs.formats.failures import UnreadableProgram
from hloscope.app.runs.formats.packing import OtherArchive, refuse_archive
from hloscope.app.runs.formats.reading import read_program
from hloscope.app.xla.engine import XlaEngine
from hloscope.app.xla.failures import XlaCrashed, XlaMissing, XlaRefused, XlaTimedOut
from hloscope.engine.errors import LimitError, ProgramError
from hloscope.engine.limits import Limits
from tests.app.runs.formats.packed import gzipped, zipped
from tests.app.runs.formats.protos import literal, module, nested, number, shape, varint
from tests.app.runs.formats.test_recognising import DATA, FILES, MADE
from tests.each import for_each

TEXT = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %x : tensor<2xf32>\n}\n"
SMALL = Limits(max_program_bytes=1 << 16)


class Answering(XlaEngine):
    """Stands for XLA's process: gives back a text, or raises, and keeps what it was asked."""

    def __init__(self, error: Exception | None = None, about: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self._error, self._about = error, dict(about or {})
        self.asked: list[tuple[str, bytes, dict[str, int], str]] = []

    def convert(
        self, kind: str, data: bytes, *, sizes: Mapping[str, int] | None = None, platform: str = ""
    ) -> tuple[str, dict[str, Any]]:
        self.asked.append((kind, data, dict(sizes or {}), platform))
        if self._error is not None:
            raise self._error
        return TEXT, self._about


def refused(data: bytes, name: str = "f", **options: Any) -> UnreadableProgram:
    with pytest.raises(UnreadableProgram) as caught:
        read_program(data, name, engine=Answering(), **options)
    return caught.value


def test_text_is_read_as_it_is() -> None:
    found = read_program(b"\xef\xbb\xbf" + TEXT.encode(), "f.mlir")
    assert (found.text, found.name, found.kind, found.notes) == (TEXT, "f.mlir", "text", ())
    assert found.inputs is None
    assert not found.is_converted


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (gzipped(TEXT.encode()), "f"),
        (gzipped(TEXT[:20].encode()) + gzipped(TEXT[20:].encode()), "f"),
        (zipped({"a.mlir": TEXT.encode()}), "f!a.mlir"),
        (zipped({"a.mlir": TEXT.encode(), "README": b"hello", "x.png": b"\x89PNG\0"}), "f!a.mlir"),
        (zipped({"a.gz": gzipped(TEXT.encode())}), "f!a.gz"),
        (gzipped(zipped({"a.mlir": TEXT.encode()})), "f!a.mlir"),
    ],
)
def test_what_is_packed_is_unpacked(data: bytes, name: str) -> None:
    found = read_program(data, "f")
    assert (found.text, found.name) == (TEXT, name)


@for_each(
    ("data", "message"),
    [
        (zipped({"a.mlir": TEXT.encode(), "b.hlo": b"HloModule m"}), "f holds 2 programs: a.mlir, b.hlo"),
        (zipped({"notes.txt": b"hello"}), "f holds no program; it has notes.txt"),
        (zipped({}), "f holds no program; it has no files"),
        (zipped({"m/saved_model.pb": b""}), "f is a SavedModel of TensorFlow"),
        (zipped({"archive/data.pkl": b""}), "f holds tensors of PyTorch and no program"),
        (zipped({"m/models/model.json": b"{}"}), "f is a program of torch.export"),
        (zipped({"x.npy": b"", "y.npy": b""}), "f holds arrays and no program"),
        (zipped({"config.json": b"", "model.weights.h5": b""}), "f is a model of Keras"),
        (gzipped(TEXT.encode())[:-9], "f is a gzip file that is cut off"),
        (gzipped(TEXT.encode())[:10] + b"\xff\xff\xff", "f is a damaged gzip file"),
        (b"PK\x03\x04 and no more", "f is a zip archive that is cut off"),
        (gzipped(gzipped(gzipped(gzipped(b"x")))), "f is packed more than 2 times"),
    ],
)
def test_archives_of_other_things_are_refused(data: bytes, message: str) -> None:
    assert refused(data).message.startswith(message)


@pytest.mark.parametrize(
    ("kind", "words", "hint"),
    [
        ("saved_model", "is a SavedModel of TensorFlow", "experimental_get_compiler_ir"),
        ("graph", "is a graph of TensorFlow", "experimental_get_compiler_ir"),
        ("onnx", "is an ONNX model", "jax.export"),
        ("safetensors", "holds arrays and no program", "--inputs"),
        ("numpy", "holds an array and no program", "--inputs"),
        ("pickle", "is a Python pickle, which is never read", "jax.export"),
        ("llvm", "is LLVM bitcode", "xla_dump_to"),
        ("object", "is machine code", "xla_dump_to"),
        ("proto_text", "is the text form of a protocol buffer", ".pb"),
        ("unknown", "byte 0 is not UTF-8", "MLIR bytecode"),
    ],
)
def test_what_is_no_program_says_what_to_do(kind: str, words: str, hint: str) -> None:
    found = refused(MADE[kind])
    assert found.message.startswith("f ")
    assert words in found.message
    assert found.hint is not None
    assert hint in found.hint


@pytest.mark.parametrize("command", ["run", "serve"])
def test_the_folder_of_a_saved_model_says_what_to_do(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "saved_model.pb").write_bytes(MADE["saved_model"])
    assert main([command, str(tmp_path / "model")]) == 2
    said = capsys.readouterr().err
    assert "model is a SavedModel of TensorFlow" in said
    assert "experimental_get_compiler_ir" in said


def test_what_is_opened_as_a_dump_is_told_apart(tmp_path: Path) -> None:
    module_text = b"HloModule m"
    for data, dump in (
        (zipped({"a.hlo": module_text, "b.hlo": module_text}), True),
        (zipped({"a.hlo": module_text}), False),
        (zipped({"a.txt": b"notes"}), True),
        (zipped({"m/models/model.json": b"{}"}), False),
        (gzipped(module_text), False),
        (gzipped(b"a" * 257 + b"ustar" + b"\0" * 300), True),
        (b"BZh91", True),
        (module_text, False),
    ):
        path = tmp_path / "f"
        path.write_bytes(data)
        assert is_dump(path, 1 << 20) == dump, data
    assert is_dump(tmp_path, 1 << 20)
    path.write_bytes(gzipped(module_text * 1000))
    assert is_dump(path, 100)


def test_nothing_larger_than_the_limit_is_unpacked() -> None:
    bomb = gzipped(b"a" * (SMALL.max_program_bytes + 1))
    for data in (
        b"a" * (SMALL.max_program_bytes + 1),
        bomb,
        zipped({"a": b"a" * (1 << 17)}),
        zipped({"a.gz": bomb}),
    ):
        with pytest.raises(LimitError) as caught:
            read_program(data, "f", limits=SMALL)
        assert caught.value.label == "max_program_bytes"
        assert "larger than max_program_bytes = 65,536" in caught.value.message


def test_a_directory_of_many_files_is_not_read() -> None:
    with pytest.raises(LimitError, match="holds 2,000 files"):
        read_program(zipped({str(number): b"" for number in range(2000)}), "f")


def test_the_process_is_asked_for_the_module_alone() -> None:
    for file, kind in FILES.items():
        engine = Answering()
        data = (DATA / file).read_bytes()
        if kind == "memory_report":
            continue
        found = read_program(data, file, engine=engine)
        assert found.kind == kind
        assert found.text.endswith(TEXT)
        assert found.text.startswith("// From ")
        (asked,) = engine.asked
        assert asked[0] == ("hlo_module" if kind.startswith("hlo_") else kind)
        assert len(asked[1]) <= len(data)
    assert (
        "producer StableHLO_v0.9.0"
        in read_program((DATA / "f_0.9.0.vhlo").read_bytes(), "f", engine=Answering()).text
    )


def test_what_was_chosen_is_said() -> None:
    about = {
        "sizes": {"b": 8, "k": 2},
        "platforms": ["cpu", "tpu"],
        "platform": "tpu",
        "devices": 2,
        "unused": 1,
    }
    engine = Answering(about=about)
    data = (DATA / "symbolic.jax_export").read_bytes()
    found = read_program(data, "f", sizes={"b": 8}, platform="tpu", engine=engine)
    assert found.notes == (
        "From a function serialised by jax.export.",
        "Size b = 8.",
        "Size k = 2, proposed.",
        "Platform tpu, of cpu, tpu.",
        "Exported for 2 devices.",
        "1 of the function's arguments is not used and left out.",
    )
    assert engine.asked == [("jax_export", data, {"b": 8}, "tpu")]
    assert found.choices.is_open
    assert found.choices.sizes == {"b": 8, "k": 2}


def test_sizes_are_for_exported_functions_alone() -> None:
    assert "the size b is not open in f" in refused(TEXT.encode(), sizes={"b": 8}).message
    assert (
        "the platform tpu is not open in f"
        in refused((DATA / "f.mlirbc").read_bytes(), platform="tpu").message
    )
    assert read_program(TEXT.encode(), "f", sizes={"b": 8}, strict=False).text == TEXT


@pytest.mark.parametrize(
    ("error", "message", "hint"),
    [
        (XlaMissing("python"), "is not installed", "pip install 'hloscope[xla]'"),
        (
            XlaRefused("dialect 'x'\n is unknown"),
            "that jaxlib cannot read: dialect 'x' is unknown",
            "StableHLO 0.9.0",
        ),
        (
            XlaRefused("the package flatbuffers is not installed"),
            "flatbuffers, and it is not",
            "pip install flatbuffers",
        ),
        (XlaRefused("a" * 1000), "…", "pip install -U jax jaxlib"),
        (XlaCrashed(-11), "XLA crashed (signal 11, SIGSEGV)", "damaged"),
        (XlaTimedOut(5), "within 5 s", "damaged"),
    ],
)
def test_what_xla_cannot_do_is_a_sentence(error: Exception, message: str, hint: str) -> None:
    with pytest.raises(UnreadableProgram) as caught:
        read_program((DATA / "f_0.9.0.vhlo").read_bytes(), "f", engine=Answering(error))
    assert caught.value.message.startswith("f is a")
    assert message in caught.value.message
    assert len(caught.value.message) < 600
    assert hint in (caught.value.hint or "")


def test_the_arguments_of_a_snapshot_are_its_inputs() -> None:
    found = read_program((DATA / "f.snapshot.pb").read_bytes(), "f", engine=Answering())
    assert found.inputs is not None
    first, second = found.inputs
    assert np.array_equal(first, np.arange(6, dtype=np.float32).reshape(3, 2) / 10)
    assert np.array_equal(second, np.arange(12, dtype=np.float32).reshape(4, 3) / np.float32(7))
    assert found.notes[-2] == "It holds 2 arguments, which are its inputs."
    assert found.notes[-1].startswith("It holds the results of XLA")
    result, total = found.results
    assert result.shape == (4, 2)
    assert np.isclose(total, 2 * second.sum())


def snapshot(*arguments: bytes) -> bytes:
    return nested(1, nested(1, module())) + b"".join(nested(2, each) for each in arguments)


def test_literals_of_all_layouts_and_types() -> None:
    columns = literal(4, [2, 3], 4, b"".join(map(varint, [1, 4, -2, 5, 3, 6])), [0, 1])
    bits = literal(1, [3], 2, bytes([1, 0, 1]))
    wide = literal(9, [2], 7, varint((1 << 64) - 1) + varint(1 << 63))
    half = literal(16, [2], 13, struct.pack("<HH", 0x3F80, 0xC000))
    pair = nested(1, number(2, 13) + nested(4, shape(11, [])) + nested(4, shape(11, []))) + b"".join(
        nested(10, literal(11, [], 8, struct.pack("<f", value))) for value in (1.5, 2.5)
    )
    found = read_program(snapshot(columns, bits, wide, half, pair), "f", engine=Answering()).inputs
    assert found is not None
    assert [array.tolist() for array in found] == [
        [[1, -2, 3], [4, 5, 6]],
        [True, False, True],
        [(1 << 64) - 1, 1 << 63],
        [1.0, -2.0],
        1.5,
        2.5,
    ]


@pytest.mark.parametrize(
    "argument",
    [
        literal(11, [1 << 40], 8, b""),
        literal(11, [4], 8, b"\0" * 12),
        literal(4, [1 << 62, 1 << 62], 4, b""),
        literal(99, [1], 8, b"\0" * 4),
        literal(4, [2], 4, b"\xff" * 12),
        literal(5, [-1 & (1 << 64) - 1], 5, b""),
        literal(11, [1], 8, b"\0" * 3),
    ],
)
def test_damaged_literals_are_a_sentence(argument: bytes) -> None:
    assert "the arguments in f cannot be read" in refused(snapshot(argument)).message


def test_tuples_in_tuples_end() -> None:
    deep = literal(11, [], 8, b"\0" * 4)
    for _ in range(3000):
        deep = nested(1, number(2, 13)) + nested(10, deep)
    assert "too deep to read" in refused(snapshot(deep)).message


def _zipped_alone(data: bytes) -> bytes:
    return zipped({"a": data})


@settings(deadline=None)
@given(st.sampled_from(["f.snapshot.pb", "f.hlo_proto.pb", "f.mlirbc", "symbolic.jax_export"]), st.data())
def test_damaged_files_are_read_or_refused(file: str, data: st.DataObject) -> None:
    content = bytearray((DATA / file).read_bytes())
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=6)):
        content[place] = data.draw(st.integers(0, 255))
    packings: list[Callable[[bytes], bytes]] = [bytes, gzipped, _zipped_alone]
    cut = data.draw(st.sampled_from(packings))(bytes(content))
    cut = cut[: data.draw(st.integers(0, len(cut)))] if data.draw(st.booleans()) else cut
    try:
        said: str = read_program(cut, "f", engine=Answering(), limits=SMALL).kind
    except ProgramError as error:
        said = error.message
    assert said


def test_a_file_is_read_from_disk_in_python(tmp_path: Path) -> None:
    import hloscope

    path = tmp_path / "f.mlir.gz"
    path.write_bytes(gzipped(TEXT.encode()))
    assert hloscope.read_program(path).text == hloscope.read_program(str(path)).text == TEXT
    assert hloscope.read_program(TEXT.encode()).name == "the program"
    with pytest.raises(hloscope.ProgramError, match="cannot be read: no such file"):
        hloscope.read_program(tmp_path / "none")


def test_a_program_of_torchscript_is_no_file_of_tensors() -> None:
    with pytest.raises(OtherArchive, match="is a program of TorchScript"):
        refuse_archive("m.pt", ["m/data.pkl", "m/constants.pkl", "m/code/__torch__.py"])
