"""Build functions from the computations read by `raw.py`: names resolved, callees before callers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from heapq import heappop, heappush

from ...errors import ParseError, ProgramError, StructureError
from ...ir.attributes import Attribute, IntegerAttribute, OpaqueAttribute
from ...ir.locations import Location
from ...ir.module import Block, Function, Operation, Region, Value
from ...ir.types import TupleType, Type
from ...source import OPS_BETWEEN_REPORTS, Span
from ..text.suggestions import nearest
from .instruction_draft import Draft, read_names, root_operation
from .metadata import quick_metadata
from .opcode_forms import COMMON
from .opcodes import forms_of_opcodes
from .raw import ELEMENT_OPCODE, RawComputation, RawInstruction, RawOperand, RawReader
from .stack_tables import StackTables
from .stated_attributes import stated_in
from .values.print_shapes import print_shape

Infer = Callable[[Operation], Type | None]
"""Infers the shape of an instruction that states none; `None` if its operands do not determine it."""


class Builder:
    """Builds the functions of one module."""

    def __init__(self, reader: RawReader, tables: StackTables, infer: Infer) -> None:
        self.reader, self.tables, self.infer = reader, tables, infer
        self.functions: dict[str, Function] = {}
        self.forms = forms_of_opcodes()
        self.ignored = {
            opcode: COMMON.difference(*(form.keys for form in forms)) for opcode, forms in self.forms.items()
        }
        """The attributes of any instruction that do not affect what an opcode means."""
        self.unread = set(reader.recovery.symbols) if reader.recovery else set()
        """Names of computations that were not read or built because of errors."""
        self.read_before: dict[tuple[object, ...], Draft] = {}
        """Drafts, by `_meaning`: others of the same meaning differ in the computations that they name."""
        self.entry = _entry(reader)
        self._count = 0

    def all_functions(self) -> tuple[Function, ...]:
        """Every computation as a function, callees first."""
        for computation in self._in_order():
            try:
                function = self._function(computation)
            except ProgramError as error:
                self.reader.report(error, computation.name_span.start)
                function = None
            if function is None:
                self.unread.add(computation.name)
            else:
                self.functions[computation.name] = function
            computation.instructions.clear()
            computation.parameters = None
        return tuple(self.functions.values())

    # The order of computations

    def _in_order(self) -> list[RawComputation]:
        """Post-order traversal without recursion; recursive computations are reported when they are built."""
        found: list[RawComputation] = []
        state: dict[str, bool] = {}
        for first in self.reader.computations.values():
            stack = [(first, iter(self._find_used(first)))] if first.name not in state else []
            state.setdefault(first.name, False)
            while stack:
                current, used = stack[-1]
                following = next((c for c in used if c.name not in state), None)
                if following is None:
                    stack.pop()
                    found.append(current)
                else:
                    state[following.name] = False
                    stack.append((following, iter(self._find_used(following))))
        return found

    def _find_used(self, computation: RawComputation) -> list[RawComputation]:
        names: list[str] = []
        for raw in computation.instructions:
            if not raw.stated.computations:
                continue
            try:
                names += self._find_name(raw)
            except ProgramError:
                if self.reader.recovery is None:
                    raise
                # The error is reported when the instruction is built.
        known = self.reader.computations
        return [known[name] for name in dict.fromkeys(names) if name in known]

    def _find_name(self, raw: RawInstruction) -> Iterator[str]:
        for key in raw.stated.computations:
            if key in raw.inline:
                yield from raw.inline[key]
                continue
            named = raw.stated.texts[key].removeprefix("%")
            if named in self.reader.computations:
                yield named
                continue
            self.reader.move(raw.stated.span(key, raw.origin).start)
            yield from (name for name, _ in read_names(self.reader))

    # One computation

    def _function(self, computation: RawComputation) -> Function | None:
        """The computation as a function; `None` if its root has an error that hides its shape."""
        parameters = _parameters(computation)
        arguments = tuple(self._argument(raw, computation) for raw in parameters)
        scope = {raw.name: value for raw, value in zip(parameters, arguments, strict=True)}
        operations = tuple(self._operations(computation, scope))
        if not computation.instructions:
            return None
        root = _root(computation)
        result = scope.get(root.name)
        if result is None:
            return None
        if not computation.has_errors:
            self._check_signature(computation, arguments, result)
        end = root_operation(result, computation.end, root.name_span)
        block = Block(arguments, (*operations, end), span=computation.span)
        attributes = self._opaque_attributes(computation.attributes)
        return Function(
            computation.name,
            arguments,
            (result.type,),
            Region((block,), computation.span),
            "public" if computation is self.entry else "private",
            tuple([raw.stated.others(_NONE) for raw in parameters]),
            attributes=attributes,
            span=computation.span,
            name_span=computation.name_span,
        )

    def _argument(self, raw: RawInstruction, computation: RawComputation) -> Value:
        if raw.type is None:
            raise StructureError("a parameter needs its shape", raw.opcode_span, op=raw.opcode)
        return Value(f"%{raw.name}", raw.type, raw.name_span, self._location(raw))

    def _operations(self, computation: RawComputation, scope: dict[str, Value]) -> Iterator[Operation]:
        seen = {name: value.span for name, value in scope.items()}
        for raw in computation.instructions:
            if raw.number is None and raw.name in seen:
                line, _ = self.reader.source.line_and_column(seen[raw.name].start)
                message = f"{raw.name} is defined twice, first on line {line}"
                raise StructureError(message, raw.name_span, hint="give it another name")
            seen[raw.name] = raw.name_span
        instructions = [raw for raw in computation.instructions if raw.number is None]
        if not _are_in_order(instructions, scope):
            self._check_operands(instructions, computation, scope)
            instructions = in_dependency_order(instructions)
        for raw in instructions:
            operation = self._operation_or_error(raw, computation, scope)
            if operation is not None:
                scope[raw.name] = operation.results[0]
                yield operation

    def _operation_or_error(
        self, raw: RawInstruction, computation: RawComputation, scope: dict[str, Value]
    ) -> Operation | None:
        """The operation; `None` if it has an error, or needs something that has one."""
        self._count += 1
        if self.reader.on_progress and not self._count % OPS_BETWEEN_REPORTS:
            self.reader.on_progress("building", raw.span.start)
        try:
            if not self._needs_unread(raw, computation, scope):
                return self._operation(raw, computation, scope)
        except ProgramError as error:
            self.reader.report(error, raw.span.start)
        else:
            self.reader.skip(raw.span.start)
        computation.has_errors = True
        if raw.type is not None:
            scope[raw.name] = Value(f"%{raw.name}", raw.type, raw.name_span)
        return None

    def _needs_unread(
        self, raw: RawInstruction, computation: RawComputation, scope: dict[str, Value]
    ) -> bool:
        """Whether the instruction, or an operand or a computation of it, was not read because of an error."""
        if computation.has_errors and (raw.has_error or any(o.name not in scope for o in raw.operands)):
            if (
                raw.opcode
                and raw.opcode not in self.forms
                and raw.opcode.rpartition("-")[0] not in self.forms
            ):
                raise self._unknown_error(raw)
            return True
        return bool(self.unread) and not self.unread.isdisjoint(self._find_name(raw))

    def _check_operands(
        self, instructions: list[RawInstruction], computation: RawComputation, scope: dict[str, Value]
    ) -> None:
        defined = {raw.name for raw in instructions} | computation.lost
        for raw in instructions:
            for operand in raw.operands:
                if operand.name not in defined and operand.name not in scope:
                    self.reader.report(self._undefined_error(operand, computation), raw.span.start)
                    computation.has_errors = True

    def _undefined_error(self, operand: RawOperand, computation: RawComputation) -> StructureError:
        known = [raw.name for raw in computation.instructions]
        message = f"{operand.name} is not defined in computation {computation.name}"
        return StructureError(message, operand.span, hint=nearest(operand.name, known))

    def _operation(
        self, raw: RawInstruction, computation: RawComputation, scope: dict[str, Value]
    ) -> Operation:
        operands = tuple([scope[operand.name] for operand in raw.operands])
        if raw.states_shapes:
            self._check_stated(raw, operands)
        if raw.opcode not in self.forms:
            raw = self._expand(raw, operands)
        draft = self._draft(raw, operands)
        if raw.type is None and raw.opcode == ELEMENT_OPCODE:
            _check_element(draft)
        found = raw.type or self.infer(draft.operation(())) or draft.type()
        return draft.operation((Value(f"%{raw.name}", found, raw.name_span),), self._location(raw))

    def _draft(self, raw: RawInstruction, operands: tuple[Value, ...]) -> Draft:
        """The instruction with its attributes read according to its opcode."""
        forms = self.forms.get(raw.opcode)
        if forms is None:
            raise self._unknown_error(raw)
        draft = Draft(raw, self.reader, operands, self.functions)
        key = self._meaning(raw, operands)
        known = self.read_before.get(key)
        if known is not None:
            draft.name, draft.properties, draft.used = known.name, known.properties, known.used
            for region_key in known.region_keys:
                draft.region(region_key)
            if known.callees:
                draft.properties = {**known.properties}
                for name, attribute in known.callees.items():
                    draft.callee(attribute, name)
            return draft
        form = forms[0] if len(forms) == 1 else next(form for form in forms if form.fits(draft))
        form.read(draft)
        if not draft.names_computations:
            self.read_before[key] = draft
        return draft

    def _meaning(self, raw: RawInstruction, operands: tuple[Value, ...]) -> tuple[object, ...]:
        """All that decides what the attributes of an instruction mean."""
        # The module keeps types and literals alive, so their ids stay unique.
        types = [id(value.type) for value in operands]
        return raw.opcode, id(raw.type), id(raw.literal), raw.stated.meaning(self.ignored[raw.opcode]), *types

    def _expand(self, raw: RawInstruction, operands: tuple[Value, ...]) -> RawInstruction:
        """Expand `negate-start(x)`, `-update` and `-done` to `async-start(x), calls=…` and so on."""
        opcode, _, half = raw.opcode.rpartition("-")
        if opcode not in self.forms or half not in ("start", "update", "done"):
            raise self._unknown_error(raw)
        if half != "start":
            return replace(raw, opcode=f"async-{half}")
        started = started_instruction(raw, opcode, self.reader.text)
        arguments = parameters_for(started, operands)
        name = f"async_computation.{raw.name}"
        while name in self.reader.computations or name in self.functions:
            name += "_"
        self.functions[name] = wrap(name, self._draft(started, arguments))
        kept = {key: span for key, span in raw.attributes.items() if key in KEPT_BY_START}
        stated = stated_in(self.reader.text, {**kept, "calls": raw.opcode_span})
        return replace(raw, opcode="async-start", stated=stated, origin=0, inline={"calls": (name,)})

    def _check_stated(self, raw: RawInstruction, operands: tuple[Value, ...]) -> None:
        for operand, value in zip(raw.operands, operands, strict=True):
            if operand.type is not None and operand.type is not value.type and operand.type != value.type:
                line, _ = self.reader.source.line_and_column(value.span.start)
                message = (
                    f"{operand.name} is {print_shape(value.type)}, but stated as {print_shape(operand.type)}"
                )
                hint = f"it is defined on line {line}"
                raise StructureError(message, operand.span, op=raw.opcode, hint=hint)

    def _unknown_error(self, raw: RawInstruction) -> ParseError:
        twins = {
            form.name.rpartition(".")[2]: opcode for opcode, forms in self.forms.items() for form in forms
        }
        if raw.opcode in _NOT_RUN:
            hint = _NOT_RUN[raw.opcode]
        elif raw.opcode in twins:
            hint = f"HLO calls it '{twins[raw.opcode]}'"
        else:
            listed = "the page /ops lists the ops that this version runs"
            hint = nearest(raw.opcode, self.forms, likeness=0.65) or listed
        return ParseError(f"unknown opcode '{raw.opcode}'", raw.opcode_span, hint=hint)

    def _location(self, raw: RawInstruction) -> Location | None:
        text = raw.stated.texts.get("metadata")
        return None if text is None else quick_metadata(text, self.tables)

    def _opaque_attributes(self, attributes: dict[str, Span]) -> dict[str, Attribute]:
        text = self.reader.text
        return {key: OpaqueAttribute(text[span.start : span.end]) for key, span in attributes.items()}

    def _check_signature(
        self, computation: RawComputation, arguments: tuple[Value, ...], result: Value
    ) -> None:
        stated = computation.parameters
        if stated is None:
            return
        # XLA ignores the parameters of a signature. A list of another length is no slip in a shape.
        compared = zip(stated, arguments, strict=True) if len(stated) == len(arguments) else ()
        for (name, found, span), argument in compared:
            if found is not argument.type and found != argument.type:
                stated_here, defined = print_shape(found), print_shape(argument.type)
                message = f"{name} is {stated_here} in the signature, but {defined} where it is defined"
                raise StructureError(message, span)
        if computation.result is not result.type and computation.result != result.type:
            promised = print_shape(computation.result) if computation.result else "nothing"
            message = f"the signature promises {promised}, but the root is {print_shape(result.type)}"
            raise StructureError(message, computation.result_span)


_NONE: set[str] = set()
"""The attributes of a parameter that are read: all are kept as text."""


def _check_element(draft: Draft) -> None:
    """Raise an error unless the tuple has the element whose shape is to be inferred."""
    index = draft.properties["index"]
    for operand, value in zip(draft.raw.operands, draft.operands, strict=True):
        types = value.type.types if isinstance(value.type, TupleType) else ()
        if isinstance(index, IntegerAttribute) and not 0 <= index.value < len(types):
            message = f"{operand.name} is {print_shape(value.type)}, which has no element {index.value}"
            raise StructureError(message, draft.raw.span, op=draft.raw.opcode)


def _entry(reader: RawReader) -> RawComputation:
    computations = list(reader.computations.values())
    entries = [found for found in computations if found.is_entry]
    if len(entries) > 1:
        line, _ = reader.source.line_and_column(entries[0].name_span.start)
        message = f"there are two entry computations, the first on line {line}"
        raise StructureError(message, entries[1].name_span, hint="leave out one ENTRY")
    return entries[0] if entries else [found for found in computations if not found.is_inline][-1]


def _parameters(computation: RawComputation) -> list[RawInstruction]:
    found: dict[int, RawInstruction] = {}
    for raw in computation.instructions:
        if raw.number is None:
            continue
        if raw.number in found:
            message = f"parameter {raw.number} of {computation.name} is defined twice"
            raise StructureError(message, raw.name_span)
        found[raw.number] = raw
    for number in range(len(found)):
        if number not in found and computation.has_errors:
            return [found[known] for known in sorted(found)]
        if number not in found:
            message = (
                f"computation {computation.name} has no parameter({number}), but {len(found)} parameters"
            )
            raise StructureError(message, computation.name_span, hint="parameters are numbered from 0")
    return [found[number] for number in range(len(found))]


def _root(computation: RawComputation) -> RawInstruction:
    roots = [raw for raw in computation.instructions if raw.is_root]
    if len(roots) > 1:
        message = f"computation {computation.name} has two roots"
        raise StructureError(message, roots[1].name_span, hint="leave out one ROOT")
    return roots[0] if roots else computation.instructions[-1]


_NOT_RUN = {
    "shuffle": "XLA has an opcode of this name, but documents no meaning for it, so that hloscope does not run it",
    "exp2": "XLA of jaxlib 0.12 has this opcode; hloscope does not run it: write power(two, x)",
    "log2": "XLA of jaxlib 0.12 has this opcode; hloscope does not run it: write divide(log(x), log(two))",
}
"""Hints for opcodes of XLA that hloscope does not run."""
KEPT_BY_START = frozenset(
    ("metadata", "frontend_attributes", "control-predecessors", "async_execution_thread")
)
"""Attributes of async-start itself; all others belong to the wrapped instruction."""


def started_instruction(raw: RawInstruction, opcode: str, text: str) -> RawInstruction:
    """The instruction wrapped by `<opcode>-start`; its result is element 1 of the start's tuple."""
    types = raw.type.types if isinstance(raw.type, TupleType) else ()
    if len(types) < 2:
        message = "the result must be a tuple of the operands, in a tuple of their own, and the result"
        raise StructureError(message, raw.opcode_span, op=raw.opcode)
    attributes = {key: span for key, span in raw.attributes.items() if key not in KEPT_BY_START}
    stated = stated_in(text, attributes)
    return replace(raw, opcode=opcode, type=types[1], stated=stated, origin=0)


