"""The facet for the op's section of the specification: labels of inputs and results, and rules in words."""

from collections.abc import Mapping
from dataclasses import dataclass, field


def numbered(names: str) -> Mapping[str, str]:
    """The labels `I1`, `I2`, … of fields, in the order in which the specification lists them."""
    return {name: f"I{number}" for number, name in enumerate(names.split(), 1)}


@dataclass(frozen=True)
class Section:
    """The op's section of the specification, as error messages and the op's page quote it."""

    input_labels: Mapping[str, str] | None = None
    """Label of each field, or of a parameter of one. `None`: `I1`, `I2`, … in the order of the fields.

    An op of another dialect than StableHLO, or with `rules`, has none by default; `{}` says so of another op.
    """
    result_labels: Mapping[str, str] = field(default_factory=dict)
    """Labels of the constraints that tie the result's `element_type` and `shape` to the inferred type.

    `shape 1` is the label for the second result, where it differs.
    """
    rules: tuple[str, ...] = ()
    """The constraints as sentences for the op's page, where the specification has no section with them."""
    result_is_requantized: bool = False
    """Whether a quantized result may have other scales and zero points than the inferred type."""
