"""Arguments whose memory a program may reuse: `input_output_alias` and `buffer_donor`, and JAX's attributes."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..chains.leaves import Leaf, leaves_of
from ..ir.attributes import Attribute, BoolAttribute, IntegerAttribute, OpaqueAttribute
from ..program import BoundFunction, BoundProgram

Place = tuple[int, tuple[int, ...]]
"""The number of an argument and the path to a leaf of it."""
_ALIAS = re.compile(r"\{([\d, ]*)\}:\s*\((\d+),\s*\{([\d, ]*)\}")
_DONOR = re.compile(r"\((\d+),\s*\{([\d, ]*)\}\)")


@dataclass(frozen=True)
class Donation:
    """The leaves of the entry function's arguments that the program may overwrite."""

    aliases: Mapping[int, Leaf] = field(default_factory=dict)
    """For a result leaf, by its number among all of them, the argument leaf whose memory it takes."""
    donors: frozenset[Leaf] = frozenset()
    """Argument leaves whose memory any value may take after their last use."""


def read_donation(program: BoundProgram, function: BoundFunction) -> Donation:
    """Read the donated arguments from the header of HLO text, or from the attributes of StableHLO arguments."""
    arguments = program.blocks[function.block].arguments
    if program.module.language == "hlo":
        return _from_header(program, arguments)
    aliases: dict[int, Leaf] = {}
    donors = set()
    for number, attributes in enumerate(function.function.argument_attributes):
        leaf = Leaf(arguments[number])
        aliased = attributes.get("tf.aliasing_output")
        if isinstance(aliased, IntegerAttribute):
            aliases[aliased.value] = leaf
        donor = attributes.get("jax.buffer_donor")
        if isinstance(donor, BoolAttribute) and donor.value:
            donors.add(leaf)
    return Donation(aliases, frozenset(donors))


def _from_header(program: BoundProgram, arguments: tuple[int, ...]) -> Donation:
    results = _result_paths(program)
    aliases = {}
    for output, number, path in _ALIAS.findall(_text(program.module.attributes.get("input_output_alias"))):
        if _path(output) in results and int(number) < len(arguments):
            aliases[results.index(_path(output))] = Leaf(arguments[int(number)], _path(path))
    donors = {
        Leaf(arguments[int(number)], _path(path))
        for number, path in _DONOR.findall(_text(program.module.attributes.get("buffer_donor")))
        if int(number) < len(arguments)
    }
    known = {leaf for argument in arguments for leaf in leaves_of(program, argument)}
    return Donation({key: leaf for key, leaf in aliases.items() if leaf in known}, frozenset(donors & known))


def _result_paths(program: BoundProgram) -> list[tuple[int, ...]]:
    entry = program.entry
    assert entry is not None, "HLO text has one entry computation"
    root = program.blocks[entry.block].operations[-1].operands[0]
    return [leaf.path for leaf in leaves_of(program, root)]


def _path(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split(",") if number.strip())


def _text(attribute: Attribute | None) -> str:
    return attribute.text if isinstance(attribute, OpaqueAttribute) else ""
