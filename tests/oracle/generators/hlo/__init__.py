"""A generator of modules for each opcode that XLA runs on the CPU and prints of no StableHLO program."""

from __future__ import annotations

from hypothesis.strategies import SearchStrategy

from . import only_in_hlo, physical
from .cases import HloCase

GENERATORS: dict[str, SearchStrategy[HloCase]] = {**only_in_hlo.GENERATORS, **physical.GENERATORS}
