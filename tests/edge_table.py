"""Write `docs/edge-values.md`: results of elementwise ops on zeros, denormals, the largest numbers, infinities and NaN.

`python -m tests.edge_table` writes the page; `tests/test_edge_table.py` fails if it is out of date.
"""

from __future__ import annotations

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
    *(
        "abs",
        "negate",
        "sign",
        "ceil",
        "floor",
        "round_nearest_even",
        "round_nearest_afz",
        "sqrt",
        "rsqrt",
        "cbrt",
    ),
    *(
        "exponential",
        "exponential_minus_one",
        "log",
        "log_plus_one",
        "logistic",
        "sine",
        "cosine",
        "tan",
        "tanh",
    ),
)
CHLO = (
    *(
        "acos",
        "asin",
        "atan",
        "acosh",
        "asinh",
        "atanh",
        "sinh",
        "cosh",
        "square",
        "erf",
        "erfc",
        "erf_inv",
        "lgamma",
    ),
    *("digamma", "bessel_i1e"),
)
BINARY = ("add", "subtract", "multiply", "divide", "remainder", "power", "atan2", "maximum", "minimum")
SIDES = (0.0, -0.0, 1.0, INF, -INF, NAN)
COMPLEX = ("abs", "exponential", "exponential_minus_one", "log", "log_plus_one", "sqrt", "tanh", "sign")
PARTS = (0.0, 1.0, INF, -INF, NAN)
FORMATS = ((8, 23), (8, 7), (5, 10), (5, 2), (4, 3), (8, 0), (5, 0), (2, 0), (1, 0))
REDUCED = (0.0, -0.0, TINY, NORMAL, 0.75, 1.0, 1.5, 3.0, 65504.0, 65520.0, LARGEST, INF, -INF, NAN)
CONVERTED = (0.0, -0.0, 1e-30, 1e30, -1e30, INF, -INF, NAN)

INTRODUCTION = """\
# Edge values

```
$ hloscope run sign.mlir --input "[-0.0, 1e-45, -2]"
%out_0 = stablehlo.constant dense<[-0.000000e+00, 1.000000e+00, -1.000000e+00]> : tensor<3xf32>
```

`sign.mlir` is `%0 = stablehlo.sign %x`: -0 stays -0, and the denormal 1e-45 counts as positive. The
tables of this page show the results of elementwise ops on edge values: zeros of both signs,
denormals, the largest numbers, infinities and NaN. Use them to look up what an op does with such a
value. The ops themselves produce them: `python -m tests.edge_table` writes this page, and a test
compares it.

`tests/oracle/test_edge_values.py` compares every op, on such values of every floating-point and
complex type, with StableHLO's reference interpreter and with XLA on CPU. Where they differ,
`tests/oracle/differences/` lists the elements and the reason. The order of authority is StableHLO's
specification, then XLA's operation semantics. Where both are silent, IEEE 754 applies and, for
complex functions, Annex G of C99, which the interpreter follows wherever its formulas neither
overflow nor cancel.

`tiny` is the smallest denormal of f32, 2^-149, `normal` its smallest normal number, 2^-126, and
`max` its largest number.
"""
AFTER_REAL = """\
Types narrower than f32 are computed in f32, or in f64 for transcendental functions, and rounded
once, so intermediate values do not overflow. Denormals are kept; XLA on CPU flushes them to zero.
"""
AFTER_BINARY = """\
`maximum` and `minimum` return NaN if an operand is NaN, and order -0 below 0. `remainder` has the
sign of `lhs`. `power` follows IEEE 754: 1 to any power is 1, and any number to the power of 0 is 1,
even for NaN.
"""
AFTER_COMPLEX = """\
A result is written as (real, imaginary). XLA's formulas return NaN for most operands that are not
finite: its `exponential` of (-inf, inf) is (nan, nan). `abs` of a number with an infinite part is
infinite, whatever the other part is.
"""
AFTER_REDUCED = """\
A row is a number of exponent bits and mantissa bits. Without mantissa bits, numbers are rounded to
powers of 2, and halves to the even exponent. NaN stays NaN, as XLA's semantics require ("NaN values
are retained"), even in a format without mantissa bits, which cannot represent it. There the
interpreter, and XLA's constant folding, return an infinity; compiled XLA code returns NaN. Numbers
too small for a normal number of the format become zero. Formats have no denormals, except that a
format with all exponent bits keeps the denormals of the type.
"""
AFTER_CONVERTED = """\
The types have different special values. f4 and f6 have neither infinities nor NaN; hloscope
converts NaN and numbers that are too large as ml_dtypes does. The 8-bit `FN` types have NaN but no
infinities. The `FNUZ` types have one zero and one NaN. f8E8M0FNU has only powers of 2, without zero
and without a sign.
"""
AFTER_SUMS = """\
The sum of 1,000 ones in bf16 is 1000 in hloscope and in XLA, and 256 in StableHLO's reference
interpreter. The specification leaves the order of the additions open, and with it the rounding. The
interpreter adds one element after the other and rounds each sum to bf16, which has 8 significant
bits, so 256 + 1 is 256 again. XLA on CPU also rounds each sum, but adds parts of the array first,
and the sums of these parts are exact here. hloscope adds in f32 and rounds the result once.
"""


HLO_TEXT = """\
## HLO text

Some instructions of HLO text mean something else to XLA than the same op of StableHLO. hloscope
computes what XLA computes on HLO text, and what the specification states on StableHLO.

| op | StableHLO | HLO text |
|---|---|---|
| `convolution` | padding and the holes of dilation are zeros; times an infinity of the kernel they are NaN | they are left out; the libraries that XLA calls on CPU for f16 and f32 in two or three dimensions multiply zeros |
| `reduce` | `init_values` always count | not where each result has one element: reduced dimensions have size 1, or there are none |
| `reduce_window` | padding and holes hold `init_values` | they are left out |
| `power` of integers | exact, modulo the range of the type | exponents are read as signed, and of positive ones the lowest six bits: 3 to the power of 64 is 1 |
| `scatter` | elements of a window that are outside are dropped | the whole window is dropped |
| `compare` | `TOTALORDER` orders NaN and signed zeros | the same; XLA compares StableHLO programs as `FLOAT` |
"""


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


def page() -> str:
    """The whole page, as Markdown."""
    parts = (
        INTRODUCTION,
        "## Functions of one number (f32)\n",
        *_real("stablehlo", REAL),
        "\nFunctions of CHLO:\n",
        *_real("chlo", CHLO),
        f"\n{AFTER_REAL}",
        "## Functions of two numbers (f32)\n",
        *_binary(),
        f"\n{AFTER_BINARY}",
        "## Complex functions (complex<f32>)\n",
        *_complex(),
        f"\n{AFTER_COMPLEX}",
        "## reduce_precision (f32)\n",
        *_reduced(),
        f"\n{AFTER_REDUCED}",
        "## Conversion from f32\n",
        *_converted(),
        f"\n{AFTER_CONVERTED}",
        "## Sums in narrow types\n",
        AFTER_SUMS,
        HLO_TEXT,
    )
    return "\n".join(parts)


if __name__ == "__main__":
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(page(), "utf-8")
