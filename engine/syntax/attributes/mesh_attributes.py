"""Read and print meshes: `#stablehlo.replica_group_mesh_axes<mesh = …, axes = […]>`."""

from collections.abc import Callable, Mapping

from ...ir.attribute_values import integer
from ...ir.attributes import ArrayAttribute, Attribute, IntegerAttribute, StringAttribute, StructAttribute
from .reader import Reader

Read = Callable[["Reader"], Attribute]
Print = Callable[[Attribute], str]


def read_mesh_struct(reader: Reader, name: str) -> StructAttribute:
    """Read the body of `#stablehlo.name<…>`, where `name` is one of `MESH_STRUCTS`."""
    start = reader.position
    keys = MESH_STRUCTS[name]
    parameters: dict[str, Attribute] = {}

    def parameter() -> None:
        begin = reader.position
        key = reader.word("a parameter's name")
        if key not in keys or key in parameters:
            reader.fail(f"'{key}' is not a parameter that can appear here", begin, hint=f"there are {listed}")
        reader.expect("=", f" after '{key}'")
        parameters[key] = keys[key](reader)

    listed = ", ".join(keys)
    reader.list_of("<", parameter)
    missing = [key for key in keys if key not in parameters and key not in _OPTIONAL]
    if missing:
        reader.fail(f"#stablehlo.{name} needs {', '.join(missing)}", start)
    return StructAttribute("stablehlo", name, parameters)


def print_mesh_struct(struct: StructAttribute, print_attribute: Print) -> str:
    """Print one of `MESH_STRUCTS` as MLIR does."""
    return f"#stablehlo.{struct.name}{_body(struct, print_attribute)}"


def _body(struct: StructAttribute, print_attribute: Print) -> str:
    equals = "=" if struct.name == "mesh" else " = "
    items = (f"{key}{equals}{_value(value, print_attribute)}" for key, value in struct.parameters.items())
    return f"<{', '.join(items)}>"


def _value(value: Attribute, print_attribute: Print) -> str:
    match value:
        case IntegerAttribute(number):
            return str(number)
        case StructAttribute(_, "sub_axis_info", parts):
            return "({}){}".format(*(_value(parts[key], print_attribute) for key in ("pre_size", "size")))
        case ArrayAttribute(elements) if any(_is_mesh_axis(element) for element in elements):
            bodies = (_body(axis, print_attribute) for axis in elements if isinstance(axis, StructAttribute))
            return f"[{', '.join(bodies)}]"
    return print_attribute(value)


def _is_mesh_axis(attribute: Attribute) -> bool:
    return isinstance(attribute, StructAttribute) and attribute.name == "mesh_axis"


def _attribute(reader: Reader) -> Attribute:
    return reader.attribute()


def _string(reader: Reader) -> Attribute:
    return StringAttribute(reader.string())


def _integer(reader: Reader) -> Attribute:
    return integer(reader.integer())


def _mesh_axes(reader: Reader) -> Attribute:
    """Read axes, with or without `#stablehlo.mesh_axis` in front."""

    def axis() -> Attribute:
        return read_mesh_struct(reader, "mesh_axis") if reader.peek("<") else reader.attribute()

    return ArrayAttribute(tuple(reader.list_of("[", axis)))


def _sub_axis(reader: Reader) -> Attribute:
    """`(2)4`."""
    reader.expect("(")
    before = _integer(reader)
    reader.expect(")")
    return StructAttribute("stablehlo", "sub_axis_info", {"pre_size": before, "size": _integer(reader)})


MESH_STRUCTS: Mapping[str, Mapping[str, Read]] = {
    "replica_group_mesh_axes": {"mesh": _attribute, "axes": _attribute},
    "mesh": {"axes": _mesh_axes, "device_ids": _attribute},
    "mesh_axis": {"name": _string, "size": _integer},
    "axis_ref": {"name": _string, "sub_axis_info": _sub_axis},
}
"""The reader of each parameter of these attributes."""
_OPTIONAL = ("device_ids", "sub_axis_info")
