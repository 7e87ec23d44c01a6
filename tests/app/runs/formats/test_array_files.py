"""Arrays in files that are not NumPy's: what is there is read, what is wrong is refused, nothing is run or read out of bounds."""

from __future__ import annotations

import io
import json
import pickle
import struct
import sys
import types
import zipfile
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hloscope.app.runs.array_files.forms import form_of
from hloscope.app.runs.array_files.stored import ListedNumbers, array_spec
from hloscope.app.runs.npz import headers_json, read_arrays, read_headers
from hloscope.engine.errors import InputError, LimitError, ProgramError

BF16 = np.dtype(ml_dtypes.bfloat16)


def safetensors(header: object, data: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


class Storage:
    """Stands for a storage of PyTorch while a file is written."""

    def __init__(self, kind: str, key: str) -> None:
        self.kind, self.key = kind, key


class _Rebuilt:
    """Stands for a tensor: pickles as PyTorch's own do."""

    def __init__(self, function: Any, arguments: tuple[Any, ...]) -> None:
        self.function, self.arguments = function, arguments

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return self.function, self.arguments


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> Callable[..., bytes]:
    """Writes what `torch.save` writes, by the names that PyTorch gives to what it pickles."""
    top, utils = types.ModuleType("torch"), types.ModuleType("torch._utils")
    for name in ("_rebuild_tensor_v2", "_rebuild_tensor_v3", "_rebuild_parameter"):
        function = types.FunctionType(compile("lambda *a: None", "", "eval").co_consts[0], {}, name)
        function.__module__, function.__qualname__ = "torch._utils", name
        setattr(utils, name, function)
    for name in ("FloatStorage", "BFloat16Storage", "LongStorage", "UntypedStorage"):
        setattr(top, name, type(name, (), {"__module__": "torch"}))
    monkeypatch.setitem(sys.modules, "torch", top)
    monkeypatch.setitem(sys.modules, "torch._utils", utils)

    class Writer(pickle.Pickler):
        def persistent_id(self, obj: Any) -> Any:
            if isinstance(obj, Storage):
                return ("storage", getattr(top, obj.kind), obj.key, "cpu", 4)
            return None

    def save(
        make: Callable[[Callable[..., Any]], Any],
        storages: Mapping[str, bytes],
        extra: Mapping[str, bytes] | None = None,
        method: int = zipfile.ZIP_STORED,
    ) -> bytes:
        def tensor(
            kind: str, key: str, offset: int, shape: Any, strides: Any, name: str = "_rebuild_tensor_v2"
        ) -> Any:
            arguments: tuple[Any, ...] = (Storage(kind, key), offset, shape, strides, False, OrderedDict())
            return _Rebuilt(getattr(utils, name), arguments)

        stream = io.BytesIO()
        Writer(stream, 2).dump(make(tensor))
        written = io.BytesIO()
        with zipfile.ZipFile(written, "w", method) as archive:
            archive.writestr("m/data.pkl", stream.getvalue())
            for key, data in storages.items():
                archive.writestr(f"m/data/{key}", data)
            for name, data in (extra or {}).items():
                archive.writestr(f"m/{name}", data)
        return written.getvalue()

    return save


def wrote(tmp_path: Path, data: bytes | str, name: str = "x.bin") -> Path:
    path = tmp_path / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def test_safetensors_are_read(tmp_path: Path) -> None:
    first, second = np.arange(6, dtype=np.float32).reshape(2, 3), np.array([1.5, -2], BF16)
    header = {
        "__metadata__": {"format": "pt"},
        "w": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
        "b": {"dtype": "BF16", "shape": [2], "data_offsets": [24, 28]},
        "none": {"dtype": "I64", "shape": [0, 3], "data_offsets": [28, 28]},
    }
    file = wrote(tmp_path, safetensors(header, first.tobytes() + second.tobytes()))
    found = read_arrays(file)
    assert np.array_equal(found["w"], first)
    assert found["b"].dtype == BF16
    assert np.array_equal(found["b"], second)
    assert found["none"].shape == (0, 3)
    assert not found["w"].flags.writeable
    assert read_arrays(file, ["b"]).keys() == {"b"}
    assert headers_json(read_headers(file))[1] == {"name": "b", "dtype": "bfloat16", "shape": [2]}


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"dtype": "F32", "shape": [2], "data_offsets": [0, 9]}, "would lie at bytes 0 to 9"),
        ({"dtype": "F32", "shape": [2], "data_offsets": [8, 16]}, "has 8"),
        ({"dtype": "F32", "shape": [2], "data_offsets": [-8, 0]}, "would lie"),
        ({"dtype": "F32", "shape": [1 << 60], "data_offsets": [0, 8]}, "shape that no array can have"),
        ({"dtype": "F32", "shape": [True, 2], "data_offsets": [0, 8]}, "shape that no array can have"),
        ({"dtype": "F32", "shape": [1 << 40, 0], "data_offsets": [0, 8]}, "would lie"),
        ({"dtype": "F9", "shape": [2], "data_offsets": [0, 8]}, "has type F9"),
        ({"dtype": "F32", "shape": [2], "data_offsets": [0]}, "has no place"),
        ({"dtype": "F32", "shape": [2], "data_offsets": ["0", "8"]}, "has no place"),
        ([], "says nothing of w"),
    ],
)
def test_offsets_of_safetensors_are_checked(tmp_path: Path, about: object, message: str) -> None:
    file = wrote(tmp_path, safetensors({"w": about}, b"\0" * 8))
    with pytest.raises(InputError, match=message):
        read_headers(file)


