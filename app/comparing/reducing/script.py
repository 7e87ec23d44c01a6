"""A Python script that shows a fault with jax alone: program, inputs, expectation, versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from hloscope.engine.comparison.difference import Difference
from hloscope.engine.reduction.case import Case

from ...processes.arrays import Array

INLINE_ELEMENTS = 64
"""Maximum elements of an array that is inlined in the script."""
SHOWN = 8
"""Number of result elements that the script checks."""

_HEAD = '''"""{title}

{sentence}
Reduced by hloscope {version}; seen with {seen}.
Needs jax alone. {meaning}
"""

import os
import sys
{imports}
os.environ.setdefault("JAX_PLATFORMS", "cpu")
{flags}
import jax
import jaxlib
{narrow}import numpy as np
{sharding}from jaxlib import _jax, xla_client

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_enable_compilation_cache", False)
{lapack}
PROGRAM = r"""
{program}
"""

inputs = [
{inputs}
]


def compile_program(options=()):
    program = PROGRAM.strip() + "\\n"
{convert}    compile_options = xla_client.CompileOptions()
    compile_options.env_option_overrides = list(options)
{grid}    devices = _jax.DeviceList(tuple(jax.devices()[:{devices}]))
    return jax.devices()[0].client.compile_and_load(program, devices, compile_options)

{run}

print(f"jax {{jax.__version__}}, jaxlib {{jaxlib.__version__}}, {{jax.devices()[0].platform}}, Python {{sys.version.split()[0]}}")
print("XLA_FLAGS:", os.environ.get("XLA_FLAGS", ""))
'''
_RUN = """
def run(options=()):
    results = compile_program(options).execute_sharded([jax.device_put(array) for array in inputs])
    return [np.asarray(parts[0]) for parts in results.disassemble_into_single_device_arrays()]
"""
_GRID = """    build = compile_options.executable_build_options
    for part in (compile_options, build):
        part.num_replicas, part.num_partitions = {replicas}, {partitions}
    build.use_spmd_partitioning = True
    build.use_shardy_partitioner = "sdy." in program
    places = np.arange({devices}).reshape({replicas}, {partitions})
    compile_options.device_assignment = xla_client.DeviceAssignment.create(places)
"""
_RUN_ON_GRID = """
def places(sharding, shape):
    '''The part of a whole value that each device has.'''
    if sharding is None or not xla_client.HloSharding.from_proto(sharding).is_tiled():
        return [(slice(None),) * len(shape)] * {devices}
    devices = tuple(jax.devices()[:{partitions}])
    parts = GSPMDSharding(devices, sharding).devices_indices_map(tuple(shape))
    return [parts[device] for device in devices] * {replicas}


def cut(array, sharding):
    devices = jax.devices()[:{devices}]
    parts = [np.ascontiguousarray(array[place]) for place in places(sharding, array.shape)]
    replicated = NamedSharding(Mesh(np.array(devices), ("device",)), PartitionSpec())
    placed = [jax.device_put(part, device) for part, device in zip(parts, devices)]
    return jax.make_array_from_single_device_arrays(parts[0].shape, replicated, placed)


def join(parts, sharding):
    '''The whole value, as each device has it.'''
    tiles = [] if sharding is None else xla_client.HloSharding.from_proto(sharding).tile_assignment_dimensions()
    shape = tuple(size * count for size, count in zip(parts[0].shape, tiles)) if tiles else parts[0].shape
    whole = np.empty(shape, parts[0].dtype)
    for place, part in zip(places(sharding, shape), parts):
        whole[place] = part
    seen = [whole.copy() for _ in parts]
    for value, place, part in zip(seen, places(sharding, shape), parts):
        value[place] = part
    return seen


