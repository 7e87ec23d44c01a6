"""Comparators as XLA's passes leave them: known by what they do, and the same as when they are run pair by pair."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import hloscope
from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.packed import Packed
from hloscope.engine.ops.sorting.comparators import Order, order_of
from hloscope.engine.ops.sorting.sort import Sort

pytestmark = pytest.mark.more

FLOATS = {
    "f16": "f16",
    "bf16": "bf16",
    "f32": "f32",
    "f64": "f64",
    "f8e5m2": "f8E5M2",
    "f8e4m3fn": "f8E4M3FN",
    "f8e4m3": "f8E4M3",
    "f8e3m4": "f8E3M4",
    "f8e4m3fnuz": "f8E4M3FNUZ",
    "f8e4m3b11fnuz": "f8E4M3B11FNUZ",
    "f8e5m2fnuz": "f8E5M2FNUZ",
}
"""How HLO and MLIR call them."""
WIDER = {
    type: "f32" if type == "bf16" else "f16" for type in FLOATS if type == "bf16" or type.startswith("f8")
}
"""As what `float-normalization` computes them."""


class Comparator:
    """The text of a comparator of inputs of such types; each method gives the name of a value."""

    def __init__(self, *types: str) -> None:
        self.types, self.lines = types, list[str]()
        for number, type in enumerate(found for found in types for _ in range(2)):
            self.lines.append(f"%p{number} = {type}[] parameter({number})")

    def op(self, type: str, text: str) -> str:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = {type}[] {text}")
        return name

    def compare(self, left: str, right: str, direction: str) -> str:
        return self.op("pred", f"compare({left}, {right}), direction={direction}")

    def unified(self, value: str, type: str, narrow: str) -> str:
        """As JAX makes zeros and NaN one; what lies between is rounded to `narrow`, if it is another type."""
        nan, zero = self.op(type, "constant(nan)"), self.op(type, "constant(0)")
        is_nan, is_zero = self.compare(value, value, "NE"), self.compare(value, zero, "EQ")
        value = self.op(type, f"select({is_zero}, {zero}, {value})")
        if narrow != type:
            value = self.op(type, f"convert({self.op(narrow, f'convert({value})')})")
        return self.op(type, f"select({is_nan}, {nan}, {value})")

    def integer(self, value: str, type: str, *, opcode: str, turned: bool = False) -> str:
        """As `comparison-expander` writes the total order of a float."""
        bits = ELEMENT_TYPES[FLOATS[type]].bits
        signed = f"s{bits}"
        value = self.op(signed, f"{opcode}({value})")
        zero = self.op(signed, f"broadcast({self.op(signed, 'constant(0)')}), dimensions={{}}")
        if type.endswith("fnuz"):  # without -0, whose bits are those of the one NaN
            least = self.op(signed, f"constant({-(1 << bits - 1)})")
            is_nan, opposite = (
                self.compare(value, least, "EQ"),
                self.op(signed, f"subtract({least}, {value})"),
            )
            opposite = self.op(signed, f"select({is_nan}, {least}, {opposite})")
            return self.op(signed, f"select({self.compare(value, zero, 'LT')}, {opposite}, {value})")
        most = self.op(signed, f"constant({(1 << bits - 1) - 1})")
        negative = self.compare(zero, value, "GT") if turned else self.compare(value, zero, "LT")
        flipped = self.op(signed, f"xor({value}, {most})" if turned else f"xor({most}, {value})")
        return self.op(signed, f"select({negative}, {flipped}, {value})")

    def program(self, root: str, size: int) -> str:
        """A program that sorts by it; `root` is a value."""
        pairs = ", ".join(f"q{n}: {type}[]" for n, type in enumerate(t for t in self.types for _ in range(2)))
        shapes = [f"{type}[{size}]" for type in self.types]
        inputs = "\n  ".join(f"%x{n} = {shape} parameter({n})" for n, shape in enumerate(shapes))
        results = shapes[0] if len(shapes) == 1 else f"({', '.join(shapes)})"
        names = ", ".join(f"%x{n}" for n in range(len(shapes)))
        lines = "\n  ".join(self.lines)
        return f"""HloModule sorted

