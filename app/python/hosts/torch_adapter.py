"""All uses of undocumented PyTorch and torchax, and the adaptation of their versions.

One function for each, with a test for each. The caller, who passed a PyTorch object, has imported PyTorch;
torchax, which implements each of PyTorch's ops in JAX, is imported here.
"""

from __future__ import annotations

import ast
import linecache
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hloscope.engine.errors import InputError

from .host_program import Array, copied
from .jax_programs import import_jax
from .torch_gradients import gradients

TESTED = "torch==2.13.0 torchax==0.0.13"
"""A tested pair of compatible versions."""
_FRAME = re.compile(
    r'^\s*File "(.+)", line (\d+), in (.+)(?:\n    (?! *File ").*(?:\n    ( *[~^]+)(?=\n|$))?)?', re.MULTILINE
)
_MEMBER = re.compile(r"\._(?:modules|parameters|buffers)\['([^']*)'\]")
_LOCAL = re.compile(r"\b[LG]\['([^']*)'\]")
_MODELS = {"self", "fn"}
"""The names that `torch.compile` gives the model, for a user's class and for PyTorch's own."""
_CHECKS = {"_assert_async", "_assert_scalar", "_assert_tensor_metadata", "sym_constrain_range", "sym_constrain_range_for_size"}  # fmt: skip
"""Ops of ATen that compute nothing."""


@cache
def import_torchax() -> Any:
    """Import torchax with its table of ops filled.

    `InputError` if it is not installed, or does not match the installed PyTorch.
    """
    missing = next((name for name in ("torch", "torchax") if _is_missing(name)), None)
    if missing is not None:
        raise InputError(
            f"a program of PyTorch becomes StableHLO by torchax, and {missing} is not installed",
            hint=f"Type `pip install {TESTED} 'hloscope[xla]'`.",
        )
    import_jax()
    try:
        with _overloads_may_be_absent():
            import torchax
            import torchax.decompositions
            import torchax.device_module
            import torchax.export
            from torchax.ops import mappings, ops_registry
    except Exception as error:
        raise _do_not_fit(error) from error
    _have_no_device(torchax.device_module)
    try:
        torchax.default_env()  # fills the table
        assert ops_registry.all_aten_ops
        assert mappings.t2j_dtype
    except Exception as error:
        raise _do_not_fit(error) from error
    _hide_callers()
    return torchax


def _is_missing(name: str) -> bool:
    if name in sys.modules:
        return sys.modules[name] is None
    return find_spec(name) is None


def _do_not_fit(error: Exception) -> InputError:
    import torch

    told = (str(error) or type(error).__name__).strip().partition("\n")[0]
    return InputError(
        f"PyTorch {torch.__version__} and the torchax that is installed do not go together: {told}",
        hint=f"Type `pip install {TESTED} 'hloscope[xla]'`.",
    )


@contextmanager
def _overloads_may_be_absent() -> Iterator[None]:
    """Have PyTorch return a name for a missing overload: torchax needs some that 2.13 removed."""
    from torch._ops import OpOverloadPacket

    original = OpOverloadPacket.__getattr__

    def get(packet: Any, name: str) -> Any:
        try:
            return original(packet, name)
        except AttributeError:
            if name.startswith("_"):
                raise
            return f"{packet}.{name} (absent)"

    OpOverloadPacket.__getattr__ = get
    try:
        yield
    finally:
        OpOverloadPacket.__getattr__ = original


def _have_no_device(module: Any) -> None:
    """Keep PyTorch from treating torchax's device as an accelerator.

    Otherwise `torch.compile` would request streams that the device lacks.
    """
    module.is_available = lambda: False


def _hide_callers() -> None:
    """Exclude our callers from the source locations of ops.

    PyTorch's modules stay: they are in the graph's own frames.
    """
    import torch.fx
    import torchax
    from jax.extend import source_info_util

    source_info_util.register_exclusion(str(Path(torch.fx.__file__).parent))
    source_info_util.register_exclusion(str(Path(torchax.__file__).parent))


def decompositions() -> Mapping[Any, Callable[..., Any]]:
    """Decompositions of the ops that torchax lacks."""
    from torch._decomp import core_aten_decompositions

    return {**core_aten_decompositions(), **import_torchax().decompositions.DECOMPOSITIONS}


