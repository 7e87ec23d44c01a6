"""Files of a dump as modules and stages: order, rounds, and which pass a change is attributed to."""

from __future__ import annotations

from hloscope.engine.passes.buffers import read_allocations
from hloscope.engine.passes.contents import Content
from hloscope.engine.passes.names import parse_name
from hloscope.engine.passes.stages import DumpedFile, DumpedModule, modules_of


def _file(path: str, content: Content = "hlo") -> DumpedFile:
    return DumpedFile(path, parse_name(path.rpartition("/")[2]), content, 100)


def _modules(*paths: str, pattern: str | None = None) -> tuple[DumpedModule, ...]:
    contents: dict[str, Content] = {"mlir": "stablehlo", "ll": "llvm", "textproto": "options"}
    files = [_file(path, contents.get(path.rpartition(".")[2], "hlo")) for path in paths]
    return modules_of(files, pattern)


def _names(module: DumpedModule) -> list[str]:
    return [stage.pass_name for stage in module.stages]


def test_stages_are_ordered_by_number_between_the_two_ends() -> None:
    (module,) = _modules(
        "module_0002.f.cpu_after_optimizations.txt",
        "module_0002.f.0010.fusion.after_b.before_c.txt",
        "module_0002.f.0009.fusion.after_a.before_b.txt",
        "module_0002.f.before_optimizations.txt",
        "module_0002.f/module.mlir",
        "module_0002.f/compile_options.textproto",
        "module_0002.f.ir-no-opt.ll",
    )
    assert module.key == "module_0002.f"
    assert _names(module) == ["input", "before_optimizations", "a", "b", "cpu_after_optimizations"]
    assert [file.content for file in module.attachments] == ["options", "llvm"] or len(
        module.attachments
    ) == 2


def test_modules_of_one_folder_are_told_apart_by_number_and_name() -> None:
    found = _modules(
        "module_0007.g.before_optimizations.txt",
        "module_0000.f.before_optimizations.txt",
        "module_0007.after_optimizations.txt",
        "jit_h/host_12/module_0000.h.before_optimizations.txt",
    )
    assert [(module.folder, module.key, len(module.stages)) for module in found] == [
        ("", "module_0000.f", 1),
        ("", "module_0007.g", 2),
        ("jit_h/host_12", "module_0000.h", 1),
    ]


def test_rounds_of_a_pipeline_and_runs_of_a_pass() -> None:
    (module,) = _modules(
        "module_0000.f.0000.simplification.after_pipeline-start.before_algsimp.txt",
        "module_0000.f.0001.simplification.after_algsimp.before_dce.txt",
        "module_0000.f.0002.simplification.after_pipeline-start.before_algsimp.txt",
        "module_0000.f.0003.simplification.after_algsimp.before_dce.txt",
        "module_0000.f.0004.late.after_algsimp.before_dce.txt",
    )
    assert [(stage.round, stage.occurrence) for stage in module.stages] == [
        (1, 1),
        (1, 1),
        (2, 2),
        (2, 2),
        (1, 3),
    ]
    assert module.stages[3].title == "algsimp, round 2 of simplification"
    assert module.stages[2].title == "start of simplification, round 2"


def test_the_texts_that_copy_insertion_writes_while_it_works_are_one_run() -> None:
    (module,) = _modules(
        "module_0000.f.0000.copy-insertion.after_adding_copies.txt",
        "module_0000.f.0001.copy-insertion.after_removing_copies.txt",
        "module_0000.f.0002.late.after_copy-insertion.before_dce.txt",
    )
    assert [stage.pipeline for stage in module.stages] == ["late"] * 3
    assert [stage.occurrence for stage in module.stages] == [1, 1, 1]
    assert module.stages[0].title == "copy-insertion (after_adding_copies)"


def test_a_change_before_an_inner_pipeline_is_of_the_pass_that_is_under_way() -> None:
    (module,) = _modules(
        "module_0000.f.0000.outer.after_a.before_partitioning.txt",
        "module_0000.f.0001.cleanup.after_pipeline-start.before_dce.txt",
        "module_0000.f.0002.cleanup.after_dce.before_cse.txt",
        "module_0000.f.0003.outer.after_partitioning.before_b.txt",
    )
    assert [stage.changed_by for stage in module.stages] == ["a", "partitioning", "dce", "partitioning"]


def test_where_few_passes_were_dumped_a_change_may_be_of_others_too() -> None:
    paths = (
        "module_0000.f.0000.p.after_a.before_b.txt",
        "module_0000.f.0001.p.after_d.before_e.txt",
        "module_0000.f.0002.p.after_e.before_f.txt",
    )
    (narrow,) = _modules(*paths, pattern="a|d|e")
    assert [stage.since for stage in narrow.stages] == ["", "b", ""]
    (every,) = _modules(*paths, pattern=".*")
    assert [stage.since for stage in every.stages] == ["", "", ""]


def test_texts_of_other_names_are_stages_too() -> None:
    (module,) = _modules(
        "module_0000.f.tpu_before_scheduling.txt",
        "module_0000.f.before_optimizations.txt",
        "module_0000.f.after_spmd_partitioner.txt",
        "module_0000.f.0000.spmd-partitioner.after_x.before_y.txt",
        "module_0000.f.0001.optimization.after_z.before_w.txt",
        "module_0000.f.autotuner_1.dot.3.before.txt",
    )
    assert _names(module) == [
        "before_optimizations",
        "x",
        "after_spmd_partitioner",
        "z",
        "tpu_before_scheduling",
    ]
    assert len(module.attachments) == 1


def test_a_folder_that_xla_has_not_named() -> None:
    (module,) = _modules("run/10.hlo", "run/9.hlo", "run/notes.ll")
    assert [stage.path for stage in module.stages] == ["run/9.hlo", "run/10.hlo"]
    assert module.key == "run"


BUFFERS = """BufferAssignment:
allocation 0: size 2048, parameter 0, shape |f32[16,32]| at ShapeIndex {}:
 value: <117 x.1 @0> (size=2048,offset=0): f32[16,32]{1,0}
allocation 3: size 32, maybe-live-out:
 value: <136 wide.arg_tuple.0{1} (phi) @0> (size=32,offset=0): f32[8]{0}
 value: <140 sort.0 @0> (size=32,offset=0): f32[8]{0}
allocation 6: size 24, output shape is |(f32[8], f32[5])|, maybe-live-out:
 value: <132 tuple.5{} @0> (size=24,offset=0): (f32[8]{0}, f32[5]{0})

Total bytes used: 2104 (2.1KiB)

Used values:
<0 x @0>
"""


def test_buffers_are_a_table() -> None:
    parameter, shared, output = read_allocations(BUFFERS)
    assert (parameter.size, parameter.kinds, parameter.shape) == (2048, ("parameter 0",), "f32[16,32]")
    assert [(value.name, value.size) for value in shared.values] == [
        ("wide.arg_tuple.0{1}", 32),
        ("sort.0", 32),
    ]
    assert (output.number, output.kinds) == (6, ("maybe-live-out",))
    assert output.values[0].shape == "(f32[8]{0}, f32[5]{0})"
