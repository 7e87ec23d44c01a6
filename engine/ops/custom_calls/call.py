"""A custom_call as the text states it: the fields and settings that targets read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, TypeVar

from ...errors import RunError
from ...ir.attributes import (
    ArrayAttribute,
    Attribute,
    DenseAttribute,
    DictionaryAttribute,
    OpaqueAttribute,
    StringAttribute,
)
from ...ir.module import Operation, Region
from ...ir.types import TensorType, TupleType, Type, parts
from ..core.binding import Record, read_record
from ..core.facets import HloSpelling, Part, Section, Storage, numbered
from ..core.op import Array, Ask, AskingOp, Constraint, shapes_agree
from ..core.rules import format_list
from ..core.values import is_tuple, read_only, tuple_of
from ..sharded_parts.manual_parts import ManualParts
from ..sharded_parts.tiled_parts import TiledParts
from .configuration import Configuration, Setting, Settings, settings_of

Configured = TypeVar("Configured", bound=Configuration)
_CONFIGURATIONS = ("hlo_backend_config", "mhlo.backend_config", "mhlo.attributes")
"""Attributes with settings besides `backend_config`. The first is from HLO text: a string, or a dictionary for JSON or MLIR."""
_HLO_ALIAS = re.compile(r"\{([\d, ]*)\}: \((\d+), \{([\d, ]*)\}")
"""A part of the results, the number of an operand, and the part of that: `{0}: (1, {})`."""
TYPED_FFI = 4
"""The `api_version` whose `backend_config` is a dictionary; for lower versions it is text."""


@dataclass(frozen=True)
class OutputOperandAlias:
    """`#stablehlo.output_operand_alias<…>`: a part of the results that lies in a part of an operand's memory."""

    mnemonic: ClassVar[str] = "output_operand_alias"

    operand_index: int
    output_tuple_indices: tuple[int, ...] = ()
    operand_tuple_indices: tuple[int, ...] = ()


@dataclass(frozen=True)
class ShapeOperands:
    """The attribute by which a call of any target may name operands that state shapes."""

    indices_of_shape_operands: tuple[int, ...] = ()
    """For each result the number of the operand that states its shape."""


class CallStorage(Storage["Call"]):
    def shared_part(self, op: Call, result: int, path: tuple[int, ...] = ()) -> Part | None:
        """The part that `output_operand_aliases` names, or HLO's `output_to_operand_aliasing`."""
        place = path if len(op.results) == 1 else (result, *path)
        for alias in op.memory_aliases:
            count = len(alias.output_tuple_indices)
            if place[:count] == alias.output_tuple_indices:
                return alias.operand_index, (*alias.operand_tuple_indices, *place[count:])
        return None


