"""The names of dumped files, taken apart."""

import pytest

from hloscope.engine.passes.contents import recognise
from hloscope.engine.passes.names import parse_name
from hloscope.engine.passes.saved_buffers import masked_crc
from tests.each import for_each


def test_a_text_between_two_passes() -> None:
    name = parse_name("module_0012.jit_f.0007.simplification.after_algsimp.before_simplify-sorts.txt")
    assert (name.module, name.module_name, name.number) == (12, "jit_f", 7)
    assert (name.pipeline, name.pass_name, name.upcoming) == ("simplification", "algsimp", "simplify-sorts")
    assert name.is_stage


def test_a_text_within_a_pass() -> None:
    name = parse_name("module_0000.jit_f.0034.copy-insertion.after_removing_unnecessary_copies.txt")
    assert (name.number, name.pipeline, name.pass_name) == (34, "", "copy-insertion")
    assert name.step == "after_removing_unnecessary_copies"


@pytest.mark.parametrize(
    ("text", "end", "module_name"),
    [
        ("module_0000.jit_f.before_optimizations.txt", "before_optimizations", "jit_f"),
        ("module_0000.jit_f.cpu_after_optimizations.txt", "cpu_after_optimizations", "jit_f"),
        ("module_0003.jit_f.sm_9.0_gpu_after_optimizations.txt", "sm_9.0_gpu_after_optimizations", "jit_f"),
        ("module_0003.jit_f.sm_9.0a_gpu_after_optimizations.txt", "sm_9.0a_gpu_after_optimizations", "jit_f"),
        ("module_0003.jit_f.gfx942_gpu_after_optimizations.txt", "gfx942_gpu_after_optimizations", "jit_f"),
        ("module_0003.a.b.12.after_optimizations.txt", "after_optimizations", "a.b.12"),
        ("module_0003.jit_f.after_spmd_partitioner.txt", "after_spmd_partitioner", "jit_f"),
        ("module_0003.before_optimizations.txt", "before_optimizations", ""),
        ("module_0003.jit_f.before_optimization.txt", "before_optimization", "jit_f"),
    ],
)
def test_the_ends_of_a_compilation(text: str, end: str, module_name: str) -> None:
    name = parse_name(text)
    assert (name.end, name.module_name) == (end, module_name)
    assert name.is_stage


def test_a_time_may_stand_before_the_name() -> None:
    name = parse_name("1718000000000000.module_0001.jit_f.0000.fusion.after_pipeline-start.before_x.txt.gz")
    assert (name.module, name.number, name.extension, name.is_packed) == (1, 0, "txt", True)


def test_what_stands_beside_a_text_is_no_stage() -> None:
    for companion in (
        "-buffer-assignment",
        "-buffer-assignment-values",
        "-live-range",
        "-memory-usage-report",
    ):
        name = parse_name(f"module_0000.jit_f.cpu_after_optimizations{companion}.txt")
        assert name.companion == companion
        assert not name.is_stage


def test_one_fusion_that_was_tried_is_no_stage() -> None:
    name = parse_name("module_0007.jit_f.autotuner_3.dot.12.before.txt")
    assert name.is_fusion
    assert name.module_name == "jit_f"
    assert not name.is_stage


def test_any_other_name_belongs_to_no_module() -> None:
    assert parse_name("notes.txt").module is None
    assert parse_name("").module is None


@for_each(
    ("file", "head", "content"),
    [
        ("module_0000.f.before_optimizations.txt", b"HloModule f", "hlo"),
        ("module.mlir", b'#loc1 = loc("x")\nmodule @f {', "stablehlo"),
        # A beginning that is all places in the source, cut off anywhere.
        ("module.mlir", b"#loc1 = loc(unknown)\n#loc2 = loc(unkn", "stablehlo"),
        ("module.mlir", b"#loc1 = loc(unknown)\n#lo", "stablehlo"),
        ("00.input_module.mlir", b"// a comment\nmodule @f {", "stablehlo"),
        ("module_0000.f.x-buffer-assignment.txt", b"BufferAssignment:\n", "buffers"),
        ("module_0000.f.x-buffer-assignment-values.txt", b"Total bytes used: 3", "buffer_values"),
        ("module_0000.f.x-live-range.txt", b"HloLiveRange (max 39):", "live_ranges"),
        ("module_0000.f.x-memory-usage-report.txt", b"Memory Space: default", "memory"),
        ("module_0000.f.ir-no-opt.ll", b"; ModuleID = 'f'", "llvm"),
        ("module_0000.f.txt", b"; ModuleID = 'f'", "llvm"),
        ("module_0000.f.ptx", b"//\n// Generated\n.version 8.3", "ptx"),
        ("module_0000.f.thunk_sequence.txt", b"000: kKernel", "thunks"),
        ("module_0000.f.debug_options", b'xla_dump_to: "d"', "options"),
        ("compile_options.textproto", b"argument_layouts {", "options"),
        ("module_0000.f.0001.a.after_b.before_c.html", b"<!DOCTYPE html>", "html"),
        ("module_0000.f.0001.a.after_b.before_c.dot", b"digraph G {", "graph"),
        ("module_0000.f.0001.a.after_b.before_c.hlo.pb", b"\n\x04", "hlo_proto"),
        ("module_0000.f.snapshot.-1642.pb", b"\n\x04", "snapshot"),
        ("dump_event_loop_add_fusion.snapshot.pb", b"\n\x04", "snapshot"),
        ("buffer_debug_log.module_0000.f.execution_0000.pb", b"\n\x04", "checksums"),
        ("buffer_debug_log.module_0000.f.execution_0000.txt", b"entries {", "checksums"),
        ("buffer_debug_log.txt", b"entries {", "text"),
        (
            "host-1-1.tfrecord",
            (3).to_bytes(8, "little") + masked_crc((3).to_bytes(8, "little")).to_bytes(4, "little"),
            "saved_buffers",
        ),
        ("host-1-1.tfrecord", b"\0" * 12, "binary"),
        ("module_0000.f.execution_0000.hlo_snapshot.pb", b"\n\x04", "snapshot"),
        ("module_0000.f.execution_0000.hlo_unoptimized_snapshot.pb", b"\n\x04", "unoptimized_snapshot"),
        ("module_0000.f.obj-file.part_00.o", b"\x7fELF", "object"),
        ("notes.txt", b"hello", "text"),
        ("something", b"\0\1\2", "binary"),
    ],
)
def test_contents_are_told_apart(file: str, head: bytes, content: str) -> None:
    assert recognise(parse_name(file), head) == content
