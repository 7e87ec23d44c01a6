"""Reader for `torch.save` files without PyTorch, which executes nothing of the pickle.

A file is a zip archive with `…/data.pkl` and the bytes of storages, `…/data/0`, not compressed. The pickle may name a few
globals, each of which only describes a tensor here; any other is refused. Offsets and strides are checked against the
storage before they are used. Source: PyTorch, "Serialization semantics".
"""

import io
import pickle
import zipfile
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from hloscope.engine.errors import InputError

from ...processes.arrays import Array, dtype_of
from .stored import MOST_ARRAYS, Header, StoredArray, check_count, check_shape

MOST_PICKLE_BYTES = 16 << 20
MOST_DEPTH = 32
_PICKLE = "/data.pkl"
_STORAGES: dict[str, str] = {
    "FloatStorage": "float32", "DoubleStorage": "float64", "HalfStorage": "float16", "BFloat16Storage": "bfloat16",
    "LongStorage": "int64", "IntStorage": "int32", "ShortStorage": "int16", "CharStorage": "int8",
    "ByteStorage": "uint8", "BoolStorage": "bool", "ComplexFloatStorage": "complex64",
    "ComplexDoubleStorage": "complex128", "UntypedStorage": "uint8",
    "Float8_e4m3fnStorage": "float8_e4m3fn", "Float8_e5m2Storage": "float8_e5m2",
}  # fmt: skip
_DTYPES = frozenset(_STORAGES.values()) | {"uint16", "uint32", "uint64", "float8_e4m3fnuz", "float8_e5m2fnuz"}


@dataclass(frozen=True)
class _TypeName:
    """A type in the pickle: of a storage, or of elements."""

    dtype: np.dtype[Any]


@dataclass(frozen=True)
class _Storage:
    dtype: np.dtype[Any]
    key: str


@dataclass(frozen=True)
class _Tensor:
    storage: _Storage
    dtype: np.dtype[Any]
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def is_torch_archive(file: Path) -> bool:
    """Whether a zip archive is a `torch.save` file."""
    try:
        with zipfile.ZipFile(file) as archive:
            return any(name.endswith(_PICKLE) for name in archive.namelist())
    except (zipfile.BadZipFile, OSError, ArithmeticError, ValueError, NotImplementedError):
        return False


def open_torch_archive(file: Path) -> list[StoredArray]:
    """The tensors of a file, named by dictionary keys and list indices: `layer.weight`, `0`."""
    try:
        with zipfile.ZipFile(file) as archive:
            entry = next(each for each in archive.infolist() if each.filename.endswith(_PICKLE))
            folder = entry.filename.removesuffix(_PICKLE)
            found = _Unpickler(io.BytesIO(_member(archive, entry.filename, MOST_PICKLE_BYTES))).load()
            swapped = _is_big_endian(archive, folder)
        return [_stored(file, folder, name, tensor, swapped) for name, tensor in _named(found, file.name)]
    except InputError as error:
        raise InputError(f"{file.name}: {error.message}", hint=error.hint) from None
    except MemoryError:
        raise
    except Exception as error:  # a damaged pickle or archive makes the two libraries raise anything
        raise InputError(f"{file.name} is damaged: {error}") from None


class _Unpickler(pickle.Unpickler):
    """Allow-list unpickler: tensors and plain containers only."""

    def find_class(self, module: str, name: str) -> Any:
        """The allowed globals. Raises `InputError` for any other."""
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if (module, name) in (("torch._utils", "_rebuild_tensor_v2"), ("torch._utils", "_rebuild_tensor")):
            return _tensor
        if (module, name) == ("torch._utils", "_rebuild_tensor_v3"):
            return _tensor_of_type
        if (module, name) in (
            ("torch._utils", "_rebuild_parameter"),
            ("torch._utils", "_rebuild_parameter_with_state"),
        ):
            return _first
        if module in ("torch", "torch.storage") and name in _STORAGES:
            return _TypeName(dtype_of(_STORAGES[name]))
        if module == "torch" and name in _DTYPES:
            return _TypeName(dtype_of(name))
        if (module, name) == ("torch", "Size"):
            return tuple
        raise InputError(
            f"it names {module:.80}.{name:.80}, which is not loaded: only tensors are",
            hint="Save tensors or a state_dict alone, or use safetensors.",
        )

    def persistent_load(self, pid: Any) -> _Storage:
        """A storage, by its type and its file's name."""
        if not isinstance(pid, tuple) or len(pid) < 3 or pid[0] != "storage":
            raise InputError("it refers to something that is not a storage")
        if not isinstance(pid[1], _TypeName) or not isinstance(pid[2], str):
            raise InputError("it has a storage without a type or a name")
        return _Storage(pid[1].dtype, pid[2])


