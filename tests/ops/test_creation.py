"""constant and iota."""

import numpy as np
import pytest

from hloscope.engine.errors import UnboundResults
from hloscope.engine.ir.attributes import IntegerAttribute, ResourceAttribute
from hloscope.engine.ir.element_types import I64
from hloscope.engine.ir.types import ScalarType
from hloscope.engine.ops.core.op import Array

from .building import bound, operation, tensor


def iota(text: str, dimension: int) -> Array:
    value = bound(
        operation("iota", [], [text], iota_dimension=IntegerAttribute(dimension, ScalarType(I64)))
    ).evaluate()
    assert isinstance(value, np.ndarray)
    return value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("300xi8", [127, -128, -127]),
        ("20xi4", None),
        ("300xbf16", None),
        ("3xcomplex<f64>", [0, 1, 2]),
        ("3xq8b", [3, 7, 11]),
    ],
)
def test_iota_of_other_types(text: str, expected: list[int] | None) -> None:
    """Integers wrap, floats are rounded, quantized values count by one."""
    found = iota(text, 0)
    assert found.dtype == tensor(text).element_type.dtype
    if text == "300xi8":
        assert found[127:130].tolist() == expected
    elif text == "20xi4":
        assert found[7:9].astype(int).tolist() == [7, -8]
    elif text == "300xbf16":
        assert found[[256, 257, 259]].astype(float).tolist() == [256, 256, 260]
    else:
        assert found.tolist() == expected


def test_iota_keeps_what_repeats_once() -> None:
    assert iota("1000x4xi32", 1).strides == (0, 4)


@pytest.mark.parametrize(
    ("name", "outside", "message", "hint"),
    [
        ("weights", "dense_resource<weights>", r"the data of dense_resource<weights>", "print the program"),
        (
            "{...}",
            "{...}",
            r"constant\(\{\.\.\.\}\): its values were left out",
            "print_large_constants = True",
        ),
    ],
)
def test_a_constant_without_its_data_stops_a_run(name: str, outside: str, message: str, hint: str) -> None:
    kind = tensor("2x3xf32")
    op = bound(operation("constant", [], ["2x3xf32"], value=ResourceAttribute(name, kind)))
    assert op.outside == outside
    with pytest.raises(UnboundResults, match=message) as caught:
        op.evaluate()
    assert hint in (caught.value.hint or "")
