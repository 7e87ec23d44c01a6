"""What a picture of an op's maps has to know of the op by name: which dimensions make a window, and where it lies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hloscope.engine.indexing import IndexMap
from hloscope.engine.indexing.builders.convolutions import ConvolutionIndexing
from hloscope.engine.indexing.builders.windows import WindowIndexing
from hloscope.engine.indexing.expressions import dims
from hloscope.engine.ir.types import TensorType, Type
from hloscope.engine.ops.convolution import ConvolutionOp
from hloscope.engine.ops.dot_general import DotGeneral
from hloscope.engine.ops.dynamic_slices import DynamicSlice, DynamicUpdateSlice
from hloscope.engine.ops.dynamic_windows import DynamicGather, DynamicPad, RealDynamicSlice
from hloscope.engine.ops.gather import Gather
from hloscope.engine.ops.hlo.dynamic import DynamicSliceByVector, DynamicUpdateSliceByVector
from hloscope.engine.ops.old_contractions import Dot
from hloscope.engine.ops.op import Op
from hloscope.engine.ops.pad import Pad
from hloscope.engine.ops.reduce_window import ReduceWindow
from hloscope.engine.ops.scatter import Scatter
from hloscope.engine.ops.select_and_scatter import SelectAndScatter

from .map_json import map_json

JSON = dict[str, Any]


def parts_json(op: Op) -> JSON:
    """`window`: an element lies in a window of these dimensions; `target`: the tensor that the window lies over.

    `indices` is the operand that says where. `taps`: windows that may reach beyond the edges of a tensor, and between
    its elements.
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
        case ReduceWindow() if _is_static(op):
            over = [_operand(number) for number in range(len(op.inputs))]
            return {"kind": "window", "taps": _window_taps(_result(0), over, op.indexing)}
        case SelectAndScatter() if _is_static(op):
            return {
                "kind": "window",
                "taps": _window_taps(_operand(1), [_operand(0), _result(0)], op.indexing),
            }
        case ConvolutionOp() if _is_static(op) and op.indexing:
            return {"kind": "window", "taps": _convolution_taps(op.indexing)}
        case Pad() if _is_static(op):
            return {"kind": "pad", "taps": _pad_taps(op)}
        case DynamicPad() if op.mapped and _is_static(op):
            return parts_json(op.mapped.twin)
        case DotGeneral() | Dot():
            return {"kind": "contraction"}
    return {"kind": "other"}


def _window_taps(of: JSON, over: Sequence[JSON], windows: WindowIndexing) -> JSON:
    """Each element of `of` has a window over the tensors `over`.

    `base` is how far apart the elements of those lie along each of their dimensions once they are dilated; `map` leads
    from an element to the places of its window, counted like that from the first element. Places in the padding and
    in holes are among them.
    """
    return {
        "of": of,
        "over": list(over),
        "base": list(windows.base_dilations),
        "map": map_json(windows.positions()),
    }


def _convolution_taps(windows: ConvolutionIndexing) -> JSON:
    """`partner`: the kernel, and which of its elements a place is multiplied with."""
    base = [1] * len(windows.lhs_shape)
    for at, dilation in zip(windows.input_dimensions[2], windows.lhs_dilation, strict=True):
        base[at] = dilation
    kernel = next(found for found in windows.index_maps() if found.operand == 1)
    return {
        "of": _result(0),
        "over": [_operand(0)],
        "base": base,
        "map": map_json(windows.positions()),
        "partner": {**_operand(1), "map": map_json(kernel.map)},
    }


def _pad_taps(op: Pad) -> JSON:
    """The one place that an element of the result comes from."""
    places = [place - low for place, low in zip(dims(op.operand.rank), op.edge_padding_low, strict=True)]
    return {
        "of": _result(0),
        "over": [_operand(0)],
        "base": [interior + 1 for interior in op.interior_padding],
        "map": map_json(IndexMap.of(places, op.infer().sizes)),
    }


def _is_static(op: Op) -> bool:
    """Whether all sizes are known."""
    return all(isinstance(found, TensorType) and found.is_static for found in op.operand_types)


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
