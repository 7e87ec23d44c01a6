"""The control of each field of an op, and its possible values.

| kind       | value                                  | `of`                                            |
|------------|----------------------------------------|-------------------------------------------------|
| flag       | true or false                          |                                                 |
| integer    | a whole number                         |                                                 |
| number     | a number                               |                                                 |
| dimension  | a dimension's number                   | the tensor with the dimension                   |
| dimensions | a list of them                         | the tensor with the dimensions                  |
| sizes      | a whole number for each dimension      | the tensor, or the list with the same length    |
| flags      | true or false for each dimension       | likewise                                        |
| pairs      | two whole numbers for each dimension   | likewise                                        |
| choice     | one of `choices`                       |                                                 |
| pick       | one of `choices` for each operand      |                                                 |
| groups     | lists of ids, one for each group       |                                                 |
| routes     | pairs of ids: from, to                 |                                                 |
| text       | a short text                           |                                                 |
| body       | one of `choices`, names of bodies      |                                                 |
| tensor     | shape and element type, or `None`      |                                                 |
| grid       | replicas and partitions                |                                                 |
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from hloscope.engine.ops.core.field_plans import field_plans, without_none
from hloscope.engine.ops.core.op import Op

MOST_ITEMS = 64
"""Maximum items of a list in a form."""
LARGEST = 2**53
"""Maximum number in a form: the browser represents larger ones inexactly."""
LONGEST_TEXT = 200


@dataclass(frozen=True)
class Control:
    """The presentation of a field, and its valid values."""

    kind: str
    of: str = ""
    choices: tuple[str, ...] = ()
    least: int | None = None
    """The minimum of the control's steps; the op's constraints reject smaller numbers."""
    attribute: str = ""
    """Its name in the text, if it differs from the field's."""
    struct: str = ""
    """The attribute that has it as a parameter: `dimension_numbers`."""


def _sizes(of: str, least: int | None = 0) -> Control:
    return Control("sizes", of, least=least)


def _dimensions(of: str) -> Control:
    return Control("dimensions", of)


