"""Opcodes of control flow, tuples, tokens and ordering."""

from ....ir.attributes import BoolAttribute, DictionaryAttribute, IntegerAttribute, StringAttribute
from ....ir.element_types import I1
from ....ir.module import Operation
from ....ir.types import TensorType, TupleType
from ...attributes.print_attributes import print_dictionary
from ..attributes.backend_configs import read_config, read_frontend_attributes
from ..fields import Body, Callee, Integer, Set, Text, Written, integer, read_truth
from ..instruction_draft import Draft
from ..opcode_forms import Form
from ..values.hlo_cursor import quote


class Branches:
    """The computations of a conditional; for a pred operand, the true branch comes first."""

    keys = ("branch_computations", "true_computation", "false_computation")

    def read(self, draft: Draft) -> None:
        if draft.has("branch_computations"):
            keys = ["branch_computations"]
        else:
            keys = ["true_computation", "false_computation"]
        for key in keys:
            found = draft.computations(key)
            draft.regions += [draft.body(function, draft.raw.attributes[key]) for function in found]

    def write(self, operation: Operation) -> Written:
        """Yield two names for a pred operand, a list for an index."""
        names = [f"%{region.function}" for region in operation.regions]
        index = operation.operands[0].type if operation.operands else None
        if isinstance(index, TensorType) and index.element_type == I1 and len(names) == 2:
            yield from zip(("true_computation", "false_computation"), names, strict=True)
        else:
            yield "branch_computations", f"{{{', '.join(names)}}}"


def _is_composite(draft: Draft) -> bool:
    return bool(draft.value("is_composite", read_truth))


class CompositeField:
    """The name, version and attributes of a composite, from the frontend_attributes of a call."""

    keys = ("is_composite", "frontend_attributes")

    def read(self, draft: Draft) -> None:
        """Read name, attributes and version, and keep the text of the attributes."""
        stated = read_frontend_attributes(draft.text("frontend_attributes") or "{}")
        draft.keep("frontend_attributes")
        name = stated.get("composite.name")
        if name is None:
            draft.fail('a composite needs a name, frontend_attributes={composite.name="…"}')
        draft.properties["name"] = StringAttribute(name)
        attributes = read_config(stated.get("composite.attributes", "{}"))
        if isinstance(attributes, DictionaryAttribute):
            draft.properties["composite_attributes"] = attributes
        version = stated.get("composite.version", "0")
        draft.properties["version"] = integer(int(version) if version.isdecimal() else 0, 32)

    def write(self, operation: Operation) -> Written:
        """Yield all attributes of the composite, unless the text that they were read from was kept."""
        yield "is_composite", "true"
        if "frontend_attributes" in operation.attributes:
            return
        name, version = operation.properties.get("name"), operation.properties.get("version")
        attributes = operation.properties.get("composite_attributes")
        parts = [
            f"composite.name={quote(name.value if isinstance(name, StringAttribute) else '')}",
            f"composite.version={quote(str(version.value if isinstance(version, IntegerAttribute) else 0))}",
        ]
        if isinstance(attributes, DictionaryAttribute):
            parts.append(f"composite.attributes={print_dictionary(attributes.entries)}")
        yield "frontend_attributes", f"{{{','.join(parts)}}}"


class AsyncCallee:
    """`calls=name` of async-start."""

    keys = ("calls", "called_computation")

    def read(self, draft: Draft) -> None:
        draft.region("calls" if draft.has("calls") else "called_computation")

    def write(self, operation: Operation) -> Written:
        if operation.regions:
            yield "calls", f"%{operation.regions[0].function}"


def _selects_tuple(draft: Draft) -> bool:
    return len(draft.operands) == 3 and isinstance(draft.operands[1].type, TupleType)


FORMS: tuple[Form, ...] = (
    Form(
        "call", "stablehlo.composite", (Callee("to_apply", "decomposition"), CompositeField()), _is_composite
    ),
    Form("call", "func.call", (Callee("to_apply", "callee"),)),
    Form("fusion", "hlo.fusion", (Text("kind", "kind", quote=False, needed=True), Callee("calls", "calls"))),
    Form("while", "stablehlo.while", (Body("condition", 0), Body("body", 1))),
    Form("conditional", "hlo.conditional", (Branches(),)),
    Form("tuple", "stablehlo.tuple"),
    Form("get-tuple-element", "stablehlo.get_tuple_element", (Integer("index", "index", 32),)),
    Form("select", "hlo.tuple_select", (), _selects_tuple),
    Form("opt-barrier", "stablehlo.optimization_barrier", (Set("takes_tuples", BoolAttribute(True)),)),
    Form("after-all", "stablehlo.after_all"),
    Form("add-dependency", "hlo.add_dependency"),
    Form("domain", "hlo.domain"),
    Form("async-start", "hlo.async_start", (AsyncCallee(),)),
    Form("async-update", "hlo.async_update"),
    Form("async-done", "hlo.async_done"),
    Form(
        "copy-start",
        "hlo.copy_start",
        (Integer("cross_program_prefetch_index", "cross_program_prefetch_index", default=-1),),
    ),
    Form("copy-done", "hlo.copy_done"),
    Form("partition-id", "stablehlo.partition_id"),
    Form("replica-id", "stablehlo.replica_id"),
)
