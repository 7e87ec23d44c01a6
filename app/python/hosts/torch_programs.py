"""PyTorch programs (`torch.export`, `torch.compile` graphs), by way of torchax and JAX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hloscope.engine.errors import InputError

from . import torch_adapter
from .host_program import Array, HostProgram, Stage
from .jax_programs import Call, import_jax, program_of_lowered
from .torch_lowering import lowered_graph


def program_of_torch(
    program: Any, arguments: Sequence[Any], named: Mapping[str, Any], stage: Stage
) -> HostProgram:
    """The program of a `torch.export.ExportedProgram`, called with these arguments.

    Its parameters and buffers are inputs by their names. Without arguments it has no inputs. Random numbers, as
    for dropout, are drawn by PyTorch, and are inputs too. `InputError` if torchax is not installed, or lacks an
    op.
    """
    torch_adapter.import_torchax()
    is_called = bool(arguments or named) or not program.call_spec.in_spec.num_leaves
    leaves = torch_adapter.flat_inputs(program, arguments, named) if is_called else None
    taken = torch_adapter.decomposed(program)
    values, names = _placed(taken, leaves)
    module = taken.graph_module
    graph = TorchGraph(module, names, _name_of(program))
    found = program_of_graph(graph, values, stage, is_called=is_called)
    specs = taken.graph_signature.output_specs
    return replace(found, join=_joining(graph, specs, taken.call_spec.out_spec))


@dataclass(frozen=True)
class TorchGraph:
    """A graph of ATen ops that torchax has."""

    module: Any
    names: Sequence[str]
    """The user's names of its inputs."""
    name: str
    number: int = 0
    """Its number among the graphs of `torch.compile`."""


def program_of_graph(
    graph: TorchGraph,
    values: Sequence[Any],
    stage: Stage,
    drawn: Mapping[str, Any] | None = None,
    *,
    is_called: bool = True,
) -> HostProgram:
    """The program of a graph with its inputs: tensors, arrays, or shapes if there is no call.

    `drawn` are the random numbers of its nodes that PyTorch has drawn already.
    """
    random = [node.name for node in graph.module.graph.nodes if torch_adapter.is_random(node)]
    chosen = drawn
    if chosen is None:
        chosen = drawn_by_torch(graph.module, values) if random and is_called else {}
    drawn_names = [name for name in random if name in chosen]
    if random and not is_called:
        drawn_names = random
    constants = {at: value for at, value in enumerate(values) if not hasattr(value, "shape")}
    given = [(graph.names[at], value) for at, value in enumerate(values) if at not in constants]
    given += [(name, chosen[name] if is_called else _declared(graph.module, name)) for name in drawn_names]
    inputs = [_input_of(value, name) for name, value in given]
    lowered = lowered_graph(graph.module, inputs, constants, drawn_names, graph.name)
    call = Call(inputs if is_called else ())
    return program_of_lowered(lowered, [name for name, _ in given], call, stage, graph.name)


def drawn_by_torch(module: Any, values: Sequence[Any]) -> dict[str, Any]:
    """The random numbers that PyTorch draws when it runs a graph on these tensors, by node name."""
    import torch

    runner = random_recorder(module)
    with torch.no_grad():
        runner.run(*values, enable_io_processing=False)
    drawn: dict[str, Any] = runner.drawn
    return drawn


def random_recorder(module: Any) -> Any:
    """An interpreter that runs a graph in PyTorch, and keeps its random numbers in `drawn`."""
    import torch.fx

    class Recorder(torch.fx.Interpreter):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(module)
            self.drawn: dict[str, Any] = {}

        def run_node(self, node: Any) -> Any:
            found = super().run_node(node)
            if torch_adapter.is_random(node):
                self.drawn[node.name] = found
            return found

    return Recorder()


