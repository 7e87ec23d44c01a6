"""custom_call: Triton kernels, written here operation by operation; `tests/app/xla/test_triton_kernels.py` has those of Pallas."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from hloscope.engine import added_targets
from hloscope.engine.errors import RunError, UnboundResults
from hloscope.engine.ir.attributes import (
    DictionaryAttribute,
    IntegerAttribute,
    OpaqueAttribute,
    StringAttribute,
)
from hloscope.engine.ir.element_types import I32
from hloscope.engine.ir.types import ScalarType
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.custom_calls import CustomCall
from hloscope.engine.ops.custom_calls.call import OutputOperandAlias
from hloscope.engine.ops.custom_calls.triton.target import TRITON, triton_target
from tests.each import for_each

from .running import type_of

Typed = tuple[list[int], str]


class KernelText:
    """Writes a kernel's JSON: `x = k.op("tt.load", pointers, of=([4], "f32"))`."""

    def __init__(self, *pointers: str) -> None:
        self.types: list[Typed] = [([], f"*{found}") for found in pointers]
        self.blocks: list[list[dict[str, Any]]] = [[]]

    def value(self, found: Typed) -> int:
        self.types.append(found)
        return len(self.types) - 1

    def op(self, name: str, *operands: int, of: Typed | None = None, **attributes: Any) -> int:
        """An operation of one result, or of none; returns the number of the result."""
        regions = attributes.pop("regions", [])
        results = [] if of is None else [self.value(of)]
        self.blocks[-1].append(
            {
                "name": name,
                "operands": operands,
                "operand_types": [self.types[number] for number in operands],
                "results": results,
                "types": [] if of is None else [of],
                "attributes": attributes,
                "regions": regions,
            }
        )
        return results[0] if results else -1

    def number(self, value: float, element: str = "i32") -> int:
        return self.op("arith.constant", of=([], element), value=value)

    def program(self) -> int:
        return self.op("tt.get_program_id", of=([], "i32"), axis=0)

    def at(self, pointer: int, first: int, count: int) -> int:
        """Pointers to `count` elements from the element `first` on."""
        element = self.types[pointer][1]
        row: Typed = ([count], "i32")
        places = self.op("tt.make_range", of=row, start=0, end=count)
        places = self.op("arith.addi", places, self.op("tt.splat", first, of=row), of=row)
        return self.op(
            "tt.addptr", self.op("tt.splat", pointer, of=([count], element)), places, of=([count], element)
        )

    def written(self, count: int) -> str:
        self.op("tt.return")
        body = {"arguments": list(range(count)), "operations": self.blocks[0]}
        stated = {"arguments": self.types[:count], "body": body, "value_count": len(self.types)}
        return json.dumps({"name": "kernel", **stated})


@pytest.fixture(autouse=True)
def _kernels_are_text() -> Iterator[None]:
    """The bytecode of kernels is their JSON here; where it is not, it cannot be read."""
    target = triton_target(_read)
    before = added_targets.FINDERS[:]
    added_targets.FINDERS[:0] = [lambda name: target if name == TRITON else None]
    yield
    added_targets.FINDERS[:] = before


def _read(code: bytes) -> str:
    if not code.startswith(b"{"):
        raise ValueError("it is no bytecode")
    return code.decode()


def run(
    text: str, operands: Sequence[Array], results: Sequence[Array], programs: int = 1, **more: Any
) -> tuple[Array, ...]:
    """The results of a call, whose types are those of `results`."""
    call = called(text, operands, results, programs, **more)
    found = call.begin(tuple(operands))
    assert isinstance(found, tuple)
    return found


def called(
    text: str, operands: Sequence[Array], results: Sequence[Array], programs: int = 1, **more: Any
) -> CustomCall:
    settings = DictionaryAttribute(
        {"ir": StringAttribute(text), "grid_x": IntegerAttribute(programs, ScalarType(I32))}
    )
    types = tuple(map(type_of, operands)), tuple(map(type_of, results))
    return CustomCall(types[0], TRITON, types[1], backend_config=settings, api_version=4, **more)


def copying(first: str, count: int, *, mask: int | None = None, stores_all: bool = False) -> str:
    """A kernel that copies `count` elements; the first is a number, or the program's times `count`."""
    k = KernelText("f32", "f32")
    if first == "program":
        start = k.op("arith.muli", k.program(), k.number(count), of=([], "i32"))
    else:
        start = k.number(int(first))
    chosen = []
    if mask is not None:
        row: Typed = ([count], "i32")
        places = k.op("tt.make_range", of=row, start=0, end=count)
        limit = k.op("tt.splat", k.number(mask), of=row)
        chosen = [k.op("arith.cmpi", places, limit, of=([count], "i1"), predicate=2)]
    loaded = k.op("tt.load", k.at(0, start, count), *chosen, of=([count], "f32"))
    k.op("tt.store", k.at(1, start, count), loaded, *([] if stores_all else chosen))
    return k.written(2)