def run(options=()):
    '''The results of all devices, one after the other.'''
    program = compile_program(options)
    shardings = program.get_parameter_shardings() or [None] * len(inputs)
    found = program.execute_sharded([cut(np.asarray(array), each) for array, each in zip(inputs, shardings)])
    results = [[np.asarray(part) for part in parts] for parts in found.disassemble_into_single_device_arrays()]
    wholes = [join(parts, each) for parts, each in zip(results, program.get_output_shardings() or [None] * len(results))]
    return [values[device] for device in range({devices}) for values in wholes]
"""
_GRID_IMPORTS = """from jax._src.sharding_impls import GSPMDSharding
from jax.sharding import Mesh, NamedSharding, PartitionSpec
"""
_LAPACK = """
from jaxlib.cpu import _lapack  # custom calls of LAPACK crash before it is loaded

_lapack.initialize()
"""
_CONVERT = """    from jaxlib import _hlo

    module = _hlo.hlo_module_from_text(program)
    program = _jax.mlir.hlo_to_stablehlo(module.as_serialized_hlo_module_proto())
"""
_CRASH = """sys.stdout.flush()
run()
print("XLA did not crash: the fault does not show here")
"""
_DIFFERS = """
# Result, element, what it should be, and how far rounding may take it.
EXPECTED = [
{expected}
]
results = run()
faults = 0
for number, index, wanted, allowed in EXPECTED:
    found = results[number][index]
    good = not abs(complex(found) - complex(wanted)) > allowed and np.isnan(found) == np.isnan(wanted)
    faults += not good
    print(f"result {{number}}, element {{list(index)}}: {{found}}" + ("" if good else f", but it should be {{wanted}}"))
print("the fault shows" if faults else "the fault does not show here")
sys.exit(1 if faults else 0)
"""
_NAN = """
faults = 0
for number, result in enumerate(run()):
    count = int(np.isnan(result.astype(np.complex128)).sum())
    faults += count
    print(f"result {{number}}: {{count}} of {{result.size}} elements are NaN")
sys.exit(1 if faults else 0)
"""
_SHOW = """
for number, result in enumerate(run()):
    print(f"result {{number}}: {{result.dtype}}{{list(result.shape)}}")
    print(result)
"""
_MEANING = {
    "crashes": "It dies where the fault shows.",
    "differs": "It exits with 1 where the fault shows, and with 0 where it does not.",
    "rewrite": "It exits with 1 where both sides of the rewrite differ, and with 0 where they do not.",
    "passes": "It exits with 1 where the fault shows, and with 0 where it does not.",
    "nan": "It exits with 1 where the fault shows, and with 0 where it does not.",
}


def script(
    case: Case,
    kind: str,
    title: str,
    sentence: str,
    versions: Mapping[str, str],
    flags: Sequence[str],
    expected: Sequence[tuple[int, tuple[int, ...], Any, float]],
) -> str:
    """The script's text. It reads `inputs.npz` beside it if an input is too large to be inlined."""
    large = any(_expression(array) is None for array in case.inputs)
    grid = _grid_parts(case)
    if case.grid.num_processes > 1:
        flags = (*flags, f"--xla_force_host_platform_device_count={case.grid.num_processes}")
    head = _HEAD.format(
        **grid,
        title=title,
        sentence=sentence,
        version=versions["hloscope"],
        seen=", ".join(f"{name} {value}" for name, value in versions.items() if name != "hloscope"),
        meaning=_MEANING.get(kind, "It prints what XLA computes."),
        narrow="" if all(map(_is_plain, case.inputs)) else "import ml_dtypes\n",
        imports="from pathlib import Path\n" if large else "",
        flags=f'os.environ["XLA_FLAGS"] = {" ".join(flags)!r}\n' if flags else "",
        lapack=_LAPACK if "lapack_" in case.text else "",
        program=case.text.rstrip(),
        inputs="\n".join(f"    {_input(number, array)}," for number, array in enumerate(case.inputs)),
        convert=_CONVERT if case.module.language == "hlo" else "",
    )
    rows = "\n".join(
        f"    ({n}, {index}, {_number(value)}, {allowed!r})," for n, index, value, allowed in expected
    )
    body = {"crashes": _CRASH, "nan": _NAN}.get(kind, _DIFFERS if rows else _SHOW)
    return head + (body if body is _CRASH else body.format(expected=rows))


