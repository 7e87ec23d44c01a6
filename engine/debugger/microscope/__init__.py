"""Derivations of single elements: terms in the order in which they are combined, partial results and roundings."""

from .derivation import Derivation, How, Row, SourceElement
from .microscope import MOST_ROWS, MOST_TERMS, Microscope