FIRST = "first"
"""A placeholder for the op's first operand."""
_SPATIAL = "input_spatial_dimensions"
_NAMED: dict[str, Control] = {
    "offset_dims": _dimensions("result"),
    "collapsed_slice_dims": _dimensions("operand"),
    "operand_batching_dims": _dimensions("operand"),
    "start_indices_batching_dims": _dimensions("start_indices"),
    "start_index_map": _dimensions("operand"),
    "index_vector_dim": Control("integer", least=0),
    "slice_sizes": _sizes("operand"),
    "update_window_dims": _dimensions("updates"),
    "inserted_window_dims": _dimensions("inputs"),
    "input_batching_dims": _dimensions("inputs"),
    "scatter_indices_batching_dims": _dimensions("scatter_indices"),
    "scatter_dims_to_operand_dims": _dimensions("inputs"),
    "lhs_batching_dimensions": _dimensions("lhs"),
    "rhs_batching_dimensions": _dimensions("rhs"),
    "lhs_contracting_dimensions": _dimensions("lhs"),
    "rhs_contracting_dimensions": _dimensions("rhs"),
    "input_batch_dimension": Control("dimension", "lhs"),
    "input_feature_dimension": Control("dimension", "lhs"),
    "input_spatial_dimensions": _dimensions("lhs"),
    "kernel_input_feature_dimension": Control("dimension", "rhs"),
    "kernel_output_feature_dimension": Control("dimension", "rhs"),
    "kernel_spatial_dimensions": _dimensions("rhs"),
    "output_batch_dimension": Control("dimension", "result"),
    "output_feature_dimension": Control("dimension", "result"),
    "output_spatial_dimensions": _dimensions("result"),
    "window_dimensions": _sizes(FIRST, 1),
    "window_strides": _sizes(FIRST, 1),
    "base_dilations": _sizes(FIRST, 1),
    "window_dilations": _sizes(FIRST, 1),
    "lhs_dilation": _sizes(_SPATIAL, 1),
    "rhs_dilation": _sizes(_SPATIAL, 1),
    "window_reversal": Control("flags", _SPATIAL),
    "padding": Control("pairs", FIRST),
    "edge_padding_low": _sizes("operand", None),
    "edge_padding_high": _sizes("operand", None),
    "interior_padding": _sizes("operand"),
    "start_indices": _sizes("operand"),
    "limit_indices": _sizes("operand"),
    "strides": _sizes("operand", 1),
    "permutation": _dimensions("operand"),
    "broadcast_dimensions": _dimensions("result"),
    "broadcast_sizes": Control("sizes", least=0),
    "known_expanding_dimensions": _dimensions("operand"),
    "known_nonexpanding_dimensions": _dimensions("operand"),
    "dimensions": _dimensions(FIRST),
    "dimension": Control("dimension", FIRST),
    "iota_dimension": Control("dimension", "result"),
    "feature_index": Control("dimension", "operand"),
    "all_gather_dim": Control("dimension", FIRST),
    "scatter_dimension": Control("dimension", FIRST),
    "split_dimension": Control("dimension", FIRST),
    "concat_dimension": Control("dimension", FIRST),
    "split_count": Control("integer", least=1),
    "feature_group_count": Control("integer", least=1),
    "batch_group_count": Control("integer", least=1),
    "exponent_bits": Control("integer", least=1),
    "mantissa_bits": Control("integer", least=0),
    "dim": Control("dimension", "operand"),
    "batch_dims": Control("integer", least=0),
    "fft_length": Control("sizes", least=0),
    "replica_groups": Control("groups"),
    "source_target_pairs": Control("routes"),
    "channel_id": Control("integer", least=0, attribute="channel_handle"),
    "precision_config": Control("pick", choices=("DEFAULT", "HIGH", "HIGHEST")),
    "compare_type": Control("choice", choices=("", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED")),
    "grid": Control("grid"),
    "result": Control("tensor"),
}
STRUCTS = ("dimension_numbers", "scatter_dimension_numbers", "dot_dimension_numbers")


def control_of(op: type[Op], name: str, first: str, bodies: tuple[str, ...]) -> Control:
    """The control of the field `name`; `first` is the op's first operand."""
    found = _NAMED.get(name) or _by_annotation(op, name, bodies)
    if name == "fft_length" or found.of != FIRST:
        of = found.of
    else:
        of = first
    if name == "index_vector_dim":
        of = "scatter_indices" if op.name == "stablehlo.scatter" else "start_indices"
    if name in ("window_strides", "padding") and "convolution" in op.__module__:
        of = _SPATIAL
    return replace(found, of=of, struct=_struct_of(op, name))


def _by_annotation(op: type[Op], name: str, bodies: tuple[str, ...]) -> Control:
    plan = next(plan for plan in field_plans(op) if plan.name == name)
    annotation = without_none(plan.annotation)
    if plan.source == "region":
        return Control("body", choices=bodies)
    if isinstance(annotation, type) and issubclass(annotation, StrEnum):
        return Control("choice", choices=tuple(item.value for item in annotation))
    plain: dict[Any, str] = {bool: "flag", int: "integer", float: "number", str: "text"}
    return Control(plain[annotation])


def _struct_of(op: type[Op], name: str) -> str:
    """The struct attribute of which `name` is a parameter, if it is one."""
    for plan in field_plans(op):
        annotation = without_none(plan.annotation)
        if plan.name in STRUCTS and name in getattr(annotation, "__dataclass_fields__", {}):
            return plan.name
    return ""


def enum_kind(name: str) -> str:
    """MLIR's name for the enum of a field: `comparison_direction`, `fft_type`."""
    kinds = {"precision_config": "precision", "compare_type": "comparison_type", "transpose_a": "transpose"}
    return kinds.get(name, name)
