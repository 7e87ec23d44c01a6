"""Programs of every op with attributes, sizes or elements spoiled: MLIR's verifier and ours say the same, or it is known why."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings

from hloscope.engine.frontend import load
from hloscope.engine.ir.dot_algorithms import ALGORITHMS, is_known
from hloscope.engine.source import Source
from tests.each import for_each
from tests.test_warnings import WARNED, Warned

from .client import Oracle, OracleCrashed
from .differences.verdicts import may_refuse, may_take
from .generators.spoiled import SPOILS, attributes_of, names

pytestmark = pytest.mark.oracle
EXAMPLES = {"attributes": 5, "sizes": 4, "quantized": 4}
"""For each op; `test_at_length` draws many more."""
UNKNOWN = {"stablehlo.collective_reduce"}
"""Ops that this version of MLIR does not have."""
WITHOUT_TENSORS = {"stablehlo.partition_id", "stablehlo.replica_id"}
HANGS = re.compile(r"all_to_all.*(tensor<(0x\d|\dx0)xi64>|dense<> )|broadcast_dimensions = array<i64: [^>]*-")
"""MLIR does not come back from an all_to_all without groups, nor from negative dimensions in the dialect chlo."""


def spoiled(kind: str) -> list[str]:
    """The ops that can be spoiled so."""
    found = [name for name in names() if name not in UNKNOWN]
    if kind == "attributes":
        return [name for name in found if attributes_of(name)]
    return [name for name in found if name not in WITHOUT_TENSORS]


CASES = [(kind, name) for kind in SPOILS for name in spoiled(kind)]


@for_each(("kind", "name"), CASES, ids=[f"{kind}-{name}" for kind, name in CASES])
def test_the_verdict_is_mlirs(kind: str, name: str, oracle: Oracle) -> None:
    agree(kind, name, oracle, settings(max_examples=EXAMPLES[kind], derandomize=True, database=None))


def agree(kind: str, name: str, oracle: Oracle, chosen: settings) -> None:
    """Fails at the first program of which the verdicts differ for no known reason."""

    @settings(chosen, deadline=None, suppress_health_check=list(HealthCheck))
    @given(SPOILS[kind](name))
    def compared(text: str) -> None:
        if HANGS.search(text):
            return
        loaded = load(Source(text))
        try:
            refused = oracle.refuses(text)
        except OracleCrashed:  # MLIR dies of a text: no verdict
            return
        errors = [found for found in loaded.diagnostics if found.severity == "error"]
        if bool(errors) == (refused is not None):
            return
        known = may_take(name, refused) if refused is not None else all(map(may_refuse, errors))
        said = [found.text for found in loaded.diagnostics]
        assert known, f"ours: {said or 'accepted'}\nMLIR: {refused or 'accepted'}\n{text}"

    compared()


@for_each("warned", WARNED.values(), ids=WARNED.keys())
def test_mlir_takes_what_runs_with_a_warning(warned: Warned, oracle: Oracle) -> None:
    assert oracle.refuses(warned.text) is None


ALGORITHM = (
    "func.func @main() attributes {{x = #stablehlo.dot_algorithm<lhs_precision_type = {0}, rhs_precision_type = {1}, "
    "accumulation_type = {2}, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = {3}, "
    "allow_imprecise_accumulation = {4}>}} {{ return }}"
)
TYPES = ("f4E2M1FN", "f8E3M4", "f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f16", "bf16", "tf32", "f32", "f64")


NEWER = ("f8E4M3FN", "f8E4M3FN"), "f32", 3, False
"""The algorithm that MLIR has since jaxlib 0.12, and hloscope does not."""


@pytest.mark.parametrize("accumulation", TYPES)
def test_the_algorithms_are_those_that_mlir_knows(accumulation: str, oracle: Oracle) -> None:
    for left in TYPES:
        for right in TYPES:
            for count, imprecise in ((1, False), (1, True), (3, False), (6, False), (9, False), (2, False)):
                text = ALGORITHM.format(left, right, accumulation, count, str(imprecise).lower())
                found = (left, right), accumulation, count, imprecise
                refused = oracle.refuses(text)
                assert (refused is None) == is_known(*found) or found == NEWER, text
    assert len(ALGORITHMS) == 13
