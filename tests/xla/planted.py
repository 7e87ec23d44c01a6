"""Second engines that are wrong in a known way: XLA with a fault planted into what it does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hloscope.app.xla.engine import Overrides, XlaEngine

Array = NDArray[Any]
_FUSED = re.compile(r"^%fused_computation[^\n]*\{\n(.*?)^\}", re.MULTILINE | re.DOTALL)


class WrongFusion(XlaEngine):
    """Generates wrong code for a fusion that computes an exponential and a hyperbolic tangent: the last element is off."""

    def run(
        self, text: str, arguments: Sequence[Array] = (), overrides: Overrides | None = None
    ) -> list[Array]:
        results = super().run(text, arguments, overrides)
        return _spoilt(results) if _has_fault(self.optimize(text, overrides)) else results

    def run_emitted(
        self, text: str, arguments: Sequence[Array] = (), overrides: Overrides | None = None
    ) -> list[Array]:
        results = super().run_emitted(text, arguments, overrides)
        return _spoilt(results) if _has_fault(text) else results


class WrongOp(XlaEngine):
    """Takes sines for hyperbolic tangents."""

    def run(
        self, text: str, arguments: Sequence[Array] = (), overrides: Overrides | None = None
    ) -> list[Array]:
        return super().run(text.replace("stablehlo.tanh", "stablehlo.sine"), arguments, overrides)


def _has_fault(text: str) -> bool:
    return any(" exponential(" in body and " tanh(" in body for body in _FUSED.findall(text))


def _spoilt(results: Sequence[Array]) -> list[Array]:
    found = [np.array(result) for result in results]
    found[0].reshape(-1)[-1] += 1
    return found
