"""Short forms of dialects whose ops the engine need not know: JAX prints them in its programs."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class ForeignOp:
    """An op that is only read and printed."""

    name: str
    short_form: str
    others: frozenset[str] = frozenset()
    """Properties that the short form does not name as such."""
    aliases: tuple[str, ...] = ()

    def inherent_attributes(self) -> frozenset[str]:
        """The names of its properties."""
        return self.others | frozenset(re.findall(r"\$(\w+)", self.short_form))


_SHARDED = "out_sharding= $out_sharding<#sdy.sharding> attr-dict : same-type"
_AXES = "#sdy<axis_ref_list"
_LISTS_OF_AXES = "#sdy<list_of_axis_ref_lists"
_SHARDY = {
    "mesh": "$sym_name<symbol-name> = $mesh<#sdy.mesh> attr-dict",
    "constant": "custom constant",
    "all_gather": f"$gathering_axes<{_LISTS_OF_AXES}> operands {_SHARDED}",
    "all_slice": f"$slicing_axes<{_LISTS_OF_AXES}> operands {_SHARDED}",
    "all_reduce": f"$reduction_axes<{_AXES}> operands {_SHARDED}",
    "reduce_scatter": f"$reduce_scatter_axes<{_LISTS_OF_AXES}> operands {_SHARDED}",
    "all_to_all": f"$params<#sdy<all_to_all_param_list> operands {_SHARDED}",
    "collective_permute": f"operands {_SHARDED}",
    "replicated_to_unreduced": f"$axes<{_AXES}> operands {_SHARDED}",
    "sharded_to_unreduced": f"$axes<{_LISTS_OF_AXES}> operands {_SHARDED}",
}
_OTHERS = {
    "constant": frozenset(["value"]),
}
_OPS = [ForeignOp(f"sdy.{name}", form, _OTHERS.get(name, frozenset())) for name, form in _SHARDY.items()]
FOREIGN_OPS = {op.name: op for op in _OPS}
