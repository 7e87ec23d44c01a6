"""Elementwise opcodes."""

from ....ir.attributes import BoolAttribute
from ....ir.module import Operation
from ..attributes.precision import is_default_accuracy, print_result_accuracy, read_result_accuracy
from ..fields import Integer, Parsed, Set, Word, Written, words
from ..opcode_forms import Form

_PLAIN = (
    *("abs", "add", "and", "atan2", "ceil", "clamp", "complex", "convert", "count-leading-zeros", "divide"),
    *("floor", "imag", "is-finite", "maximum", "minimum", "multiply", "negate", "not", "or", "popcnt"),
    *("real", "remainder", "round-nearest-afz", "round-nearest-even", "select", "shift-left"),
    *("shift-right-arithmetic", "shift-right-logical", "sign", "subtract", "xor"),
)
_WITH_ACCURACY = (
    *("cbrt", "cosine", "exponential", "exponential-minus-one", "log", "log-plus-one", "logistic"),
    *("rsqrt", "sine", "sqrt", "tan", "tanh"),
)
_CHLO = (*("acos", "acosh", "asin", "asinh", "atan", "atanh", "cosh", "erf", "mulhi", "sinh"),)
_DIRECTIONS = words("EQ", "NE", "GE", "GT", "LE", "LT")
_TYPES = words("FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED")
_ORDERS = {"TOTAL": "TOTALORDER", "PARTIAL": "FLOAT"}
_ACCURACY = Parsed(
    "result_accuracy", "result_accuracy", read_result_accuracy, print_result_accuracy, is_default_accuracy
)


class _Order(Word):
    """`order=TOTAL`, which XLA of jaxlib 0.12 writes in place of `type=TOTALORDER`, and reads beside it."""

    def write(self, operation: Operation) -> Written:
        """Write nothing: all versions read `type`."""
        yield from ()


def _op_name(dialect: str, opcode: str) -> str:
    return f"{dialect}.{opcode.replace('-', '_')}"


FORMS: tuple[Form, ...] = (
    *(Form(opcode, _op_name("stablehlo", opcode)) for opcode in _PLAIN),
    *(Form(opcode, _op_name("stablehlo", opcode), (_ACCURACY,)) for opcode in _WITH_ACCURACY),
    *(Form(opcode, _op_name("chlo", opcode)) for opcode in _CHLO),
    Form("power", "stablehlo.power", (Set("limits_exponents", BoolAttribute(True)),)),
    Form(
        "compare",
        "stablehlo.compare",
        (
            Word("direction", "comparison_direction", "comparison_direction", _DIRECTIONS),
            Word("type", "compare_type", "comparison_type", _TYPES, default=""),
            _Order("order", "compare_type", "comparison_type", _ORDERS, default=""),
        ),
    ),
    Form(
        "reduce-precision",
        "stablehlo.reduce_precision",
        (Integer("exponent_bits", "exponent_bits", 32), Integer("mantissa_bits", "mantissa_bits", 32)),
    ),
    Form("stochastic-convert", "hlo.stochastic_convert"),
)
