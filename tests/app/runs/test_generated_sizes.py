"""Inputs that are made up for programs which leave sizes open go together; where they clash, we say what to type."""

from pathlib import Path
from typing import Any

import pytest

from hloscope.app.cli.main import main
from hloscope.app.runs.opening import Opening, OpenParameters, open_run
from hloscope.app.runs.run import Goal
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.open_sizes import size_arguments, source_arguments
from hloscope.engine.source import Source
from tests.programs import load_program

IOTA = """func.func @main(%n: tensor<i32>) -> tensor<?xi32> {
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}
"""
BROADCAST = """func.func @main(%n: tensor<i64>, %x: tensor<?x5xf32>, %y: tensor<5xf32>) -> tensor<?x5xf32> {
  %c = stablehlo.constant dense<5> : tensor<1xi64>
  %0 = call @broadcast(%n, %y) : (tensor<i64>, tensor<5xf32>) -> tensor<?x5xf32>
  %1 = stablehlo.add %0, %x : tensor<?x5xf32>
  return %1 : tensor<?x5xf32>
}
func.func private @broadcast(%n: tensor<i64>, %y: tensor<5xf32>) -> tensor<?x5xf32> {
  %c = stablehlo.constant dense<5> : tensor<1xi64>
  %s = stablehlo.reshape %n : (tensor<i64>) -> tensor<1xi64>
  %t = stablehlo.concatenate %s, %c, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %0 = stablehlo.dynamic_broadcast_in_dim %y, %t, dims = [1] : (tensor<5xf32>, tensor<2xi64>) -> tensor<?x5xf32>
  return %0 : tensor<?x5xf32>
}
"""
PRODUCT = """func.func @main(%n: tensor<i32>, %x: tensor<?x?xf32>) -> tensor<?xf32> {
  %m = stablehlo.multiply %n, %n : tensor<i32>
  %s = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<?x?xf32>, tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
"""
SHAPES = """func.func @main(%s: tensor<2xi64>, %x: tensor<?x6xf32>) -> tensor<?x6xf32> {
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<?x6xf32>, tensor<2xi64>) -> tensor<?x6xf32>
  return %0 : tensor<?x6xf32>
}
"""
SLICE = """func.func @main(%x: tensor<?xf32>, %a: tensor<1xi64>, %b: tensor<1xi64>, %c: tensor<1xi64>) -> tensor<?xf32> {
  %0 = stablehlo.real_dynamic_slice %x, %a, %b, %c
      : (tensor<?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
"""
PAD = """func.func @main(%x: tensor<?xf32>, %v: tensor<f32>, %l: tensor<1xi32>, %h: tensor<1xi32>, %i: tensor<1xi32>)
    -> tensor<?xf32> {
  %0 = stablehlo.dynamic_pad %x, %v, %l, %h, %i
      : (tensor<?xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  %1 = stablehlo.add %0, %x : tensor<?xf32>
  return %1 : tensor<?xf32>
}
"""
LOOP = """func.func @main(%n: tensor<i32>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %c, %k = %n) : tensor<i32>, tensor<i32>
  cond {
    %t = stablehlo.compare LT, %i, %k : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %k : tensor<i32>, tensor<i32>
  }
  %s = stablehlo.reshape %r#1 : (tensor<i32>) -> tensor<1xi32>
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
  %1 = stablehlo.add %0, %x : tensor<?xf32>
  return %1 : tensor<?xf32>
}
"""
SIZE = """HloModule m
ENTRY main {
  n = s32[] parameter(0)
  x = f32[<=4] parameter(1)
  ROOT r = f32[<=4] set-dimension-size(x, n), dimensions={0}
}
"""
FIT: dict[str, tuple[str, dict[int, tuple[int | None, ...]]]] = {
    "iota": (IOTA, {0: (None,)}),
    "broadcast": (BROADCAST, {0: (None,)}),
    "product": (PRODUCT, {0: ()}),
    "shapes": (SHAPES, {0: (None, 6)}),
    "slice": (SLICE, {1: (0,), 2: (None,), 3: (1,)}),
    "pad": (PAD, {2: (0,), 3: (0,), 4: (0,)}),
    "loop": (LOOP, {0: ()}),
    "size": (SIZE, {0: ()}),
}
CLASHES = {
    # Of each: what is to blame, and the argument with another size that a run gets past the clash with.
    "join": (
        """func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = stablehlo.add %0, %z : tensor<?xf32>
  return %1 : tensor<?xf32>
}
""",
        "%x and %z were made up",
        "%z=normal[8]",
    ),
    "contraction": (
        """func.func @main(%x: tensor<?x?xf32>, %w: tensor<8x2xf32>) -> tensor<?x2xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x?xf32>, tensor<8x2xf32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}
""",
        "%x was made up",
        "%x=normal[4, 8]",
    ),
    "halves": (
        """func.func @main(%n: tensor<i32>, %x: tensor<?xf32>) -> tensor<?x3xf32> {
  %c = stablehlo.constant dense<3> : tensor<1xi32>
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %t = stablehlo.concatenate %s, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %x, %t : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
""",
        "%x and %n were made up",
        "%x=normal[12]",
    ),
}