%less ({pairs}) -> pred[] {{
  {lines}
  ROOT %root = pred[] copy({root})
}}

ENTRY %main ({", ".join(f"x{n}: {shape}" for n, shape in enumerate(shapes))}) -> {results} {{
  {inputs}
  ROOT %sorted = {results} sort({names}), dimensions={{0}}, is_stable=true, to_apply=%less
}}
"""


def numbers(type: str, count: int = 40) -> Array:
    """Numbers of any bits, and each of those that are special several times."""
    dtype = ELEMENT_TYPES[FLOATS[type]].dtype if type in FLOATS else np.dtype(np.int32)
    random = np.random.default_rng(5)
    words = random.integers(0, 256, (count, dtype.itemsize), np.uint8).view(dtype).reshape(-1)
    if type not in FLOATS:
        return words % 5
    special = np.array(
        [0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1, -1, 1e-45, -1e-45, 300, -300], np.float64
    )
    with np.errstate(all="ignore"):
        return random.permutation(np.concatenate([words, np.tile(special, 2).astype(dtype)]))


def by_one(type: str, direction: str, *, unified: bool, opcode: str, turned: bool) -> Comparator:
    build = Comparator(type, "s32")
    sides = ["%p0", "%p1"]
    if unified:
        sides = [build.unified(side, type, type) for side in sides]
    left, right = (build.integer(side, type, opcode=opcode, turned=turned) for side in sides)
    build.compare(left, right, direction)
    return build


def widened(type: str, direction: str, *, unified: bool) -> Comparator:
    """As `float-normalization` leaves it: of JAX's sorts with zeros and NaN made one, of its `top_k` without."""
    wide = WIDER[type]
    build = Comparator(wide, "s32")
    sides = [build.unified(side, wide, type) if unified else side for side in ("%p0", "%p1")]
    sides = [build.op(type, f"convert({side})") for side in sides]
    left, right = (build.integer(side, type, opcode="bitcast-convert") for side in sides)
    build.compare(left, right, direction)
    return build


def by_two() -> Comparator:
    build = Comparator("f32", "f32")
    first, second = (
        [build.integer(build.unified(side, "f32", "f32"), "f32", opcode="bitcast") for side in sides]
        for sides in (("%p0", "%p1"), ("%p2", "%p3"))
    )
    equal, less = build.compare(first[0], first[1], "EQ"), build.compare(second[0], second[1], "GT")
    both = build.op("pred", f"and({equal}, {less})")
    build.op("pred", f"or({build.compare(first[0], first[1], 'LT')}, {both})")
    return build


def with_ties(negated: bool) -> Comparator:
    """As `stable-sort-expander` breaks ties: by an iota, where neither comes before the other."""
    build = Comparator("f32", "s32")
    left, right = (build.integer(side, "f32", opcode="bitcast-convert") for side in ("%p0", "%p1"))
    less, greater = build.compare(left, right, "LT"), build.compare(right, left, "LT")
    tie, earlier = build.compare(less, greater, "NE" if negated else "EQ"), build.compare("%p2", "%p3", "GT")
    build.op("pred", f"select({tie}, {less}, {earlier})" if negated else f"select({tie}, {earlier}, {less})")
    return build


def comparators() -> Iterator[tuple[str, Comparator]]:
    for number, type in enumerate(FLOATS):
        for direction, unified in ((("LT", True), ("GE", False)), (("LE", True), ("GT", False)))[number % 2]:
            name = f"{type} {direction}{' unified' if unified else ''}"
            turned = direction in ("GT", "LE")
            opcode = "bitcast" if unified else "bitcast-convert"
            yield name, by_one(type, direction, unified=unified, opcode=opcode, turned=turned)
    for type in WIDER:
        yield f"{type} widened", widened(type, "LT", unified=True)
        yield f"{type} widened, as top_k", widened(type, "GE", unified=False)
    yield "two keys", by_two()
    yield "ties", with_ties(negated=False)
    yield "ties, negated", with_ties(negated=True)