def _tensor(storage: Any, offset: Any, shape: Any, strides: Any, *_: Any) -> _Tensor:
    return _checked(storage, storage.dtype if isinstance(storage, _Storage) else None, offset, shape, strides)


def _tensor_of_type(
    storage: Any, offset: Any, shape: Any, strides: Any, _: Any, __: Any, dtype: Any, *___: Any
) -> _Tensor:
    return _checked(storage, dtype.dtype if isinstance(dtype, _TypeName) else None, offset, shape, strides)


def _first(value: Any, *_: Any) -> Any:
    return value


def _checked(storage: Any, dtype: np.dtype[Any] | None, offset: Any, shape: Any, strides: Any) -> _Tensor:
    if not isinstance(storage, _Storage) or dtype is None:
        raise InputError("it has a tensor without a storage")
    sizes, steps = check_shape("a tensor", shape), check_shape("a tensor's strides", strides)
    if len(sizes) != len(steps) or type(offset) is not int or not 0 <= offset < 1 << 48:
        raise InputError("it has a tensor with an offset or strides that none can have")
    return _Tensor(storage, dtype, offset, sizes, steps)


def _named(found: Any, file: str) -> Iterator[tuple[str, _Tensor]]:
    """The tensors in dictionaries and lists; skips other entries, such as numbers and texts."""
    count = 0
    waiting: list[tuple[str, Any, int]] = [("", found, 0)]
    while waiting:
        name, value, depth = waiting.pop()
        if isinstance(value, _Tensor):
            count += 1
            check_count(count, file)
            yield name or "0", value
            continue
        if isinstance(value, dict):
            inside = [(str(key), item) for key, item in value.items() if isinstance(key, str | int)]
        elif isinstance(value, list | tuple):
            inside = [(str(number), item) for number, item in enumerate(value)]
        else:
            continue
        if depth == MOST_DEPTH or len(waiting) + len(inside) > 64 * MOST_ARRAYS:
            raise InputError("it has too much in it, or too deep")
        prefix = f"{name}." if name else ""
        waiting += [(f"{prefix}{key:.200}", item, depth + 1) for key, item in reversed(inside)]


def _stored(file: Path, folder: str, name: str, tensor: _Tensor, swapped: bool) -> StoredArray:
    header = Header(name, tensor.dtype, tensor.shape)
    return StoredArray(
        header, lambda: _load(file, f"{folder}/data/{tensor.storage.key}", tensor, name, swapped)
    )


def _load(file: Path, member: str, tensor: _Tensor, name: str, swapped: bool) -> Array:
    try:
        with zipfile.ZipFile(file) as archive:
            data = _member(archive, member, file.stat().st_size)
    except EOFError:
        raise InputError(f"{file.name} is damaged: the storage of {name} ends too early") from None
    except (zipfile.BadZipFile, OSError, ArithmeticError, ValueError, KeyError, NotImplementedError) as error:
        raise InputError(f"{file.name} is damaged: the storage of {name} cannot be read: {error}") from None
    flat = np.frombuffer(data[: len(data) // tensor.dtype.itemsize * tensor.dtype.itemsize], tensor.dtype)
    if prod(tensor.shape) == 0:
        return np.zeros(tensor.shape, tensor.dtype)
    last = tensor.offset + sum(
        (size - 1) * step for size, step in zip(tensor.shape, tensor.strides, strict=True)
    )
    if last >= flat.size:
        raise InputError(f"{name} reaches to element {last:,} of a storage with {flat.size:,}")
    steps = [step * tensor.dtype.itemsize for step in tensor.strides]
    found = np.lib.stride_tricks.as_strided(flat[tensor.offset :], tensor.shape, steps)
    return np.array(found.byteswap() if swapped and tensor.dtype.itemsize > 1 else found)


def _member(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """An uncompressed member, as PyTorch writes it, so that none exceeds the size of the file."""
    entry = archive.getinfo(name)
    if entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & 1:
        raise InputError(f"its member {name:.100} is packed, as torch.save never does")
    if entry.file_size > most:
        raise InputError(f"its member {name:.100} has {entry.file_size:,} bytes; {most:,} are read")
    with archive.open(entry) as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise InputError(f"its member {name:.100} has more bytes than are read")
    return data


def _is_big_endian(archive: zipfile.ZipFile, folder: str) -> bool:
    try:
        return _member(archive, f"{folder}/byteorder", 16).strip() == b"big"
    except KeyError:
        return False