def test_a_damaged_header_of_safetensors_is_a_sentence(tmp_path: Path) -> None:
    for header in (b"{" * 9, b'{"w": ' + b"[" * 100_000 + b"}", b"{1}"):
        with pytest.raises(InputError, match="its header is not JSON"):
            read_headers(wrote(tmp_path, safetensors(header)))


def test_tensors_of_pytorch_are_read_without_it(tmp_path: Path, torch: Callable[..., bytes]) -> None:
    values = np.arange(12, dtype=np.float32)
    data = torch(
        lambda tensor: OrderedDict(
            layer={"weight": tensor("FloatStorage", "0", 0, (3, 4), (4, 1))},
            transposed=tensor("FloatStorage", "0", 0, (4, 3), (1, 4)),
            part=tensor("FloatStorage", "0", 5, (2, 2), (4, 1)),
            again=[tensor("LongStorage", "1", 0, (2, 3), (0, 0)), 7, "text", None],
            half=tensor("BFloat16Storage", "2", 0, (), ()),
            empty=tensor("FloatStorage", "0", 12, (0, 4), (4, 1)),
        ),
        {"0": values.tobytes(), "1": np.array([5]).tobytes(), "2": np.array(1.5, BF16).tobytes()},
        {"byteorder": b"little", "version": b"3"},
    )
    found = read_arrays(wrote(tmp_path, data))
    assert list(found) == ["layer.weight", "transposed", "part", "again.0", "half", "empty"]
    assert np.array_equal(found["layer.weight"], values.reshape(3, 4))
    assert np.array_equal(found["transposed"], values.reshape(3, 4).T)
    assert found["part"].tolist() == [[5, 6], [9, 10]]
    assert found["again.0"].tolist() == [[5, 5, 5], [5, 5, 5]]
    assert found["half"] == BF16.type(1.5)
    assert found["empty"].shape == (0, 4)


def test_a_tensor_alone_and_of_another_byte_order(tmp_path: Path, torch: Callable[..., bytes]) -> None:
    values = np.array([1, -2], ">f4")
    data = torch(
        lambda tensor: tensor("FloatStorage", "0", 0, (2,), (1,)),
        {"0": values.tobytes()},
        {"byteorder": b"big"},
    )
    assert read_arrays(wrote(tmp_path, data))["0"].tolist() == [1, -2]


@pytest.mark.parametrize(
    ("offset", "shape", "strides", "message"),
    [
        (0, (5,), (1,), "reaches to element 4 of a storage with 4"),
        (4, (1,), (1,), "reaches to element 4"),
        (0, (2, 2), (3, 1), "reaches to element 4"),
        (0, (2,), (1 << 40,), "reaches to element 1,099,511,627,776"),
        (-1, (2,), (1,), "an offset or strides that none can have"),
        (0, (2,), (-1,), "a shape that no array can have"),
        (0, (2, 2), (1,), "an offset or strides that none can have"),
        (0, (-2,), (1,), "a shape that no array can have"),
        (0, ("2",), (1,), "a shape that no array can have"),
    ],
)
def test_strides_are_held_against_the_storage(
    tmp_path: Path, torch: Callable[..., bytes], offset: int, shape: Any, strides: Any, message: str
) -> None:
    data = torch(lambda tensor: tensor("FloatStorage", "0", offset, shape, strides), {"0": b"\0" * 16})
    with pytest.raises(InputError, match=message):
        read_arrays(wrote(tmp_path, data))