X = np.arange(8, dtype=np.float32)


def test_programs_share_memory() -> None:
    (found,) = run(copying("program", 4), [X], [X], programs=2)
    np.testing.assert_array_equal(found, X)


def _numbering() -> str:
    """Each program stores its own number in the same elements."""
    k = KernelText("f32", "f32")
    number = k.op("arith.sitofp", k.program(), of=([], "f32"))
    k.op("tt.store", k.at(1, k.number(0), 8), k.op("tt.splat", number, of=([8], "f32")))
    return k.written(2)


def _reading_its_result() -> str:
    k = KernelText("f32", "f32")
    places = k.at(1, k.number(0), 8)
    k.op("tt.store", places, k.op("tt.load", places, of=([8], "f32")))
    return k.written(2)


def _writing_its_operand() -> str:
    k = KernelText("f32", "f32")
    places = k.at(0, k.number(0), 8)
    k.op("tt.store", places, k.op("tt.load", places, of=([8], "f32")))
    return k.written(2)


def _storing_twice() -> str:
    """All lanes store their own number in the first element."""
    k = KernelText("f32", "f32")
    row: Typed = ([8], "*f32")
    numbers = k.op("tt.make_range", of=([8], "i32"), start=0, end=8)
    k.op("tt.store", k.op("tt.splat", 1, of=row), k.op("arith.sitofp", numbers, of=([8], "f32")))
    return k.written(2)


def _with_op(name: str) -> str:
    k = KernelText("f32", "f32")
    k.op(name, k.number(1.0, "f32"), of=([], "f32"), symbol="__nv_j0f")
    return k.written(2)


STOPS = (
    ("leaves 4 of 8 elements of result 0 without a value, the first is element 4", copying("0", 4), 1),
    ("program (1, 0, 0), tt.load: element 8 is outside of operand 0", copying("program", 8), 2),
    ("tt.load: element -2 is outside of operand 0", copying("-2", 8), 1),
    ("depend on elements which a mask leaves out", copying("0", 8, mask=5, stores_all=True), 1),
    ("it writes element 0 of result 0, which another program has written", _numbering(), 2),
    ("it stores several values in element 0 of result 0 at once", _storing_twice(), 1),
    ("no grid has the sizes [0, 1, 1]", copying("0", 8), 0),
    ("has no value yet", _reading_its_result(), 1),
    ("it writes operand 0, which shares its memory with no result", _writing_its_operand(), 1),
    ("hloscope does not compute tt.atomic_cas of kernel kernel", _with_op("tt.atomic_cas"), 1),
    ("hloscope does not compute tt.extern_elementwise of __nv_j0f", _with_op("tt.extern_elementwise"), 1),
    ("cannot be computed here: it is no bytecode", "ML", 1),
)


@for_each(("message", "text", "programs"), STOPS, [message for message, *_ in STOPS])
def test_what_has_no_value_stops_the_run(message: str, text: str, programs: int) -> None:
    with pytest.raises(RunError) as caught:
        run(text, [X], [X], programs)
    assert message in caught.value.message


def test_a_load_that_nothing_reads_is_left_out() -> None:
    k = KernelText("f32", "f32")
    start = k.number(0)
    loaded = k.op("tt.load", k.at(0, start, 8), of=([8], "f32"))
    k.op("tt.load", k.at(1, start, 8), of=([8], "f32"))
    k.op("tt.store", k.at(1, start, 8), loaded)
    np.testing.assert_array_equal(run(k.written(2), [X], [X])[0], X)


def test_types_that_do_not_fit_are_refused() -> None:
    """A wider type must not be read as pairs of narrower ones."""
    with pytest.raises(RunError, match=r"takes !tt.ptr<f32> for operand 0, which is tensor<8xf64>"):
        run(copying("0", 8), [X.astype(np.float64)], [X])
    with pytest.raises(RunError, match="takes 2 pointers, not 3"):
        run(copying("0", 8), [X, X], [X])
    with pytest.raises(UnboundResults):
        CustomCall((type_of(X),), TRITON, (type_of(X),)).begin((X,))


