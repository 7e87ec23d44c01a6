"""Export the gallery's programs from JAX, with XLA's results for the tests, which go to tests/data/.

Command: `python -m tests.exported_examples`.
Arguments select examples by name. Needs the extra `oracle`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np

from hloscope.engine.inputs import InputSpec, make_input
from hloscope.engine.ir.element_types import of_dtype
from hloscope.engine.ir.types import TensorType

from . import parallel
from .annotating import annotate

TESTS = Path(__file__).parents[1]
EXAMPLES = TESTS.parent / "app" / "reference" / "examples"
DATA = TESTS / "data"
BATCH, FEATURES, CLASSES = 32, 784, 10
HIDDEN = (256, 128)
LEARNING_RATE = 0.1
HEADS = 4
TOKENS, WIDTH = (2, 32), 64

Array = Any
Layers = Sequence[Array]


@dataclass(frozen=True)
class Exported:
    """One program to export: the function, its arguments' shapes and the text above it."""

    name: str
    title: str
    description: str
    function: Callable[..., Any]
    arguments: Sequence[tuple[str, tuple[int, ...], str, str]]
    """Name, shape, dtype and input of each argument."""
    intermediate: Callable[..., dict[str, Array]] | None = None
    text: Literal["stablehlo", "hlo", "optimised hlo"] = "stablehlo"
    """The text to write: JAX's program in either language, or the program after XLA's passes."""
    names: str = ""
    """Names of its values instead of JAX's, in the order of definition, separated by spaces."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """Notes above some definitions."""

    @property
    def file(self) -> str:
        """The name of its file."""
        return f"{self.name}.{'mlir' if self.text == 'stablehlo' else 'hlo'}"


def _layers() -> list[tuple[str, tuple[int, ...], str, str]]:
    sizes = (FEATURES, *HIDDEN, CLASSES)
    listed: list[tuple[str, tuple[int, ...], str, str]] = []
    for number, (inner, outer) in enumerate(pairwise(sizes), 1):
        scale = (2 / inner) ** 0.5
        listed.append((f"w{number}", (inner, outer), "float32", f"normal*{scale:.3f}"))
        listed.append((f"b{number}", (outer,), "float32", "normal*0.1"))
    return listed


def mlp(w1: Array, b1: Array, w2: Array, b2: Array, w3: Array, b3: Array, x: Array) -> Array:
    """Two hidden layers with relu, then softmax."""
    return jax.nn.softmax(_logits((w1, b1, w2, b2, w3, b3), x))


def _logits(layers: Layers, x: Array) -> Array:
    w1, b1, w2, b2, w3, b3 = layers
    hidden = jax.nn.relu(x @ w1 + b1)
    hidden = jax.nn.relu(hidden @ w2 + b2)
    return hidden @ w3 + b3


def _mlp_intermediate(
    w1: Array, b1: Array, w2: Array, b2: Array, w3: Array, b3: Array, x: Array
) -> dict[str, Array]:
    before = x @ w1 + b1
    return {
        "pre_activation": before,
        "relu": jax.nn.relu(before),
        "logits": _logits((w1, b1, w2, b2, w3, b3), x),
    }


def mlp_train_step(
    w1: Array, b1: Array, w2: Array, b2: Array, w3: Array, b3: Array, x: Array, labels: Array
) -> tuple[Array, ...]:
    """Cross-entropy, its gradient by every weight and bias, and one step down."""

    def loss(layers: Layers) -> Array:
        chosen = jnp.take_along_axis(jax.nn.log_softmax(_logits(layers, x)), labels[:, None], axis=1)
        return -chosen.mean()

    layers = (w1, b1, w2, b2, w3, b3)
    value, slopes = jax.value_and_grad(loss)(layers)
    return value, *(old - LEARNING_RATE * slope for old, slope in zip(layers, slopes, strict=True))


def transformer_block(
    x: Array, scale1: Array, wqkv: Array, wout: Array, scale2: Array, win: Array, bin: Array, wback: Array
) -> Array:
    """Causal attention, then a two-layer gelu network, each on the normalised input and added to it."""
    x = x + _attention(_normalise(x, scale1), wqkv, wout)
    return x + jax.nn.gelu(_normalise(x, scale2) @ win + bin) @ wback


def _normalise(x: Array, scale: Array) -> Array:
    centred = x - x.mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * scale


def _attention(x: Array, wqkv: Array, wout: Array) -> Array:
    batch, length, width = x.shape
    heads = (x @ wqkv).reshape(batch, length, 3, HEADS, width // HEADS)
    query, key, value = (heads[:, :, part] for part in range(3))
    scores = jnp.einsum("bqhd,bkhd->bhqk", query, key) / (width // HEADS) ** 0.5
    causal = jnp.tril(jnp.ones((length, length), bool))
    weights = jax.nn.softmax(jnp.where(causal, scores, -jnp.inf))
    return jnp.einsum("bhqk,bkhd->bqhd", weights, value).reshape(batch, length, width) @ wout


def two_layers(w1: Array, b1: Array, w2: Array, x: Array) -> Array:
    """One hidden layer with relu, then softmax."""
    return jax.nn.softmax(jax.nn.relu(x @ w1 + b1) @ w2)


def recurrent(x: Array) -> Array:
    """Six steps of a small recurrent network whose weights are part of the program."""
    numbers = np.random.default_rng(0)
    inner, outer = numbers.normal(size=(8, 8)).round(2) / 2, numbers.normal(size=(4, 8)).round(2)
    hidden, given = jnp.asarray(inner, jnp.float32), jnp.asarray(outer, jnp.float32)

    def step(time: Array, state: Array) -> Array:
        return jnp.tanh(x[time] @ given + state @ hidden)

    return jax.lax.fori_loop(0, 6, step, jnp.zeros(8))


EXPORTED = (
    Exported(
        "mlp",
        "MLP, forward",
        "Step into @relu and watch the negative half of the pre-activations become zero; a softmax follows.",
        mlp,
        [*_layers(), ("x", (BATCH, FEATURES), "float32", "normal")],
        _mlp_intermediate,
    ),
    Exported(
        "mlp_train_step",
        "MLP, one training step",
        "Forward, cross-entropy, gradients back through relu's mask, and the updated weights as results.",
        mlp_train_step,
        [*_layers(), ("x", (BATCH, FEATURES), "float32", "normal"), ("labels", (BATCH,), "int32", "uniform")],
    ),
    Exported(
        "transformer_block",
        "Transformer block",
        "Look at the attention weights after softmax: the causal mask leaves a triangle in each head.",
        transformer_block,
        [
            ("x", (*TOKENS, WIDTH), "float32", "normal"),
            ("scale1", (WIDTH,), "float32", "ones"),
            ("wqkv", (WIDTH, 3 * WIDTH), "float32", "normal*0.125"),
            ("wout", (WIDTH, WIDTH), "float32", "normal*0.125"),
            ("scale2", (WIDTH,), "float32", "ones"),
            ("win", (WIDTH, 4 * WIDTH), "float32", "normal*0.125"),
            ("bin", (4 * WIDTH,), "float32", "zeros"),
            ("wback", (4 * WIDTH, WIDTH), "float32", "normal*0.0625"),
        ],
    ),
    Exported(
        "mlp_hlo",
        "HLO: an MLP as XLA gets it",
        "A network with one hidden layer as HLO text, before XLA's optimisation.",
        two_layers,
        [
            ("w1", (16, 12), "float32", "normal*0.35"),
            ("b1", (12,), "float32", "normal*0.1"),
            ("w2", (12, 5), "float32", "normal*0.4"),
            ("x", (8, 16), "float32", "normal"),
        ],
        text="hlo",
    ),
    Exported(
        "recurrent_hlo",
        "HLO: a loop, optimised",
        "A recurrent network after XLA's optimisation: step into its fusions and watch the tuple of the loop.",
        recurrent,
        [("x", (6, 4), "float32", "normal")],
        text="optimised hlo",
    ),
    Exported(
        "tensor_parallel_mlp",
        "Tensor-parallel MLP",
        "Four processes each have a quarter of each weight matrix; their only communication is one sum at the end.",
        parallel.tensor_parallel_mlp,
        [
            ("w1", (12, 32), "float32", "normal*0.4"),
            ("b1", (32,), "float32", "normal*0.2"),
            ("w2", (32, 12), "float32", "normal*0.25"),
            ("x", (8, 12), "float32", "normal"),
        ],
        names=parallel.MLP_NAMES,
        notes=parallel.MLP_NOTES,
    ),
    Exported(
        "ring_attention",
        "Ring attention",
        "Keys and values travel around a ring of four processes, and each row's softmax is updated as they arrive.",
        parallel.ring_attention,
        [(name, (16, 8), "float32", "normal") for name in ("q", "k", "v")],
        names=parallel.RING_NAMES,
        notes=parallel.RING_NOTES,
    ),
)


def inputs_of(example: Exported) -> list[Array]:
    """The inputs that the example's first lines state."""
    return [
        make_input(InputSpec.parse(text), _tensor(shape, dtype), number)
        for number, (_, shape, dtype, text) in enumerate(example.arguments)
    ]


