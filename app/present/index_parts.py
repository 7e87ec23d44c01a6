"""What a picture of an op's maps has to know of the op by name: which dimensions make a window, and where it lies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.ir.types import TensorType, Type
from engine.ops.convolution import ConvolutionOp
from engine.ops.dot_general import DotGeneral
from engine.ops.dynamic_slices import DynamicSlice, DynamicUpdateSlice
from engine.ops.dynamic_windows import DynamicGather, DynamicPad, RealDynamicSlice
from engine.ops.gather import Gather
from engine.ops.hlo.dynamic import DynamicSliceByVector, DynamicUpdateSliceByVector
from engine.ops.old_contractions import Dot
from engine.ops.op import Op
from engine.ops.pad import Pad
from engine.ops.reduce_window import ReduceWindow
from engine.ops.scatter import Scatter
from engine.ops.select_and_scatter import SelectAndScatter

JSON = dict[str, Any]


def parts_json(op: Op) -> JSON:
    """`window`: an element lies in a window of these dimensions; `target`: the tensor that the window lies over.

    `indices` is the operand that says where; `padded` are tensors that the op reads, or writes, also beyond their
    edges.
    """
    match op:
        case Gather() | DynamicGather():
            return _moving("gather", _result(0), op.dimension_numbers.offset_dims, _operand(0), 1)
        case Scatter():
            count, numbers = len(op.inputs), op.scatter_dimension_numbers
            window = numbers.update_window_dims
            return _moving("scatter", _operand(count + 1), window, _result(0), count)
        case DynamicSlice() | DynamicSliceByVector() | RealDynamicSlice():
            return _moving("dynamic_slice", _result(0), _all(op.operand_types[0]), _operand(0), 1)
        case DynamicUpdateSlice() | DynamicUpdateSliceByVector():
            return _moving("dynamic_update_slice", _operand(1), _all(op.operand_types[1]), _result(0), 2)
        case ReduceWindow():
            return {"kind": "window", "padded": [_operand(number) for number in range(len(op.inputs))]}
        case SelectAndScatter():
            return {"kind": "window", "sliding": _sliding(op)}
        case ConvolutionOp():
            return {"kind": "window", "padded": [_operand(0)]}
        case Pad() | DynamicPad():
            return {"kind": "pad", "padded": [_operand(0)]}
        case DotGeneral() | Dot():
            return {"kind": "contraction"}
    return {"kind": "other"}


def _sliding(op: SelectAndScatter) -> JSON:
    """A window of `over` for each element of `of`: what it chooses among, whatever it chooses."""
    rank = op.operand.rank
    padding = op.padding or ((0, 0),) * rank
    return {
        "of": _operand(1),
        "over": [_operand(0), _result(0)],
        "sizes": list(op.window_dimensions or (1,) * rank),
        "strides": list(op.window_strides or (1,) * rank),
        "low": [pair[0] for pair in padding],
    }


def _moving(kind: str, source: JSON, dimensions: Sequence[int], target: JSON, indices: int) -> JSON:
    return {
        "kind": kind,
        "window": {**source, "dimensions": list(dimensions)},
        "target": target,
        "indices": indices,
    }


def _operand(number: int) -> JSON:
    return {"side": "operand", "number": number}


def _result(number: int) -> JSON:
    return {"side": "result", "number": number}


def _all(found: Type) -> range:
    return range(found.rank if isinstance(found, TensorType) else 0)