@pytest.fixture(params=FIT)
def fit(request: Any) -> tuple[str, dict[int, tuple[int | None, ...]]]:
    return FIT[str(request.param)]


def test_integers_that_are_sizes_are_found(fit: tuple[str, dict[int, tuple[int | None, ...]]]) -> None:
    text, sizes = fit
    program = load_program(text)
    assert program.entry is not None
    assert size_arguments(program, program.entry) == sizes


def test_what_is_made_up_goes_together(
    fit: tuple[str, dict[int, tuple[int | None, ...]]], tmp_path: Path, capsys: Any
) -> None:
    file = tmp_path / "p.mlir"
    file.write_text(fit[0])
    for seed in ("0", "1", "2"):
        assert main(["run", str(file), "--seed", seed]) == 0, capsys.readouterr().err


def test_static_programs_keep_their_random_integers() -> None:
    text = "func.func @main(%n: tensor<i32>) -> tensor<i32> { return %n : tensor<i32> }"
    program = load_program(text)
    assert program.entry is not None
    assert size_arguments(program, program.entry) == {}


def test_stated_numbers_stay(tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "p.mlir"
    file.write_text(IOTA)
    for given, shape in (("7", 7), ("ones", 1), ("zeros", 0)):
        assert main(["run", str(file), "--input", given]) == 0
        assert f"tensor<{shape}xi32>" in capsys.readouterr().out


@pytest.mark.parametrize("name", CLASHES)
def test_a_clash_names_the_arguments_and_what_to_type(name: str, tmp_path: Path, capsys: Any) -> None:
    text, blamed, typed = CLASHES[name]
    file = tmp_path / "p.mlir"
    file.write_text(text)
    assert main(["run", str(file)]) == 1
    said = capsys.readouterr().err
    assert f"hint: {blamed}, 4 for each unstated size" in said
    assert f"--input '{typed}' goes further" in said
    assert main(["run", str(file), "--input", typed]) == 0


@pytest.mark.parametrize("name", CLASHES)
def test_a_clash_is_said_in_the_page_too(name: str) -> None:
    text, blamed, typed = CLASHES[name]
    specs: list[Any] = []
    for _ in range(2):
        opened = open_run(Source(text), OpenParameters(None, specs, []), DEFAULT_LIMITS, "", 1)
        assert isinstance(opened, Opening)
        run = opened.run
        run.record(Goal(None))
        while run.active:
            run.slice(1)
        if specs:
            assert run.state.kind == "done"
            return
        said = run.state.diagnostic
        assert said is not None
        assert said.hint == f"{blamed}, 4 for each unstated size: {typed} goes further"
        name, _, value = typed.partition("=")
        specs = [
            {"kind": "dense", "text": value} if row["name"] == name[1:] else None
            for row in opened.facts["arguments"]
        ]


def test_what_an_op_is_computed_from() -> None:
    program = load_program(CLASHES["join"][0])
    assert program.entry is not None
    assert source_arguments(program, program.entry, 1) == (0, 2, 1)


def test_inputs_that_are_given_are_not_blamed(tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "p.mlir"
    file.write_text(CLASHES["contraction"][0])
    assert main(["run", str(file), "--input", "[[1, 2]]"]) == 1
    assert "made up" not in capsys.readouterr().err