def _tensor(shape: tuple[int, ...], dtype: str) -> TensorType:
    element_type = of_dtype(np.dtype(dtype))
    assert element_type is not None
    return TensorType(shape, element_type)


def _optimised_text(lowered: Any) -> str:
    """The compiled HLO with all constants and without paths of this machine."""
    from jaxlib import _hlo

    options = _hlo.HloPrintOptions()
    options.print_large_constants = True
    text: str = lowered.compile().runtime_executable().hlo_modules()[0].to_string(options)
    return re.sub(r'^(\d+ ")[^"\n]*/', r"\1", text, flags=re.MULTILINE)


def export(example: Exported) -> None:
    """Write the program and the results."""
    inputs = inputs_of(example)
    compiled = jax.jit(example.function)
    lowered = compiled.lower(*inputs)
    specs = "; ".join(text for *_, text in example.arguments)
    head = f"// title: {example.title}\n// description: {example.description}\n// inputs: {specs}\n"
    text = {"stablehlo": lowered.as_text, "hlo": lambda: lowered.as_text(dialect="hlo")}.get(
        example.text, lambda: _optimised_text(lowered)
    )()
    if example.names:
        text = annotate(text, example.names.split(), example.notes)
    (EXAMPLES / example.file).write_text(head + text.rstrip("\n") + "\n")
    outputs = jax.tree.leaves(compiled(*inputs))
    arrays: dict[str, Any] = {f"out_{n}": np.asarray(array) for n, array in enumerate(outputs)}
    if example.intermediate:
        found = jax.jit(example.intermediate)(*inputs)
        arrays |= {name: np.asarray(array) for name, array in found.items()}
    DATA.mkdir(exist_ok=True)
    np.savez_compressed(DATA / f"{example.name}.npz", **arrays)


if __name__ == "__main__":
    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_num_cpu_devices", parallel.PROCESSES)
    for item in EXPORTED:
        if len(sys.argv) == 1 or item.name in sys.argv:
            export(item)