def _grid_parts(case: Case) -> dict[str, Any]:
    """The parts of the script that compile and run on one device, or on several."""
    found = case.grid
    if found.num_processes == 1:
        return {"devices": 1, "grid": "", "run": _RUN, "sharding": ""}
    counts = {
        "devices": found.num_processes,
        "replicas": found.num_replicas,
        "partitions": found.num_partitions,
    }
    return {
        "devices": found.num_processes,
        "grid": _GRID.format(**counts),
        "run": _RUN_ON_GRID.format(**counts),
        "sharding": _GRID_IMPORTS,
    }


def worst_elements(
    differences: Sequence[Difference], expected: Sequence[Array]
) -> list[tuple[int, tuple[int, ...], Any, float]]:
    """The worst element of each differing result: result number, index, value and allowed error."""
    found = []
    for number, (difference, array) in enumerate(zip(differences, expected, strict=True)):
        if not difference.is_fine and difference.index is not None:
            bound = difference.bound
            allowed = 0.0 if bound is None or not np.isfinite(bound) else bound
            found.append((number, difference.index, array[difference.index].item(), allowed))
    return found[:SHOWN]


def _number(value: Any) -> str:
    text = repr(value)
    return (
        f'complex("{text.strip("()")}")'
        if isinstance(value, complex)
        else (f'float("{text}")' if text in ("nan", "inf", "-inf") else text)
    )


def _input(number: int, array: Array) -> str:
    found = _expression(array)
    if found is not None:
        return found
    loaded = f'np.load(Path(__file__).with_name("inputs.npz"))["arg_{number}"]'
    if _is_plain(array):
        return loaded
    return f"{loaded}.{'astype' if 'int' in array.dtype.name else 'view'}({_dtype(array)})"


def _is_plain(array: Array) -> bool:
    return not hasattr(ml_dtypes, array.dtype.name)


def _dtype(array: Array) -> str:
    name = array.dtype.name
    return (
        f"np.{name}"
        if _is_plain(array) and name != "bool"
        else "np.bool_"
        if name == "bool"
        else f"ml_dtypes.{name}"
    )


def _expression(array: Array) -> str | None:
    """An array as a NumPy expression on one line; `None` if that is too long."""
    shape, dtype = array.shape, _dtype(array)
    flat = np.ascontiguousarray(array).reshape(-1)
    if not flat.size or flat.tobytes() == np.zeros_like(flat).tobytes():
        return f"np.zeros({shape}, {dtype})"
    if flat.tobytes() == np.ones_like(flat).tobytes():
        return f"np.ones({shape}, {dtype})"
    if flat.size > 1 and flat.tobytes() == flat[:1].tobytes() * flat.size:
        return f"np.full({shape}, {_element(flat[0])}, {dtype})"
    counted = np.arange(flat.size)
    if flat.size > 2 and array.dtype.kind != "b" and _is_plain(array):
        if flat.tobytes() == counted.astype(array.dtype).tobytes():
            return f"np.arange({flat.size}).reshape({shape}).astype({dtype})"
        if flat.tobytes() == (counted % 8).astype(array.dtype).tobytes():
            return f"(np.arange({flat.size}) % 8).reshape({shape}).astype({dtype})"
    if flat.size <= INLINE_ELEMENTS:
        elements = ", ".join(_element(value) for value in flat)
        return f"np.array([{elements}]).astype({dtype}).reshape({shape})"
    return None


def _element(value: Any) -> str:
    if value.dtype.kind in "bui":
        return repr(value.item())
    return _number(complex(value) if value.dtype.kind == "c" else float(value))
