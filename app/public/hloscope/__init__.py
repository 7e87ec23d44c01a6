"""The public API of hloscope for programs and notebooks.

import hloscope

session = hloscope.debug(f, params, batch)  # any function that JAX can trace, in the browser
recording = hloscope.record(f, params, batch)
recording["params['w']"].numpy(), recording.from_source("train.py:12")

with hloscope.on_nan():
    train_step(params, batch)

model = torch.compile(model, backend=hloscope.torch_backend)
with hloscope.torch_graphs() as graphs:
    model(x).sum().backward()
graphs[0].debug()

program = hloscope.parse(text)
(probabilities,) = hloscope.run(program, [weights, bias, batch])
(scores,) = hloscope.run(text, inputs, bindings={"%5": array, "@log": None})
(updated,) = hloscope.run(training_step, [weights, hloscope.Each(batches)], replicas=8)
recording = hloscope.record(program, [weights, bias, batch])
recording.value(hloscope.Address.parse("0.s3.0"))
[finding.sentence for finding in recording.findings if finding.grade == "harmful"]
recording.origin_of_nan()
print(hloscope.compare(program, other_program, [weights, bias, batch]))

with hloscope.capture() as passes:
    f(x)  # a function of JAX
passes.first_wrong, passes.sentence

print(hloscope.memory(f, x))  # the peak of the optimized program, what fills it, its collectives
print(hloscope.compare(f, inputs=[x], against="xla"))
found = hloscope.reduce(text, inputs, "differs from xla")
found.text, found.inputs, found.script

exported = hloscope.read_program("f.bin", sizes={"b": 8})  # what jax.export wrote; bytecode, an HLO .pb
hloscope.run(exported.text, inputs)

b = hloscope.XlaBuilder("row_sums")
b.reduce(b.parameter(0, "f32[2,3]"), 0.0, lambda x, y: x + y, [1])
b.build().run([[1, 2, 3], [4, 5, 6]])
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hloscope.app.base.faults import Fault
    from hloscope.app.comparing.reducing.reduction import NothingToReduce, Reduction
    from hloscope.app.comparing.report import EngineComparison
    from hloscope.app.passes.memory_reports import MemoryReport
    from hloscope.app.passes.python_passes import Passes
    from hloscope.app.passes.records import ModuleReport, StageReport
    from hloscope.app.present.precision import Precision
    from hloscope.app.python.api import Program, WrongProgram, capture, parse, passes, reduce
    from hloscope.app.python.compare import Comparison, compare, save_run
    from hloscope.app.python.debug import Session, debug, stop_local_server
    from hloscope.app.python.functions import check, load, maps, memory, merge, record, run, run_each
    from hloscope.app.python.hosts.callbacks import CallbackWarning
    from hloscope.app.python.nan_watch import NanWatch, WatchedFunction, on_nan, watch
    from hloscope.app.python.op_maps import OpMaps
    from hloscope.app.python.program_files import read_program
    from hloscope.app.python.recorded.maps import RecordedMaps
    from hloscope.app.python.recorded.provenance import Provenance
    from hloscope.app.python.recording import Recording
    from hloscope.app.python.torch_capture import TorchCall, torch_backend, torch_graphs
    from hloscope.app.runs.formats.program_file import Choices, ProgramFile
    from hloscope.app.runs.merged_runs import MergedRun
    from hloscope.app.runs.python_values import Each
    from hloscope.app.runs.recorded.values import RecordedFrame, RecordedStep, RecordedValue
    from hloscope.app.sessions.collected_sources import source_texts
    from hloscope.app.xla.failures import XlaFailed
    from hloscope.engine.builder import (
        BuilderError,
        ConvolutionDimensionNumbers,
        DotDimensionNumbers,
        GatherDimensionNumbers,
        Padding,
        PaddingDimension,
        ResultAccuracy,
        ScatterDimensionNumbers,
        XlaBuilder,
        XlaComputation,
        XlaOp,
        shape,
    )
    from hloscope.engine.comparison.difference import Difference, Tolerance
    from hloscope.engine.comparison.runs import ComparedValue
    from hloscope.engine.debugger.address import Address
    from hloscope.engine.errors import Diagnostic, ProgramError
    from hloscope.engine.findings import BadInput, Cause, Finding
    from hloscope.engine.limits import Limits
    from hloscope.engine.value_facts import ValueFacts

__all__ = [
    "Address",
    "BadInput",
    "BuilderError",
    "CallbackWarning",
    "Cause",
    "Choices",
    "ComparedValue",
    "Comparison",
    "ConvolutionDimensionNumbers",
    "Diagnostic",
    "Difference",
    "DotDimensionNumbers",
    "Each",
    "EngineComparison",
    "Fault",
    "Finding",
    "GatherDimensionNumbers",
    "Limits",
    "MemoryReport",
    "MergedRun",
    "ModuleReport",
    "NanWatch",
    "NothingToReduce",
    "OpMaps",
    "Padding",
    "PaddingDimension",
    "Passes",
    "Precision",
    "Program",
    "ProgramError",
    "ProgramFile",
    "Provenance",
    "RecordedFrame",
    "RecordedMaps",
    "RecordedStep",
    "RecordedValue",
    "Recording",
    "Reduction",
    "ResultAccuracy",
    "ScatterDimensionNumbers",
    "Session",
    "StageReport",
    "Tolerance",
    "TorchCall",
    "ValueFacts",
    "WatchedFunction",
    "WrongProgram",
    "XlaBuilder",
    "XlaComputation",
    "XlaFailed",
    "XlaOp",
    "__version__",
    "capture",
    "check",
    "compare",
    "debug",
    "load",
    "maps",
    "memory",
    "merge",
    "on_nan",
    "parse",
    "passes",
    "read_program",
    "record",
    "reduce",
    "run",
    "run_each",
    "save_run",
    "shape",
    "source_texts",
    "stop_local_server",
    "torch_backend",
    "torch_graphs",
    "watch",
]
MODULES = {
    "app.base.faults": "Fault",
    "app.comparing.reducing.reduction": "NothingToReduce Reduction",
    "app.comparing.report": "EngineComparison",
    "app.passes.memory_reports": "MemoryReport",
    "app.passes.python_passes": "Passes",
    "app.passes.records": "ModuleReport StageReport",
    "app.present.precision": "Precision",
    "app.python.api": "Program WrongProgram capture parse passes reduce",
    "app.python.compare": "Comparison compare save_run",
    "app.python.debug": "Session debug stop_local_server",
    "app.python.functions": "check load maps memory merge record run run_each",
    "app.python.hosts.callbacks": "CallbackWarning",
    "app.python.nan_watch": "NanWatch WatchedFunction on_nan watch",
    "app.python.op_maps": "OpMaps",
    "app.python.program_files": "read_program",
    "app.python.recorded.maps": "RecordedMaps",
    "app.python.recorded.provenance": "Provenance",
    "app.runs.recorded.values": "RecordedFrame RecordedStep RecordedValue",
    "app.python.recording": "Recording",
    "app.python.torch_capture": "TorchCall torch_backend torch_graphs",
    "app.runs.formats.program_file": "Choices ProgramFile",
    "app.runs.merged_runs": "MergedRun",
    "app.runs.python_values": "Each",
    "app.sessions.collected_sources": "source_texts",
    "app.xla.failures": "XlaFailed",
    "engine.builder": (
        "BuilderError ConvolutionDimensionNumbers DotDimensionNumbers GatherDimensionNumbers "
        "Padding PaddingDimension ResultAccuracy ScatterDimensionNumbers XlaBuilder XlaComputation XlaOp shape"
    ),
    "engine.comparison.difference": "Difference Tolerance",
    "engine.comparison.runs": "ComparedValue",
    "engine.debugger.address": "Address",
    "engine.errors": "Diagnostic ProgramError",
    "engine.findings": "BadInput Cause Finding",
    "engine.limits": "Limits",
    "engine.value_facts": "ValueFacts",
}
"""The public names that each module defines."""

# A wheel holds `app` and `engine` beside this file; in a checkout they are at its top.
if not Path(__file__).with_name("engine").is_dir():
    __path__.append(str(Path(__file__).parents[3]))


def __getattr__(name: str) -> Any:
    """Import public names at first use, because the engine takes more than a second to load."""
    if name not in __all__:
        raise AttributeError(f"module 'hloscope' has no attribute {name!r}")
    value = _version() if name == "__version__" else getattr(_module(name), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


def _version() -> str:
    from importlib.metadata import version

    return version("hloscope")


def _module(name: str) -> Any:
    return import_module(
        next(f"hloscope.{module}" for module, names in MODULES.items() if name in names.split())
    )
