"""custom_call: an op that the specification knows by its name alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar, TypeVar

from ...errors import RunError, UnboundResults
from ...indexing import UNDEFINED, OperandMap
from ...ir.attributes import (
    ArrayAttribute,
    Attribute,
    DenseAttribute,
    DictionaryAttribute,
    OpaqueAttribute,
    StringAttribute,
    SymbolAttribute,
)
from ...ir.module import Module, Operation, Region
from ...ir.types import TensorType, TupleType, Type, holds_values, parts
from ...sharding.parts.manual_parts import ManualParts
from ...sharding.parts.tiled_parts import TiledParts
from ..collectives.collective_rules import Meeting
from ..core.binding import Record, read_record
from ..core.exchanges import (
    Arrays,
    MeetPeers,
    Met,
    Peers,
    Piece,
    Place,
    meet_nobody,
)
from ..core.facets import AnyOp, HloSpelling, OpenSizes, Rounding, RuntimeVariables, Section, Tracing
from ..core.facets.findings import Findings
from ..core.nudging import shaken
from ..core.op import (
    Array,
    Ask,
    AskingOp,
    Callee,
    Constraint,
    Cost,
    Op,
    shapes_agree,
)
from ..core.rounding import Errors
from ..core.rules import format_list
from ..core.values import is_tuple, read_only, tuple_of
from ..packed import pack, unpack
from .configuration import Configuration
from .settings import Setting, Settings, settings_of
from .shape_operands import ShapeOperands, with_shape_operands
from .target import Target, identity_maps
from .target_maps import own_maps
from .targets import find_target

Configured = TypeVar("Configured", bound=Configuration)
_CONFIGURATIONS = ("hlo_backend_config", "mhlo.backend_config", "mhlo.attributes")
"""Where settings are, beside `backend_config`. The first is HLO text's: a string, or a dictionary if it is JSON or MLIR's."""
TYPED_FFI = 4
"""The `api_version` whose `backend_config` is a dictionary; those below have text."""


@dataclass(frozen=True)
class OutputOperandAlias:
    """`#stablehlo.output_operand_alias<…>`: a part of the results that lies in a part of an operand's memory."""

    mnemonic: ClassVar[str] = "output_operand_alias"

    operand_index: int
    output_tuple_indices: tuple[int, ...] = ()
    operand_tuple_indices: tuple[int, ...] = ()


class CustomCallRounding(Rounding["CustomCall"]):
    def error_bound(
        self, op: CustomCall, operands: tuple[Array, ...], errors: Errors, results: tuple[Array, ...]
    ) -> Errors:
        """Markers of partitioning and placement hand on what they are given, and its error."""
        target = op.target
        if target is not None and target.maps is identity_maps and len(errors) == len(results):
            return errors
        if op._is_one_tuple and not any(map(is_tuple, operands)):
            return (tuple_of(shaken(op._parts_again, operands, errors, unpack(results))),)
        return super().error_bound(op, operands, errors, results)


class CustomCallTracing(Tracing["CustomCall"]):
    def traced_op(self, op: CustomCall, operands: Callable[[], tuple[Any, ...]]) -> AnyOp | None:
        """The op that runs the bodies on elements, of targets that do; the bodies of others are run on made-up values."""
        if op.target is None or op.target.static is None:
            return None
        static = op.target.static(op, operands())
        traced: AnyOp = static.tracing.over_body_types(static)
        return traced


class CustomCallRuntimeVariables(RuntimeVariables["CustomCall"]):
    def names_of(self, op: CustomCall) -> tuple[str, ...]:
        return op.target.auxiliary_names(op) if op.target else ()

    def process_values(
        self, op: CustomCall, place: Place, meet: MeetPeers = meet_nobody
    ) -> tuple[Array | None, ...]:
        return op.target.process_values(op, place) if op.target else ()


class CustomCallOpenSizes(OpenSizes["CustomCall"]):
    def stated(self, op: CustomCall) -> Iterator[tuple[int, tuple[int | None, ...] | None]]:
        for number, stated in zip(op.shape_operands, op.results, strict=False):
            if 0 <= number < len(op.inputs):
                yield number, stated.shape if isinstance(stated, TensorType) else None


