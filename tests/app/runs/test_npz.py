"""Files from strangers: what is read is right, what is wrong is refused, and nothing large is allocated."""

import io
import pickle
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.app.runs.npz import Argument, headers_json, match, read_arrays, read_grid_inputs, read_headers
from hloscope.engine.errors import InputError, LimitError, ProgramError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "given.npz"


def _saved(file: Path, *arrays: Any, **named: Any) -> Path:
    with file.open("wb") as stream:
        np.savez(stream, *arrays, **named)
    return file


def _npy(array: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def _with_header(header: str, data: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    text = header.encode("latin1") + b"\n"
    return b"\x93NUMPY" + version + struct.pack("<H", len(text)) + text + data


def _zip(file: Path, members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file


def _arguments(*types: str) -> list[Argument]:
    return [Argument(number, f"arg{number}", None, text) for number, text in enumerate(types)]


def test_arrays_come_back_as_they_were_saved(file: Path) -> None:
    given = {
        "x": np.arange(6, dtype=np.float32).reshape(2, 3),
        "fortran": np.asfortranarray(np.arange(6).reshape(2, 3)),
        "big_endian": np.arange(3, dtype=">i4"),
        "scalar": np.array(1 + 2j),
        "empty": np.zeros((0, 4), np.bool_),
    }
    found = read_arrays(_saved(file, **given))
    assert found.keys() == given.keys()
    for name, array in given.items():
        np.testing.assert_array_equal(found[name], array)
        assert not found[name].flags.writeable
    assert [str(header) for header in read_headers(file)][:2] == ["x: float32[2, 3]", "fortran: int64[2, 3]"]


def test_small_floats_are_read_as_bits(file: Path) -> None:
    array = np.array([1.5, -2], ml_dtypes.bfloat16)
    found = read_arrays(_saved(file, x=array))["x"]
    np.testing.assert_array_equal(found.view(ml_dtypes.bfloat16), array)
    assert headers_json(read_headers(file)) == [{"name": "x", "dtype": "bits16", "shape": [2]}]


def test_a_single_npy_file_has_one_array(tmp_path: Path) -> None:
    file = tmp_path / "one.npy"
    file.write_bytes(_npy(np.arange(3)))
    assert [*read_arrays(file)] == ["0"]
    np.testing.assert_array_equal(read_grid_inputs(file, _arguments("tensor<3xi64>"))[0].common, np.arange(3))


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["in_1", "in_0", "out_0"], {0: "in_0", 1: "in_1"}),
        (["0", "1"], {0: "0", 1: "1"}),
        (["arg1", "arg0"], {0: "arg0", 1: "arg1"}),
        (["params['w']", "x", "other"], {0: "x", 1: "params['w']"}),
        (["arr_0", "arr_1"], {0: "arr_0", 1: "arr_1"}),
        (["in_1"], {1: "in_1"}),
        (["a", "b", "c"], {}),
    ],
)
def test_arrays_find_their_arguments(names: list[str], found: dict[int, str]) -> None:
    arguments = [Argument(0, "arg0", "x", "tensor<f32>"), Argument(1, "arg1", "params['w']", "tensor<f32>")]
    assert match(arguments, names) == found


def test_the_error_says_what_there_is_and_what_is_wanted(file: Path) -> None:
    _saved(file, in_0=np.zeros(2, np.float32), y=np.zeros((), np.int32))
    with pytest.raises(InputError) as error:
        read_grid_inputs(file, _arguments("tensor<2xf32>", "tensor<3xf32>"))
    assert error.value.message == (
        "given.npz has no array for argument 1. It has in_0: float32[2], y: int32[]; "
        "the program wants arg0: tensor<2xf32>, arg1: tensor<3xf32>"
    )
    assert "in_1, 1 or arg1" in str(error.value.hint)


class _Bomb:
    def __reduce__(self) -> tuple[Any, ...]:
        raise AssertionError("unpickled")


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (_npy(np.array([object()], object)), "Python objects"),
        (
            _with_header("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", pickle.dumps(1)),
            "Python objects",
        ),
        (_with_header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }"), "no tensor has"),
        (_npy(np.array(["text"])), "no tensor has"),
        (_npy(np.array(["2020-01-01"], "datetime64[D]")), "no tensor has"),
        (_npy(np.zeros(1, np.longdouble)), "no tensor has"),
        (_with_header("{'descr': '|V4', 'fortran_order': False, 'shape': (1,), }"), "no tensor has"),
        (
            _with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }"),
            "shape that no array can have",
        ),
        (
            _with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (True,), }"),
            "shape that no array can have",
        ),
        (
            _with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", b"\0" * 8),
            "cut off: 8 of 12",
        ),
        (_with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", b"\0" * 8), "more bytes"),
        (_with_header("__import__('os').system('true')"), "header is damaged"),
        (_with_header("[" * 9_000), "header is damaged"),
        (
            _with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }" + " " * 20_000),
            "header is damaged",
        ),
        (b"\x93NUMPY\x09\x00", "header is damaged"),
        (b"\x93NUMPY\x01", "header is damaged"),
        (b"", "not in NumPy's array format"),
    ],
)
def test_what_is_no_array_of_numbers_is_refused(data: bytes, complaint: str, file: Path) -> None:
    for name, content in ((file, None), (file.with_suffix(".npy"), data)):
        if content is None:
            _zip(name, {"x.npy": data})
        elif data.startswith(b"\x93NUMPY\x01\x00"):
            name.write_bytes(content)
        else:
            continue
        with pytest.raises(InputError) as error:
            read_arrays(name)
        assert complaint in error.value.message


