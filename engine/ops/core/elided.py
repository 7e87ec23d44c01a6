"""The error for a constant whose values were elided in printing, with how to print them in each framework."""

from ...errors import UnboundResults
from ...ir.module import Module

ELIDED = "{...}"
"""The text of a large constant whose values HLO text elides."""
_LOOKED_AT = 100_000
"""Characters searched at either end of a text for marks of the framework."""
_MARKS = {
    "TensorFlow": (
        'op_name="XLA_Args"',
        'op_name="XLA_Retvals"',
        "a_inference_",
        "mhlo.use_auto_spmd_partitioning",
    ),
    "JAX": ('op_name="jit(', "HloModule jit_", "module @jit_", 'loc("jit('),
}
_IN_HLO = {
    "TensorFlow": "in TensorFlow the stage 'stablehlo' of experimental_get_compiler_ir has them, and 'optimized_hlo' too "
    "if XLA_FLAGS=--xla_dump_large_constants is set before TensorFlow is imported",
    "JAX": "in JAX lowered.as_text('hlo') has them before optimisation, and after it "
    "compiled.runtime_executable().hlo_modules()[0].to_string(options) with options = jaxlib._hlo.HloPrintOptions() "
    "and options.print_large_constants = True",
    "": "XLA dumps them with --xla_dump_large_constants",
}
_IN_MLIR = {
    "TensorFlow": "the stage 'stablehlo' of TensorFlow's experimental_get_compiler_ir has them",
    "JAX": "in JAX lowered.as_text() has them, and get_asm() without large_elements_limit",
    "": "mlir-opt leaves them out with --mlir-elide-elementsattrs-if-larger and --mlir-elide-resource-strings-if-larger",
}


def framework_of(module: Module) -> str:
    """The framework that printed a program; empty if unknown."""
    text = module.source.text
    looked_at = text[:_LOOKED_AT] + text[_LOOKED_AT:][-_LOOKED_AT:]
    return next((name for name, marks in _MARKS.items() if any(mark in looked_at for mark in marks)), "")


def left_out(framework: str = "", resource: str = ELIDED) -> UnboundResults:
    """The error at a constant that HLO text elides, or that MLIR replaces by the name of a resource."""
    in_hlo = resource == ELIDED
    how = _IN_HLO if in_hlo else _IN_MLIR
    ways = [how[framework]] if framework else list(how.values())
    what = "constant({...}): its values were left out when the program was printed"
    message = what if in_hlo else f"the text does not hold the data of {resource}"
    return UnboundResults(
        message,
        hint=f"bind a value to it to continue, or print the program with its constants: {'; '.join(ways)}",
    )
