"""The parts of a picture of an op's maps as JSON: which dimensions make a window, and where it lies."""

from __future__ import annotations

from hloscope.engine.ops.core.facets import MovedWindow, Shown, SlidingWindows
from hloscope.engine.ops.core.op import Op

from ..wire.maps import PictureParts, TensorSide, WindowPositions
from .map_json import map_json


def parts_json(op: Op) -> PictureParts:
    """The picture parts: `window` dimensions, and the `target` tensor that the window lies over.

    `indices` is the operand with the window's position. `windowPositions`: windows that may extend beyond the
    edges of a tensor, and between its elements.
    """
    picture = op.drawing.picture(op)
    match picture:
        case MovedWindow():
            return {
                "kind": picture.kind,
                "window": {**_tensor_side(picture.source), "dimensions": list(picture.dimensions)},
                "target": _tensor_side(picture.target),
                "indices": picture.indices,
            }
        case SlidingWindows():
            return {"kind": picture.kind, "windowPositions": _positions(picture)}
    return {"kind": picture.kind if picture else "other"}


def _positions(windows: SlidingWindows) -> WindowPositions:
    found: WindowPositions = {
        "of": _tensor_side(windows.source),
        "over": list(map(_tensor_side, windows.over)),
        "base": list(windows.dilations),
        "map": map_json(windows.positions),
    }
    if windows.partner:
        shown, kernel = windows.partner
        found["partner"] = {**_tensor_side(shown), "map": map_json(kernel)}
    return found


def _tensor_side(shown: Shown) -> TensorSide:
    return {"side": shown.side, "number": shown.number}