@dataclass(frozen=True)
class Call(AskingOp):
    """The fields and constraints of custom_call, and its settings as records. `CustomCall` adds the known targets."""

    name = "stablehlo.custom_call"
    storage = CallStorage()
    short_form = "$call_target_name<symbol-name> ( operands ) attr-dict : functional-type"
    hlo = HloSpelling(
        "custom-call",
        "CustomCall",
        note="Several results are one tuple. `backend_config` is a string, or JSON or a dictionary between "
        "braces; `api_version` is a word.",
    )
    section = Section(
        input_labels=numbered(
            "inputs call_target_name has_side_effect backend_config api_version "
            "called_computations output_operand_aliases"
        )
    )
    inputs: tuple[Type, ...]
    call_target_name: str
    results: tuple[Type, ...]
    has_side_effect: bool = False
    backend_config: Attribute | None = None
    api_version: int = 1
    called_computations: tuple[str, ...] = ()
    output_operand_aliases: tuple[OutputOperandAlias, ...] = ()
    operand_layouts: ArrayAttribute | None = None
    result_layouts: ArrayAttribute | None = None
    attributes: Mapping[str, Attribute] = field(default_factory=dict, hash=False)
    """All other attributes: HLO's configuration, and the records of single targets (`record`)."""
    bodies: tuple[Region, ...] = field(default=(), metadata={"settled": True}, compare=False, repr=False)
    """The bodies of `called_computations` in the program."""
    operation: Operation | None = field(default=None, compare=False, repr=False)
    """The call in the text; targets that cut tensors read its attributes and the origins of its operands."""
    shares: ManualParts | TiledParts | str | None = field(
        default=None, metadata={"settled": True}, compare=False, repr=False
    )
    """The parts of the tensors that each process holds, for targets that split or join them.

    They are derived from the module; a string is the reason why they are unknown.
    """

    @property
    def joins(self) -> bool:
        """Whether the target joins the parts that processes hold."""
        return False

    def record(self, kind: type[Record]) -> Record:
        """The target's record `kind`, read from the attributes of the call."""
        return read_record(kind, Operation(self.name, (), (), self.attributes))

    @cached_property
    def shape_operands(self) -> tuple[int, ...]:
        """For each result the number of the operand that states its shape; empty without any. Targets do not see them."""
        return self.record(ShapeOperands).indices_of_shape_operands

    def constraints(self) -> Iterator[Constraint]:
        config, version = self.backend_config, self.api_version
        yield "I5", 0 <= version <= TYPED_FFI, f"api_version must be one of 0 to {TYPED_FFI}, not {version}"
        typed = version == TYPED_FFI
        kind = DictionaryAttribute if typed else StringAttribute
        sentence = (
            f"backend_config must be {'a dictionary' if typed else 'a string'} for api_version {version}"
        )
        is_hlo = isinstance(config, OpaqueAttribute) and "hlo_backend_config" in self.attributes
        yield "I4", config is None or is_hlo or isinstance(config, kind), sentence
        for alias in self.output_operand_aliases:
            yield from self._alias_constraints(alias)
        yield from self._layout_constraints()

    def _alias_constraints(self, alias: OutputOperandAlias) -> Iterator[Constraint]:
        number, count = alias.operand_index, len(self.inputs)
        sentence = f"output_operand_aliases: operand {number} is outside [0, {count})"
        yield "I7", 0 <= number < count, sentence
        outputs = self.results[0] if len(self.results) == 1 else TupleType(self.results)
        source = _part(self.inputs[number], alias.operand_tuple_indices)
        target = _part(outputs, alias.output_tuple_indices)
        indices = format_list(alias.output_tuple_indices), format_list(alias.operand_tuple_indices)
        sentence = f"output_operand_aliases: {' or '.join(indices)} go outside a tuple"
        yield "I7", source is not None and target is not None, sentence
        sentence = f"output_operand_aliases: operand {number} gives {source} for {target}"
        yield "I7", _same_part(source, target), sentence

    def _layout_constraints(self) -> Iterator[Constraint]:
        both = (self.operand_layouts is None) == (self.result_layouts is None)
        yield "", both, "operand_layouts and result_layouts must be stated together"
        for name, layouts, types in (
            ("operand_layouts", self.operand_layouts, self.inputs),
            ("result_layouts", self.result_layouts, self.parts),
        ):
            if layouts is None:
                continue
            count = len(layouts.elements)
            yield "", count == len(types), f"{name} has {count} layouts for {len(types)} values"
            for layout, found in zip(layouts.elements, types, strict=True):
                yield (
                    "",
                    _fits(layout, found),
                    f"{name}: a layout is not an order of the dimensions of {found}",
                )

    @cached_property
    def memory_aliases(self) -> tuple[OutputOperandAlias, ...]:
        """The parts of results that share memory with operands, also as HLO text states them."""
        stated = self.attributes.get("output_to_operand_aliasing")
        text = stated.text if isinstance(stated, OpaqueAttribute) else ""
        found = [tuple(map(_numbers, match)) for match in _HLO_ALIAS.findall(text)]
        of_hlo = (OutputOperandAlias(number, to, of) for to, (number,), of in found)
        return (*self.output_operand_aliases, *filter(self._may_share, of_hlo))

    def _may_share(self, alias: OutputOperandAlias) -> bool:
        return all(holds for _, holds, _ in self._alias_constraints(alias))

    @property
    def parts(self) -> tuple[Type, ...]:
        """The types of the target's results: the stated ones, or the elements of the one stated tuple."""
        return parts(self.results[0]) if len(self.results) == 1 else self.results

    @property
    def is_one_tuple(self) -> bool:
        """Whether the call states one tuple for its results."""
        return len(self.results) == 1 and isinstance(self.results[0], TupleType)

    def check_results(self, found: Ask | tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        """The target's results in the stated form; `RunError` if their types differ from the stated ones."""
        if isinstance(found, Ask):
            return found
        if self.is_one_tuple and len(found) == 1 and is_tuple(found[0]):
            return found
        if len(found) != len(self.parts):
            count = len(self.parts)
            raise RunError(f"@{self.call_target_name} gives {len(found)} results, but {count} are stated")
        for number, (value, stated) in enumerate(zip(found, self.parts, strict=True)):
            if isinstance(stated, TensorType) and not _holds(stated, value):
                shape = format_list(value.shape)
                message = f"result {number} of @{self.call_target_name} is {value.dtype}{shape}, not {stated}"
                raise RunError(message)
        return (tuple_of([read_only(value) for value in found]),) if self.is_one_tuple else found

    @cached_property
    def settings(self) -> Settings:
        """All settings of the call, from every attribute that may hold them."""
        return settings_of((self.backend_config, *map(self.attributes.get, _CONFIGURATIONS)))

    @cached_property
    def _configurations(self) -> dict[type[Configuration], Any]:
        return {}

    def configuration(self, kind: type[Configured]) -> Configured:
        """The settings that a target reads, as its record, cached.

        Raises `RunError` for an invalid value of a setting.
        """
        found: Configured | None = self._configurations.get(kind)
        if found is None:
            found = self._configurations[kind] = kind.of(self.settings, self.call_target_name)
        return found

    def setting(self, name: str) -> Setting:
        """The setting `name`, if it is a single value."""
        found = self.settings.get(name)
        return found if isinstance(found, bool | int | float | str) else None


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", text)))


def _holds(stated: TensorType, value: Array) -> bool:
    return value.dtype == stated.element_type.dtype and shapes_agree(stated.shape, value.shape)


def _part(found: Type, indices: tuple[int, ...]) -> Type | None:
    for index in indices:
        if not isinstance(found, TupleType) or not 0 <= index < len(found.types):
            return None
        found = found.types[index]
    return found


def _same_part(source: Type | None, target: Type | None) -> bool:
    if isinstance(source, TensorType) and isinstance(target, TensorType):
        same_elements = source.element_type == target.element_type
        return same_elements and shapes_agree(source.shape, target.shape)
    return source == target


def _fits(layout: Attribute, found: Type) -> bool:
    if not isinstance(layout, DenseAttribute) or layout.data.dtype.kind not in "iu":
        return False
    rank = found.rank if isinstance(found, TensorType) else 0
    return sorted(layout.data.reshape(-1).tolist()) == list(range(rank))
