"""Random StableHLO programs of small integer tensors.

They contain data movement, arithmetic, reductions, slices with run-time offsets, and calls.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from random import Random

Shape = tuple[int, ...]
MOST_ELEMENTS = 30


@dataclass
class Named:
    """A value in the program text."""

    name: str
    shape: Shape

    @property
    def type(self) -> str:
        return type_of(self.shape)


def type_of(shape: Shape) -> str:
    return f"tensor<{''.join(f'{size}x' for size in shape)}i32>"


def listed(numbers: object) -> str:
    return f"[{', '.join(map(str, numbers))}]"  # type: ignore[call-overload]


@dataclass
class Body:
    """The text of one function under construction."""

    random: Random
    values: list[Named]
    prefix: str
    callable: list[tuple[str, list[Shape], Shape]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    moves_only: bool = False

    def add(self, text: str, shape: Shape) -> None:
        name = f"%{self.prefix}{len(self.lines)}"
        self.lines.append(f"  {name} = {text}")
        self.values.append(Named(name, shape))

    def pick(self, *, rank: int | None = None, shape: Shape | None = None) -> Named | None:
        """Mostly one of the latest values of this rank or shape."""
        fitting = [
            value
            for value in self.values
            if rank in (None, len(value.shape)) and shape in (None, value.shape)
        ]
        if not fitting:
            return None
        return self.random.choice(fitting[-3:] if self.random.random() < 0.7 else fitting)

    def tensor(self) -> Named:
        fitting = [value for value in self.values if value.shape]
        return self.random.choice(fitting[-3:])

    def scalar(self) -> Named:
        found = self.pick(shape=())
        assert found is not None
        return found

    def step(self) -> None:
        """Append one op, or none if the chosen one does not apply."""
        moves = [
            *(self.transpose, self.reshape, self.reverse, self.slice, self.broadcast, self.pad),
            *(self.concatenate, self.dynamic_slice, self.dynamic_update_slice),
        ]
        # The indices of a gather would mix with element numbers in programs that only move data.
        others = [
            *(self.gather, self.gather, self.binary, self.binary, self.unary, self.reduce, self.call),
            self.offset,
        ]
        self.random.choice(moves if self.moves_only else [*moves, *others])()

    def transpose(self) -> None:
        value = self.tensor()
        order = list(range(len(value.shape)))
        self.random.shuffle(order)
        shape = tuple(value.shape[k] for k in order)
        self.add(
            f"stablehlo.transpose {value.name}, dims = {listed(order)} : ({value.type}) -> {type_of(shape)}",
            shape,
        )

    def reshape(self) -> None:
        value = self.tensor()
        shape: list[int] = []
        count = prod(value.shape)
        while count > 1 and len(shape) < 3:
            size = self.random.choice([d for d in range(1, count + 1) if count % d == 0])
            shape.append(size)
            count //= size
        shape = [*shape, count] if count > 1 or not shape else shape
        self.random.shuffle(shape)
        target = tuple(shape)
        self.add(f"stablehlo.reshape {value.name} : ({value.type}) -> {type_of(target)}", target)

    def reverse(self) -> None:
        value = self.tensor()
        dims = [k for k in range(len(value.shape)) if self.random.random() < 0.6]
        self.add(f"stablehlo.reverse {value.name}, dims = {listed(dims)} : {value.type}", value.shape)

    def slice(self) -> None:
        value = self.tensor()
        texts, shape = [], []
        for size in value.shape:
            start = self.random.randrange(size)
            limit, stride = self.random.randint(start + 1, size), self.random.choice([1, 1, 2, 3])
            texts.append(f"{start}:{limit}:{stride}")
            shape.append(-(-(limit - start) // stride))
        target = tuple(shape)
        self.add(
            f"stablehlo.slice {value.name} [{', '.join(texts)}] : ({value.type}) -> {type_of(target)}", target
        )

    def broadcast(self) -> None:
        value = self.tensor()
        rank = len(value.shape)
        if rank > 2 or prod(value.shape) > 8:
            return
        place, size = self.random.randrange(rank + 1), self.random.choice([1, 2, 3])
        shape = (*value.shape[:place], size, *value.shape[place:])
        dims = [k + (k >= place) for k in range(rank)]
        self.add(
            f"stablehlo.broadcast_in_dim {value.name}, dims = {listed(dims)} : ({value.type}) -> {type_of(shape)}",
            shape,
        )

    def pad(self) -> None:
        value, filler = self.tensor(), self.scalar()
        low, high, interior = [], [], []
        for size in value.shape:
            low.append(self.random.choice([-1, 0, 0, 1, 2]) if size > 2 else self.random.choice([0, 1]))
            high.append(self.random.choice([-1, 0, 0, 1]) if size > 2 else 0)
            interior.append(self.random.choice([0, 0, 1, 2]))
        shape = tuple(
            n + a + b + max(n - 1, 0) * i for n, a, b, i in zip(value.shape, low, high, interior, strict=True)
        )
        if min(shape) < 1 or prod(shape) > MOST_ELEMENTS:
            return
        self.add(
            f"stablehlo.pad {value.name}, {filler.name}, low = {listed(low)}, high = {listed(high)}, "
            f"interior = {listed(interior)} : ({value.type}, {filler.type}) -> {type_of(shape)}",
            shape,
        )

    def concatenate(self) -> None:
        value = self.tensor()
        other = self.pick(shape=value.shape)
        assert other is not None
        along = self.random.randrange(len(value.shape))
        shape = tuple(size * 2 if k == along else size for k, size in enumerate(value.shape))
        if prod(shape) > MOST_ELEMENTS:
            return
        self.add(
            f"stablehlo.concatenate {value.name}, {other.name}, dim = {along} : ({value.type}, {other.type}) -> "
            f"{type_of(shape)}",
            shape,
        )

    def dynamic_slice(self) -> None:
        value = self.tensor()
        sizes = [self.random.randint(1, size) for size in value.shape]
        starts = [self.scalar() for _ in sizes]
        names = ", ".join([value.name, *(start.name for start in starts)])
        types = ", ".join([value.type, *(start.type for start in starts)])
        shape = tuple(sizes)
        self.add(
            f"stablehlo.dynamic_slice {names}, sizes = {listed(sizes)} : ({types}) -> {type_of(shape)}", shape
        )

    def dynamic_update_slice(self) -> None:
        value = self.tensor()
        fitting = [
            other
            for other in self.values
            if len(other.shape) == len(value.shape)
            and all(a <= b for a, b in zip(other.shape, value.shape, strict=True))
        ]
        update = self.random.choice(fitting)
        starts = [self.scalar() for _ in value.shape]
        names = ", ".join([value.name, update.name, *(start.name for start in starts)])
        types = ", ".join([value.type, update.type, *(start.type for start in starts)])
        self.add(f"stablehlo.dynamic_update_slice {names} : ({types}) -> {value.type}", value.shape)

    def gather(self) -> None:
        """Gather rows of the first dimension by indices computed in the program."""
        value, indices = self.tensor(), self.pick(rank=1)
        if indices is None or prod(value.shape[1:]) * indices.shape[0] > MOST_ELEMENTS:
            return
        shape = (*indices.shape, *value.shape[1:])
        offsets = ", ".join(map(str, range(1, len(shape))))
        window = ", ".join(map(str, (1, *value.shape[1:])))
        self.add(
            f'"stablehlo.gather"({value.name}, {indices.name}) <{{dimension_numbers = #stablehlo.gather<'
            f"offset_dims = [{offsets}], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
            f"slice_sizes = array<i64: {window}>}}> : ({value.type}, {indices.type}) -> {type_of(shape)}",
            shape,
        )

    def binary(self) -> None:
        value = self.tensor()
        other = self.pick(shape=value.shape)
        assert other is not None
        op = self.random.choice(["add", "maximum", "multiply"])
        self.add(f"stablehlo.{op} {value.name}, {other.name} : {value.type}", value.shape)

    def offset(self) -> None:
        value, other = self.scalar(), self.scalar()
        op = self.random.choice(["add", "subtract", "minimum", "maximum", "multiply", "divide", "remainder"])
        self.add(f"stablehlo.{op} {value.name}, {other.name} : {value.type}", ())
        if self.random.random() < 0.3:
            self.add(f"stablehlo.negate {self.scalar().name} : tensor<i32>", ())

    def counted(self) -> None:
        """Append a constant that is a valid index."""
        count = self.random.randint(1, 4)
        shape = (count,)
        if self.random.random() < 0.5:
            self.add(f"stablehlo.iota dim = 0 : {type_of(shape)}", shape)
        else:
            numbers = [self.random.randint(-2, 6) for _ in range(count)]
            self.add(f"stablehlo.constant dense<{numbers}> : {type_of(shape)}", shape)

    def unary(self) -> None:
        value = self.tensor()
        self.add(f"stablehlo.negate {value.name} : {value.type}", value.shape)

    def reduce(self) -> None:
        value, initial = self.tensor(), self.scalar()
        dims = [k for k in range(len(value.shape)) if self.random.random() < 0.5]
        shape = tuple(size for k, size in enumerate(value.shape) if k not in dims)
        self.add(
            f"stablehlo.reduce({value.name} init: {initial.name}) applies stablehlo.add across dimensions = "
            f"{listed(dims)} : ({value.type}, {initial.type}) -> {type_of(shape)}",
            shape,
        )

    def call(self) -> None:
        if not self.callable:
            return
        name, arguments, result = self.random.choice(self.callable)
        given = [self.pick(shape=shape) for shape in arguments]
        known = [value for value in given if value is not None]
        if len(known) < len(given):
            return
        names, types = (", ".join(getattr(value, part) for value in known) for part in ("name", "type"))
        self.add(f"func.call @{name}({names}) : ({types}) -> {type_of(result)}", result)


def random_program(random: Random, steps: int, *, moves_only: bool = False, functions: int = 2) -> str:
    """A program with `main` and called functions; two of its three arguments are offsets."""
    known: list[tuple[str, list[Shape], Shape]] = []
    texts: list[str] = []
    shape = tuple(random.randint(1, 4) for _ in range(random.randint(1, 3)))
    count = 0 if moves_only else functions
    texts += (
        _function(random, f"f{n}", [shape, ()], max(2, steps // 3), known, moves_only) for n in range(count)
    )
    main = _function(random, "main", [shape, (), ()], steps, known, moves_only)
    return "\n".join([*texts, main])


def _function(
    random: Random,
    name: str,
    shapes: list[Shape],
    steps: int,
    known: list[tuple[str, list[Shape], Shape]],
    moves_only: bool,
) -> str:
    arguments = [Named(f"%a{number}", shape) for number, shape in enumerate(shapes)]
    body = Body(random, list(arguments), f"{name}_", list(known), moves_only=moves_only)
    if not moves_only:
        for number in (1, 3):
            body.add(f"stablehlo.constant dense<{number}> : tensor<i32>", ())
    for _ in range(steps):
        body.step()
    result = body.tensor()
    known.append((name, shapes, result.shape))
    taken = ", ".join(f"{value.name}: {value.type}" for value in arguments)
    private = "" if name == "main" else "private "
    return "\n".join(
        [
            f"func.func {private}@{name}({taken}) -> {result.type} {{",
            *body.lines,
            f"  return {result.name} : {result.type}",
            "}",
        ]
    )
