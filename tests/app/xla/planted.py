"""Second engines that are wrong in a known way: XLA with a fault planted into what it does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hloscope.app.xla.engine import ALONE, Grid, Overrides, XlaEngine

Array = NDArray[Any]
_FIRST_WRONG = 32_768
_DISTANCE = 128
"""How far before a wrong row of `WrongRows` that is whose value it gets."""
_FUSED = re.compile(r"^%fused_computation[^\n]*\{\n(.*?)^\}", re.MULTILINE | re.DOTALL)


class Miscompiling(XlaEngine):
    """Spoils the results of a program whose compiled text has a fault."""

    def spoil(self, compiled: str, results: list[Array]) -> list[Array]:
        """The results of the compiled text, wrong ones if it has the fault."""
        raise NotImplementedError

    def run(
        self,
        text: str,
        arguments: Sequence[Array] = (),
        overrides: Overrides | None = None,
        grid: Grid = ALONE,
        *,
        as_written: bool = False,
    ) -> list[Array]:
        results = super().run(text, arguments, overrides, grid, as_written=as_written)
        compiled = text if as_written else self.optimize(text, overrides, grid)
        return self.spoil(compiled, results)


class WrongFusion(Miscompiling):
    """Generates wrong code for a fusion that computes an exponential and a hyperbolic tangent: the last element is off."""

    def spoil(self, compiled: str, results: list[Array]) -> list[Array]:
        return _spoilt(results) if _has_fault(compiled) else results


class OtherProgram(XlaEngine):
    """Runs the program with one word of its text replaced by another."""

    word, replacement = "", ""

    def run(self, text: str, *rest: Any, **named: Any) -> list[Array]:
        return super().run(text.replace(self.word, self.replacement), *rest, **named)


class WrongOp(OtherProgram):
    """Takes sines for hyperbolic tangents."""

    word, replacement = "stablehlo.tanh", "stablehlo.sine"


def _has_fault(text: str) -> bool:
    return any(" exponential(" in body and " tanh(" in body for body in _FUSED.findall(text))


def _spoilt(results: Sequence[Array]) -> list[Array]:
    found = [np.array(result) for result in results]
    found[0].reshape(-1)[-1] += 1
    return found


class WrongRows(Miscompiling):
    """jax-ml/jax#39103, whether the installed XLA has it or not: a sum over products of more than 32,768 rows of 3 in one kernel.

    The rows behind get the value of an earlier one.
    """

    def spoil(self, compiled: str, results: list[Array]) -> list[Array]:
        return _with_wrong_rows(results) if _sums_products(compiled) else results


def _sums_products(text: str) -> bool:
    return any(" dot(" in body and " reduce(" in body and ",3]" in body for body in _FUSED.findall(text))


def _with_wrong_rows(results: Sequence[Array]) -> list[Array]:
    found = [np.array(result) for result in results]
    last = found[0].reshape(-1)[_FIRST_WRONG:]
    last[...] = found[0].reshape(-1)[_FIRST_WRONG - _DISTANCE :][: last.size]
    return found
