"""Writes what TensorFlow prints of its functions, and what it computes: `make tensorflow-programs`.

TensorFlow has an environment of its own (`requirements.txt`), so that no test needs it: it is large, and pins what
others pin otherwise.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["XLA_FLAGS"] = (
    "--xla_dump_large_constants"  # else optimised HLO has {...} for them, as the stage before
)
import numpy as np
import tensorflow as tf

from .functions import FUNCTIONS

STAGES = ("stablehlo", "hlo", "optimized_hlo")
PROGRAMS = Path(__file__).parent / "programs"
_INSTALLED = str(Path(tf.__file__).parent.parent)


def export(name: str) -> None:
    """A text for each stage, as bytes, and the arrays."""
    function, arguments = FUNCTIONS[name]
    compiled: Any = tf.function(function, jit_compile=True)
    tensors = [tf.constant(argument) for argument in arguments]
    texts = compiled.experimental_get_compiler_ir(*tensors)
    results = [np.asarray(found) for found in tf.nest.flatten(compiled(*tensors))]
    arrays = {f"in_{k}": value for k, value in enumerate(arguments)}
    arrays |= {f"out_{k}": value for k, value in enumerate(results)}
    for stage in STAGES:
        text = (
            texts(stage=stage)
            .replace(_INSTALLED, "site-packages")
            .replace(str(Path(__file__).resolve().parent), "")
        )
        arrays[stage] = np.frombuffer(text.encode(), np.uint8)
    np.savez_compressed(PROGRAMS / f"{name}.npz", **arrays)


def main() -> None:
    """All of them, or those that are named."""
    PROGRAMS.mkdir(exist_ok=True)
    for name in sys.argv[1:] or FUNCTIONS:
        try:
            export(name)
        except Exception as error:  # the others are still wanted; which is missing shows
            print(f"{name}: {str(error)[:2000]}", file=sys.stderr)


if __name__ == "__main__":
    main()