COMPARATORS = dict(comparators())


def order_in(program: hloscope.BoundProgram) -> Order | None:
    ops = (found.op.twin if isinstance(found.op, Packed) else found.op for found in program.ops)
    (op,) = (found for found in ops if isinstance(found, Sort))
    return order_of(op.comparator)


@pytest.mark.parametrize("name", COMPARATORS)
def test_it_is_known_and_sorts_as_when_it_is_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    build = COMPARATORS[name]
    root = f"%v{len(build.lines) - 1}"
    inputs = [numbers(type) for type in build.types]
    size = min(map(len, inputs))
    inputs = [x[:size] for x in inputs]
    text = build.program(root, size)
    assert order_in(hloscope.parse(text)) is not None
    known = hloscope.run(text, inputs)
    monkeypatch.setattr("hloscope.engine.ops.sorting.sort.order_of", lambda _: None)
    run = hloscope.run(text, inputs)
    assert [x.tobytes() for x in known] == [x.tobytes() for x in run]


def wrong_integer(build: Comparator, side: str, form: str) -> str:
    """The bits of 8, those of negative numbers subtracted from the least integer, or with all but the sign turned over."""
    value, zero = build.op("s8", f"bitcast-convert({side})"), build.op("s8", "constant(0)")
    if form == "xor":
        opposite = build.op("s8", f"xor({build.op('s8', 'constant(127)')}, {value})")
    else:
        least = build.op("s8", "constant(-128)")
        is_least, opposite = build.compare(value, least, "EQ"), build.op("s8", f"subtract({least}, {value})")
        opposite = build.op("s8", f"select({is_least}, {least}, {opposite})")
    return build.op("s8", f"select({build.compare(value, zero, 'LT')}, {opposite}, {value})")


def not_known() -> Iterator[tuple[str, Comparator]]:
    build = Comparator("f32", "s32")  # the bits alone: negative numbers the other way round
    left, right = (build.op("s32", f"bitcast-convert({side})") for side in ("%p0", "%p1"))
    build.compare(left, right, "LT")
    yield "bits", build
    build = Comparator("f32", "f32")  # ties of numbers of which one may be NaN
    less, greater = build.compare("%p0", "%p1", "LT"), build.compare("%p1", "%p0", "LT")
    tie, earlier = build.compare(less, greater, "EQ"), build.compare("%p2", "%p3", "LT")
    build.op("pred", f"select({tie}, {earlier}, {less})")
    yield "ties among NaN", build
    build = Comparator("f32", "s32")  # rounded, and then zeros made one
    sides = [build.op("bf16", f"convert({side})") for side in ("%p0", "%p1")]
    sides = [build.unified(build.op("f32", f"convert({side})"), "f32", "f32") for side in sides]
    left, right = (build.integer(side, "f32", opcode="bitcast") for side in sides)
    build.compare(left, right, "LT")
    yield "rounded first", build
    for type, form in (("f8e5m2", "subtract"), ("f8e4m3fnuz", "xor")):  # each has the other way
        build = Comparator(type, "s32")
        left, right = (wrong_integer(build, side, form) for side in ("%p0", "%p1"))
        build.compare(left, right, "LT")
        yield f"{type} by {form}", build


NOT_KNOWN = dict(not_known())


@pytest.mark.parametrize("name", NOT_KNOWN)
def test_what_is_like_it_is_run(name: str) -> None:
    build = NOT_KNOWN[name]
    assert order_in(hloscope.parse(build.program(f"%v{len(build.lines) - 1}", 8))) is None
