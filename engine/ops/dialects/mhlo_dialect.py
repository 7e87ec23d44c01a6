"""MHLO, the dialect that StableHLO came from, which TensorFlow and XLA's conversions still print.

Each of its ops is one that CHLO, StableHLO or HLO has; only names differ.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from ...ir.attributes import ArrayAttribute, Attribute, DictionaryAttribute, EnumAttribute, StructAttribute
from ..core.op import Op

DIALECT = "mhlo"
_FROM_CHLO = {
    **dict.fromkeys(
        ("acos", "acosh", "asin", "asinh", "atanh", "cosh", "erf", "sinh", "mulhi"),
        "operands attr-dict : same-type",
    ),
    "ragged_dot": None,
    "scan": "custom scan",
}
"""The ops that only CHLO has, with their short forms."""
_FROM_HLO = {
    "add_dependency": "operands attr-dict : functional-type",
    "bitcast": "operands attr-dict : functional-type",
    "copy": "operands attr-dict : same-type",
    "domain": None,
    "fusion": None,
    "stochastic_convert": None,
    "topk": "( operands , k = $k (, largest = $largest )? ) attr-dict : operand-type -> result-types",
    "xla.rng_get_and_update_state": "attr-dict result:state",
}
"""Short forms of the ops that only HLO has."""
_OTHERWISE = ("async_done", "async_start")
"""MHLO ops whose names belong to other ops in StableHLO."""
_OTHER_NAMES = {"xla.rng_get_and_update_state": "rng_get_and_update_state"}
_ATTRIBUTES = {"fusion": {"fusion_kind": "kind"}}


@dataclass(frozen=True)
class OtherName:
    """An op under the name, the short form and the attributes that another dialect has for it."""

    op: type[Op]
    short_form: str | None
    attributes: Mapping[str, str] = field(default_factory=dict)
    """Attributes that the op has under another name."""
    aliases: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the op itself."""
        return self.op.name

    def inherent_attributes(self) -> frozenset[str]:
        """The attributes of the op itself."""
        return self.op.inherent_attributes()

    def translate(self, entries: Mapping[str, Attribute]) -> Mapping[str, Attribute]:
        """The attributes as the op has them."""
        dialect = self.name.partition(".")[0]
        own = "stablehlo" if dialect == "hlo" else dialect
        return {self.attributes.get(name, name): _rename(value, own) for name, value in entries.items()}


def _rename(attribute: Attribute, dialect: str) -> Attribute:
    """`#mhlo<precision HIGH>` as that of another dialect, wherever it stands."""
    match attribute:
        case EnumAttribute(dialect=found) if found == DIALECT:
            return replace(attribute, dialect=dialect)
        case StructAttribute(dialect=found, parameters=parameters) if found == DIALECT:
            values = {name: _rename(value, dialect) for name, value in parameters.items()}
            return replace(attribute, dialect=dialect, parameters=dict(_flatten(values)))
        case ArrayAttribute(elements):
            return ArrayAttribute(tuple(_rename(element, dialect) for element in elements))
        case DictionaryAttribute(entries):
            return DictionaryAttribute({name: _rename(value, dialect) for name, value in entries.items()})
    return attribute


def _flatten(parameters: Mapping[str, Attribute]) -> Iterator[tuple[str, Attribute]]:
    """CHLO has the numbers of ragged_dot's dot among its own."""
    for name, value in parameters.items():
        if name == "dot_dimension_numbers" and isinstance(value, StructAttribute):
            yield from value.parameters.items()
        else:
            yield name, value


def mhlo_names(ops: Iterable[type[Op]]) -> dict[str, OtherName]:
    """Each op of MHLO by its name with the dialect."""
    return dict(_names({op.name: op for op in ops}))


def _names(ops: Mapping[str, type[Op]]) -> Iterator[tuple[str, OtherName]]:
    for name, op in ops.items():
        dialect, _, mnemonic = name.partition(".")
        if dialect == "stablehlo" and mnemonic not in _OTHERWISE:
            yield f"{DIALECT}.{mnemonic}", OtherName(op, op.short_form)
    for dialect, forms in (("chlo", _FROM_CHLO), ("hlo", _FROM_HLO)):
        for mnemonic, form in forms.items():
            op = ops[f"{dialect}.{_OTHER_NAMES.get(mnemonic, mnemonic)}"]
            yield f"{DIALECT}.{mnemonic}", OtherName(op, form, _ATTRIBUTES.get(mnemonic, {}))