def parameters_for(started: RawInstruction, operands: Sequence[Value]) -> tuple[Value, ...]:
    """The parameters of the computation, one per operand, each with the operand's span."""
    return tuple(
        Value(f"%param_{number}", value.type, operand.span)
        for number, (value, operand) in enumerate(zip(operands, started.operands, strict=True))
    )


def wrap(name: str, draft: Draft) -> Function:
    """Build the computation of one instruction."""
    place, arguments = draft.raw.opcode_span, tuple(draft.operands)
    result = Value(f"%{draft.raw.opcode}", draft.type(), draft.raw.name_span)
    end = root_operation(result, place, place)
    body = Block(arguments, (draft.operation((result,)), end), span=draft.raw.span)
    return Function(
        name,
        arguments,
        (result.type,),
        Region((body,), draft.raw.span),
        "private",
        ({},) * len(arguments),
        span=draft.raw.span,
        name_span=place,
    )


def _are_in_order(instructions: Sequence[RawInstruction], scope: Mapping[str, Value]) -> bool:
    """Whether each operand is in the scope, or defined by an earlier instruction."""
    defined = set(scope)
    for raw in instructions:
        for operand in raw.operands:
            if operand.name not in defined:
                return False
        defined.add(raw.name)
    return True


def in_dependency_order(instructions: Sequence[RawInstruction]) -> list[RawInstruction]:
    """The instructions in text order, moved only where an operand follows its use.

    Raises `StructureError` for a cycle.
    """
    positions = {raw.name: position for position, raw in enumerate(instructions)}
    waiting = [len(_read(raw, positions)) for raw in instructions]
    readers: list[list[int]] = [[] for _ in instructions]
    for position, raw in enumerate(instructions):
        for read in _read(raw, positions):
            readers[read].append(position)
    ready = [position for position, count in enumerate(waiting) if count == 0]
    found: list[RawInstruction] = []
    while ready:
        made = heappop(ready)
        found.append(instructions[made])
        for position in readers[made]:
            waiting[position] -= 1
            if waiting[position] == 0:
                heappush(ready, position)
    if len(found) < len(instructions):
        raise _cycle_error(next(raw for raw, count in zip(instructions, waiting, strict=True) if count))
    return found


def _read(raw: RawInstruction, positions: dict[str, int]) -> set[int]:
    return {positions[operand.name] for operand in raw.operands if operand.name in positions}


def _cycle_error(raw: RawInstruction) -> StructureError:
    return StructureError(
        f"{raw.name} depends on its own result, directly or indirectly", raw.name_span, op=raw.opcode
    )
