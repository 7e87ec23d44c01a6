"""custom_call: an op that the specification knows by its name alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar

from ...errors import RunError, UnboundResults
from ...indexing import UNDEFINED, OperandMap
from ...ir.attributes import (
    ArrayAttribute,
    Attribute,
    DenseAttribute,
    DictionaryAttribute,
    OpaqueAttribute,
    StringAttribute,
)
from ...ir.module import Module, Operation, Region
from ...ir.types import TensorType, TupleType, Type, holds_values, parts
from ..collective_rules import Meeting
from ..convolution_rules import ConvolutionDimensionNumbers
from ..exchanges import Arrays, MeetPeers, Met, Peers, Piece, Place, nobody
from ..manual_parts import ManualParts
from ..op import Array, Ask, AskingOp, Callee, Constraint, Cost, Op, shapes_agree
from ..packed import packed
from ..rules import listed
from ..tiled_parts import TiledParts
from ..values import is_tuple, read_only, tuple_of
from .maps import own_maps
from .settings import Setting, Settings, settings_of
from .shape_operands import with_shape_operands
from .target import Target
from .targets import find_target

TYPED_FFI = 4
"""The `api_version` whose `backend_config` is a dictionary; those below have text."""


@dataclass(frozen=True)
class OutputOperandAlias:
    """`#stablehlo.output_operand_alias<…>`: a part of the results that lies in a part of an operand's memory."""

    mnemonic: ClassVar[str] = "output_operand_alias"

    operand_index: int
    output_tuple_indices: tuple[int, ...] = ()
    operand_tuple_indices: tuple[int, ...] = ()


