"""The bits of elements, which the page computes from what travels: every type, compared with NumPy and ml_dtypes."""

from __future__ import annotations

import json
import subprocess
from bisect import bisect_left
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from hloscope.app.present.elements import wire_of
from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ops.core.op import Array
from tests.each import for_each

from .test_index_map_evaluation import node

RUNNER = Path(__file__).parents[2] / "js" / "describe_bits.mjs"
NAMES = [name for name, found in ELEMENT_TYPES.items() if not found.is_complex]
FLOATS = [name for name in NAMES if ELEMENT_TYPES[name].is_float and name != "tf32"]
JSON = dict[str, Any]
RANDOM = 300


def width_of(name: str) -> int:
    return {"i1": 1, "tf32": 19}.get(name, ELEMENT_TYPES[name].bits)


def words_of(name: str) -> Array:
    """All patterns of a type up to 8 bits; of others the ends, the middle and random ones."""
    width = width_of(name)
    if width <= 8:
        return np.arange(1 << width, dtype=np.uint64)
    random = np.random.default_rng(0).integers(0, 1 << width, RANDOM, dtype=np.uint64)
    middle = 1 << width - 1
    ends = [0, 1, 2, middle - 1, middle, middle + 1, (1 << width) - 1]
    return np.concatenate([np.array(ends, np.uint64), random])


def values_of(name: str, words: Array) -> Array:
    """The elements with these patterns."""
    found = ELEMENT_TYPES[name]
    if name == "tf32":
        return (words << np.uint64(13)).astype(np.uint32).view(np.float32)
    if name == "i1":
        return words.astype(np.bool_)
    if found.kind == "signed" and found.bits < 8:  # NumPy stores them with their sign
        half = 1 << found.bits - 1
        return ((words.astype(np.int64) + half) % (2 * half) - half).astype(found.dtype)
    return words.astype(f"u{found.dtype.itemsize}").view(found.dtype)


@cache
def described() -> dict[str, list[JSON | None]]:
    """What the page says of the bits of each type's patterns; `None` of a NaN whose pattern does not travel."""
    asked = []
    for name in NAMES:
        words, wire = words_of(name), wire_of(ELEMENT_TYPES[name])
        data = values_of(name, words).astype(wire.dtype).tobytes()
        asked.append({"type": name, "wire": wire.name, "bytes": data.hex(), "count": len(words)})
    done = subprocess.run(
        [node(), str(RUNNER)], input=json.dumps(asked), capture_output=True, text=True, check=False, timeout=120
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return dict(zip(NAMES, json.loads(done.stdout), strict=True))


def number(name: str, value: Any) -> float:
    return float(value) if ELEMENT_TYPES[name].is_float else int(value)


@for_each("name", NAMES)
def test_bits_and_exact_values(name: str) -> None:
    words, width = words_of(name), width_of(name)
    for word, value, answer in zip(words.tolist(), values_of(name, words), described()[name], strict=True):
        if answer is None:
            assert name in ("f8E3M4", "f8E4M3", "f8E5M2")
            assert np.isnan(float(value))
            continue
        assert "".join(field["bits"] for field in answer["fields"]) == f"{word:0{width}b}"
        assert answer["hex"] == f"0x{word:0{-(-width // 4)}x}"
        exact, held = answer["exact"], number(name, value)
        if name == "i1":
            assert exact == ("true" if value else "false")
        elif not np.isfinite(held):
            assert exact == ("NaN" if np.isnan(held) else "+Inf" if held > 0 else "-Inf")
        elif "…" in exact:
            assert abs(Fraction(exact.replace("…", "")) - Fraction(held)) < abs(Fraction(held)) / 10**50
        else:
            assert Fraction(exact) == Fraction(held)
            assert exact.startswith("-") == bool(np.signbit(held))


@cache
def numbers_of(name: str) -> list[float]:
    """The numbers of a small float type in order, with infinities."""
    every = np.arange(1 << width_of(name), dtype=np.uint64)
    held = {float(value) for value in values_of(name, every)}
    return sorted(value for value in held if not np.isnan(value))


def neighbours(name: str, value: Any) -> tuple[float | None, float | None]:
    if ELEMENT_TYPES[name].bits > 16:
        held = value.dtype.type(value)
        ends = (float(np.nextafter(held, value.dtype.type(end))) for end in (-np.inf, np.inf))
        below, above = (None if end == float(held) else end for end in ends)
        return below, above
    every = numbers_of(name)
    at = bisect_left(every, float(value))
    return every[at - 1] if at else None, every[at + 1] if at + 1 < len(every) else None


def read(name: str, text: str | None) -> float | None:
    """The number that a short text stands for."""
    if text is None or ELEMENT_TYPES[name].bits > 16:
        return None if text is None else float(ELEMENT_TYPES[name].dtype.type(text))
    value, every = float(text), numbers_of(name)
    at = bisect_left(every, value)
    return (
        value if np.isinf(value) else min(every[max(0, at - 1) : at + 1], key=lambda each: abs(each - value))
    )


@for_each("name", FLOATS)
def test_neighbours_and_units_of_floats(name: str) -> None:
    words = words_of(name)
    for value, answer in zip(values_of(name, words), described()[name], strict=True):
        if answer is None or np.isnan(float(value)):
            assert answer is None or answer["below"] is answer["above"] is answer["ulp"] is None
            continue
        found = [read(name, text) for text in (answer["below"], answer["above"])]
        expected = neighbours(name, value)
        assert found == list(expected), (value, answer)
        if np.isfinite(float(value)):
            power = int(answer["ulp"].split(" ")[0].removeprefix("2^"))
            away = max((abs(each) for each in expected if each is not None), default=0.0)
            if abs(float(value)) < away < np.inf:
                assert Fraction(away) - Fraction(abs(float(value))) == Fraction(2) ** power


def test_integers_end_where_their_type_does() -> None:
    answers = described()["i8"]
    assert [(each or {})["below"] for each in (answers[128], answers[0])] == [None, "-1"]
    assert (answers[127] or {})["above"] is None
    assert [field["name"] for field in (answers[127] or {})["fields"]] == ["sign", "integer"]
