"""Names of values for readers: an argument by its name in the user's code, any other value as in the text."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from .ir.locations import argument_name
from .program import BoundFunction, BoundProgram

_NUMBERED = re.compile(r"%(?:arg)?\d+")
"""Generated names; any other name in MLIR text was chosen by an author."""
_KEY = re.compile(r"""\[\\?['"]?([^\]'"\\]*)\\?['"]?\]""")


def reader_name(program: BoundProgram, value: int) -> str:
    """The name that the page shows."""
    return program.derive(argument_names).get(value, program.values[value].name)


def argument_names(program: BoundProgram) -> Mapping[int, str]:
    """The arguments whose name for readers differs from the text, by value; in HLO text, those of the entry alone.

    No two values of a function have one name.
    """
    named = dict(_labelled(program))
    functions = {program.blocks[bound.block].function for bound in _functions(program)} if named else ()
    taken = Counter(
        (block.function, named.get(number, program.values[number].name))
        for block in program.blocks
        if block.function in functions
        for number in (*block.arguments, *(result for op in block.operations for result in op.results))
    )
    return {
        number: name
        for bound in _functions(program)
        for number in program.blocks[bound.block].arguments
        if (name := named.get(number)) and taken[program.blocks[bound.block].function, name] == 1
    }


def _functions(program: BoundProgram) -> list[BoundFunction]:
    """The functions whose arguments have names in the user's code."""
    module = program.module
    functions = program.functions.values()
    return [bound for bound in functions if module.language != "hlo" or bound.function is module.entry]


def _labelled(program: BoundProgram) -> Iterator[tuple[int, str]]:
    for bound in _functions(program):
        for number in program.blocks[bound.block].arguments:
            value = program.values[number]
            label = argument_name(value.location)
            if label and (program.module.language == "hlo" or _NUMBERED.fullmatch(value.name)):
                name = name_from_label(label)
                if name not in ("%", value.name):
                    yield number, name


def name_from_label(label: str) -> str:
    """`params['h'][11]["w"]` as a name: `%params.h.11.w`."""
    return "%" + re.sub(r"\s+", "_", _KEY.sub(r".\1", label)).lstrip(".")
