"""Edge values of an elementwise op: operands with a result that is easy to get wrong."""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.core.quiet import quiet

from ..present.numbers import exact_number
from .example_run import Tensor, Use

FLOATS = ("float16", "bfloat16", "float32", "float64")
FLOAT_EDGES = ("0", "-1", "Infinity", "-Infinity", "NaN", "1")
MOST_OPERANDS = 3
OPTIONS = 4


def edge_question(use: Use) -> tuple[list[tuple[str, str]], str, list[str]] | None:
    """Operands with names, the op's result, and answers to choose from.

    `None` for an op that is not elementwise, and for types without edge values.
    """
    operands = use.operands
    if not _can_be_asked(use):
        return None
    tried = [(given, _result(use, given)) for given in _edges(operands)]
    given, said = max(tried, key=lambda each: _interest(use, *each))
    if _interest(use, given, said) <= 0:
        return None
    names = [(tensor.name, value) for tensor, value in zip(operands, given, strict=True)]
    return names, said, _options(use.results[0], said, given)


def _can_be_asked(use: Use) -> bool:
    operands, results = use.operands, use.results
    return (
        use.op.traits.is_elementwise
        and not use.has_lanes
        and 0 < len(operands) <= MOST_OPERANDS
        and len(operands) == len(use.bound.operands)
        and len({tensor.name for tensor in operands}) == len(operands)
        and len(results) == 1
        and all(tensor.array.size for tensor in operands)
        and all(_has_edges(tensor) for tensor in (*operands, results[0]))
    )


def _has_edges(tensor: Tensor) -> bool:
    is_plain = str(tensor.type.element_type)[0] != "!"  # quantized elements are stored as integers
    return is_plain and (tensor.array.dtype.name in FLOATS or tensor.array.dtype.kind in "biu")


def _edges(operands: Sequence[Tensor]) -> Iterator[tuple[str, ...]]:
    """Values for all operands, simplest first."""
    yield from product(*(_edges_of(tensor.array) for tensor in operands))


def _edges_of(array: Array) -> tuple[str, ...]:
    if array.dtype.name in FLOATS:
        return FLOAT_EDGES
    if array.dtype.kind == "b":
        return ("0", "1")
    info = np.iinfo(array.dtype)
    return tuple(dict.fromkeys(map(str, (0, 1, info.min, info.max, info.bits, -1 if info.min else 2))))


def _result(use: Use, given: tuple[str, ...]) -> str:
    """The op's result for these operands, as one element is written."""
    arrays = []
    for tensor, text in zip(use.operands, given, strict=True):
        changed = np.array(tensor.array)
        value = float(text) if tensor.array.dtype.name in FLOATS else int(text)
        changed.flat[0] = np.array(value).astype(changed.dtype)
        arrays.append(changed)
    with quiet():
        found = use.op.evaluate(*arrays)
    made = found[0] if isinstance(found, tuple) else found
    return exact_number(np.asarray(made).ravel()[0])


def _interest(use: Use, given: tuple[str, ...], said: str) -> float:
    """Interest of a case; 0 if the result equals an operand or cannot be computed by hand."""
    operands = [exact_number(np.float64(text)) if text[-1] in "yN" else text for text in given]
    if said in operands or said == "-0":
        return 0
    if use.results[0].array.dtype.name in FLOATS:
        return _interest_of_float(operands, said)
    if use.results[0].array.dtype.kind == "b":
        return 1.0 + ("NaN" in operands) + 0.5 * ("-Inf" in operands)
    ends = {text for tensor in use.operands for text in _ends(tensor.array)}
    extreme = sum(text in ends for text in operands)
    return 1.0 + (extreme == 1) + (said not in ("0", "1", "-1")) + 0.5 * (said in ends) - 0.2 * (said == "0")


def _interest_of_float(operands: Sequence[str], said: str) -> float:
    odd = {"NaN", "+Inf", "-Inf"}
    if said not in odd and not said.lstrip("-").isdigit() and said != "0.5":
        return 0
    came, went = any(text in odd for text in operands), said in odd
    return 1.0 + 2 * (came != went) + (said == "NaN") - 0.5 * (said == "0") - 0.01 * operands.count("NaN")


def _ends(array: Array) -> tuple[str, ...]:
    """The smallest and the largest integer; empty for other types."""
    if array.dtype.kind not in "iu":
        return ()
    info = np.iinfo(array.dtype)
    return (str(info.max), *([str(info.min)] if info.min else []))


def _options(made: Tensor, said: str, given: tuple[str, ...]) -> list[str]:
    """Answers in an order that does not reveal the correct one."""
    if made.array.dtype.kind == "b":
        return ["false", "true"]
    if made.array.dtype.name in FLOATS:
        wrong = ["NaN", "0", "+Inf", "-Inf", "1"]
    else:
        info = np.iinfo(made.array.dtype)
        wrong = [
            *(text for text in given if text.lstrip("-").isdigit()),
            *map(str, (0, -1, info.max, 1, info.min)),
        ]
        wrong = [text for text in wrong if info.min <= int(text) <= info.max]
    options = list(dict.fromkeys([said, *wrong]))[:OPTIONS]
    return sorted(options, key=lambda text: (text.lstrip("+-") in ("Inf", "NaN"), _size(text)))


def _size(text: str) -> float:
    return float(text) if text != "NaN" else float("inf")
