"""The pairs of send and recv, which XLA writes among the frontend attributes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hloscope.engine.frontend import load
from hloscope.engine.ops.core.process_groups import IdTable
from hloscope.engine.ops.hlo.transfers import Recv, Send
from hloscope.engine.source import Source
from hloscope.engine.syntax.hlo import print_hlo
from tests.programs import load_program

NAME = "_xla_send_recv_source_target_pairs"


def text(settings: str) -> str:
    stated = f", frontend_attributes={settings}" if settings else ""
    return f"""HloModule m, num_partitions=2

ENTRY %main (x: f32[2]{{0}}) -> token[] {{
  %x = f32[2]{{0}} parameter(0)
  %t = token[] after-all()
  %c = (f32[2]{{0}}, u32[], token[]) recv(%t), channel_id=1{stated}
  %s = (f32[2]{{0}}, u32[], token[]) send(%x, %t), channel_id=1{stated}
  %r = (f32[2]{{0}}, token[]) recv-done(%c), channel_id=1
  ROOT %d = token[] send-done(%s), channel_id=1
}}
"""


@pytest.mark.parametrize(
    ("settings", "pairs"),
    [
        ("", None),
        ('{a="b"}', None),
        (f"{{{NAME}={{{{0,1}}}}}}", IdTable.of([0, 1])),
        (f'{{{NAME}="{{{{0,1}},{{1,0}}}}"}}', IdTable.of([0, 1], [1, 0])),
        (f'{{a="b",{NAME}={{ {{0, 1}} }},_xla_send_recv_validation={{{{0,7}}}}}}', IdTable.of([0, 1])),
        (f"{{{NAME}={{}}}}", IdTable((), 2)),
    ],
)
def test_pairs_are_read_and_the_settings_kept(settings: str, pairs: IdTable | None) -> None:
    program = load_program(text(settings))
    found = [bound.op for bound in program.ops if isinstance(bound.op, Send | Recv)]
    assert [op.source_target_pairs for op in found] == [pairs, pairs]
    assert print_hlo(program.module) == text(settings)


def test_pairs_alone_are_written_as_settings() -> None:
    module = load(Source(text(f"{{{NAME}={{{{0,1}}}}}}"))).module
    assert module is not None
    (main,) = module.functions
    assert main.body
    (block,) = main.body.blocks
    bare = tuple(replace(operation, attributes={}) for operation in block.operations)
    body = replace(main.body, blocks=(replace(block, operations=bare),))
    printed = print_hlo(replace(module, functions=(replace(main, body=body),)))
    assert printed == text(f"{{{NAME}={{{{0,1}}}}}}")


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ("{{0,1,2}}", f"{NAME}: a pair has a source and a target, not 3 ids"),
        ('"all"', f"{NAME}: expected '{{', as in {{{{0,1}},{{1,0}}}}, found 'all'"),
        ('"{{0,1}} twice"', f"{NAME}: unexpected text after the pairs"),
        ("{{-1,0}}", f"{NAME}: -1 is not an id: ids count from 0"),
    ],
)
def test_pairs_that_cannot_be_read(pairs: str, message: str) -> None:
    settings = f"{{{NAME}={pairs}}}"
    diagnostics = load(Source(text(settings))).diagnostics
    assert [found.message for found in diagnostics] == [message] * text(settings).count(settings)
    assert {text(settings)[found.span.start : found.span.end] for found in diagnostics} == {settings}


def test_a_process_is_a_source_once() -> None:
    first, *_ = load(Source(text(f"{{{NAME}={{{{0,1}},{{0,2}}}}}}"))).diagnostics
    assert first.message == "a source is twice in [[0, 1], [0, 2]]"
