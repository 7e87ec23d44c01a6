"""custom_call: an op that the specification defines only by the name of its target."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from ...errors import RunError, UnboundResults
from ...indexing import UNDEFINED, OperandMap
from ...ir.attributes import StringAttribute, SymbolAttribute
from ...ir.module import Module, Operation
from ...ir.types import TensorType, TupleType, Type, holds_values, parts
from ...limits import DEFAULT_LIMITS
from ..collectives.collective_rules import CollectiveOp
from ..core.dynamic_op import sizes_fit
from ..core.exchanges import Arrays, FetchPeers, GridPosition, Peers, PeerValues, Piece, no_peers
from ..core.facets import AnyOp, OpenSizes, Rounding, RuntimeVariables, Tracing, Traits
from ..core.facets.findings import Findings
from ..core.nudging import shaken
from ..core.op import Array, Ask, Callee, Cost, Op
from ..core.rounding import UNKNOWN, Errors
from ..core.values import is_tuple, tuple_of
from ..packed import pack, unpack
from ..sharded_parts.manual_parts import ManualParts
from ..sharded_parts.tiled_parts import TiledParts
from .call import Call, ShapeOperands
from .target import Answer, Target, identity_maps, need
from .target_maps import no_dimensions, own_maps, shared_maps
from .targets import find_target
from .triton.target import TRITON

# Calls with operands that state the shapes of results, as in exports with unknown sizes.
#
# `indices_of_shape_operands` names an operand for each result. The target does not receive these operands.


_INDICES = "indices_of_shape_operands"


def with_shape_operands(target: Target) -> Target:
    """`target` for a call with shape operands: it runs on the other operands."""

    def run(call: Call, operands: tuple[Array, ...]) -> Answer:
        inner = _settle(call, operands)
        target.check_operands(inner)
        return _ask_of_call(inner, target.run(inner, tuple(operands[number] for number in _others(call))))

    def resume(call: Call, state: Any, answer: tuple[Array, ...]) -> Answer:
        inner, own = state
        return _ask_of_call(inner, target.resume(inner, own, answer))

    def callees(call: Call) -> tuple[Callee, ...]:
        return target.callees(_inner(call))

    def twin(call: Call) -> Op | None:
        return target.twin(_inner(call))

    settled = replace(target, run=run, resume=resume, callees=callees, twin=twin)
    return replace(settled, least_ranks=None, maps=_maps, others=None)


def _others(call: Call) -> list[int]:
    """The numbers of the operands that the target receives."""
    return [number for number in range(len(call.inputs)) if number not in call.shape_operands]


def _inner(call: Call) -> Call:
    """The call without its shape operands."""
    inputs = tuple(call.inputs[number] for number in _others(call))
    attributes = {name: call.attributes[name] for name in call.attributes if name != _INDICES}
    return replace(call, inputs=inputs, attributes=attributes)


def _settle(call: Call, operands: tuple[Array, ...]) -> Call:
    """The call without its shape operands, with their sizes in its results; `RunError` for impossible sizes."""
    indices, count = call.shape_operands, len(call.parts)
    fits = len(indices) == count and all(0 <= index < len(operands) for index in indices)
    sentence = (
        f"indices_of_shape_operands must name an operand for each of {count} results, not {list(indices)}"
    )
    need(fits, f"@{call.call_target_name}: {sentence}")
    types = tuple(_with_sizes(call, number, operands[index]) for number, index in enumerate(indices))
    is_one_tuple = len(call.results) == 1 and isinstance(call.results[0], TupleType)
    return replace(_inner(call), results=(TupleType(types),) if is_one_tuple else types)


def _with_sizes(call: Call, result: int, shape: Array) -> Type:
    name, stated = f"@{call.call_target_name}", call.parts[result]
    is_shape = shape.ndim == 1 and shape.dtype.kind in "iu" and isinstance(stated, TensorType)
    need(is_shape, f"{name}: what states the shape of result {result} must be a list of integers")
    assert isinstance(stated, TensorType)
    sizes = tuple(map(int, shape.tolist()))
    for _, holds, sentence in sizes_fit("", f"the sizes of result {result}", sizes, stated):
        need(holds, f"{name}: {sentence}")
    sized = stated.with_shape(sizes)
    possible = sized.byte_count <= DEFAULT_LIMITS.max_tensor_bytes
    need(possible, f"{name}: result {result} would be {sized}, larger than max_tensor_bytes allows")
    return sized


def _ask_of_call(inner: Call, found: Answer) -> Answer:
    """The target's request, with the inner call as state; or its results, after a check of their types."""
    return Ask((inner, found.state), found.request) if isinstance(found, Ask) else inner.check_results(found)


