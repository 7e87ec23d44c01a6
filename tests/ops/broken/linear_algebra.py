"""Operations that break a rule of batch_norm, fft, cholesky, triangular_solve, rng or a call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hloscope.engine.ir.attributes import (
    ArrayAttribute,
    Attribute,
    BoolAttribute,
    DenseArrayAttribute,
    DictionaryAttribute,
    FloatAttribute,
    IntegerAttribute,
    StringAttribute,
    StructAttribute,
    SymbolAttribute,
)
from hloscope.engine.ir.element_types import F32, I32, I64
from hloscope.engine.ir.module import Operation
from hloscope.engine.ir.types import ScalarType

from ..building import enum, operation
from .stating import Broken, constant, number

UNBREAKABLE = {
    ("composite", "I1"): "any value may be an operand",
    ("custom_call", "I1"): "any value may be an operand",
    ("composite", "C2"): "a rule of the whole module: tests/ops/test_composite.py",
    ("composite", "C3"): "a rule of the whole module: tests/ops/test_composite.py",
    ("composite", "C4"): "a rule of the whole module: tests/ops/test_composite.py",
}
"""Labels of ops that no operation of a text can break, and why."""

EPSILON = FloatAttribute(0, ScalarType(F32), 0.0)
WRONG = StringAttribute("wrong")


def broken() -> Iterator[tuple[str, Broken]]:
    yield from _normalizations()
    yield from _transforms()
    yield from _factorizations()
    yield from _solutions()
    yield from _random()
    yield from _composites()
    yield from _calls()


def _norm(name: str, operands: list[str], results: list[str], **changed: Attribute) -> Operation:
    properties: dict[str, Attribute] = {"epsilon": EPSILON, "feature_index": number(1)}
    return operation(name, operands, results, (), **(properties | changed))


def _normalizations() -> Iterator[tuple[str, Broken]]:
    counts = {"batch_norm_training": 2, "batch_norm_inference": 4, "batch_norm_grad": 3}
    for name, vectors in counts.items():
        gradient = name == "batch_norm_grad"
        operands = ["2x3xf32", *["3xf32"] * vectors, *["2x3xf32"] * gradient]
        results = ["2x3xf32"] if name == "batch_norm_inference" else ["2x3xf32", "3xf32", "3xf32"]
        for k in range(len(operands)):
            wrong = [*operands[:k], operands[k].replace("f32", "i32"), *operands[k + 1 :]]
            yield name, (f"I{k + 1}", _norm(name, wrong, results))
            wrong[k] = operands[k].replace("f32", "f64")
            yield name, ("C2", _norm(name, wrong, results))
            if 0 < k <= vectors:
                wrong[k] = "3x1xf32"
                yield name, (f"I{k + 1}", _norm(name, wrong, results))
        count = len(operands)
        yield name, (f"I{count + 1}", _norm(name, operands, results, epsilon=WRONG))
        yield name, (f"I{count + 2}", _norm(name, operands, results, feature_index=WRONG))
        yield name, ("C1", _norm(name, operands, results, feature_index=number(2)))
        yield name, ("C1", _norm(name, operands, results, feature_index=number(-1)))
        yield name, ("C2", _norm(name, operands, ["2x3xf64", *results[1:]]))
    yield from _normalized_sizes()


def _normalized_sizes() -> Iterator[tuple[str, Broken]]:
    large, small, other = "2x3xf32", "3xf32", "2xf32"
    three = [large, small, small]
    training = "batch_norm_training"
    yield training, ("C3", _norm(training, [large, other, small], three))
    yield training, ("C4", _norm(training, [large, small, other], three))
    yield training, ("C5", _norm(training, three, [large, other, small]))
    yield training, ("C6", _norm(training, three, [large, small, other]))
    yield training, ("C7", _norm(training, three, ["3x2xf32", small, small]))
    inference = "batch_norm_inference"
    for k, label in enumerate(("C3", "C4", "C5", "C6")):
        vectors = [other if k == at else small for at in range(4)]
        yield inference, (label, _norm(inference, [large, *vectors], [large]))
    yield inference, ("C7", _norm(inference, [large, *[small] * 4], ["2x2xf32"]))
    gradient = "batch_norm_grad"
    operands = [large, small, small, small, large]
    yield gradient, ("C3", _norm(gradient, [*operands[:4], "4x3xf32"], three))
    yield gradient, ("C3", _norm(gradient, operands, ["4x3xf32", small, small]))
    yield gradient, ("C4", _norm(gradient, [large, small, other, small, large], three))
    yield gradient, ("C4", _norm(gradient, [large, small, small, other, large], three))
    yield gradient, ("C4", _norm(gradient, operands, [large, other, small]))
    yield gradient, ("C4", _norm(gradient, operands, [large, small, other]))
    yield gradient, ("C5", _norm(gradient, [large, other, small, small, large], three))


def _fft(kind: str, lengths: tuple[int, ...], operand: str, result: str, **changed: Attribute) -> Operation:
    properties: dict[str, Attribute] = {
        "fft_type": enum("fft_type", kind),
        "fft_length": DenseArrayAttribute(I64, lengths),
    }
    return operation("fft", [operand], [result], (), **(properties | changed))


def _transforms() -> Iterator[tuple[str, Broken]]:
    number_line, real_line = "4xcomplex<f32>", "4xf32"
    yield "fft", ("I1", _fft("FFT", (4,), "4xi32", number_line))
    yield "fft", ("I2", _fft("DFT", (4,), number_line, number_line))
    yield "fft", ("I3", _fft("FFT", (4,), number_line, number_line, fft_length=WRONG))
    yield "fft", ("C1", _fft("FFT", (1, 4), number_line, number_line))
    yield "fft", ("C2", _fft("FFT", (4,), real_line, real_line))
    yield "fft", ("C2", _fft("IFFT", (4,), real_line, number_line))
    yield "fft", ("C2", _fft("IFFT", (4,), number_line, "4xcomplex<f64>"))
    yield "fft", ("C2", _fft("RFFT", (4,), number_line, "3xcomplex<f32>"))
    yield "fft", ("C2", _fft("RFFT", (4,), "4xf16", "3xcomplex<f32>"))
    yield "fft", ("C2", _fft("RFFT", (4,), real_line, "3xcomplex<f64>"))
    yield "fft", ("C2", _fft("IRFFT", (4,), "3xf32", real_line))
    yield "fft", ("C2", _fft("IRFFT", (4,), "3xcomplex<f32>", "4xf64"))
    yield "fft", ("C3", _fft("FFT", (), number_line, number_line))
    yield "fft", ("C3", _fft("FFT", (1, 1, 1, 4), "1x1x1x4xcomplex<f32>", "1x1x1x4xcomplex<f32>"))
    yield "fft", ("C4", _fft("RFFT", (5,), real_line, "3xcomplex<f32>"))
    yield "fft", ("C4", _fft("RFFT", (3, 4), "2x4xf32", "2x3xcomplex<f32>"))
    yield "fft", ("C4", _fft("IRFFT", (-1,), "0xcomplex<f32>", "0xf32"))
    yield "fft", ("C5", _fft("IRFFT", (6,), "3xcomplex<f32>", "6xf32"))
    yield "fft", ("C5", _fft("IRFFT", (3, 4), "2x3xcomplex<f32>", "3x4xf32"))
    yield "fft", ("C5", _fft("RFFT", (4,), real_line, "4xcomplex<f32>"))
    yield "fft", ("C5", _fft("FFT", (4,), number_line, "3xcomplex<f32>"))


def _factorizations() -> Iterator[tuple[str, Broken]]:
    for label, operand, result in (
        ("I1", "2x2xi32", "2x2xi32"),
        ("I1", "2x2xa8", "2x2xa8"),
        ("C1", "2x2xf32", "2x2xf64"),
        ("C1", "2x2xf32", "3x3xf32"),
        ("C2", "2xf32", "2xf32"),
        ("C3", "2x3xf32", "2x3xf32"),
    ):
        yield "cholesky", (label, operation("cholesky", [operand], [result], lower=BoolAttribute(True)))
    yield "cholesky", ("I2", operation("cholesky", ["2x2xf32"], ["2x2xf32"], (), lower=WRONG))


def _solve(a: str, b: str, result: str, **changed: Attribute) -> Operation:
    properties: dict[str, Attribute] = {
        "left_side": BoolAttribute(True),
        "lower": BoolAttribute(True),
        "unit_diagonal": BoolAttribute(False),
        "transpose_a": enum("transpose", "ADJOINT"),
    }
    return operation("triangular_solve", [a, b], [result], (), **(properties | changed))


def _solutions() -> Iterator[tuple[str, Broken]]:
    name, square = "triangular_solve", "2x2xf32"
    yield name, ("I1", _solve("2x2xi32", square, square))
    yield name, ("I2", _solve(square, "2x2xi32", square))
    yield name, ("I3", _solve(square, square, square, left_side=WRONG))
    yield name, ("I4", _solve(square, square, square, lower=WRONG))
    yield name, ("I5", _solve(square, square, square, unit_diagonal=WRONG))
    yield name, ("I6", _solve(square, square, square, transpose_a=enum("transpose", "CONJUGATE")))
    yield name, ("C1", _solve(square, "2x2xf64", "2x2xf64"))
    yield name, ("C2", _solve("2xf32", "2xf32", "2xf32"))
    yield name, ("C2", _solve(square, "1x2x2xf32", "1x2x2xf32"))
    yield name, ("C3", _solve("3x2x2xf32", "2x2x2xf32", "2x2x2xf32"))
    yield name, ("C3", _solve("2x3xf32", square, square))
    yield name, ("C3", _solve(square, "3x2xf32", "3x2xf32"))
    yield name, ("C3", _solve(square, "2x3xf32", "2x3xf32", left_side=BoolAttribute(False)))
    yield name, ("C4", _solve(square, "2x3xf32", "2x2xf32"))
    yield name, ("C4", _solve(square, square, "2x2xf64"))


def _bits(state: str, algorithm: str, results: list[str]) -> Operation:
    chosen = enum("rng_algorithm", algorithm)
    return operation("rng_bit_generator", [state], results, rng_algorithm=chosen)


def _rng(operands: list[str], result: str, distribution: str = "UNIFORM") -> Operation:
    chosen = enum("rng_distribution", distribution)
    return operation("rng", operands, [result], rng_distribution=chosen)


def _random() -> Iterator[tuple[str, Broken]]:
    name, pair = "rng_bit_generator", ["2xui64", "3xui32"]
    yield name, ("I1", _bits("2xui64", "MERSENNE", pair))
    yield name, ("I2", _bits("2xui32", "DEFAULT", ["2xui32", "3xui32"]))
    yield name, ("I2", _bits("1x2xui64", "DEFAULT", ["1x2xui64", "3xui32"]))
    yield name, ("C1", _bits("3xui64", "PHILOX", pair))
    yield name, ("C1", _bits("2xui64", "PHILOX", ["2xi64", "3xui32"]))
    yield name, ("C2", _bits("3xui64", "THREE_FRY", ["3xui64", "3xui32"]))
    yield name, ("C2", _bits("4xui64", "PHILOX", ["4xui64", "3xui32"]))
    yield name, ("", _bits("2xui64", "DEFAULT", ["2xui64", "3xi1"]))
    yield name, ("", _bits("2xui64", "DEFAULT", ["2xui64", "?xui32"]))
    yield name, ("", _bits("2xui64", "DEFAULT", ["2xui64"]))
    three = ["i32", "i32", "2xi64"]
    yield "rng", ("I1", _rng(["complex<f32>", "complex<f32>", "2xi64"], "2x2xcomplex<f32>"))
    yield "rng", ("I1", _rng(["1xi32", "i32", "2xi64"], "2x2xi32"))
    yield "rng", ("I2", _rng(["i32", "complex<f32>", "2xi64"], "2x2xi32"))
    yield "rng", ("I2", _rng(["i32", "1xi32", "2xi64"], "2x2xi32"))
    yield "rng", ("I3", _rng(["i32", "i32", "2xf32"], "2x2xi32"))
    yield "rng", ("I3", _rng(["i32", "i32", "i64"], "2x2xi32"))
    yield "rng", ("I4", _rng(three, "2x2xi32", "POISSON"))
    yield "rng", ("C1", _rng(["i32", "i64", "2xi64"], "2x2xi32"))
    yield "rng", ("C1", _rng(three, "2x2xi64"))
    yield "rng", ("C2", _rng(three, "2x2xi32", "NORMAL"))
    yield "rng", ("C3", _rng(three, "2xi32"))


def _composite(**changed: Attribute) -> Operation:
    properties: dict[str, Attribute] = {
        "name": StringAttribute("ns.op"),
        "decomposition": SymbolAttribute("f"),
    }
    return replace(operation("composite", ["f32"], ["f32"]), properties=properties | changed)


def _composites() -> Iterator[tuple[str, Broken]]:
    yield "composite", ("I2", _composite(name=number(1)))
    yield "composite", ("I3", _composite(composite_attributes=WRONG))
    yield "composite", ("I4", _composite(decomposition=number(1)))
    yield "composite", ("I5", _composite(version=WRONG))
    for name in ("op", "1a.b", "a.", ".b", "a b.c"):
        yield "composite", ("C1", _composite(name=StringAttribute(name)))


def _call(**changed: Attribute) -> Operation:
    properties: dict[str, Attribute] = {"call_target_name": StringAttribute("f")}
    return operation("custom_call", ["2x3xf32"], ["2x3xf32"], (), **(properties | changed))


def _alias(operand: int, outputs: tuple[int, ...] = (), operands: tuple[int, ...] = ()) -> ArrayAttribute:
    parameters: dict[str, Attribute] = {
        "output_tuple_indices": DenseArrayAttribute(I64, outputs),
        "operand_index": number(operand),
        "operand_tuple_indices": DenseArrayAttribute(I64, operands),
    }
    return ArrayAttribute((StructAttribute("stablehlo", "output_operand_alias", parameters),))


def _layouts(*orders: tuple[int, ...]) -> ArrayAttribute:
    return ArrayAttribute(tuple(constant(order, f"{len(order)}xindex") for order in orders))


def _calls() -> Iterator[tuple[str, Broken]]:
    name, empty, four = "custom_call", DictionaryAttribute({}), IntegerAttribute(4, ScalarType(I32))
    yield name, ("I2", _call(call_target_name=number(1)))
    yield name, ("I3", _call(has_side_effect=number(1)))
    yield name, ("I4", _call(backend_config=number(1)))
    yield name, ("I4", _call(backend_config=empty))
    yield name, ("I4", _call(backend_config=WRONG, api_version=four))
    yield name, ("I5", _call(api_version=WRONG))
    yield name, ("I5", _call(api_version=IntegerAttribute(5, ScalarType(I32))))
    yield name, ("I5", _call(api_version=IntegerAttribute(-1, ScalarType(I32))))
    yield name, ("I6", _call(called_computations=ArrayAttribute((number(1),))))
    yield name, ("I7", _call(output_operand_aliases=WRONG))
    yield name, ("I7", _call(output_operand_aliases=_alias(1)))
    yield name, ("I7", _call(output_operand_aliases=_alias(-1)))
    yield name, ("I7", _call(output_operand_aliases=_alias(0, (0,))))
    yield name, ("I7", _call(output_operand_aliases=_alias(0, (), (0,))))
    other = replace(_call(output_operand_aliases=_alias(0)), results=operation("f", [], ["3x2xf32"]).results)
    yield name, ("I7", other)
    yield name, ("", _call(operand_layouts=_layouts((0, 1))))
    yield name, ("", _call(result_layouts=_layouts((0, 1))))
    yield name, ("", _call(operand_layouts=_layouts((0, 1), (0, 1)), result_layouts=_layouts((0, 1))))
    yield name, ("", _call(operand_layouts=_layouts((0, 1)), result_layouts=_layouts((0, 0))))
    yield name, ("", _call(operand_layouts=_layouts((0,)), result_layouts=_layouts((0, 1))))
