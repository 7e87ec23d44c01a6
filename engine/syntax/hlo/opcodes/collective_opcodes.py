"""Opcodes that exchange data between processes or with the host, and their asynchronous halves."""

from ....errors import ProgramError
from ....ir.attribute_values import integers
from ....ir.attributes import ArrayAttribute, BoolAttribute, DenseArrayAttribute, StructAttribute
from ....ir.module import Operation
from ....limits import DEFAULT_LIMITS
from ....source import Source
from ..attributes.backend_configs import print_frontend_attributes, read_frontend_attributes
from ..attributes.device_ids import print_pairs, print_replica_groups, read_pairs, read_replica_groups
from ..fields import Body, Flag, Set, Single, Text, Written, brace, integer, read_truth
from ..instruction_draft import Draft
from ..opcode_forms import Form
from ..values.hlo_cursor import HloCursor


class ReplicaGroups:
    """`replica_groups={{0,1},{2,3}}`, or a shorter notation, which is kept as text."""

    keys = ("replica_groups",)

    def read(self, draft: Draft) -> None:
        """Read the groups as a table; an empty one means all processes."""
        found = draft.value("replica_groups", read_replica_groups)
        if found is None:
            found = read_replica_groups(HloCursor(Source("{}"), DEFAULT_LIMITS))
        elif not (draft.text("replica_groups") or "").startswith("{"):
            draft.keep("replica_groups")
        draft.properties["replica_groups"] = found

    def write(self, operation: Operation) -> Written:
        """Yield the table, unless a shorter notation was kept."""
        if "replica_groups" not in operation.attributes:
            yield "replica_groups", print_replica_groups(operation.properties["replica_groups"])


class Pairs:
    """`source_target_pairs={{0,1},{1,0}}`."""

    keys = ("source_target_pairs",)

    def read(self, draft: Draft) -> None:
        found = draft.value("source_target_pairs", read_pairs)
        if found is None:
            draft.fail("needs the attribute 'source_target_pairs', such as source_target_pairs={{0,1}}")
        draft.properties["source_target_pairs"] = found

    def write(self, operation: Operation) -> Written:
        yield "source_target_pairs", print_pairs(operation.properties["source_target_pairs"])


class Channel:
    """`channel_id=1`."""

    keys = ("channel_id",)

    def read(self, draft: Draft) -> None:
        """Read the number; the channel connects devices."""
        found = draft.value("channel_id", HloCursor.integer)
        if found is not None:
            parameters = {"handle": integer(found), "type": integer(1)}
            draft.properties["channel_handle"] = StructAttribute("stablehlo", "channel_handle", parameters)

    def write(self, operation: Operation) -> Written:
        """Yield the number, unless it is 0."""
        found = operation.properties.get("channel_handle")
        if isinstance(found, StructAttribute):
            handle = getattr(found.parameters.get("handle"), "value", 0)
            if handle > 0:
                yield "channel_id", str(handle)


class TransferPairs:
    """The pairs of send and recv, which XLA stores in frontend_attributes."""

    keys = ("frontend_attributes",)
    setting = "_xla_send_recv_source_target_pairs"

    def read(self, draft: Draft) -> None:
        """Read the pairs, if there are any, and keep the text of the attributes."""
        stated = read_frontend_attributes(draft.text("frontend_attributes") or "{}").get(self.setting)
        draft.keep("frontend_attributes")
        if stated is None:
            return
        cursor = HloCursor(Source(stated), DEFAULT_LIMITS)
        try:
            draft.properties["source_target_pairs"] = read_pairs(cursor)
        except ProgramError as error:
            draft.fail_attribute(
                "frontend_attributes", f"{self.setting}: {error.message}", "such as {{0,1},{1,0}}"
            )
        if not cursor.at_end:
            draft.fail_attribute("frontend_attributes", f"{self.setting}: unexpected text after the pairs")

    def write(self, operation: Operation) -> Written:
        """Yield the pairs, unless the text that they were read from was kept."""
        found = operation.properties.get("source_target_pairs")
        if found is not None:
            yield "frontend_attributes", print_frontend_attributes({self.setting: print_pairs(found)})


class SliceSizes:
    """`slice_sizes={{4,128},{1,128}}`: the sizes of each slice that is permuted in place."""

    keys = ("slice_sizes",)

    def read(self, draft: Draft) -> None:
        """Read a list for each slice; without the attribute, whole operands are permuted."""
        found = draft.value("slice_sizes", lambda cursor: cursor.list_of("{", cursor.braced_integers))
        if found is not None:
            draft.properties["slice_sizes"] = ArrayAttribute(tuple(map(integers, found)))

    def write(self, operation: Operation) -> Written:
        found = operation.properties.get("slice_sizes")
        if isinstance(found, ArrayAttribute):
            rows = (
                brace(tuple(map(int, row.values)))
                for row in found.elements
                if isinstance(row, DenseArrayAttribute)
            )
            yield "slice_sizes", f"{{{','.join(rows)}}}"


