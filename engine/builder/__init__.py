"""Build programs of XLA's operations in Python: `XlaBuilder`, its handles, and descriptions of dimensions."""

from ..ops.contractions.convolution_rules import ConvolutionDimensionNumbers
from ..ops.contractions.dot_general import DotDimensionNumbers
from ..ops.indexed.gather import GatherDimensionNumbers
from ..ops.indexed.scatter import ScatterDimensionNumbers
from .builder import XlaBuilder
from .builder_error import BuilderError
from .computation import XlaComputation
from .handles import XlaOp
from .instructions import ResultAccuracy
from .padding import Padding, PaddingDimension
from .shape_text import shape