def decomposed(program: Any) -> Any:
    """An exported program decomposed into ops that torchax has."""
    torchax = import_torchax()
    try:
        return program.run_decompositions().run_decompositions(torchax.decompositions.DECOMPOSITIONS)
    except Exception as error:
        raise _do_not_fit(error) from error


def lowering_of(target: Any) -> Callable[..., Any] | None:
    """The JAX function of an ATen op, `None` for a pure check; `InputError` if torchax has none."""
    registry = import_torchax().ops.ops_registry.all_aten_ops
    packet = getattr(target, "overloadpacket", target)
    name = str(packet).rpartition(".")[2]
    if (gradient := gradients(_forward_op).get(name)) is not None:
        return gradient
    found = registry.get(target) or registry.get(packet)
    if found is not None and found.is_jax_function:
        implementation: Callable[..., Any] = found.func
        return implementation
    if name in _CHECKS:
        return None
    raise InputError(
        f"torchax has no implementation of {target}",
        hint="Write the model with other ops, of ATen's core set.",
    )


def _forward_op(name: str) -> Callable[..., Any]:
    import torch

    packet = getattr(torch.ops.aten, name)
    found = lowering_of(packet.default)
    assert found is not None
    return found


def jax_dtype(dtype: Any) -> Any:
    """The JAX dtype of a PyTorch dtype."""
    import_torchax()
    from torchax.ops import mappings

    try:
        return mappings.t2j_dtype(dtype)
    except (KeyError, RuntimeError) as error:
        raise InputError(f"JAX has no numbers of {dtype}") from error


def array_of(tensor: Any) -> Array:
    """A copy of a tensor on any device, as an array."""
    import torch

    held = tensor.detach().resolve_conj().resolve_neg().cpu().contiguous()
    try:
        return copied(held.numpy())
    except TypeError:  # bf16 and f8, which NumPy lacks
        bits = held.view({1: torch.uint8, 2: torch.int16}[held.element_size()]).numpy()
        return copied(bits.view(np.dtype(jax_dtype(held.dtype))))


def is_random(node: Any) -> bool:
    """Whether a node of a graph draws random numbers."""
    import torch

    return torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())


# Source locations of graph nodes.


class Frame(NamedTuple):
    """A call in the user's code."""

    file: str
    line: int
    function: str
    columns: tuple[int, int]
    """The range in the line, from 0; both 0 if unknown."""


def frames_of(node: Any) -> list[Frame]:
    """The calls that created a node, outermost first; PyTorch's own if there are no others."""
    import torch

    found = [
        Frame(file, int(line), function.strip(), _columns(file, int(line), marks))
        for file, line, function, marks in _FRAME.findall(node.meta.get("stack_trace") or "")
    ]
    own = str(Path(torch.__file__).parent)
    return [frame for frame in found if not frame.file.startswith(own)] or found


def _columns(file: str, line: int, marks: str) -> tuple[int, int]:
    """The columns of the marks below a line; a traceback shows it without indentation."""
    if not marks:
        return (0, 0)
    text = linecache.getline(file, line)
    indentation = len(text) - len(text.lstrip())
    return (indentation + marks.index(marks.strip()), indentation + len(marks))


def modules_of(node: Any) -> list[str]:
    """The path of the innermost module that created a node, split: `["layer1", "0", "conv1"]`."""
    stack = node.meta.get("nn_module_stack") or node.meta.get("fwd_nn_module_stack") or {}
    path = str(list(stack.values())[-1][0]) if stack else ""
    return [part for part in name_of_source(path).replace("[", ".").replace("]", "").split(".") if part]


def name_of_source(source: str) -> str:
    """`conv1.weight` for `L['self']._modules['conv1']._parameters['weight']`.

    The long form is the name of a source in `torch.compile`.
    """
    found = _LOCAL.sub(r"\1", _MEMBER.sub(r".\1", source))
    head, _, rest = found.partition(".")
    return rest if head in _MODELS else found


def sources_of(graph_module: Any) -> list[str]:
    """The names, in the user's program, of the inputs of a `torch.compile` graph."""
    return [
        _source_of(node) or node.name.removeprefix("l_").removesuffix("_")
        for node in graph_module.graph.nodes
        if node.op == "placeholder"
    ]