_GLOBAL = Flag("use_global_device_ids", "use_global_device_ids")
_REPLICAS_FIRST = Set("replicas_first", BoolAttribute(True))
_GROUPED = (Channel(), ReplicaGroups())
_GATHER = (*_GROUPED, Single("dimensions", "all_gather_dim"), _GLOBAL)
_REDUCE = (*_GROUPED, _GLOBAL, Body("to_apply"))
_REDUCE_SCATTER = (*_GROUPED, _GLOBAL, Single("dimensions", "scatter_dimension"), Body("to_apply"))
_PERMUTE = (Channel(), Pairs())
_HOST = (Channel(), Flag("is_host_transfer", "is_host_transfer"))


def _is_in_place(draft: Draft) -> bool:
    return len(draft.operands) == 4 and draft.has("slice_sizes")


def _has_several_operands(draft: Draft) -> bool:
    return len(draft.operands) != 1


class _DynamicRoot(Flag):
    """`has_dynamic_root=true`, which newer versions of XLA also print where it is false."""

    def read(self, draft: Draft) -> None:
        """Set the property only if it is true: the form with several operands does not have it."""
        if draft.value(self.key, read_truth):
            draft.properties[self.name] = BoolAttribute(True)


_DYNAMIC_ROOT = _DynamicRoot("has_dynamic_root", "has_dynamic_root")


def _has_several_data(draft: Draft) -> bool:
    return _has_several_operands(draft) and draft.text(_DYNAMIC_ROOT.key) != "true"


def _has_dimension(draft: Draft) -> bool:
    return draft.has("dimensions")


FORMS: tuple[Form, ...] = (
    Form("all-gather", "stablehlo.all_gather", (*_GATHER, _REPLICAS_FIRST)),
    Form("all-gather-start", "hlo.all_gather_start", _GATHER),
    Form("all-gather-done", "hlo.all_gather_done"),
    Form("all-reduce", "stablehlo.all_reduce", (*_REDUCE, _REPLICAS_FIRST)),
    Form("all-reduce-start", "hlo.all_reduce_start", _REDUCE),
    Form("all-reduce-done", "hlo.all_reduce_done"),
    Form("reduce-scatter", "hlo.reduce_scatter", _REDUCE_SCATTER, _has_several_operands),
    Form("reduce-scatter", "stablehlo.reduce_scatter", (*_REDUCE_SCATTER, _REPLICAS_FIRST)),
    Form("collective-reduce", "stablehlo.collective_reduce", (*_REDUCE, _REPLICAS_FIRST)),
    Form("all-to-all", "hlo.all_to_all", (*_GROUPED, Single("dimensions", "dimension")), _has_dimension),
    Form("all-to-all", "hlo.all_to_all_tuple", _GROUPED),
    Form("ragged-all-to-all", "hlo.ragged_all_to_all", (Channel(), ReplicaGroups())),
    Form(
        "collective-broadcast",
        "hlo.collective_broadcast",
        (Channel(), ReplicaGroups(), _DYNAMIC_ROOT),
        _has_several_data,
    ),
    Form(
        "collective-broadcast", "stablehlo.collective_broadcast", (Channel(), ReplicaGroups(), _DYNAMIC_ROOT)
    ),
    Form("collective-permute", "hlo.collective_permute_in_place", (*_PERMUTE, SliceSizes()), _is_in_place),
    Form("collective-permute", "hlo.collective_permute", _PERMUTE, _has_several_operands),
    Form("collective-permute", "stablehlo.collective_permute", _PERMUTE),
    Form("collective-permute-start", "hlo.collective_permute_start", (*_PERMUTE, SliceSizes())),
    Form("collective-permute-done", "hlo.collective_permute_done"),
    Form("infeed", "hlo.infeed", (Text("infeed_config", "infeed_config"),)),
    Form("outfeed", "hlo.outfeed", (Text("outfeed_config", "outfeed_config"),)),
    Form("send", "hlo.send", (*_HOST, TransferPairs())),
    Form("send-done", "hlo.send_done", _HOST),
    Form("recv", "hlo.recv", (*_HOST, TransferPairs())),
    Form("recv-done", "hlo.recv_done", _HOST),
)