def _maps(call: Call, inverse: bool) -> Iterator[OperandMap]:
    """The target's own maps; each element of a result also depends on all sizes stated for the result."""
    places = dict(enumerate(_others(call)))
    for found in own_maps(_inner(call), inverse):
        yield replace(found, operand=places[found.operand], map=found.map.with_operands(places))
    for result, number in enumerate(call.shape_operands):
        yield from shared_maps(call, inverse, number, result, no_dimensions)


KERNELS = {
    TRITON: "a Triton kernel, as Pallas makes them for GPUs",
    "triton_kernel_call": "a Triton kernel",
    "triton_kernel_call_ffi": "a Triton kernel",
    "mosaic_gpu": "a Mosaic kernel, as Pallas makes them for GPUs",
    "mosaic_gpu_v2": "a Mosaic kernel, as Pallas makes them for GPUs",
    "tpu_custom_call": "a Mosaic kernel, as Pallas makes them for TPUs",
}
"""Targets whose settings hold the code of a kernel, which its device runs."""


class CustomCallRounding(Rounding["CustomCall"]):
    def error_bound(
        self, op: CustomCall, operands: tuple[Array, ...], errors: Errors, results: tuple[Array, ...]
    ) -> Errors:
        """Markers of partitioning and placement forward their operands with their errors."""
        target = op.target
        if target is not None and target.maps is identity_maps and len(errors) == len(results):
            return errors
        if target is not None and target.packs_triangles and not any(map(is_tuple, operands)):
            return self._of_triangles(op, operands, errors, results)
        if target is not None and target.rounded is not None:
            return self._as_a_device(op, partial(target.rounded, op), operands, errors, results)
        if op.is_one_tuple and not any(map(is_tuple, operands)):
            return (tuple_of(shaken(op._parts_again, operands, errors, unpack(results))),)
        return super().error_bound(op, operands, errors, results)

    def unrounded(self, op: CustomCall, operands: tuple[Array, ...]) -> Any:
        """Kernels compute in their own types alone."""
        return () if op.keeps_types else super().unrounded(op, operands)

    def _as_a_device(
        self,
        op: CustomCall,
        rounded: Callable[..., Any],
        operands: tuple[Array, ...],
        errors: Errors,
        results: tuple[Array, ...],
    ) -> Errors:
        """The bounds from runs as a device may round them; unknown where such a run stops."""
        parts = unpack(results) if op.is_one_tuple else results
        try:
            found = shaken(lambda *read: rounded(read), operands, errors, parts)
        except RunError:
            found = (UNKNOWN,) * len(parts)
        return (tuple_of(found),) if op.is_one_tuple else found

    def _of_triangles(
        self, op: CustomCall, operands: tuple[Array, ...], errors: Errors, results: tuple[Array, ...]
    ) -> Errors:
        """The bounds of two factors in one matrix: those of the lower one may be far smaller, as in an LU decomposition."""

        def again(*read: Array) -> tuple[Array, ...]:
            found = op.begin(read)
            assert isinstance(found, tuple), "a factorization runs no body"
            return _triangles(unpack(found) if op.is_one_tuple else found)

        values = unpack(results) if op.is_one_tuple else results
        below, above, *rest = shaken(again, operands, errors, _triangles(values))
        rows, columns = values[0].shape[-2:]
        packed = np.where(np.tri(rows, columns, k=-1, dtype=np.bool_), below, above)
        return (tuple_of([packed, *rest]),) if op.is_one_tuple else (packed, *rest)


