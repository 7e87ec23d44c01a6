"""A Python script that shows a fault with jax alone, from `templates/reproducer.txt`: program, inputs, expectation."""

from collections.abc import Mapping, Sequence
from typing import Any

import ml_dtypes
import numpy as np
from jinja2 import Environment, FileSystemLoader, select_autoescape

from hloscope.engine.comparison.difference import Difference
from hloscope.engine.reduction.case import Case

from ...base.assets import folder
from ...processes.arrays import Array

INLINE_ELEMENTS = 64
"""Maximum elements of an array that is inlined in the script."""
SHOWN = 8
"""Number of result elements that the script checks."""

_ENVIRONMENT = Environment(
    loader=FileSystemLoader(folder("templates")), autoescape=select_autoescape(), trim_blocks=True,
    keep_trailing_newline=True,
)  # fmt: skip
_MEANING = {
    "crashes": "It dies where the fault shows.",
    "differs": "It exits with 1 where the fault shows, and with 0 where it does not.",
    "rewrite": "It exits with 1 where both sides of the rewrite differ, and with 0 where they do not.",
    "passes": "It exits with 1 where the fault shows, and with 0 where it does not.",
    "nan": "It exits with 1 where the fault shows, and with 0 where it does not.",
}


def script(
    case: Case,
    kind: str,
    title: str,
    sentence: str,
    versions: Mapping[str, str],
    flags: Sequence[str],
    expected: Sequence[tuple[int, tuple[int, ...], Any, float]],
) -> str:
    """The script's text. It reads `inputs.npz` beside it if an input is too large to be inlined."""
    if case.grid.num_processes > 1:
        flags = (*flags, f"--xla_force_host_platform_device_count={case.grid.num_processes}")
    return _ENVIRONMENT.get_template("reproducer.txt").render(
        kind=kind,
        title=title,
        sentence=sentence,
        version=versions["hloscope"],
        seen=", ".join(f"{name} {value}" for name, value in versions.items() if name != "hloscope"),
        meaning=_MEANING.get(kind, "It prints what XLA computes."),
        narrow=not all(map(_is_plain, case.inputs)),
        large=any(_expression(array) is None for array in case.inputs),
        flags=repr(" ".join(flags)) if flags else "",
        grid=case.grid,
        is_hlo=case.module.language == "hlo",
        program=case.text.rstrip(),
        inputs="\n".join(f"    {_input(number, array)}," for number, array in enumerate(case.inputs)),
        expected="\n".join(
            f"    ({n}, {index}, {_number(value)}, {allowed!r})," for n, index, value, allowed in expected
        ),
    )


def worst_elements(
    differences: Sequence[Difference], expected: Sequence[Array]
) -> list[tuple[int, tuple[int, ...], Any, float]]:
    """The worst element of each differing result: result number, index, value and allowed error."""
    found = []
    for number, (difference, array) in enumerate(zip(differences, expected, strict=True)):
        if not difference.is_fine and difference.index is not None:
            bound = difference.bound
            allowed = 0.0 if bound is None or not np.isfinite(bound) else bound
            found.append((number, difference.index, array[difference.index].item(), allowed))
    return found[:SHOWN]


def _number(value: Any) -> str:
    text = repr(value)
    return (
        f'complex("{text.strip("()")}")'
        if isinstance(value, complex)
        else (f'float("{text}")' if text in ("nan", "inf", "-inf") else text)
    )


def _input(number: int, array: Array) -> str:
    found = _expression(array)
    if found is not None:
        return found
    loaded = f'np.load(Path(__file__).with_name("inputs.npz"))["arg_{number}"]'
    if _is_plain(array):
        return loaded
    return f"{loaded}.{'astype' if 'int' in array.dtype.name else 'view'}({_dtype(array)})"


def _is_plain(array: Array) -> bool:
    return not hasattr(ml_dtypes, array.dtype.name)


def _dtype(array: Array) -> str:
    name = array.dtype.name
    return (
        f"np.{name}"
        if _is_plain(array) and name != "bool"
        else "np.bool_"
        if name == "bool"
        else f"ml_dtypes.{name}"
    )


def _expression(array: Array) -> str | None:
    """An array as a NumPy expression on one line; `None` if that is too long."""
    shape, dtype = array.shape, _dtype(array)
    flat = np.ascontiguousarray(array).reshape(-1)
    if not flat.size or flat.tobytes() == np.zeros_like(flat).tobytes():
        return f"np.zeros({shape}, {dtype})"
    if flat.tobytes() == np.ones_like(flat).tobytes():
        return f"np.ones({shape}, {dtype})"
    if flat.size > 1 and flat.tobytes() == flat[:1].tobytes() * flat.size:
        return f"np.full({shape}, {_element(flat[0])}, {dtype})"
    counted = np.arange(flat.size)
    if flat.size > 2 and array.dtype.kind != "b" and _is_plain(array):
        if flat.tobytes() == counted.astype(array.dtype).tobytes():
            return f"np.arange({flat.size}).reshape({shape}).astype({dtype})"
        if flat.tobytes() == (counted % 8).astype(array.dtype).tobytes():
            return f"(np.arange({flat.size}) % 8).reshape({shape}).astype({dtype})"
    if flat.size <= INLINE_ELEMENTS:
        elements = ", ".join(_element(value) for value in flat)
        return f"np.array([{elements}]).astype({dtype}).reshape({shape})"
    return None


def _element(value: Any) -> str:
    if value.dtype.kind in "bui":
        return repr(value.item())
    return _number(complex(value) if value.dtype.kind == "c" else float(value))