@dataclass(frozen=True)
class CustomCall(AskingOp):
    """Runs what `call_target_name` names, code outside of the program.

    Many targets are known here and computed: partitioning markers, top-k, the LAPACK family, exported CHLO ops,
    assertions, the libraries that XLA calls on GPUs. For all others a run stops and says so (`UnboundResults`);
    given arrays for the results it goes on. Where one tuple is stated, as always in HLO text, what the target gives
    is put into it. Layouts and aliases change no values. A known target whose results are not of the stated types
    stops the run too. Specification: custom_call.
    """

    name = "stablehlo.custom_call"
    short_form = "$call_target_name<symbol-name> ( operands ) attr-dict : functional-type"
    hlo_opcode, xla_name = "custom-call", "CustomCall"
    hlo_note = (
        "Several results are one tuple. `backend_config` is a string, or JSON or a dictionary between "
        "braces; `api_version` is a word."
    )
    input_labels: ClassVar[Mapping[str, str]] = {
        "inputs": "I1",
        "call_target_name": "I2",
        "has_side_effect": "I3",
        "backend_config": "I4",
        "api_version": "I5",
        "called_computations": "I6",
        "output_operand_aliases": "I7",
    }

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
    mhlo_backend_config: Attribute | None = field(
        default=None, metadata={"attribute": "mhlo.backend_config", "discardable": True}
    )
    hlo_backend_config: Attribute | None = field(default=None, metadata={"discardable": True})
    """What HLO text states as `backend_config`, read: a string, or a dictionary if it is JSON or MLIR's."""
    mhlo_attributes: Attribute | None = field(
        default=None, metadata={"attribute": "mhlo.attributes", "discardable": True}
    )
    indices_of_shape_operands: tuple[int, ...] = field(default=(), metadata={"discardable": True})
    """For each result the operand that states its shape: such operands are not the target's."""
    error_message: Attribute | None = field(default=None, metadata={"discardable": True})
    rng_algorithm: Attribute | None = field(default=None, metadata={"discardable": True})
    window_dimensions: tuple[int, ...] | None = field(default=None, metadata={"discardable": True})
    """What HLO text says of a convolution's window: its sizes; the rest is as in convolution."""
    window_strides: tuple[int, ...] | None = field(default=None, metadata={"discardable": True})
    padding: tuple[tuple[int, ...], ...] | None = field(default=None, metadata={"discardable": True})
    lhs_dilation: tuple[int, ...] | None = field(default=None, metadata={"discardable": True})
    rhs_dilation: tuple[int, ...] | None = field(default=None, metadata={"discardable": True})
    window_reversal: tuple[bool, ...] | None = field(default=None, metadata={"discardable": True})
    dimension_numbers: ConvolutionDimensionNumbers | None = field(
        default=None, metadata={"discardable": True}
    )
    feature_group_count: int = field(default=1, metadata={"discardable": True})
    batch_group_count: int = field(default=1, metadata={"discardable": True})
    bodies: tuple[Region, ...] = field(default=(), metadata={"settled": True}, compare=False, repr=False)
    """Of `called_computations`, as the program defines them."""
    operation: Operation | None = field(default=None, compare=False, repr=False)
    """The call in the text: targets that cut tensors look for its attributes and where its operands are from."""
    shares: ManualParts | TiledParts | str | None = field(
        default=None, metadata={"settled": True}, compare=False, repr=False
    )
    """Who has which parts of the tensors, for targets that cut them or put them together.

    It is found in the module; a sentence says why it cannot be.
    """

    def constraints(self) -> Iterator[Constraint]:
        config, version = self.backend_config, self.api_version
        yield "I5", 0 <= version <= TYPED_FFI, f"api_version must be one of 0 to {TYPED_FFI}, not {version}"
        typed = version == TYPED_FFI
        kind = DictionaryAttribute if typed else StringAttribute
        sentence = (
            f"backend_config must be {'a dictionary' if typed else 'a string'} for api_version {version}"
        )
        is_hlo = isinstance(config, OpaqueAttribute) and self.hlo_backend_config is not None
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
        indices = listed(alias.output_tuple_indices), listed(alias.operand_tuple_indices)
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
                yield "", _fits(layout, found), f"{name}: a layout is no order of the dimensions of {found}"

    @property
    def parts(self) -> tuple[Type, ...]:
        """What the target gives: the results, or the elements of the one tuple that they are."""
        return parts(self.results[0]) if len(self.results) == 1 else self.results

    @property
    def _is_one_tuple(self) -> bool:
        return len(self.results) == 1 and isinstance(self.results[0], TupleType)

    @property
    def target(self) -> Target | None:
        """What is known of the target; `None` if that is nothing."""
        found = find_target(self.call_target_name)
        return with_shape_operands(found) if found and self.indices_of_shape_operands else found

    @property
    def outside(self) -> str | None:
        return None if self.target else f"@{self.call_target_name}"

    def callees(self) -> tuple[Callee, ...]:
        return self.target.callees(self) if self.target else ()

    def linked(self, module: Module) -> Op:
        target = self.target
        other = target.instead(self) if target else None
        if other is not None:
            return packed(other) if self._is_one_tuple else other
        found = target.linked(self, module) if target else self
        if self.called_computations:
            called = map(module.function, self.called_computations)
            found = replace(found, bodies=tuple(f.body for f in called if f and f.body))
        meets = target is not None and target.joins and isinstance(found.shares, ManualParts | TiledParts)
        if not meets:
            return found
        return MeetingCall(**{field.name: getattr(found, field.name) for field in fields(found)})

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        target = self.target
        if target is None:
            raise self._unbound()
        target.check_operands(self)
        return self.checked(target.run(self, operands))

    def resume(self, state: Any, answer: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        assert self.target
        return self.checked(self.target.resume(self, state, answer))

    def _unbound(self) -> UnboundResults:
        message = f"custom_call @{self.call_target_name} calls code outside of the program"
        gives = any(map(holds_values, self.results))
        go_on = "bind values for its results" if gives else "tell the run to skip it"
        return UnboundResults(message, hint=f"{go_on} to go on")

    def checked(self, found: Ask | tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        """What the target gives, as the results that are stated; `RunError` unless it is of their types."""
        if isinstance(found, Ask):
            return found
        if self._is_one_tuple and len(found) == 1 and is_tuple(found[0]):
            return found
        if len(found) != len(self.parts):
            count = len(self.parts)
            raise RunError(f"@{self.call_target_name} gives {len(found)} results, but {count} are stated")
        for number, (value, stated) in enumerate(zip(found, self.parts, strict=True)):
            if isinstance(stated, TensorType) and not _holds(stated, value):
                shape = listed(value.shape)
                message = f"result {number} of @{self.call_target_name} is {value.dtype}{shape}, not {stated}"
                raise RunError(message)
        return (tuple_of([read_only(value) for value in found]),) if self._is_one_tuple else found

    @cached_property
    def settings(self) -> Settings:
        """All that the call's configuration says, wherever it stands."""
        stated = self.backend_config, self.hlo_backend_config, self.mhlo_backend_config, self.mhlo_attributes
        return settings_of(stated)

    def setting(self, name: str) -> Setting:
        """What the call's configuration says about `name`, where that is one value."""
        found = self.settings.get(name)
        return found if isinstance(found, bool | int | float | str) else None

    @cached_property
    def _twin(self) -> Op | None:
        """The op that does most of a known target's work, where the configuration makes sense."""
        try:
            return self.target.twin(self) if self.target else None
        except RunError:
            return None

    def index_maps(self) -> Iterator[OperandMap]:
        return self._maps(inverse=False)

    def inverse_index_maps(self) -> Iterator[OperandMap]:
        return self._maps(inverse=True)

    @property
    def found_names(self) -> tuple[str, ...]:
        return self.target.found_names(self) if self.target else ()

    def found_at(self, place: Place, meet: MeetPeers = nobody) -> tuple[Array | None, ...]:
        return self.target.found(self, place) if self.target else ()

    def _maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """The target's own; those of the op that does the work, and of what the target does besides."""
        target = self.target
        if target is None:
            return self._unknown_maps()
        if target.maps is not None:
            return target.maps(self, inverse)
        if self._twin is None:
            return self._unknown_maps()
        count = len(self._twin.operand_types)
        others = target.others(self, inverse) if target.others else self._unknown_maps(count)
        return chain(own_maps(self._twin, inverse), others)

    def _unknown_maps(self, first: int = 0) -> Iterator[OperandMap]:
        """Of operands from number `first` on."""
        for result in range(len(self.parts)):
            for operand in range(first, len(self.inputs)):
                yield OperandMap(operand, UNDEFINED, result)

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """The twin's; of matrices some twenty times the cube of their size, as singular values need."""
        given = [part for found in result_types for part in parts(found)]
        tensors = [t for t in (*operand_types, *given) if isinstance(t, TensorType) and t.is_static]
        size = sum(t.byte_count for t in given if isinstance(t, TensorType) and t.is_static)
        work = 2 * sum(t.byte_count for t in tensors)
        if self._twin is not None:
            result = self._twin.infer()
            twin = self._twin.cost(self._twin.operand_types, (result,) if isinstance(result, Type) else ())
            return Cost(twin.flops + size, size, twin.scratch_bytes + work)
        longest = max((max(t.sizes[-2:], default=1) for t in tensors), default=1)
        count = sum(t.element_count for t in tensors)
        return Cost(20 * count * longest if self.target and self.target.is_cubic else count, size, work)


@dataclass(frozen=True)
class MeetingCall(CustomCall, Meeting):
    """A call in which processes meet: each brings its part of what is whole afterwards."""

    @property
    def _known(self) -> ManualParts | TiledParts:
        assert isinstance(self.shares, ManualParts | TiledParts)
        return self.shares

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return CustomCall.begin(self, operands)

    def resume(self, state: Any, answer: Any) -> Ask | tuple[Array, ...]:
        return CustomCall.resume(self, state, answer)

    def peers(self, place: Place) -> Peers:
        return self._known.peers(place)

    def outputs(self, met: Met) -> Arrays:
        found = self.checked(self._known.joined(met))
        assert isinstance(found, tuple)
        return found

    def pieces(self, met: Met) -> Iterator[Piece]:
        return self._known.pieces(met)


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
