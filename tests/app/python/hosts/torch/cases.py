"""Programs of PyTorch through hloscope; runs in a process of its own, in the environment of `make torch-programs`."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn

import hloscope
from hloscope.app.python.hosts import torch_adapter
from hloscope.engine.errors import InputError

from .export import cases
from .models import Classifier, ResNet, image, loss_of, made, tokens

CASES: dict[str, Callable[[], Any]] = {}


def case(function: Callable[[], Any]) -> Callable[[], Any]:
    CASES[function.__name__] = function
    return function


def error(expected: Any, found: Any) -> float:
    """The largest error, to the largest element."""
    wanted = np.asarray(expected, np.float64)
    return float(np.abs(np.asarray(found, np.float64) - wanted).max() / (np.abs(wanted).max() + 1e-12))


def told(function: Callable[[], Any]) -> str:
    try:
        function()
    except (InputError, hloscope.ProgramError) as failed:
        return f"{failed} | {failed.hint}"
    return "nothing"


@case
def exported_programs_as_they_were() -> Any:
    """What `make torch-programs` would write now, against what is there: names and sizes of results."""
    return {name: len(results) for name, _, results in cases()}


@case
def results_of_exported() -> Any:
    found = {}
    for name, model, x in (("resnet", made(ResNet), image()), ("transformer", made(Classifier), tokens())):
        program = torch.export.export(model.eval(), (x,))
        expected = program.module()(x).detach()
        found[name] = {
            stage: error(expected, hloscope.run(program, x, stage=stage))
            for stage in ("stablehlo", "hlo", "optimized")
        }
    return found


@case
def trees_and_keywords() -> Any:
    class Two(nn.Module):  # type: ignore[misc]
        def forward(self, x: Any, *, extra: Any, scale: Any) -> Any:
            return {"sum": x["a"] + extra, "same": scale}, [x["b"] * 2.0]

    given = {"a": torch.ones(2), "b": torch.zeros(3, dtype=torch.bfloat16)}
    named = {"extra": torch.ones(2), "scale": torch.tensor(3, dtype=torch.int64)}
    program = torch.export.export(Two(), (given,), named)
    first, (second,) = hloscope.run(program, given, scale=named["scale"], extra=named["extra"])
    recording = hloscope.record(program, given, **named)
    wrong = told(lambda: hloscope.record(program, given["a"]))
    return [
        first["sum"].tolist(),
        int(first["same"]),
        str(first["same"].dtype),
        str(second.dtype),
        [argument.name for argument in recording.arguments],
        wrong,
    ]


@case
def training_mode() -> Any:
    """Buffers that a model writes are results too, and not what it returns; random numbers are inputs."""
    model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Dropout(0.5))
    x = torch.randn(8, 4)
    program = torch.export.export(model, (x,))
    torch.manual_seed(5)
    recording = hloscope.record(program, x)
    taken = torch_adapter.decomposed(program)
    weights = [
        taken.state_dict[spec.target] for spec in taken.graph_signature.input_specs if spec.target is not None
    ]
    torch.manual_seed(5)
    expected = torch.fx.Interpreter(taken.graph_module).run(*weights, x, enable_io_processing=False)
    results = recording.results() or ()
    returned = hloscope.run(program, x)
    return [
        len(results),
        max(error(theirs.detach(), mine) for theirs, mine in zip(expected, results, strict=True)) < 1e-5,
        returned.shape == (8, 4),
        [argument.name for argument in recording.arguments][-2:],
    ]


@case
def open_sizes() -> Any:
    program = torch.export.export(
        nn.Linear(3, 2), (torch.ones(4, 3),), dynamic_shapes=({0: torch.export.Dim("batch", min=2, max=64)},)
    )
    x = torch.randn(7, 3)
    expected = program.module()(x).detach()
    return [
        error(expected, hloscope.run(program, x)) < 1e-5,
        told(lambda: hloscope.check(program)),
        told(lambda: hloscope.record(program, torch.ones(4, 5))),
    ]


@case
def compared() -> Any:
    program = torch.export.export(made(ResNet).eval(), (image(),))
    return str(hloscope.compare(program, inputs=[image()], against="xla"))


@case
def steps_at_lines() -> Any:
    program = torch.export.export(made(ResNet).eval(), (image(),))
    recording = hloscope.record(program, image())
    step = recording.of_op("convolution")[1]
    return [step.source, step.scope]


@case
def forward_and_backward() -> Any:
    """PyTorch's own results come back, equal to those without hloscope; each graph runs here with the same results."""
    found = {}
    for name, make, x in (
        ("resnet", ResNet, image()),
        ("transformer", lambda: Classifier(dropout=0.0), tokens()),
    ):
        plain, model = made(make), made(make)
        loss_of(plain(x)).backward()
        compiled = torch.compile(model, backend=hloscope.torch_backend)
        with hloscope.torch_graphs() as graphs:
            loss_of(compiled(x)).backward()
        slopes = [
            error(wanted.grad, own.grad)
            for wanted, own in zip(plain.parameters(), model.parameters(), strict=True)
            if float(wanted.grad.abs().max()) > 1e-6
        ]
        runs = [
            max(
                error(theirs, mine)
                for theirs, mine in zip(graph.results, graph.recording.results() or (), strict=True)
                if np.abs(theirs).max() > 1e-6
            )
            for graph in graphs
        ]
        found[name] = [
            [graph.name for graph in graphs],
            [graph.recording.state.kind for graph in graphs],
            max(slopes) < 1e-4,
            max(runs) < 2e-5,
        ]
    return found


