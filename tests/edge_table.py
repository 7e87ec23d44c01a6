"""Write the tables of `docs/edge-values.md`: results of elementwise ops on zeros, denormals, the largest numbers, infinities and NaN.

`python -m tests.edge_table` writes them; `tests/test_edge_table.py` fails if they are out of date.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

import hloscope
from hloscope.engine.ir.element_types import ELEMENT_TYPES

FILE = Path(__file__).parent.parent / "docs" / "edge-values.md"
INF, NAN = np.inf, np.nan
TINY, NORMAL, LARGEST = 2.0**-149, 2.0**-126, float(np.finfo(np.float32).max)
WORDS = {
    TINY: "tiny",
    NORMAL: "normal",
    LARGEST: "max",
    np.pi: "π",
    np.pi / 2: "π/2",
    np.pi / 4: "π/4",
    0.75 * np.pi: "3π/4",
}
NUMBERS = (0.0, -0.0, TINY, -TINY, 1.0, -1.0, LARGEST, -LARGEST, INF, -INF, NAN)
REAL = (
    *("abs", "negate", "sign", "ceil", "floor", "round_nearest_even", "round_nearest_afz", "sqrt", "rsqrt"),
    *("cbrt", "exponential", "exponential_minus_one", "log", "log_plus_one", "logistic", "sine", "cosine"),
    *("tan", "tanh"),
)
CHLO = (
    *("acos", "asin", "atan", "acosh", "asinh", "atanh", "sinh", "cosh", "square", "erf", "erfc", "erf_inv"),
    *("lgamma", "digamma", "bessel_i1e"),
)
BINARY = ("add", "subtract", "multiply", "divide", "remainder", "power", "atan2", "maximum", "minimum")
SIDES = (0.0, -0.0, 1.0, INF, -INF, NAN)
COMPLEX = ("abs", "exponential", "exponential_minus_one", "log", "log_plus_one", "sqrt", "tanh", "sign")
PARTS = (0.0, 1.0, INF, -INF, NAN)
FORMATS = ((8, 23), (8, 7), (5, 10), (5, 2), (4, 3), (8, 0), (5, 0), (2, 0), (1, 0))
REDUCED = (0.0, -0.0, TINY, NORMAL, 0.75, 1.0, 1.5, 3.0, 65504.0, 65520.0, LARGEST, INF, -INF, NAN)
CONVERTED = (0.0, -0.0, 1e-30, 1e30, -1e30, INF, -INF, NAN)


def number(value: float) -> str:
    """Format a number, with the names of WORDS where they apply."""
    if np.isnan(value):
        return "nan"
    sign = "-" if np.signbit(value) else ""
    size = abs(float(value))
    word = next((word for known, word in WORDS.items() if np.isclose(size, known, rtol=1e-6, atol=0)), None)
    return sign + (word or f"{size:.6g}")


def _shown(value: Any) -> str:
    if isinstance(value, np.complexfloating):
        return f"({number(float(value.real))}, {number(float(value.imag))})"
    return number(value)


def ran(
    op: str, operands: Sequence[np.ndarray[Any, Any]], element: str, result: str = "", attributes: str = ""
) -> Any:
    """The result of one op on arrays of one shape."""
    count = len(operands[0])
    given = [f"tensor<{count}x{element}>"] * len(operands)
    names = [f"%{name}" for name in "xy"[: len(operands)]]
    to = f"tensor<{count}x{result or element}>"
    arguments = ", ".join(f"{name}: {type}" for name, type in zip(names, given, strict=True))
    call = f'"{op}"({", ".join(names)}) {{{attributes}}} : ({", ".join(given)}) -> {to}'
    text = f"func.func @main({arguments}) -> {to} {{\n  %r = {call}\n  return %r : {to}\n}}\n"
    return hloscope.run(text, list(operands))[0]


def _rows(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    head = list(head)
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def _real(dialect: str, names: Iterable[str]) -> Iterator[str]:
    values = np.array(NUMBERS, np.float32)
    rows = ([f"`{name}`", *map(_shown, ran(f"{dialect}.{name}", [values], "f32"))] for name in names)
    return _rows(["of", *map(number, NUMBERS)], rows)


def _binary() -> Iterator[str]:
    pairs = list(product(SIDES, SIDES))
    sides = [np.array(side, np.float32) for side in zip(*pairs, strict=True)]
    found = [ran(f"stablehlo.{name}", sides, "f32") for name in BINARY]
    rows = (
        [f"{number(x)}, {number(y)}", *(_shown(column[k]) for column in found)]
        for k, (x, y) in enumerate(pairs)
    )
    return _rows(["lhs, rhs", *(f"`{name}`" for name in BINARY)], rows)


def _complex() -> Iterator[str]:
    pairs = list(product(PARTS, PARTS))
    values = np.empty(len(pairs), np.complex64)
    values.real, values.imag = zip(*pairs, strict=True)
    results = {"abs": "f32"}
    found = [ran(f"stablehlo.{name}", [values], "complex<f32>", results.get(name, "")) for name in COMPLEX]
    rows = ([_shown(value), *(_shown(column[k]) for column in found)] for k, value in enumerate(values))
    return _rows(["of", *(f"`{name}`" for name in COMPLEX)], rows)


def _reduced() -> Iterator[str]:
    values = np.array(REDUCED, np.float32)

    def row(exponent: int, mantissa: int) -> list[str]:
        bits = f"exponent_bits = {exponent} : i32, mantissa_bits = {mantissa} : i32"
        found = ran("stablehlo.reduce_precision", [values], "f32", attributes=bits)
        return [f"e{exponent}m{mantissa}", *map(_shown, found)]

    return _rows(["format", *map(number, REDUCED)], (row(*bits) for bits in FORMATS))


def _converted() -> Iterator[str]:
    values = np.array(CONVERTED, np.float32)

    def row(name: str) -> list[str]:
        found = ran("stablehlo.convert", [values], "f32", name).astype(np.float64)
        info = ml_dtypes.finfo(ELEMENT_TYPES[name].dtype)
        return [
            f"`{name}`",
            number(float(info.max)),
            number(float(info.smallest_subnormal)),
            *map(_shown, found),
        ]

    names = [name for name, found in ELEMENT_TYPES.items() if found.is_float and name not in ("tf32", "f64")]
    return _rows(["type", "largest", "smallest", *map(number, CONVERTED)], map(row, names))


def page(text: str) -> str:
    """The page with its first tables written anew; the others, and the sentences, stay."""
    tables = [_real("stablehlo", REAL), _real("chlo", CHLO), _binary(), _complex(), _reduced(), _converted()]
    written = iter("".join(f"{line}\n" for line in table) for table in tables)
    return re.sub(r"(?:^\|.*\n)+", lambda found: next(written, found[0]), text, flags=re.MULTILINE)


if __name__ == "__main__":
    FILE.write_text(page(FILE.read_text("utf-8")), "utf-8")
