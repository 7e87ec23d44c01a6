"""Results of a run, printed and saved."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hloscope.engine.comparison.runs import compare_named
from hloscope.engine.comparison.sentences import difference_text
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.inputs import Array, describe_array
from hloscope.engine.ir.attributes import DenseAttribute
from hloscope.engine.ir.module import Language
from hloscope.engine.ir.types import TensorType, TupleType, Type
from hloscope.engine.syntax.attributes.print_dense import print_dense
from hloscope.engine.syntax.hlo.values.print_literals import print_literal as print_hlo_literal
from hloscope.engine.syntax.hlo.values.print_shapes import print_shape

from ...present.npy import as_plain
from ...present.summary import value_text

SHOWN_ELEMENTS = 100
"""Maximum elements of a result that are printed."""


def result_lines(
    results: Sequence[Array], types: Sequence[Type], language: Language = "stablehlo"
) -> Iterator[str]:
    """Each result as a constant in the program's language; tuples element by element."""
    constant = _hlo_constant if language == "hlo" else _constant
    for number, (array, type) in enumerate(_leaves(results, types)):
        yield f"%out_{number} = {constant(array, type)}"


def named_results(results: Sequence[Array]) -> dict[str, Array]:
    """Results under the names that a comparison has for them."""
    return {f"out_{number}": array for number, array in enumerate(results)}


def recorded_line(recording: Recording, results: Sequence[Array]) -> str:
    """A run beside the results that XLA recorded of the same execution, in words."""
    found = compare_named(recording, named_results(results)).results
    if len(found) != len(results):
        return f"XLA recorded {len(results)} results, and the run has {len(found)}"
    differing = [(number, each) for number, each in enumerate(found) if each.kind != "same_bits"]
    if not differing:
        return "the results have the same bits as those that XLA recorded"
    told = "; ".join(f"result {number}: {each.kind}, {difference_text(each)}" for number, each in differing)
    return f"the results beside those that XLA recorded: {told}"


def literal(array: Array, type: Type, language: Language = "stablehlo") -> str:
    """A value as a literal with its type."""
    if language == "hlo" or not isinstance(type, TensorType):
        return _hlo_constant(array, type) if language == "hlo" else str(type)
    return _constant(array, type).removeprefix("stablehlo.constant ")


def _leaves(results: Sequence[Array], types: Sequence[Type]) -> Iterator[tuple[Array, Type]]:
    """The values in all results, with tuples flattened, and their types."""
    # A run that has not ended has no results.
    waiting = list(zip(results, types, strict=False))[::-1]
    while waiting:
        array, type = waiting.pop()
        if isinstance(type, TupleType):
            waiting.extend(zip(reversed(array.tolist()), reversed(type.types), strict=True))
        else:
            yield array, type


def _hlo_constant(array: Array, type: Type) -> str:
    shape = print_shape(type)
    if not isinstance(type, TensorType):
        return shape
    actual = type if type.is_static else type.with_shape(array.shape)
    if array.size <= SHOWN_ELEMENTS:
        return f"{shape} constant({print_hlo_literal(DenseAttribute(actual, array))})"
    first = array.reshape(-1)[:SHOWN_ELEMENTS]
    shown = print_hlo_literal(DenseAttribute(actual.with_shape(first.shape), first))
    return f"{shape} constant({shown.removesuffix('}')}, …}})  // {value_text(array, type)}"


def _constant(array: Array, type: Type) -> str:
    if not isinstance(type, TensorType):
        return str(type)
    actual = type if type.is_static else type.with_shape(array.shape)
    text = f"stablehlo.constant {print_dense(actual, array, SHOWN_ELEMENTS)}"
    return f"{text}  // {value_text(array, type)}" if array.size > SHOWN_ELEMENTS else text


def save_results(file: Path, results: Iterable[tuple[str, Sequence[Array], Sequence[Type]]]) -> None:
    """Tensors as `out_0`, `out_1`, … in an .npz file, with tuples flattened.

    Each of `results` has a suffix for names.
    """
    arrays: dict[str, Any] = {
        f"out_{number}{suffix}": as_plain(array)
        for suffix, values, types in results
        for number, (array, type) in enumerate(_leaves(values, types))
        if isinstance(type, TensorType)
    }
    with file.open("wb") as stream:
        np.savez(stream, **arrays)


def save_probes(folder: Path, probes: Mapping[str, Sequence[Array]]) -> None:
    """Save `interpreter.probe` values as .npy files, with name, type and file in `index.csv`."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "index.csv").open("a", newline="", encoding="utf-8") as stream:
        index = csv.writer(stream)
        for name, values in probes.items():
            for value in values:
                file = folder / f"probe{len(list(folder.glob('probe*.npy')))}.npy"
                np.save(file, as_plain(value))
                index.writerow([name, describe_array(value), file.name])