def _triangles(values: tuple[Array, ...]) -> tuple[Array, ...]:
    packed, *rest = values
    return np.tril(packed, -1), np.triu(packed), *rest


class CustomCallTracing(Tracing["CustomCall"]):
    def traced_op(self, op: CustomCall, operands: Callable[[], tuple[Any, ...]]) -> AnyOp | None:
        """The op that runs the bodies on elements, for targets with one; others run their bodies on invented values."""
        if op.target is None or op.target.static is None:
            return None
        static = op.target.static(op, operands())
        traced: AnyOp = static.tracing.over_body_types(static)
        return traced


class CustomCallRuntimeVariables(RuntimeVariables["CustomCall"]):
    def names_of(self, op: CustomCall) -> tuple[str, ...]:
        return op.target.auxiliary_names(op) if op.target else ()

    def process_values(
        self, op: CustomCall, place: GridPosition, fetch_peers: FetchPeers = no_peers
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

    def failure(self, op: CustomCall) -> str:
        return op.target.failure if op.target is not None else ""

    def birth_cause(
        self, op: CustomCall, operands: tuple[Array, ...], result: Array, number: int, index: tuple[int, ...]
    ) -> str:
        """The reason of the op that does the target's work: a triangular solve names a zero on the diagonal."""
        twin: Any = op._twin
        return twin.findings.birth_cause(twin, operands, result, number, index) if twin and not number else ""


@dataclass(frozen=True)
class CustomCall(Call):
    """Calls the target `call_target_name`, code outside the program.

    The table of targets computes many of them: partitioning markers, top-k, LAPACK, exported CHLO ops, assertions, the
    libraries that XLA calls on GPUs; and Triton kernels, where jaxlib reads their code. Any other target stops the run
    with `UnboundResults`; with arrays bound to its results, the run continues. If one tuple is stated, as always in
    HLO text, the results are packed into it. Layouts and aliases change no values, except that a kernel finds an
    operand's elements in the result that shares its memory. A known target whose results differ from the stated types
    stops the run too.
    Specification: custom_call.
    """

    traits = Traits(computes_alone=True)
    findings = CustomCallFindings(raises_flags=False)
    rounding: ClassVar[Rounding[Any]] = CustomCallRounding()
    tracing: ClassVar[Tracing[Any]] = CustomCallTracing()
    runtime_variables: ClassVar[RuntimeVariables[Any]] = CustomCallRuntimeVariables()
    open_sizes: ClassVar[OpenSizes[Any]] = CustomCallOpenSizes()

    @classmethod
    def attribute_records(cls, operation: Operation) -> tuple[type[Any], ...]:
        target = find_target(_target_name(operation))
        return (ShapeOperands, target.record) if target and target.record else (ShapeOperands,)

    @property
    def joins(self) -> bool:
        return self.target is not None and self.target.joins

    @property
    def target(self) -> Target | None:
        """The target in the table of targets; `None` if it is unknown, or its settings are."""
        found = find_target(self.call_target_name)
        if found is None or not found.covers(self):
            return None
        return with_shape_operands(found) if self.shape_operands else found

    @property
    def keeps_types(self) -> bool:
        """Whether the target computes in the types that its own code states, and cannot be run in more digits."""
        return self.target is not None and self.target.rounded is not None

    @property
    def outside(self) -> str | None:
        return None if self.target else f"@{self.call_target_name}"

    def callees(self) -> tuple[Callee, ...]:
        return self.target.callees(self) if self.target else ()

    def link(self, module: Module) -> Op:
        target = self.target
        other = target.instead(self) if target else None
        if other is not None:
            return pack(other) if self.is_one_tuple else other
        found = target.linked(self, module) if target else self
        if self.called_computations:
            called = map(module.function, self.called_computations)
            found = replace(found, bodies=tuple(f.body for f in called if f and f.body))
        meets = target is not None and target.joins and isinstance(found.shares, ManualParts | TiledParts)
        if not meets:
            return found
        return CollectiveCall(**{field.name: getattr(found, field.name) for field in fields(found)})

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
        """The elements of the one tuple that the call returns."""
        found = self.begin(operands)
        return found if isinstance(found, Ask) else unpack(found)

    def _unbound(self) -> UnboundResults:
        message = f"custom_call @{self.call_target_name} calls code outside of the program"
        gives = any(map(holds_values, self.results))
        go_on = "bind values for its results" if gives else "tell the run to skip it"
        if (kernel := KERNELS.get(self.call_target_name)) is not None:
            message += f": {kernel}"
            go_on = f"record the program by XLA on such a device, or {go_on}"
            if self.call_target_name == TRITON and self.setting("ir"):
                go_on = f"install jaxlib, which reads the kernel (`pip install 'hloscope[xla]'`), {go_on}"
        return UnboundResults(message, hint=f"{go_on} to continue")

    @cached_property
    def _twin(self) -> Op | None:
        """The op that does most of a known target's work, if the configuration is valid."""
        try:
            return self.target.twin(self) if self.target else None
        except RunError:
            return None

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """The target's own maps, otherwise those of its twin and of the operands after the twin's."""
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
        """Undefined maps for each operand from number `first` on."""
        for result in range(len(self.parts)):
            for operand in range(first, len(self.inputs)):
                yield OperandMap(operand, UNDEFINED, result)

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """The twin's cost; for matrices 20 times the cube of their size, the work of a singular value decomposition."""
        given = [part for found in result_types for part in parts(found)]
        tensors = [t for t in (*operand_types, *given) if isinstance(t, TensorType) and t.is_static]
        size = sum(t.byte_count for t in given if isinstance(t, TensorType) and t.is_static)
        work = 2 * sum(t.byte_count for t in tensors)
        if self._twin is not None:
            result = self._twin.infer()
            twin = self._twin.cost(self._twin.operand_types, (result,) if isinstance(result, Type) else ())
            return Cost(twin.flops + size, size, twin.scratch_bytes + work)
        if self.target and self.target.flops:
            return Cost(self.target.flops(self), size, work)
        longest = max((max(t.sizes[-2:], default=1) for t in tensors), default=1)
        count = sum(t.element_count for t in tensors)
        return Cost(20 * count * longest if self.target and self.target.is_cubic else count, size, work)


@dataclass(frozen=True)
class CollectiveCall(CustomCall, CollectiveOp):
    """A call with a collective execution: each process brings its part of a tensor, and the parts are joined."""

    traits = Traits()

    @property
    def _known(self) -> ManualParts | TiledParts:
        assert isinstance(self.shares, ManualParts | TiledParts)
        return self.shares

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return CustomCall.begin(self, operands)

    def resume(self, state: Any, answer: Any) -> Ask | tuple[Array, ...]:
        return CustomCall.resume(self, state, answer)

    def peers(self, place: GridPosition) -> Peers:
        return self._known.peers(place)

    def outputs(self, peer_values: PeerValues) -> Arrays:
        found = self.check_results(self._known.join(peer_values))
        assert isinstance(found, tuple)
        return found

    def pieces(self, peer_values: PeerValues) -> Iterator[Piece]:
        return self._known.pieces(peer_values)


def _target_name(operation: Operation) -> str:
    """`call_target_name`, as text or as a symbol; empty if it is neither."""
    match operation.attribute("call_target_name"):
        case StringAttribute(value):
            return value
        case SymbolAttribute() as symbol:
            return symbol.root
    return ""
