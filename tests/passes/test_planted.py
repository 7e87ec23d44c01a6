"""Faults planted into real pipelines of XLA: the pass is named, the instruction too; and healthy ones are cleared."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import hloscope
from hloscope.app.passes.dump_files import open_dump
from hloscope.engine.passes.instructions import read_instructions
from tests.passes.planting import KINDS, Planted, plant

pytestmark = pytest.mark.oracle

PROGRAMS = """
import sys
import jax, jax.numpy as jnp, numpy as np
jax.config.update("jax_num_cpu_devices", 4)
from jax.sharding import NamedSharding, PartitionSpec as P

folder, name = sys.argv[1:]
rng = np.random.default_rng(0)

def draw(*shape):
    return rng.standard_normal(shape).astype("f")

def mlp(x, w, b):
    h = jax.nn.relu(x @ w + b)
    y = jax.nn.softmax(h, axis=-1)
    c, means = jax.lax.scan(lambda c, _: (jnp.tanh(c * 1.5 + y.sum(0)), c.mean()), y[0], None, length=4)
    return c, means, (y[1:9] - y[3:11]) / 3.0, jnp.clip(h, 0.5, 2.0)

def sharded(x, w):
    h = jnp.tanh(x @ w)
    return h.sum(0), h - 0.5 * h[::-1], jax.nn.softmax(h, axis=-1)

mesh = jax.make_mesh((2, 2), ("a", "b"))
put = lambda value, *axes: jax.device_put(value, NamedSharding(mesh, P(*axes)))
programs = {
    "mlp": (mlp, lambda: (draw(16, 32), draw(32, 8), draw(8))),
    "sharded": (sharded, lambda: (put(draw(16, 32), "a", None), put(draw(32, 8), None, "b"))),
}
function, arguments = programs[name]
options = {"xla_dump_to": folder, "xla_dump_hlo_as_text": True, "xla_dump_hlo_pass_re": ".*"}
jax.jit(function).lower(*arguments()).compile(compiler_options=options)
"""


@pytest.fixture(scope="module", params=["mlp", "sharded"])
def dump(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(request.param)
    environment = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"}
    command = [sys.executable, "-c", PROGRAMS, str(folder), request.param]
    subprocess.run(command, check=True, timeout=300, env=environment)
    return folder


def _places(folder: Path) -> Iterator[tuple[str, Planted]]:
    """Each text that differs from the one before, with each fault that it can have."""
    (module,) = open_dump(folder).modules
    before = ""
    for stage in module.stages:
        text = (folder / stage.path).read_text()
        key = read_instructions(text).key
        if before not in ("", key) and stage.number is not None:
            for kind in KINDS:
                yield from ((stage.path, planted) for planted in plant(text, kind))
        before = key


def test_a_healthy_pipeline_is_cleared(dump: Path) -> None:
    report = hloscope.passes(dump, jobs=2)
    assert report.first_wrong is None
    assert {stage.verdict for stage in report.stages} <= {"same_text", "same_bits", "rounding"}


def test_planted_faults_are_found(dump: Path, tmp_path: Path) -> None:
    """A fault in one text alone: the pass before it is guilty. Faults that change no result are no faults."""
    found = list(_places(dump))
    chosen = random.Random(5).sample(found, min(8, len(found)))
    told = []
    for number, (path, planted) in enumerate(chosen):
        folder = tmp_path / str(number)
        folder.mkdir()
        for file in dump.iterdir():
            if file.is_file() and file.suffix == ".txt":
                os.link(file, folder / file.name)
        (folder / path).unlink()
        (folder / path).write_text(planted.text)
        report = hloscope.passes(folder, jobs=2)
        verdict = next(stage for stage in report.stages if stage.stage.path == path)
        if verdict.verdict == "same_bits":
            continue
        wrong = report.first_wrong
        named = wrong is not None and wrong.stage.path == path
        names = {wrong.worst.value[1:], wrong.worst.replaced[1:]} if wrong and wrong.worst else set()
        told.append(
            (named, bool(names & planted.names), planted.kind, path, sorted(planted.names), report.sentence)
        )
    assert told
    passes_missed = [item for item in told if not item[0]]
    instructions_missed = [item for item in told if not item[1]]
    assert not passes_missed, json.dumps(passes_missed, indent=1)
    assert len(instructions_missed) <= len(told) // 4, json.dumps(instructions_missed, indent=1)