def test_a_small_storage_is_not_spread_over_all_memory(tmp_path: Path, torch: Callable[..., bytes]) -> None:
    data = torch(lambda tensor: tensor("FloatStorage", "0", 0, (1 << 40,), (0,)), {"0": b"\0" * 4})
    with pytest.raises(LimitError, match="are left for inputs"):
        read_arrays(wrote(tmp_path, data))


@pytest.mark.parametrize("thing", [print, Path, io.BytesIO])
def test_nothing_that_a_pickle_names_is_called(
    tmp_path: Path, torch: Callable[..., bytes], thing: Any
) -> None:
    data = torch(lambda _: _Rebuilt(thing, ("x",)), {})
    with pytest.raises(InputError, match=r"it names [\w.]+, which is not loaded: only tensors are"):
        read_arrays(wrote(tmp_path, data))


def test_what_torch_save_never_writes_is_refused(tmp_path: Path, torch: Callable[..., bytes]) -> None:
    packed = torch(lambda _: {}, {"0": b"\0" * 1000}, method=zipfile.ZIP_DEFLATED)
    with pytest.raises(InputError, match=r"data\.pkl is packed"):
        read_headers(wrote(tmp_path, packed))
    missing = torch(lambda tensor: tensor("FloatStorage", "0", 0, (2,), (1,)), {})
    with pytest.raises(InputError, match="storage of 0 cannot be read"):
        read_arrays(wrote(tmp_path, missing))
    with pytest.raises(InputError, match=r"before version 1\.6"):
        read_headers(wrote(tmp_path, b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02"))
    with pytest.raises(InputError, match="is a Python pickle, which is never read"):
        read_headers(wrote(tmp_path, pickle.dumps({"x": 1})))
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(InputError, match="too deep"):
        read_headers(wrote(tmp_path, torch(lambda _: loop, {})))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[1, 2, 3]", {"0": np.array([1, 2, 3])}),
        (" [[1.5, NaN], [Infinity, 2]]", {"0": np.array([[1.5, np.nan], [np.inf, 2]])}),
        ('{"x": [true, false], "y": 3}', {"x": np.array([True, False]), "y": np.array(3)}),
        ("\ufeff[18446744073709551615]", {"0": np.array([2**64 - 1], np.uint64)}),
        ("1,2\n3,4\n", {"0": np.array([[1, 2], [3, 4]])}),
        ("1\n2\n\n3", {"0": np.array([1, 2, 3])}),
        ("1, 2.5, -inf", {"0": np.array([1, 2.5, -np.inf])}),
        ("x,y\n1,2\n3,4", {"x": np.array([1, 3]), "y": np.array([2, 4])}),
    ],
)
def test_lists_of_numbers_are_read(tmp_path: Path, text: str, wanted: Mapping[str, Any]) -> None:
    found = read_arrays(wrote(tmp_path, text))
    assert found.keys() == wanted.keys()
    for name, value in wanted.items():
        assert isinstance(found[name], ListedNumbers)
        assert np.array_equal(found[name], value, equal_nan=found[name].dtype.kind == "f")
        assert not array_spec(found[name]).exact


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1, 2", "is not JSON: line 1"),
        ("[[1], [2, 3]]", "differ in length"),
        ('["a"]', "holds str where a number"),
        ("[null]", "holds NoneType"),
        ("[" * 70 + "]" * 70, "too deep"),
        ("[" * 100_000, "too deep|not JSON"),
        ("[" + "9" * 5000 + "]", "too long"),
        ("[100000000000000000000]", "numbers that no tensor has"),
        ("1,2\n3", "row 2 has 1 numbers, and the first 2"),
        ("1,2\n3,x", "'x' in row 2 is not a number"),
        ("hello there", "is neither .npz nor .npy"),
        ("", "is neither .npz nor .npy"),
    ],
)
def test_wrong_lists_are_a_sentence(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_headers(wrote(tmp_path, text))


def test_the_forms_are_told_by_content(tmp_path: Path) -> None:
    assert form_of(wrote(tmp_path, '{"a": 1}', "x.csv")) == "json"
    assert form_of(wrote(tmp_path, "1,2", "x.json")) == "csv"
    assert form_of(wrote(tmp_path, "module {}", "x.npz")) == "unknown"


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.data())
def test_damaged_files_are_read_or_refused(
    tmp_path: Path, torch: Callable[..., bytes], data: st.DataObject
) -> None:
    header = {"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}
    whole = data.draw(
        st.sampled_from(
            [
                torch(lambda tensor: {"w": tensor("FloatStorage", "0", 0, (2,), (1,))}, {"0": b"\0" * 8}),
                safetensors(header, b"\0" * 8),
                b'{"w": [[1, 2], [3, 4.5]]}',
                b"x,y\n1,2\n3,4\n",
            ]
        )
    )
    content = bytearray(whole)
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), max_size=6)):
        content[place] = data.draw(st.integers(0, 255))
    end = data.draw(st.integers(0, len(content))) if data.draw(st.booleans()) else len(content)
    try:
        count = len(read_arrays(wrote(tmp_path, bytes(content[:end])), budget=1 << 20))
    except ProgramError as error:
        count = len(error.message)
    assert count >= 0


