"""Programs of XLA's operations, written from Python: `XlaBuilder`, its handles, and what describes dimensions."""

from ..ops.contractions.convolution_rules import ConvolutionDimensionNumbers
from ..ops.contractions.dot_general import DotDimensionNumbers
from ..ops.indexed.gather import GatherDimensionNumbers
from ..ops.indexed.scatter import ScatterDimensionNumbers
from .builder import XlaBuilder
from .builder_error import BuilderError
from .computation import XlaComputation
from .contraction_functions import Padding
from .handles import XlaOp
from .op_functions import ResultAccuracy
from .shape_text import shape
from .shaping import PaddingDimension

__all__ = [
    "BuilderError",
    "ConvolutionDimensionNumbers",
    "DotDimensionNumbers",
    "GatherDimensionNumbers",
    "Padding",
    "PaddingDimension",
    "ResultAccuracy",
    "ScatterDimensionNumbers",
    "XlaBuilder",
    "XlaComputation",
    "XlaOp",
    "shape",
]