@case
def calls_that_are_kept() -> Any:
    model = nn.Linear(3, 2)
    compiled = torch.compile(model, backend=hloscope.torch_backend)
    x = torch.ones(2, 3)
    compiled(x)
    with hloscope.torch_graphs() as once:
        for _ in range(3):
            compiled(x)
    with hloscope.torch_graphs(calls=None) as each, hloscope.torch_graphs(calls=2) as twice:
        for _ in range(3):
            compiled(x).sum().backward()
    before = once[0].inputs["weight"].copy()
    with torch.no_grad():
        model.weight.zero_()
    compiled(x)
    return [
        len(once),
        len(each),
        len(twice),
        [call.direction for call in each],
        bool((once[0].inputs["weight"] == before).all() and before.any()),
        list(once[0].inputs),
        told(lambda: once[0].debug(stage="passes")),
    ]


@case
def graph_breaks() -> Any:
    class Broken(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.Linear(3, 4), nn.Linear(4, 2)

        def forward(self, x: Any) -> Any:
            y = self.first(x)
            torch._dynamo.graph_break()
            return self.second(torch.relu(y))

    model = Broken()
    compiled = torch.compile(model, backend=hloscope.torch_backend)
    x = torch.randn(2, 3)
    with hloscope.torch_graphs() as graphs:
        found = compiled(x)
        found.sum().backward()
    numbers = [graph.number - graphs[0].number for graph in graphs]
    last = graphs[1].recording.results() or ()
    return [
        numbers,
        [graph.direction for graph in graphs],
        error(found.detach(), last[0]) < 1e-5,
        list(graphs[0].inputs),
    ]


@case
def in_the_debugger() -> Any:
    program = torch.export.export(made(ResNet).eval(), (image(),))
    session = hloscope.debug(program, image(), open=False)
    compiled = torch.compile(made(ResNet), backend=hloscope.torch_backend)
    with hloscope.torch_graphs() as graphs:
        loss_of(compiled(image())).backward()
    backward = graphs[1].debug(open=False)
    states = [session.wait(120), backward.wait(120), session.name, backward.name]
    hloscope.stop_local_server()
    return states


# The adapter.


@case
def the_pair_goes_together() -> Any:
    torchax = torch_adapter.import_torchax()
    return [
        torchax.__version__,
        torch.accelerator.is_available(),
        _attribute_error(),
    ]


def _attribute_error() -> bool:
    """Whether an overload that is not there is an error again."""
    return not hasattr(torch.ops.aten.prod, "no_such_overload")


@case
def versions_that_do_not_go_together() -> Any:
    """A torchax that cannot be imported, in place of the one that is there."""
    real = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] == "torchax"}
    torch_adapter.import_torchax.cache_clear()
    broken = types.ModuleType("torchax")
    sys.modules["torchax"] = broken
    try:
        first = told(torch_adapter.import_torchax)
        sys.modules["torchax"] = None  # type: ignore[assignment]
        return [first, told(torch_adapter.import_torchax)]
    finally:
        sys.modules.pop("torchax")
        sys.modules.update(real)


@case
def names_of_sources() -> Any:
    return [
        torch_adapter.name_of_source(source)
        for source in (
            "L['self']._modules['layer1']._modules['0']._parameters['weight']",
            "L['x']",
            "G['model']._buffers['mean']",
            "L['batch']['image']",
        )
    ]


@case
def backward_ops() -> Any:
    """Each against PyTorch's own."""
    import jax

    torch.manual_seed(0)
    aten = torch.ops.aten
    x, small = torch.randn(2, 4, 8, 8).relu(), torch.randn(2, 4, 4, 4)
    _, indices = aten.max_pool2d_with_indices(x, [2, 2], [2, 2])
    weight, slope = torch.randn(6, 2, 3, 3), torch.randn(2, 6, 4, 4)
    calls = {
        "max_pool2d_with_indices_backward": (
            small, x, [2, 2], [2, 2], [0, 0], [1, 1], False, indices,
        ),
        "avg_pool2d_backward": (small, x, [2, 2], [2, 2], [0, 0], False, True, None),
        "_adaptive_avg_pool2d_backward": (small, x),
        "convolution_backward": (
            slope, x, weight, [6], [2, 2], [1, 1], [1, 1], False, [0, 0], 2, [True, True, True],
        ),
    }  # fmt: skip
    found = {}
    for name, arguments in calls.items():
        op = getattr(aten, name).default
        given = [
            jax.numpy.asarray(value.numpy()) if isinstance(value, torch.Tensor) else value
            for value in arguments
        ]
        with jax.enable_x64(True):
            lowering = torch_adapter.lowering_of(op)
            assert lowering is not None
            mine = lowering(*given)
        theirs = op(*arguments)
        pairs = zip(theirs, mine, strict=True) if isinstance(theirs, tuple) else [(theirs, mine)]
        found[name] = max(error(wanted, value) for wanted, value in pairs) < 1e-5
    return found


@case
def an_op_without_implementation() -> Any:
    return told(lambda: torch_adapter.lowering_of(torch.ops.aten._ctc_loss.default))


@case
def small_floats() -> Any:
    arrays = [
        torch_adapter.array_of(torch.tensor([1.5, -2.0]).to(dtype))
        for dtype in (torch.bfloat16, torch.float16, torch.float8_e4m3fn)
    ]
    return [[str(array.dtype), array.astype(float).tolist()] for array in arrays]