def _source_of(node: Any) -> str:
    source = getattr(node, "_dynamo_source", None) or getattr(node.meta.get("grapharg"), "source", None)
    name = getattr(source, "name", "")
    return name_of_source(str(name() if callable(name) else name))


def model_of(graph_module: Any) -> str:
    """The class or function around the first source line of a `torch.compile` graph."""
    nodes = graph_module.graph.nodes
    frame = next((frames[0] for node in nodes if (frames := frames_of(node))), None)
    if frame is None:
        stacks = (node.meta.get("nn_module_stack") for node in nodes)
        kinds = (kind for stack in stacks for _, kind in (stack or {}).values())
        return str(getattr(next(kinds, None), "__name__", "graph"))
    try:
        tree = ast.parse("".join(linecache.getlines(frame.file)))
    except SyntaxError:
        return frame.function
    around = [
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and node.lineno <= frame.line <= (node.end_lineno or 0)
    ]
    return around[-1] if around else frame.function.strip("<>")


def names_of_inputs(graph_module: Any, sources: Sequence[str]) -> list[str]:
    """Input names of a forward or backward graph: the user's where they exist, else the nodes'."""
    names = [node.name for node in graph_module.graph.nodes if node.op == "placeholder"]
    return [_name_of_input(name, sources) for name in names]


def _name_of_input(name: str, sources: Sequence[str]) -> str:
    numbered = re.fullmatch(r"primals_(\d+)|arg(\d+)_\d+", name)
    if numbered is None:
        return name
    at = int(numbered[1]) - 1 if numbered[1] else int(numbered[2])
    return sources[at] if at < len(sources) else name


# Calls of exported programs, and compilation of graphs.


def flat_inputs(program: Any, arguments: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
    """The leaves of a call of an exported program, in the order of its user inputs."""
    from torch.utils import _pytree as pytree

    wanted = program.call_spec.in_spec
    ordered = {key: named[key] for key in _keywords(wanted) if key in named}
    leaves, given = pytree.tree_flatten((tuple(arguments), {**ordered, **named}))
    if given != wanted:
        raise InputError(
            f"the program takes {_told(wanted)}, and {_told(given)} is given",
            hint="Give the arguments as they were given to torch.export.export.",
        )
    return list(leaves)


def _keywords(spec: Any) -> Sequence[str]:
    found = spec.children() if callable(getattr(spec, "children", None)) else spec.children_specs
    return list(found[1].context)


def _told(spec: Any) -> str:
    from torch.utils import _pytree as pytree

    arguments, named = pytree.tree_unflatten(["*"] * spec.num_leaves, spec)
    told = [str(argument).replace("'", "") for argument in arguments]
    told += [f"{key}={str(value).replace(chr(39), '')}" for key, value in named.items()]
    return f"({', '.join(told)})"


def unflattened(leaves: Sequence[Any], spec: Any) -> Any:
    """Leaves reassembled into the structure that a function returns."""
    from torch.utils import _pytree as pytree

    return pytree.tree_unflatten(list(leaves), spec)


Compiler = Callable[[Any, Sequence[Any]], Callable[..., Any]]
"""Takes a graph and example inputs; returns a function of the inputs."""


def compiled_both_ways(graph: Any, inputs: Sequence[Any], forward: Compiler, backward: Compiler) -> Any:
    """A `torch.compile` graph whose forward and backward graphs we compile, in torchax's ops."""
    import torch.nn.attention
    from torch._dynamo.backends.common import aot_autograd
    from torch._functorch.aot_autograd import make_boxed_func

    def boxed(compiler: Compiler) -> Callable[..., Any]:
        return lambda module, examples: make_boxed_func(compiler(module, examples))

    # Attention as products and a softmax: torchax lacks the backward of PyTorch's fused kernels.
    attention = torch.nn.attention
    backend = aot_autograd(fw_compiler=boxed(forward), bw_compiler=boxed(backward), decompositions=decompositions())  # fmt: skip
    with attention.sdpa_kernel([attention.SDPBackend.MATH]):
        return backend(graph, inputs)
