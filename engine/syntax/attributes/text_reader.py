"""The reader of types, attributes and locations in MLIR text."""

from collections.abc import Callable
from typing import TypeVar

from ...ir.attributes import Attribute
from ...ir.locations import Location
from ...ir.types import FunctionType, Type
from ...limits import Limits
from ...source import Source
from .print_attributes import print_attribute
from .read_attributes import read_attribute, read_bare_number, read_dictionary
from .read_locations import read_location
from .read_types import read_function_type, read_type
from .reader import Reader

Found = TypeVar("Found")


class TextReader(Reader):
    """Reads types, attributes and locations."""

    def attribute(self) -> Attribute:
        """Read an attribute."""
        return read_attribute(self)

    def bare_number(self) -> Attribute | None:
        """Read a number without a type, if one comes next."""
        return read_bare_number(self)

    def read_type(self) -> Type:
        """Read a type."""
        return read_type(self)

    def function_type(self) -> FunctionType:
        """Read `(inputs) -> results`."""
        return read_function_type(self)

    def dictionary(self, opening: str = "{") -> dict[str, Attribute]:
        """Read `{name = value, …}`."""
        return read_dictionary(self, opening)

    def attribute_text(self) -> str:
        """Read an attribute and return its printed form."""
        return print_attribute(read_attribute(self))

    def location(self) -> Location:
        """Read `loc(…)`."""
        return read_location(self)


def run_reader(text: str, limits: Limits, read: Callable[[TextReader], Found]) -> Found:
    """Apply `read` to `text`, which must contain nothing else."""
    reader = TextReader(Source(text), limits)
    found = read(reader)
    if not reader.at_end:
        reader.fail_expecting("the end of the text")
    return found
