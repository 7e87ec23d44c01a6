"""Verdicts on pairs of programs whose answer is known.

`python -m tests.comparison.pairs` prints them: 60 pairs that differ in one constant, axis, sign, order or branch; 60 that
are one function written twice; and 19 whose rounding grows without limit, on which the answer may be *unknown* too.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import hloscope
from hloscope.engine.comparison.difference import Verdict

from .drafts import Function, drafted
from .forms import CHAOTIC, SAME
from .functions import FUNCTIONS

_CHANGED: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...] = (
    ("routed", {}, {"capacity": 4}),
    ("routed", {}, {"temperature": 1.05}),
    ("quantile", {}, {"q": 0.55}),
    ("divergence", {}, {"weight": 0.11}),
    ("layer_norm", {}, {"eps": 1e-5}),
    ("layer_norm", {}, {"axis": 0}),
    ("rms_norm", {}, {"eps": 1e-5}),
    ("batch_norm", {}, {"eps": 1e-5}),
    ("kalman", {}, {"sign": -1.0}),
    ("kalman", {}, {"noise": 0.51}),
    ("mlp", {"t": "bf16"}, {"t": "bf16", "scale": 1.01}),
    ("mlp", {"t": "f16"}, {"t": "f16", "scale": 1.01}),
    ("mlp", {}, {"scale": 1.001}),
    ("solved", {}, {"damping": 0.11}),
    ("convolution", {}, {"padding": "shifted"}),
    ("attention", {}, {"scale": 0.125}),
    ("attention", {}, {"causal": True}),
    ("attention", {}, {"axis": 1}),
    ("relu_network", {}, {"slope": 0.01}),
    ("gelu", {}, {"cubic": 0.0447}),
    ("gated_units", {}, {"swapped": True}),
    ("rotary", {}, {"base": 1000.0}),
    ("rotary", {}, {"sign": -1.0}),
    ("recurrent", {}, {"count": 7}),
    ("log_softmax", {}, {"temperature": 1.001}),
    ("cross_entropy", {}, {"smoothing": 0.01}),
    ("hinge", {}, {"margin": 1.01}),
    ("huber", {}, {"delta": 1.1}),
    ("contrastive", {}, {"temperature": 0.11}),
    ("deviation", {}, {"dof": 1}),
    ("covariance", {}, {"dof": 0}),
    ("skewness", {}, {"power": 4}),
    ("regression", {}, {"damping": 1e-3}),
    ("density", {}, {"bandwidth": 0.51}),
    ("cumulative_sums", {}, {"reverse": True}),
    ("sorted_rows", {}, {"axis": 0}),
    ("sorted_pairs", {}, {"descending": True}),
    ("clipped", {}, {"bound": 1.01}),
    ("newton_root", {"count": 3}, {"count": 4}),
    ("moving_average", {}, {"decay": 0.91}),
    ("runge_kutta", {}, {"damping": 0.101}),
    ("diffusion", {}, {"rate": 0.21}),
    ("power_iteration", {}, {"count": 11}),
    ("ranks_of_pages", {}, {"damping": 0.86}),
    ("conjugate_gradients", {}, {"count": 4}),
    ("inverse", {"count": 5}, {"count": 6}),
    ("option_price", {}, {"rate": 0.051}),
    ("option_price", {}, {"volatility": 0.21}),
    ("distances", {}, {"power": 1.01}),
    ("bodies", {}, {"softening": 0.11}),
    ("roots_of_unity", {}, {"sign": -1.0}),
    ("uniform_numbers", {}, {"low": -0.99}),
    ("gumbel_choice", {}, {"temperature": 1.01}),
    ("dropout", {}, {"kept": 0.75}),
    ("metropolis", {}, {"temperature": 1.5}),
    ("momentum", {}, {"nesterov": True}),
    ("adam", {}, {"eps": 1e-8}),
    ("adam", {}, {"decay": 0.01}),
    ("clipped_gradient", {}, {"most": 1.1}),
    ("sines", {"t": "f64"}, {"t": "f64", "scale": 1 + 1e-12}),
)
Pair = tuple[Function, Function]


def _name(function: str, options: dict[str, Any]) -> str:
    return ", ".join([function, *(f"{name} {value}" for name, value in options.items())])


DIFFERENT: Mapping[str, Pair] = {
    _name(name, after): (partial(FUNCTIONS[name], **before), partial(FUNCTIONS[name], **after))
    for name, before, after in _CHANGED
}
KINDS: Mapping[str, Mapping[str, Pair]] = {"different": DIFFERENT, "same": SAME, "chaotic": CHAOTIC}
WANTED: Mapping[str, tuple[Verdict, ...]] = {
    "different": ("different",),
    "same": ("same",),
    "chaotic": ("unknown", "same"),
}


def compared(pair: Pair, seed: int = 0) -> hloscope.Comparison:
    """The comparison of both programs on the same inputs."""
    (before, draft), (after, _) = map(drafted, pair)
    return hloscope.compare(before, after, draft.inputs(seed))


def main() -> None:
    """Print the verdict on each pair, and how many are as wanted."""
    counts = []
    for kind, pairs in KINDS.items():
        right = 0
        for name, pair in pairs.items():
            found = compared(pair)
            is_right = found.verdict in WANTED[kind]
            right += is_right
            worst = max(found.results, key=lambda result: result.severity)
            print(
                f"{'' if is_right else '!':1} {kind:9} {name:40} {found.verdict:9} by {worst.decided_by}",
                flush=True,
            )
        counts.append(f"{kind}: {right} of {len(pairs)}")
    print("; ".join(counts))


if __name__ == "__main__":
    main()
