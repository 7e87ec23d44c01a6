"""Reasons why a file cannot be read as a program: its actual kind, and what to do instead."""

from __future__ import annotations

from hloscope.engine.errors import ProgramError

from ...xla.failures import INSTALL

_TENSORFLOW = (
    "Give the StableHLO of one function of it: in Python with TensorFlow, "
    "tf.function(f, jit_compile=True).experimental_get_compiler_ir(*inputs)(stage='hlo') gives HLO text."
)
_ARRAYS = "Give it with --inputs beside a program."
_TEXT_BESIDE = "Give the program's HLO or StableHLO text: XLA_FLAGS='--xla_dump_to=DIR --xla_dump_hlo_as_text' writes it."
REFUSED: dict[str, tuple[str, str]] = {
    "saved_model": ("is a SavedModel of TensorFlow, which holds graphs and no StableHLO", _TENSORFLOW),
    "graph": ("is a graph of TensorFlow, which is no StableHLO", _TENSORFLOW),
    "onnx": (
        "is an ONNX model, which is no StableHLO",
        "Export the model from the framework that made it: jax.export, or torchax for PyTorch.",
    ),
    "safetensors": ("holds arrays and no program", _ARRAYS),
    "numpy": ("holds an array and no program", _ARRAYS),
    "hdf5": (
        "is an HDF5 file: arrays, or a model of Keras, and no program",
        "Lower the model with JAX: jax.jit(model).lower(inputs).as_text().",
    ),
    "pickle": (
        "is a Python pickle, which is never read: it could run anything",
        "Save programs with jax.export's serialize(), arrays with numpy.savez.",
    ),
    "llvm": (
        "is LLVM bitcode, which a program of XLA has been compiled to",
        "Dump the HLO before it: XLA_FLAGS=--xla_dump_to=DIR.",
    ),
    "object": (
        "is machine code, which a program of XLA has been compiled to",
        "Dump the HLO before it: XLA_FLAGS=--xla_dump_to=DIR.",
    ),
    "proto_text": (
        "is the text form of a protocol buffer",
        "Give the binary form (.pb), or HLO text: XLA_FLAGS='--xla_dump_to=DIR --xla_dump_hlo_as_text'.",
    ),
    "memory_report": (
        "is XLA's report on memory and no program",
        "The program lies beside it, as .hlo.pb or .txt.",
    ),
    "checksums": (
        "is XLA's log of the checksums of buffers and no program",
        "`hloscope compare A B` compares the logs of two executions; `hloscope serve DIR` shows those of a dump.",
    ),
    "saved_buffers": (
        "is a TFRecord file, in which XLA saves buffers, and no program",
        "Give it behind the optimised text: hloscope compare module_0000.f.sm_9.0_gpu_after_optimizations.txt FILE.",
    ),
    "llvm_text": (
        "is LLVM IR, which a program of XLA has been compiled to",
        "Dump the HLO before it: XLA_FLAGS='--xla_dump_to=DIR --xla_dump_hlo_as_text'.",
    ),
    "dot": ("is a drawing of a graph for Graphviz and no program", _TEXT_BESIDE),
    "html": ("is an HTML, SVG or XML document and no program", _TEXT_BESIDE),
    "debug_options": ("holds the flags of XLA and no program", _TEXT_BESIDE),
    "xla_report": ("is XLA's report on buffers and no program", _TEXT_BESIDE),
    "jaxpr": (
        "is the text of a jaxpr, which nothing reads back",
        "Give the StableHLO of the function: jax.jit(f).lower(*inputs).as_text().",
    ),
    "tflite": ("is a model of TensorFlow Lite, which is no StableHLO", _TENSORFLOW),
    "tar": (
        "is a tar archive",
        "Unpack it and give one of its programs; a dump of XLA is opened by `hloscope passes` and `hloscope serve`.",
    ),
    "bzip2": (
        "is packed with bzip2, which is not unpacked here",
        "Type: bunzip2 FILE, or pack it with gzip.",
    ),
    "xz": ("is packed with xz, which is not unpacked here", "Type: unxz FILE, or pack it with gzip."),
    "zstd": ("is packed with zstd, which is not unpacked here", "Type: unzstd FILE, or pack it with gzip."),
    "ptx": (
        "is PTX, which a program of XLA has been compiled to for a GPU",
        "Dump the HLO before it: XLA_FLAGS='--xla_dump_to=DIR --xla_dump_hlo_as_text'.",
    ),
    "torchscript": (
        "is the text of a graph of TorchScript, which nothing reads back",
        "In Python, hloscope.debug(torch.export.export(module, inputs), *inputs) opens the module itself.",
    ),
    "utf16": ("is a text in UTF-16", "Save it in UTF-8: iconv -f UTF-16 -t UTF-8 FILE > program.mlir."),
    "unknown": (
        "is neither text nor a program in a form that is read",
        "hloscope reads StableHLO and HLO text, MLIR bytecode, StableHLO portable artifacts, what jax.export serialises, "
        "HloModuleProto, HloProto and HloSnapshot, and gzip and zip files of one of these.",
    ),
}
"""For each kind that is no program, the end of a sentence about the file, and advice."""


class UnreadableProgram(ProgramError):
    """The bytes are not a readable program, or the package to read them is missing."""

    kind = "format"

    @classmethod
    def of_kind(cls, kind: str, name: str) -> UnreadableProgram:
        """The error for a file of a kind that is no program."""
        told, hint = REFUSED[kind]
        return cls(f"{name} {told}", hint=hint)

    @classmethod
    def without_jaxlib(cls, name: str, described: str) -> UnreadableProgram:
        """The error if jaxlib, which reads such programs, is not installed."""
        return cls(
            f"{name} is {described}, which jaxlib reads, and it is not installed", hint=f"Type: {INSTALL}"
        )

    @classmethod
    def without_flatbuffers(cls, name: str) -> UnreadableProgram:
        """The error if flatbuffers, with which jax reads serialised functions, is not installed."""
        return cls(
            f"{name} is a function serialised by jax.export, which jax reads with flatbuffers, and it is not installed",
            hint="Type: pip install flatbuffers",
        )
