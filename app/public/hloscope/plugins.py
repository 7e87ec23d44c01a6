"""What a plugin imports: `docs/plugins.md` is the guide.

from hloscope.plugins import CustomCall, CustomCallTarget, Importer, Panel

SWISH = CustomCallTarget(run=lambda call, operands: (operands[0] / (1 + np.exp(-operands[0])),))
CHAIN = Importer("a chain of ops", recognises=lambda data: data.startswith(b"CHN\\0"), read=text_of_chain)
VISITED = Panel("Visited", module="visited.js")
"""

from hloscope.app.base.plugins import Importer, Panel
from hloscope.engine.indexing import IndexMap, OperandMap
from hloscope.engine.ops.custom_calls.call import Call as CustomCall
from hloscope.engine.ops.custom_calls.target import Target as CustomCallTarget
from hloscope.engine.ops.custom_calls.target import identity_maps as elementwise_maps

__all__ = [
    "CustomCall",
    "CustomCallTarget",
    "Importer",
    "IndexMap",
    "OperandMap",
    "Panel",
    "elementwise_maps",
]
