"""HLO's own ops as its text has them: read, run, printed and read again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hloscope.engine.frontend import load
from hloscope.engine.ops.core.values import leaves
from hloscope.engine.process_grid import results_of
from hloscope.engine.source import Source
from hloscope.engine.syntax.hlo.hlo_printer import print_hlo

SQUARE = np.arange(16, dtype=np.float32).reshape(4, 4)
X = np.array([1, 2], np.float32)
NEGATE = "{ a = f32[2] parameter(0)  ROOT n = f32[2] negate(a) }"
COPY = "{ a = f32[2] parameter(0)  ROOT n = f32[2] copy(a) }"
ADD = "{ a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }"


def given(text: str, *inputs: Any) -> list[Any]:
    """What the entry computation gives, all tensors in it as lists; also once it is printed and read again."""
    loaded = load(Source(f"HloModule m\nENTRY e {{\n{text}\n}}", "m.hlo"))
    assert loaded.program is not None, loaded.diagnostics
    assert loaded.module is not None
    assert load(Source(print_hlo(loaded.module), "m.hlo")).module == loaded.module
    found = results_of(loaded.program, [np.asarray(value) for value in inputs])
    return [leaf.tolist() for value in found for leaf in leaves(value)]


def test_a_bitcast_between_layouts_is_a_transpose() -> None:
    text = "p = f32[4,4]{1,0} parameter(0)\nROOT b = f32[4,4]{0,1} bitcast(p)"
    assert given(text, SQUARE) == [SQUARE.T.tolist()]
    text = "p = f32[4,4]{1,0} parameter(0)\nROOT b = f32[16]{0} bitcast(p)"
    assert given(text, SQUARE) == [list(range(16))]


@pytest.mark.parametrize(("index", "wanted"), [(0, [-1, -2]), (1, [1, 2]), (-1, [1, 2]), (2, [1, 2])])
def test_an_index_chooses_a_branch(index: int, wanted: list[int]) -> None:
    load_text = """
      i = s32[] parameter(0)
      x = f32[2] parameter(1)
      ROOT r = f32[2] conditional(i, x, x), branch_computations={f, g}"""
    source = f"HloModule m\nf {NEGATE}\ng {COPY}\nENTRY e {{{load_text}\n}}"
    program = load(Source(source, "m.hlo")).program
    assert program is not None
    (found,) = results_of(program, [np.asarray(index, np.int32), X])
    assert found.tolist() == wanted


@pytest.mark.parametrize(("pred", "wanted"), [(True, [-1, -2]), (False, [1, 2])])
def test_a_pred_chooses_the_computation_of_its_name(pred: bool, wanted: list[int]) -> None:
    text = f"""
      p = pred[] parameter(0)
      x = f32[2] parameter(1)
      ROOT r = f32[2] conditional(p, x, x), true_computation={NEGATE}, false_computation={COPY}"""
    assert given(text, pred, X) == [wanted]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            """s = (f32[2]{0:S(1)}, f32[2], u32[]) copy-start(x), cross_program_prefetch_index=0
            ROOT d = f32[2]{0:S(1)} copy-done(s)""",
            [[1, 2]],
        ),
        (
            f"""s = ((f32[2]), f32[2], s32[]) async-start(x), calls={NEGATE}
            u = ((f32[2]), f32[2], s32[]) async-update(s)
            ROOT d = f32[2] async-done(u)""",
            [[-1, -2]],
        ),
        (
            """s = (f32[2], f32[2], u32[], u32[]) collective-permute-start(x), source_target_pairs={{0,0}}
            ROOT d = f32[2] collective-permute-done(s)""",
            [[1, 2]],
        ),
        (
            """s = (f32[2], f32[2]) all-gather-start(x), replica_groups={{0}}, dimensions={0}
            ROOT d = f32[2] all-gather-done(s)""",
            [[1, 2]],
        ),
        (
            f"""s = (f32[2], f32[2]) all-reduce-start(x, x), replica_groups={{}}, to_apply={ADD}
            ROOT d = (f32[2], f32[2]) all-reduce-done(s)""",
            [[1, 2], [1, 2]],
        ),
        ("ROOT r = (f32[2]) all-to-all(x), replica_groups={{0}}", [[1, 2]]),
        ("ROOT r = f32[2] all-to-all(x), replica_groups={{0}}, dimensions={0}", [[1, 2]]),
        ("ROOT r = (f32[2], f32[2]) collective-permute(x, x), source_target_pairs={}", [[0, 0], [0, 0]]),
        (
            """y = f32[2] negate(x)
            z = s32[] constant(0)
            o = s32[] constant(1)
            i = (s32[]) tuple(z)
            k = (s32[]) tuple(o)
            ROOT r = f32[2] collective-permute(x, y, i, k), source_target_pairs={{0,0}}, slice_sizes={{1}}""",
            [[-1, 1]],
        ),
        (
            """t = token[] after-all()
            d = f32[2] domain(x), domain={kind="sharding", entry={maximal device=0}, exit={replicated}}
            ROOT r = f32[2] add-dependency(d, t)""",
            [[1, 2]],
        ),
        (
            """c = (f32[2], (s32[], pred[])) constant(({3, 4}, (5, true)))
            t = (f32[2], f32[2]) tuple(x, x)
            b = (f32[2], f32[2]) opt-barrier(t)
            ROOT r = ((f32[2], (s32[], pred[])), (f32[2], f32[2])) tuple(c, b)""",
            [[3, 4], 5, True, [1, 2], [1, 2]],
        ),
        (
            """p = pred[] constant(false)
            y = f32[2] negate(x)
            t = (f32[2]) tuple(x)
            f = (f32[2]) tuple(y)
            ROOT r = (f32[2]) select(p, t, f)""",
            [[-1, -2]],
        ),
        (f"ROOT r = f32[2] fusion(x), kind=kCustom, calls={NEGATE}", [[-1, -2]]),
    ],
)
def test_programs(text: str, wanted: list[Any]) -> None:
    assert given(f"x = f32[2] parameter(0)\n{text}", X) == wanted


@pytest.mark.parametrize(("size", "wanted"), [(5, 15), (6, 21)])
def test_sums_ignore_what_is_beyond_the_size(size: int, wanted: int) -> None:
    text = f"""
      v = f32[10] constant({{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}})
      n = s32[] parameter(0)
      s = f32[<=10] set-dimension-size(v, n), dimensions={{0}}
      z = f32[] constant(0)
      ROOT r = f32[] reduce(s, z), dimensions={{0}}, to_apply={ADD}"""
    assert given(text, np.int32(size)) == [wanted]