def test_a_header_that_lies_about_its_size_allocates_nothing(file: Path) -> None:
    data = _with_header("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000,), }", b"\0" * 8)
    _zip(file, {"x.npy": data})
    with pytest.raises(LimitError) as limit:
        read_arrays(file)
    assert limit.value.label == "session_memory_bytes"
    tracemalloc.start()
    try:
        with pytest.raises(InputError):
            read_arrays(file, budget=1 << 40)
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()


def test_a_zip_bomb_stops_at_its_ratio_or_its_budget(file: Path) -> None:
    zeros = np.zeros(100 << 20, np.uint8)
    with file.open("wb") as stream:
        np.savez_compressed(stream, x=zeros)
    assert file.stat().st_size < 200_000
    with pytest.raises(InputError, match="more than 200 to 1"):
        read_arrays(file)
    with pytest.raises(LimitError):
        read_arrays(file, budget=1 << 20)


def test_several_arrays_share_the_budget(file: Path) -> None:
    _saved(file, a=np.zeros(600, np.uint8), b=np.zeros(600, np.uint8))
    with pytest.raises(LimitError):
        read_arrays(file, budget=1000)
    assert [*read_arrays(file, ["b"], budget=1000)] == ["b"]
    with pytest.raises(LimitError):
        read_headers(file, budget=1000)


@pytest.mark.parametrize("name", ["../../etc/x.npy", "/etc/x.npy", "\\x.npy", "a" * 300, "a\x01b.npy"])
def test_members_named_like_paths_are_refused(name: str, file: Path) -> None:
    _zip(file, {name: _npy(np.zeros(1))})
    with pytest.raises(InputError, match="name is not that of an array"):
        read_arrays(file)


def test_a_crowd_of_members_is_refused(file: Path) -> None:
    _zip(file, {f"a{number}.npy": _npy(np.zeros(1)) for number in range(4097)})
    with pytest.raises(InputError, match="at most 4,096"):
        read_headers(file)


def test_other_ways_of_packing_are_refused(file: Path) -> None:
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        _zip(file, {"x.npy": _npy(np.zeros(1))}, method)
        with pytest.raises(InputError, match="NumPy does not write"):
            read_arrays(file)


@pytest.mark.parametrize(
    "data", [b"", b"PK", b"hello there", b"PK\x03\x04" + b"\0" * 100, b"PK\x05\x06" + b"\xff" * 18]
)
def test_what_is_no_archive_is_refused(data: bytes, file: Path) -> None:
    file.write_bytes(data)
    with pytest.raises(InputError):
        read_arrays(file)


def _mutated(change: Callable[[bytearray], None], file: Path) -> Path:
    _saved(file, in_0=np.arange(100, dtype=np.float32), in_1=np.arange(8))
    data = bytearray(file.read_bytes())
    change(data)
    file.write_bytes(data)
    return file


@given(st.lists(st.tuples(st.integers(0, 1500), st.integers(0, 255)), min_size=1, max_size=8))
def test_damage_anywhere_is_an_error_or_harmless(
    tmp_path_factory: Any, changes: list[tuple[int, int]]
) -> None:
    """Whatever bytes change: arrays or a `ProgramError`, nothing else."""

    def damage(data: bytearray) -> None:
        for place, byte in changes:
            data[place % len(data)] = byte

    file = _mutated(damage, tmp_path_factory.mktemp("npz") / "given.npz")
    try:
        read_headers(file)
        read_arrays(file)
    except ProgramError:
        pass


@given(st.integers(0, 1500))
def test_a_file_that_ends_early_is_an_error(tmp_path_factory: Any, length: int) -> None:
    def cut(data: bytearray) -> None:
        del data[min(length, len(data) - 1) :]

    file = _mutated(cut, tmp_path_factory.mktemp("npz") / "given.npz")
    with pytest.raises(InputError):
        read_arrays(file)


def test_a_member_without_a_name_is_damage(file: Path) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(zipfile.ZipInfo(""), b"")
    with pytest.raises(InputError, match="one of its members has no name"):
        read_arrays(file)
