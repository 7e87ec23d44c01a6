"""Arrays in protocol buffers: written here by hand, field by field."""

from __future__ import annotations

import struct
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import hloscope
from hloscope.engine.passes.protocol_buffers import Message, WireError
from hloscope.engine.passes.snapshots import read_constants, read_literal, read_snapshot
from tests.passes import folders


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    found = b""
    while value >= 0x80:
        found += bytes([value & 0x7F | 0x80])
        value >>= 7
    return found + bytes([value])


def field(number: int, value: int | bytes | str) -> bytes:
    """One field of a message: an integer, or bytes with their length."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def shape(kind: int, sizes: tuple[int, ...], order: tuple[int, ...] = ()) -> bytes:
    layout = field(1, b"".join(map(_varint, order)))
    return field(2, kind) + field(3, b"".join(map(_varint, sizes))) + field(5, layout)


def floats(*values: float, sizes: tuple[int, ...], order: tuple[int, ...] = ()) -> bytes:
    return field(1, shape(11, sizes, order)) + field(8, struct.pack(f"<{len(values)}f", *values))


def test_elements_lie_in_the_order_of_the_layout() -> None:
    rows = floats(1, 2, 3, 4, 5, 6, sizes=(2, 3), order=(1, 0))
    columns = floats(1, 4, 2, 5, 3, 6, sizes=(2, 3), order=(0, 1))
    for data in (rows, columns):
        assert read_literal(Message(data)).tolist() == [[1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize(
    ("kind", "number", "data", "expected"),
    [
        (4, 4, _varint(-3) + _varint(7), np.array([-3, 7], np.int32)),
        (9, 7, _varint(2**64 - 1) + _varint(0), np.array([2**64 - 1, 0], np.uint64)),
        (1, 2, b"\1\0", np.array([True, False])),
        (16, 13, b"\x80\x3f\x00\x40", np.array([1, 2], ml_dtypes.bfloat16)),
        (2, 15, b"\xff\x01", np.array([-1, 1], np.int8)),
        (15, 12, struct.pack("<4f", 1, 2, 3, 4), np.array([1 + 2j, 3 + 4j], np.complex64)),
        (21, 21, b"\xf2", np.array([-1, 2], ml_dtypes.int4)),
    ],
)
def test_each_element_type_has_its_field(kind: int, number: int, data: bytes, expected: np.ndarray) -> None:
    found = read_literal(Message(field(1, shape(kind, (2,), (0,))) + field(number, data)))
    assert found.dtype == expected.dtype
    assert found.tolist() == expected.tolist()


def test_a_snapshot_gives_its_arguments_tuples_taken_apart() -> None:
    pair = field(1, field(2, 13)) + field(10, floats(1.0, sizes=(1,))) + field(10, floats(2.0, sizes=(1,)))
    module = field(1, field(1, "jit_f"))
    data = field(1, module) + field(2, floats(0.5, sizes=())) + field(2, pair)
    found = read_snapshot(data)
    assert found.module == "jit_f"
    assert [array.tolist() for array in found.arguments[0]] == [0.5, [1.0], [2.0]]


@pytest.mark.parametrize("data", [b"\x0a\xff", b"\x0b", b"\x00\x01", b"\x0a\x05ab", b"\xff" * 12])
def test_damaged_messages_are_refused(data: bytes) -> None:
    with pytest.raises(WireError):
        Message(data)


def test_an_array_that_states_too_much_is_refused() -> None:
    with pytest.raises(WireError, match="states the sizes"):
        read_literal(Message(field(1, shape(11, (1 << 40,), (0,)))))
    with pytest.raises(WireError, match="has 1 of 2 elements"):
        read_literal(Message(floats(1.0, sizes=(2,))))


ELIDED = folders.text().replace(
    "  %multiply.7 =", "  %constant.3 = f32[4,4]{1,0} constant({...})\n  %multiply.7 ="
).replace("subtract(%multiply.7, %x.1)", "subtract(%multiply.7, %constant.3)")  # fmt: skip


def _with_constant(folder: Path) -> Path:
    return folders.write_dump(folder, [ELIDED, ELIDED, ELIDED.replace("tanh.1 = ", "tanh.5 = ")])


def test_left_out_constants_stop_a_run_with_a_reason(tmp_path: Path) -> None:
    stage = hloscope.passes(_with_constant(tmp_path / "dump"), jobs=1).stages[0]
    assert stage.verdict == "cannot_run"
    assert "leaves out the numbers of %constant.3" in stage.reason
    assert "--xla_dump_large_constants" in stage.hint


def test_left_out_constants_are_taken_from_a_protocol_buffer(tmp_path: Path) -> None:
    folder = _with_constant(tmp_path / "dump")
    constant = (
        field(1, "constant.3")
        + field(2, "constant")
        + field(8, floats(*range(16), sizes=(4, 4), order=(1, 0)))
    )
    proto = field(1, field(3, field(1, "main.1") + field(2, constant)))
    (folder / "module_0001.jit_f.before_optimizations.hlo.pb").write_bytes(proto)
    assert read_constants(proto)["constant.3"].tolist() == np.arange(16.0).reshape(4, 4).tolist()
    verdicts = {stage.verdict for stage in hloscope.passes(folder, jobs=1).stages}
    assert verdicts <= {"same_text", "same_bits"}


def test_left_out_constants_are_taken_from_what_xla_was_given(tmp_path: Path) -> None:
    folder = _with_constant(tmp_path / "dump")
    inputs = folder / "module_0001.jit_f"
    inputs.mkdir()
    (inputs / "module.mlir").write_text("""
      module @jit_f {
        func.func public @main(%x: tensor<4x4xf32>, %b: tensor<4xf32>) -> tensor<4x4xf32> {
          %c = stablehlo.constant dense<[[1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<4x4xf32>
          %0 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<4xf32>) -> tensor<4x4xf32>
          %1 = stablehlo.multiply %x, %0 : tensor<4x4xf32>
          %2 = stablehlo.subtract %1, %c : tensor<4x4xf32>
          %3 = stablehlo.tanh %2 : tensor<4x4xf32>
          return %3 : tensor<4x4xf32>
        }
      }
    """)
    stages = hloscope.passes(folder, jobs=1).stages
    assert stages[0].stage.pass_name == "input"
    assert [stage.verdict for stage in stages][:2] == ["same_text", "same_bits"]
    assert {stage.verdict for stage in stages} <= {"same_text", "same_bits"}


OTHERS = """
      module @jit_f {
        func.func public @main(%x: tensor<4x4xf32>, %b: tensor<4xf32>) -> tensor<4x4xf32> {
          %c = stablehlo.constant dense<[[1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<4x4xf32>
          %d = stablehlo.add %c, %c : tensor<4x4xf32>
          %0 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<4xf32>) -> tensor<4x4xf32>
          %1 = stablehlo.multiply %x, %0 : tensor<4x4xf32>
          %2 = stablehlo.subtract %1, %d : tensor<4x4xf32>
          %3 = stablehlo.tanh %2 : tensor<4x4xf32>
          return %3 : tensor<4x4xf32>
        }
      }
"""


def test_a_constant_that_was_folded_on_the_way_is_not_taken_for_another(tmp_path: Path) -> None:
    """Only `%c` is in a file; HLO has `%d`, and leaves out its numbers."""
    folder = _with_constant(tmp_path / "dump")
    inputs = folder / "module_0001.jit_f"
    inputs.mkdir()
    (inputs / "module.mlir").write_text(OTHERS)
    passes = hloscope.passes(folder, jobs=1)
    assert passes.first_wrong is None
    assert {stage.verdict for stage in passes.stages[1:]} == {"cannot_run"}
    assert "%constant.3, and those of an array of the same shape" in passes.stages[1].reason
    assert "--xla_dump_large_constants" in passes.stages[-1].hint


def test_inputs_are_those_of_a_snapshot(tmp_path: Path) -> None:
    folder = folders.broken(tmp_path / "dump")
    ones = floats(*[1.0] * 16, sizes=(4, 4), order=(1, 0))
    data = (
        field(1, field(1, field(1, "jit_f")))
        + field(2, ones)
        + field(2, floats(3, 3, 3, 3, sizes=(4,), order=(0,)))
    )
    (folder / "module_0001.jit_f.snapshot.-12.pb").write_bytes(data)
    passes = hloscope.passes(folder, jobs=1)
    assert passes.modules[0].origin == "module_0001.jit_f.snapshot.-12.pb"
    wrong = passes.first_wrong
    assert wrong is not None
    assert wrong.worst is not None
    assert (wrong.worst.before, wrong.worst.after) == (2.0, -2.0)


def test_an_unoptimised_snapshot_may_have_its_arrays_behind_it() -> None:
    """XLA writes the message after its length, with the sizes of the arrays, and then these."""

    def serialised(kind: int, sizes: tuple[int, ...], order: tuple[int, ...], data: bytes) -> bytes:
        stated = shape(kind, sizes, order)
        return len(stated).to_bytes(8, "little") + stated + data

    arrays = [
        serialised(11, (2, 2), (0, 1), np.array([1, 2, 3, 4], np.float32).tobytes()),
        serialised(1, (3,), (0,), b"\x05"),
    ]
    sizes = b"".join(field(2, field(2, len(array))) for array in arrays)
    message = field(1, field(1, "jit_f")) + field(2, sizes)
    data = _varint(len(message)) + message + b"".join(arrays)
    found = read_snapshot(data, unoptimized=True)
    assert found.module == "jit_f"
    assert [array.tolist() for array in found.arguments[0]] == [[[1, 3], [2, 4]], [True, False, True]]
    with pytest.raises(WireError, match="cut off"):
        read_snapshot(data[:-1], unoptimized=True)
