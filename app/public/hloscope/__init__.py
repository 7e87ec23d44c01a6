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
    from hloscope.app.python.api import (
        Address,
        BadInput,
        BuilderError,
        Cause,
        ConvolutionDimensionNumbers,
        Diagnostic,
        DotDimensionNumbers,
        Each,
        Fault,
        Finding,
        GatherDimensionNumbers,
        Limits,
        ModuleReport,
        NothingToReduce,
        Padding,
        PaddingDimension,
        Passes,
        Program,
        ProgramError,
        Recording,
        Reduction,
        ResultAccuracy,
        ScatterDimensionNumbers,
        StageReport,
        WrongProgram,
        XlaBuilder,
        XlaComputation,
        XlaOp,
        capture,
        parse,
        passes,
        reduce,
        shape,
    )
    from hloscope.app.python.compare import (
        ComparedValue,
        Comparison,
        Difference,
        EngineComparison,
        Tolerance,
        XlaFailed,
        compare,
        save_run,
    )
    from hloscope.app.python.debug import Session, debug, stop_local_server
    from hloscope.app.python.functions import OpMaps, check, load, maps, record, run, run_each
    from hloscope.app.python.hosts.callbacks import CallbackWarning
    from hloscope.app.python.nan_watch import NanWatch, WatchedFunction, on_nan, watch
    from hloscope.app.python.program_files import Choices, ProgramFile, read_program
    from hloscope.app.python.recording import (
        Provenance,
        RecordedFrame,
        RecordedMaps,
        RecordedStep,
        RecordedValue,
    )
    from hloscope.app.python.torch_capture import TorchCall, torch_backend, torch_graphs
    from hloscope.app.sessions.python_sources import source_texts

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
    "ModuleReport",
    "NanWatch",
    "NothingToReduce",
    "OpMaps",
    "Padding",
    "PaddingDimension",
    "Passes",
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
COMPARING = (
    "ComparedValue",
    "Comparison",
    "Difference",
    "EngineComparison",
    "Tolerance",
    "XlaFailed",
    "compare",
    "save_run",
)
FUNCTIONS = ("OpMaps", "check", "load", "maps", "record", "run", "run_each")
RECORDED = ("Provenance", "RecordedFrame", "RecordedMaps", "RecordedStep", "RecordedValue")
TORCH = ("TorchCall", "torch_backend", "torch_graphs")
WATCHING = ("NanWatch", "WatchedFunction", "on_nan", "watch")
SESSIONS = ("Session", "debug", "stop_local_server")
READING = ("Choices", "ProgramFile", "read_program")
MODULES = {
    "source_texts": "sessions.python_sources",
    **dict.fromkeys(COMPARING, "python.compare"),
    **dict.fromkeys(FUNCTIONS, "python.functions"),
    **dict.fromkeys(RECORDED, "python.recording"),
    "CallbackWarning": "python.hosts.callbacks",
    **dict.fromkeys(TORCH, "python.torch_capture"),
    **dict.fromkeys(WATCHING, "python.nan_watch"),
    **dict.fromkeys(SESSIONS, "python.debug"),
    **dict.fromkeys(READING, "python.program_files"),
}
"""Modules of the names that `python.api` lacks."""

# A wheel holds `app` and `engine` beside this file; in a checkout they are at its top.
if not Path(__file__).with_name("engine").is_dir():
    __path__.append(str(Path(__file__).parents[3]))


def __getattr__(name: str) -> Any:
    """Import public names at first use, because the engine takes more than a second to load."""
    if name not in __all__:
        raise AttributeError(f"module 'hloscope' has no attribute {name!r}")
    value = _version() if name == "__version__" else getattr(_api(name), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


def _version() -> str:
    from importlib.metadata import version

    return version("hloscope")


def _api(name: str) -> Any:
    return import_module(f"hloscope.app.{MODULES.get(name, 'python.api')}")