def _placed(program: Any, leaves: Sequence[Any] | None) -> tuple[list[Any], list[str]]:
    """The value and name of each placeholder of an exported program.

    Without leaves, user inputs are shapes.
    """
    given = iter(leaves) if leaves is not None else None
    nodes = [node for node in program.graph.nodes if node.op == "placeholder"]
    values: list[Any] = []
    names: list[str] = []
    for node, spec in zip(nodes, program.graph_signature.input_specs, strict=True):
        kind = spec.kind.name
        if kind == "USER_INPUT":
            values.append(_user_value(node, spec, next(given) if given is not None else None))
        elif kind in ("PARAMETER", "BUFFER", "CONSTANT_TENSOR"):
            known = program.state_dict if spec.target in program.state_dict else program.constants
            values.append(known[spec.target])
        else:
            raise InputError(
                f"the program takes {spec.target or spec.arg.name}, a {kind.lower().replace('_', ' ')}, which StableHLO has not",
                hint="Export the model without it.",
            )
        names.append(str(spec.target or spec.arg.name))
    return values, names


def _user_value(node: Any, spec: Any, given: Any) -> Any:
    """The user's value of an input: a tensor of the declared type, or the exported number."""
    declared = node.meta.get("val")
    if not hasattr(declared, "dtype"):
        return given if given is not None else getattr(spec.arg, "value", None)
    if given is None:
        return _shape_of(declared, spec.arg.name)
    if not hasattr(given, "dtype"):
        raise InputError(f"{spec.arg.name} is a tensor, and a {type(given).__name__} is given")
    _check_shape(declared, given, spec.arg.name)
    return given


def _check_shape(declared: Any, given: Any, name: str) -> None:
    fits = len(declared.shape) == len(given.shape) and all(
        not isinstance(size, int) or size == other
        for size, other in zip(declared.shape, given.shape, strict=True)
    )
    if not fits or given.dtype != declared.dtype:
        wanted, found = (f"{value.dtype}{[*value.shape]}" for value in (declared, given))
        raise InputError(
            f"{name} is exported as {wanted}, and {found} is given",
            hint="Export the model with such an argument, or with dynamic_shapes.",
        )


def _shape_of(declared: Any, name: str) -> Any:
    if not all(isinstance(size, int) for size in declared.shape):
        raise InputError(
            f"{name} is exported with open sizes, {[str(size) for size in declared.shape]}",
            hint="Give arguments, which settle them.",
        )
    jax = import_jax()
    return jax.ShapeDtypeStruct(tuple(declared.shape), torch_adapter.jax_dtype(declared.dtype))


def _declared(module: Any, name: str) -> Any:
    node = next(node for node in module.graph.nodes if node.name == name)
    return _shape_of(node.meta["val"], name)


def _input_of(value: Any, name: str) -> Any:
    if not hasattr(value, "detach"):
        return value
    if type(value).__name__ == "FakeTensor" or value.is_meta:
        raise InputError(f"{name} has no values: it was made under a fake mode, or on the device meta")
    return torch_adapter.array_of(value)


def _name_of(program: Any) -> str:
    """The class of the model."""
    for node in program.graph.nodes:
        for _, kind in (node.meta.get("nn_module_stack") or {}).values():
            return str(getattr(kind, "__name__", kind)).rpartition(".")[2]
    return "program"


def _joining(graph: TorchGraph, specs: Sequence[Any], out_spec: Any) -> Any:
    """Reassemble results as the model returns them, without the buffers that it writes."""
    outputs = next(node for node in graph.module.graph.nodes if node.op == "output").args[0]
    are_tensors = [hasattr(getattr(output, "meta", {}).get("val"), "dtype") for output in outputs]

    def join(results: Sequence[Array]) -> Any:
        left = iter(results)
        whole = [
            next(left) if is_tensor else output
            for is_tensor, output in zip(are_tensors, outputs, strict=True)
        ]
        returned = [
            value for value, spec in zip(whole, specs, strict=True) if spec.kind.name == "USER_OUTPUT"
        ]
        return torch_adapter.unflattened(returned, out_spec)

    return join
