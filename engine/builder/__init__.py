"""Programs of XLA's operations, written from Python: `XlaBuilder`, its handles, and what describes dimensions."""

from ..ops.convolution_rules import ConvolutionDimensionNumbers
from ..ops.dot_general import DotDimensionNumbers
from ..ops.gather import GatherDimensionNumbers
from ..ops.scatter import ScatterDimensionNumbers
from .builder import XlaBuilder
from .computation import XlaComputation
from .contractions import Padding
from .errors import BuilderError
from .handles import XlaOp
from .shapes import shape
from .shaping import PaddingDimension
from .unary import ResultAccuracy

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
