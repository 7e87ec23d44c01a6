"""`dim_labels=b01f_01io->b01f`: roles of the dimensions of a convolution's input, kernel and output."""

import re

from ....errors import ParseError
from ....ir.attributes import Attribute, DenseArrayAttribute, IntegerAttribute, StructAttribute
from ....source import Span
from ...attributes.struct_attributes import CONVOLUTION_PARTS, convolution_part, dimension_names
from ..values.hlo_cursor import HloCursor

_LABELS = re.compile(r"([0-9a-z?]++)_([0-9a-z?]++)->([0-9a-z?]++)(?![A-Za-z0-9_?])")
_SIDES = {"input": "lhs", "kernel": "rhs", "output": "output"}
"""Names of the parts in error messages, which use those of the operands."""
_EXAMPLE = (
    "such as b01f_01io->b01f: batch, feature, kernel's input and output, and numbers of spatial dimensions"
)


def read_dim_labels(cursor: HloCursor) -> StructAttribute:
    """Read `b01f_01io->b01f` as `#stablehlo.conv<…>`; dimensions labelled `?` have no role."""
    match = _LABELS.match(cursor.text, cursor.position)
    if match is None:
        cursor.fail_expecting("labels of input, kernel and output without blanks", hint=_EXAMPLE)
    parameters: dict[str, Attribute] = {}
    for number, (part, first, second) in enumerate(CONVOLUTION_PARTS, start=1):
        span = Span(match.start(number), match.end(number))
        places = _places(match[number], span, _SIDES[part], first + second)
        spatial = len(places) - 2
        if number == 1:
            count = spatial
        if spatial != count:
            message = f"{_SIDES[part]} has {_count(spatial)}, but lhs has {count}"
            raise ParseError(message, span)
        parameters |= convolution_part(part, first, second, places)
    cursor.move(match.end())
    return StructAttribute("stablehlo", "conv", parameters)


def _count(spatial: int) -> str:
    return f"{spatial} spatial dimension{'s' if spatial != 1 else ''}"


def _places(labels: str, span: Span, side: str, features: str) -> dict[str, int]:
    """The position of each label: those of `features`, and spatial numbers from 0."""
    places: dict[str, int] = {}
    for place, label in enumerate(labels):
        here = Span(span.start + place, span.start + place + 1)
        if label == "?":
            continue
        if not label.isdigit() and label not in features:
            known = f"'{features[0]}', '{features[1]}', numbers and '?'"
            raise ParseError(f"{side} has no label '{label}'; its labels are {known}", here)
        if label in places:
            raise ParseError(f"{side} has the label '{label}' twice", here)
        places[label] = place
    spatial = len(places) - sum(feature in places for feature in features)
    for wanted in (*features, *map(str, range(spatial))):
        if wanted not in places:
            raise ParseError(f"{side} has no label '{wanted}'", span, hint=_EXAMPLE)
    return places


def print_dim_labels(attribute: Attribute) -> str:
    """`b01f_01io->b01f` for `#stablehlo.conv<…>`; `ValueError` for any other attribute."""
    if not isinstance(attribute, StructAttribute) or attribute.name != "conv":
        raise ValueError("expected #stablehlo.conv<…>")
    lhs, rhs, output = (
        _label_string(attribute, part, first, second) for part, first, second in CONVOLUTION_PARTS
    )
    return f"{lhs}_{rhs}->{output}"


def _label_string(attribute: StructAttribute, part: str, first: str, second: str) -> str:
    labels: dict[int, str] = {}
    for name, label in zip(dimension_names(part, first, second), (first, second, None), strict=True):
        match attribute.parameters.get(name):
            case IntegerAttribute(place) if label:
                labels[place] = label
            case DenseArrayAttribute(_, places) if not label and len(places) <= 10:
                labels |= {int(place): str(number) for number, place in enumerate(places)}
            case _:
                raise ValueError(f"{name} of #stablehlo.conv<…> cannot be written as a label")
    return "".join(labels.get(place, "?") for place in range(max(labels) + 1))
