"""Descriptions of random functions of shard_map: numbers from a seed, which mean something for any values they meet.

A step names what it does and holds choices: numbers that whoever builds the program reads modulo what there is to
choose from. So each list of steps is a program, and one that fails can be made smaller by leaving steps out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from random import Random
from typing import Any

MESHES = ((8,), (2, 4), (2, 2, 2))
COLLECTIVES = (
    *("psum", "pmax", "pmin", "pmean", "all_gather", "all_gather", "all_to_all", "all_to_all"),
    *("ppermute", "ppermute", "psum_scatter", "psum_scatter", "pshuffle", "psum_of_two"),
)
LOCAL = (
    *("affine", "smooth", "combine", "combine", "transpose", "reshape", "reverse", "slice", "total", "dot"),
    *("convert", "running_sum", "by_position", "choose"),
)
BLOCKS = ("repeat", "scan", "while", "branch", "switch", "own_branch", "call", "nested")
DTYPES = ("f32", "f32", "f32", "bf16", "f16", "i32", "ui8", "i1", "complex<f32>", "f64")
CHOICES = 8
"""How many numbers a step has at hand."""


@dataclass(frozen=True)
class ArgumentSource:
    """An input: what one process has of it, and the mesh's axes along which each dimension is cut."""

    dtype: str
    local: tuple[int, ...]
    axes: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Step:
    """One thing that is done to a value that is there, or to several."""

    op: str
    choices: tuple[int, ...]
    body: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Recipe:
    """A function of shard_map on a mesh of eight devices."""

    seed: int
    mesh: tuple[int, ...]
    inputs: tuple[ArgumentSource, ...]
    steps: tuple[Step, ...]
    check_vma: bool = True
    free: tuple[int, ...] = ()
    """Axes that the outer shard_map leaves to XLA, and a nested one may take."""
    around: int = 0
    """What is done before and after, to whole arrays."""
    gradient: bool = False
    """Whether the program is the gradient by all inputs, if there is one."""
    outputs: tuple[int, ...] = field(default=(0, 0, 0))

    def to_json(self) -> dict[str, Any]:
        """As the oracle's process takes it."""
        return asdict(self)

    @classmethod
    def from_json(cls, described: dict[str, Any]) -> Recipe:
        """What `to_json` has described."""
        inputs = tuple(
            ArgumentSource(given["dtype"], tuple(given["local"]), tuple(map(tuple, given["axes"])))
            for given in described["inputs"]
        )
        plain = {name: tuple(described[name]) for name in ("mesh", "free", "outputs")}
        return cls(**{**described, **plain, "inputs": inputs, "steps": _steps_of(described["steps"])})


def _steps_of(described: list[dict[str, Any]]) -> tuple[Step, ...]:
    return tuple(Step(step["op"], tuple(step["choices"]), _steps_of(step["body"])) for step in described)


def recipe(seed: int) -> Recipe:
    """The recipe of that number."""
    random = Random(seed)
    mesh = random.choice(MESHES)
    free = _free(random, mesh)
    manual = [axis for axis in range(len(mesh)) if axis not in free]
    gradient = random.random() < 0.15
    dtypes = ("f32",) if gradient else DTYPES
    inputs = tuple(_given(random, manual, random.choice(dtypes)) for _ in range(random.randint(1, 2)))
    return Recipe(
        seed,
        mesh,
        inputs,
        tuple(_steps(random, nested=bool(free))),
        check_vma=random.random() < 0.6,
        free=free,
        around=random.randrange(6),
        gradient=gradient,
        outputs=tuple(random.randrange(1000) for _ in range(3)),
    )


def _free(random: Random, mesh: tuple[int, ...]) -> tuple[int, ...]:
    """Seldom any: an axis that nobody takes leaves XLA to do as it likes."""
    if len(mesh) == 1 or random.random() < 0.75:
        return ()
    return tuple(sorted(random.sample(range(len(mesh)), random.randint(1, len(mesh) - 1))))


def _given(random: Random, manual: list[int], dtype: str) -> ArgumentSource:
    rank = random.choice((0, 1, 1, 2, 2, 2, 3))
    local = tuple(random.choice((1, 2, 2, 3, 4, 4, 8)) for _ in range(rank))
    places: list[list[int]] = [[] for _ in range(rank)]
    for axis in random.sample(manual, len(manual)):
        if rank and random.random() < 0.75:
            random.choice(places).append(axis)
    return ArgumentSource(dtype, local, tuple(map(tuple, places)))


def _steps(random: Random, nested: bool) -> Iterator[Step]:
    """One to four collectives, each alone or in a block, with work of one process between them."""
    if nested:
        yield _block(random, "nested")
    for _ in range(random.randint(1, 4)):
        for _ in range(random.randint(0, 2)):
            yield _step(random, random.choice(LOCAL))
        if random.random() < 0.25:
            yield _block(random, random.choice(BLOCKS))
        else:
            yield _step(random, random.choice(COLLECTIVES))
    if random.random() < 0.5:
        yield _step(random, random.choice(LOCAL))


def _step(random: Random, op: str) -> Step:
    return Step(op, tuple(random.randrange(1000) for _ in range(CHOICES)))


def _block(random: Random, op: str) -> Step:
    body = [_step(random, random.choice(COLLECTIVES))]
    if random.random() < 0.6:
        body.insert(random.randint(0, 1), _step(random, random.choice(LOCAL)))
    if random.random() < 0.3:
        body.append(_step(random, random.choice(COLLECTIVES)))
    return replace(_step(random, op), body=tuple(body))


def smaller(given: Recipe) -> Iterator[Recipe]:
    """Recipes with less in them, those with much less first."""
    for steps in _fewer(given.steps):
        yield replace(given, steps=steps)
    if len(given.inputs) > 1:
        for number in range(len(given.inputs)):
            yield replace(given, inputs=given.inputs[:number] + given.inputs[number + 1 :])
    if given.around:
        yield replace(given, around=0)
    if given.gradient:
        yield replace(given, gradient=False)


def _fewer(steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    for number, step in enumerate(steps):
        yield (*steps[:number], *steps[number + 1 :])
        if step.body:
            yield (*steps[:number], *step.body, *steps[number + 1 :])
        for body in _fewer(step.body):
            yield (*steps[:number], replace(step, body=body), *steps[number + 1 :])