DATA = Path(__file__).parents[3] / "data" / "formats"


def test_what_pytorch_itself_has_saved(tmp_path: Path) -> None:
    """The files were written by PyTorch 2.15 and safetensors: parameters, views, unsigned, small floats."""
    found = read_arrays(DATA / "tensors.pt")
    base = np.arange(12, dtype=np.float32)
    assert list(found) == [
        *("lin.weight", "lin.bias", "base", "t", "part", "bf", "i", "p", "u32", "f8", "b", "c", "scalar"),
    ]
    assert found["lin.weight"].shape == (2, 3)
    assert np.array_equal(found["t"], base.reshape(3, 4).T)
    assert np.array_equal(found["part"], base.reshape(3, 4)[1:, 1:3])
    assert found["u32"].tolist() == [1, 2**32 - 1]
    assert (found["f8"].dtype.name, found["f8"].tolist()) == ("float8_e4m3fn", [1, -2])
    assert (found["bf"].dtype, found["bf"].tolist()) == (BF16, [1.5, -2])
    assert (found["b"].tolist(), found["c"].tolist(), found["scalar"].tolist()) == (
        [True, False],
        [1 + 2j],
        3,
    )
    stored = read_arrays(DATA / "tensors.safetensors")
    assert all(np.array_equal(stored[name], found[name]) for name in ("base", "bf", "i", "f8"))


def test_arrays_of_any_file_are_inputs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from hloscope.app.cli.main import main

    program = tmp_path / "add.mlir"
    program.write_text(
        "func.func @main(%base: tensor<12xf32>, %bf: tensor<2xbf16>) -> (tensor<12xf32>, tensor<2xbf16>) {\n"
        "  return %base, %bf : tensor<12xf32>, tensor<2xbf16>\n}\n"
    )
    for name in ("tensors.pt", "tensors.safetensors"):
        assert main(["run", str(program), "--inputs", str(DATA / name)]) == 0
        assert "dense<[1.5" in capsys.readouterr().out
    (tmp_path / "x.json").write_text('{"base": [0,1,2,3,4,5,6,7,8,9,10,11], "bf": [1.5, -2]}')
    assert main(["run", str(program), "--inputs", str(tmp_path / "x.json")]) == 0
    assert "dense<[1.5" in capsys.readouterr().out
    (tmp_path / "bf.csv").write_text("1.5, -2\n")
    assert main(["run", str(program), "--input", f"bf={tmp_path / 'bf.csv'}"]) == 0
    assert "dense<[1.5" in capsys.readouterr().out
    assert main(["run", str(program), "--input", f"bf={DATA / 'tensors.pt'}"]) == 2
    assert "holds 13 arrays, and one is wanted" in capsys.readouterr().err
    (tmp_path / "wrong.json").write_text("[1.5, 2, 3]")
    assert main(["run", str(program), "--input", f"bf={tmp_path / 'wrong.json'}"]) == 2
    assert "bf16" in capsys.readouterr().err


def test_a_storage_that_ends_too_early_is_damage(tmp_path: Path, torch: Callable[..., bytes]) -> None:
    data = torch(lambda tensor: tensor("FloatStorage", "0", 0, (200,), (1,)), {"0": b"\0" * 800})
    start, central = data.index(b"m/data/0") + 8, data.rindex(b"m/data/0")
    path = wrote(tmp_path, data)
    with zipfile.ZipFile(path) as archive:
        size = archive.getinfo("m/data/0").file_size
    assert (size, start < central) == (800, True)
    longer = (800).to_bytes(4, "little") * 2, (1_150).to_bytes(4, "little") * 2
    path.write_bytes(data[:start] + data[start:].replace(*longer))
    # Newer Pythons refuse an entry that reaches into the next one.
    with pytest.raises(InputError, match=r"storage of 0 (ends too early|cannot be read: Overlapped entries)"):
        read_arrays(path)
