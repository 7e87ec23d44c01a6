"""Bodies that a form offers for an op's regions, as IR: sums, maxima, comparators."""

from collections.abc import Mapping, Sequence

from hloscope.engine.ir.attribute_values import enum
from hloscope.engine.ir.element_types import I1, ElementType
from hloscope.engine.ir.module import Block, Operation, Region, Value
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.op import Op

COMBINERS = ("add", "multiply", "maximum", "minimum", "and", "or", "xor", "replace", "keep", "argmax")
"""Bodies of two values: an op, the second, the first. `argmax` keeps the larger value's pair."""
COMPARATORS = ("LT", "GT", "LE", "GE")
"""Whether the first input's left element comes first, or is kept."""
FUNCTIONS = ("add", "multiply", "maximum", "minimum", "negate", "abs")
"""Functions of one element of each input."""
_BODIES: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("stablehlo.sort", "comparator"): COMPARATORS,
    ("stablehlo.select_and_scatter", "select"): ("GE", "LE", "GT", "LT"),
    ("stablehlo.map", "computation"): FUNCTIONS,
}


def choices_of(op: type[Op], name: str) -> tuple[str, ...]:
    """The names of the valid bodies of an op's region."""
    return _BODIES.get((op.name, name), COMBINERS)


def region_of(op: type[Op], name: str, choice: str, elements: Sequence[ElementType]) -> Region:
    """A region of the op, over scalars of the inputs' element types."""
    types = [TensorType((), element) for element in elements]
    match choices_of(op, name):
        case found if found is FUNCTIONS:
            arguments = [Value(f"%x{k}", type) for k, type in enumerate(types)]
            return _region(arguments, *_function(choice, arguments))
        case found if found is COMBINERS:
            left = [Value(_value_name("x", k, types), type) for k, type in enumerate(types)]
            right = [Value(_value_name("y", k, types), type) for k, type in enumerate(types)]
            return _region([*left, *right], *_combine(choice, left, right))
    sides = [Value(f"%{side}{k}", type) for k, type in enumerate(types) for side in ("left", "right")]
    answer = Value("%first", TensorType((), I1))
    return _region(sides, [_compare(choice, sides[0], sides[1], answer)], [answer])


def _value_name(letter: str, number: int, types: Sequence[TensorType]) -> str:
    return f"%{letter}{number}" if len(types) > 1 else f"%{letter}"


def _region(arguments: Sequence[Value], operations: Sequence[Operation], returned: Sequence[Value]) -> Region:
    ending = Operation("stablehlo.return", tuple(returned), ())
    return Region((Block(tuple(arguments), (*operations, ending), "^bb0"),))


def _combine(
    choice: str, left: Sequence[Value], right: Sequence[Value]
) -> tuple[list[Operation], list[Value]]:
    if choice in ("replace", "keep"):
        return [], list(right if choice == "replace" else left)
    if choice == "argmax":
        return _larger(left, right)
    results = [Value(_value_name("z", k, [x.type for x in left]), x.type) for k, x in enumerate(left)]  # type: ignore[misc]
    pairs = zip(left, right, results, strict=True)
    return [Operation(f"stablehlo.{choice}", (x, y), (z,)) for x, y, z in pairs], results


def _larger(left: Sequence[Value], right: Sequence[Value]) -> tuple[list[Operation], list[Value]]:
    """For each input the value on the side with the larger first value, and the selecting ops."""
    answer = Value("%larger", TensorType((), I1))
    results = [Value(f"%z{k}", value.type) for k, value in enumerate(left)]
    chosen = [
        Operation("stablehlo.select", (answer, x, y), (z,))
        for x, y, z in zip(left, right, results, strict=True)
    ]
    return [_compare("GE", left[0], right[0], answer), *chosen], results


def _compare(direction: str, left: Value, right: Value, answer: Value) -> Operation:
    properties = {"comparison_direction": enum("comparison_direction", direction)}
    return Operation("stablehlo.compare", (left, right), (answer,), properties)


def _function(choice: str, arguments: Sequence[Value]) -> tuple[list[Operation], list[Value]]:
    """One op, with as many arguments as it takes; applied repeatedly to more."""
    result = Value("%result", arguments[0].type)
    if choice in ("negate", "abs"):
        return [Operation(f"stablehlo.{choice}", (arguments[0],), (result,))], [result]
    made: list[Operation] = []
    so_far = arguments[0]
    for number, argument in enumerate(arguments[1:]):
        last = Value(f"%z{number}", so_far.type)
        made.append(Operation(f"stablehlo.{choice}", (so_far, argument), (last,)))
        so_far = last
    return made, [so_far]