def test_numbers_are_those_of_the_device() -> None:
    """Casts saturate, comparisons know NaN, integers have no sign of their own."""
    k = KernelText("f32", "i32", "i32", "i32", "i32")
    start, row = k.number(0), ([4], "i32")
    x = k.op("tt.load", k.at(0, start, 4), of=([4], "f32"))
    n = k.op("tt.load", k.at(1, start, 4), of=row)
    k.op("tt.store", k.at(2, start, 4), k.op("arith.fptosi", x, of=row))
    unordered = k.op("arith.cmpf", x, x, of=([4], "i1"), predicate=14)
    k.op("tt.store", k.at(3, start, 4), k.op("arith.extui", unordered, of=row))
    half = k.op("arith.divui", n, k.op("tt.splat", k.number(2), of=row), of=row)
    k.op("tt.store", k.at(4, start, 4), k.op("arith.maxui", half, n, of=row))
    x_value = np.array([1.9, -1e20, np.nan, np.inf], np.float32)
    n_value = np.array([-2, 7, -1, 0], np.int32)
    found = run(k.written(5), [x_value, n_value], [n_value] * 3)
    whole, is_nan, greatest = found
    np.testing.assert_array_equal(whole, [1, -(2**31), 0, 2**31 - 1])
    np.testing.assert_array_equal(is_nan, [0, 0, 1, 0])
    np.testing.assert_array_equal(greatest, [-2, 7, -1, 0])


def test_a_product_rounds_its_factors_only_for_the_bound() -> None:
    """TF32 has 10 bits: the run keeps all, and its bound covers what a device drops."""
    k = KernelText("f32", "f32")
    start, flat, square = k.number(0), ([256], "f32"), ([16, 16], "f32")
    x = k.op("tt.reshape", k.op("tt.load", k.at(0, start, 256), of=flat), of=square)
    zero = k.op("tt.splat", k.number(0.0, "f32"), of=square)
    made = k.op("tt.dot", x, x, zero, of=square, inputPrecision=0)
    k.op("tt.store", k.at(1, start, 256), k.op("tt.reshape", made, of=flat))
    x_value = np.random.default_rng(0).standard_normal((16, 16)).astype(np.float32)
    call = called(k.written(2), [x_value], [x_value])
    (found,) = call.begin((x_value,))  # type: ignore[misc]
    np.testing.assert_allclose(found, x_value @ x_value, rtol=1e-5, atol=1e-5)
    (bound,) = call.rounding.error_bound(call, (x_value,), (np.zeros(()),), (found,))
    rounded = x_value.view(np.uint32) + np.uint32(0xFFF) & np.uint32(0xFFFFE000)
    narrow = rounded.view(np.float32)
    assert np.all(np.abs(narrow @ narrow - found) <= bound)
    assert np.max(bound) < 0.2


ALIASES: tuple[dict[str, Any], ...] = (
    {"output_operand_aliases": (OutputOperandAlias(0),)},
    {"attributes": {"output_to_operand_aliasing": OpaqueAttribute("{{}: (0, {})}")}},
)


@for_each(("programs", "aliases"), [(1, ALIASES[0]), (4, ALIASES[0]), (4, ALIASES[1])])
def test_atomics_add_in_any_order(programs: int, aliases: dict[str, Any]) -> None:
    """The result shares the operand's memory, as StableHLO states it and as HLO does."""
    k = KernelText("i32", "i32")
    place = k.op("tt.addptr", 1, k.number(1), of=([], "*i32"))
    k.op("tt.atomic_rmw", place, k.program(), of=([], "i32"), atomic_rmw_op=4)
    begun = np.array([5, 5], np.int32)
    (found,) = run(k.written(2), [begun], [begun], programs, **aliases)
    np.testing.assert_array_equal(found, [5, 5 + sum(range(programs))])
    np.testing.assert_array_equal(begun, 5)


def test_a_ticket_has_no_bound() -> None:
    """The value of an element before an atomic depends on the order of programs."""
    k = KernelText("i32", "i32", "i32")
    ticket = k.op("tt.atomic_rmw", 1, k.number(1), of=([], "i32"), atomic_rmw_op=4)
    k.op("tt.store", k.op("tt.addptr", 2, k.program(), of=([], "*i32")), ticket)
    begun, tickets = np.zeros(1, np.int32), np.zeros(3, np.int32)
    call = called(
        k.written(3), [begun], [begun, tickets], 3, output_operand_aliases=(OutputOperandAlias(0, (0,)),)
    )
    found = call.begin((begun,))
    assert isinstance(found, tuple)
    np.testing.assert_array_equal(found[1], [0, 1, 2])
    bounds = call.rounding.error_bound(call, (begun,), (np.zeros(()),), found)
    assert all(map(np.isnan, bounds))


def test_eight_bits_end_at_their_greatest_number() -> None:
    """As GPUs convert: f8E4M3FN has no infinity, and a conversion gives no NaN for a large number."""
    k = KernelText("f32", "f8E4M3FN")
    start = k.number(0)
    loaded = k.op("tt.load", k.at(0, start, 2), of=([2], "f32"))
    k.op("tt.store", k.at(1, start, 2), k.op("tt.fp_to_fp", loaded, of=([2], "f8E4M3FN"), rounding=1))
    x = np.array([1e9, 0.3], np.float32)
    (found,) = run(k.written(2), [x], [np.zeros(2, ml_dtypes.float8_e4m3fn)])
    np.testing.assert_array_equal(found.astype(np.float32), np.array([448, 0.3125], np.float32))