class CustomCallFindings(Findings["CustomCall"]):
    def orders(self, op: CustomCall) -> bool:
        return op.target is not None and op.target.orders


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
    findings = CustomCallFindings(raises_flags=False)
    short_form = "$call_target_name<symbol-name> ( operands ) attr-dict : functional-type"
    hlo = HloSpelling(
        "custom-call",
        "CustomCall",
        note="Several results are one tuple. `backend_config` is a string, or JSON or a dictionary between "
        "braces; `api_version` is a word.",
    )
    section = Section(
        input_labels={
            "inputs": "I1",
            "call_target_name": "I2",
            "has_side_effect": "I3",
            "backend_config": "I4",
            "api_version": "I5",
            "called_computations": "I6",
            "output_operand_aliases": "I7",
        }
    )
    rounding: ClassVar[Rounding[Any]] = CustomCallRounding()
    tracing: ClassVar[Tracing[Any]] = CustomCallTracing()
    runtime_variables: ClassVar[RuntimeVariables[Any]] = CustomCallRuntimeVariables()
    open_sizes: ClassVar[OpenSizes[Any]] = CustomCallOpenSizes()

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
    """All others: HLO's configuration, and what single targets read (`record`)."""
    bodies: tuple[Region, ...] = field(default=(), metadata={"settled": True}, compare=False, repr=False)
    """Of `called_computations`, as the program defines them."""
    operation: Operation | None = field(default=None, compare=False, repr=False)
    """The call in the text: targets that cut tensors look for its attributes and where its operands are from."""
    shares: ManualParts | TiledParts | str | None = field(
        default=None, metadata={"settled": True}, compare=False, repr=False
    )
    """Which process holds which part of the tensors, for targets that split or join them.

    It is found in the module; a sentence says why it cannot be.
    """

    @classmethod
    def attribute_records(cls, operation: Operation) -> tuple[type[Any], ...]:
        target = find_target(_target_name(operation))
        return (ShapeOperands, target.record) if target and target.record else (ShapeOperands,)

    def record(self, kind: type[Record]) -> Record:
        """The target's record `kind`, read from the attributes of the call."""
        return read_record(kind, Operation(self.name, (), (), self.attributes))

    @cached_property
    def shape_operands(self) -> tuple[int, ...]:
        """For each result the number of the operand that states its shape; empty if none does. The target does not see these."""
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
                yield "", _fits(layout, found), f"{name}: a layout is no order of the dimensions of {found}"

    @property
    def parts(self) -> tuple[Type, ...]:
        """The types of the target's results: those stated, or the elements of the one tuple that is stated."""
        return parts(self.results[0]) if len(self.results) == 1 else self.results

    @property
    def _is_one_tuple(self) -> bool:
        return len(self.results) == 1 and isinstance(self.results[0], TupleType)

    @property
    def target(self) -> Target | None:
        """How the target runs; `None` if it is not known."""
        found = find_target(self.call_target_name)
        return with_shape_operands(found) if found and self.shape_operands else found

    @property
    def outside(self) -> str | None:
        return None if self.target else f"@{self.call_target_name}"

    def callees(self) -> tuple[Callee, ...]:
        return self.target.callees(self) if self.target else ()

    def link(self, module: Module) -> Op:
        target = self.target
        other = target.instead(self) if target else None
        if other is not None:
            return pack(other) if self._is_one_tuple else other
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
        return self.check_results(target.run(self, operands))

    def resume(self, state: Any, answer: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        assert self.target
        return self.check_results(self.target.resume(self, state, answer))

    def _parts_again(self, *operands: Array) -> Ask | tuple[Array, ...]:
        """The elements of the one tuple that it gives."""
        found = self.begin(operands)
        return found if isinstance(found, Ask) else unpack(found)

    def _unbound(self) -> UnboundResults:
        message = f"custom_call @{self.call_target_name} calls code outside of the program"
        gives = any(map(holds_values, self.results))
        go_on = "bind values for its results" if gives else "tell the run to skip it"
        return UnboundResults(message, hint=f"{go_on} to go on")

    def check_results(self, found: Ask | tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        """The target's results in the form that the call states; `RunError` if their types are others."""
        if isinstance(found, Ask):
            return found
        if self._is_one_tuple and len(found) == 1 and is_tuple(found[0]):
            return found
        if len(found) != len(self.parts):
            count = len(self.parts)
            raise RunError(f"@{self.call_target_name} gives {len(found)} results, but {count} are stated")
        for number, (value, stated) in enumerate(zip(found, self.parts, strict=True)):
            if isinstance(stated, TensorType) and not _holds(stated, value):
                shape = format_list(value.shape)
                message = f"result {number} of @{self.call_target_name} is {value.dtype}{shape}, not {stated}"
                raise RunError(message)
        return (tuple_of([read_only(value) for value in found]),) if self._is_one_tuple else found

    @cached_property
    def settings(self) -> Settings:
        """All that the call's configuration says, wherever it stands."""
        return settings_of((self.backend_config, *map(self.attributes.get, _CONFIGURATIONS)))

    @cached_property
    def _configurations(self) -> dict[type[Configuration], Any]:
        return {}

    def configuration(self, kind: type[Configured]) -> Configured:
        """The settings that a target reads, as its record. They are read once.

        Raises `RunError` for a value that a setting may not have.
        """
        found: Configured | None = self._configurations.get(kind)
        if found is None:
            found = self._configurations[kind] = kind.of(self.settings, self.call_target_name)
        return found

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

    def _maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """The target's own maps, or else those of its twin and of the operands behind the twin's."""
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
        """Unknown indexing for each operand from number `first` on."""
        for result in range(len(self.parts)):
            for operand in range(first, len(self.inputs)):
                yield OperandMap(operand, UNDEFINED, result)

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """The twin's cost; of matrices some twenty times the cube of their size, which is what singular values take."""
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
    """A call in which processes meet: each brings its part of a tensor, and the parts are joined."""

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
        found = self.check_results(self._known.join(met))
        assert isinstance(found, tuple)
        return found

    def pieces(self, met: Met) -> Iterator[Piece]:
        return self._known.pieces(met)


def _target_name(operation: Operation) -> str:
    """`call_target_name`, as text or as a symbol; empty where it is neither."""
    match operation.attribute("call_target_name"):
        case StringAttribute(value):
            return value
        case SymbolAttribute() as symbol:
            return symbol.root
    return ""


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
