"""`hloscope.torch_backend`: the graphs that PyTorch compiles, as programs to step through.

`torch.compile(model, backend=hloscope.torch_backend)`: PyTorch still runs its own graphs, forward and backward;
within `with hloscope.torch_graphs() as graphs:` their inputs and results are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from html import escape
from itertools import count
from typing import Any, Literal

from hloscope.engine.errors import InputError

from ..base.settings import Settings
from .debug import Session, open_session, shows_in_browser
from .functions import record_given
from .given_programs import GivenProgram
from .hosts import torch_adapter
from .hosts.host_program import Array, HostProgram, Stage, check_stage
from .hosts.torch_programs import TorchGraph, program_of_graph, random_recorder
from .recording import Recording

Direction = Literal["forward", "backward"]


class TorchCall:
    """A call of a `torch.compile` graph: its inputs, PyTorch's results, and its program."""

    def __init__(
        self,
        graph: TorchGraph,
        number: int,
        direction: Direction,
        inputs: Sequence[Any],
        drawn: dict[str, Array],
    ) -> None:
        self._graph, self._inputs, self._drawn = graph, tuple(inputs), drawn
        self.number = number
        """Number of the graph, from 0; a graph break adds one, a backward graph shares it."""
        self.direction: Direction = direction
        """`forward` or `backward`."""
        self.results: tuple[Array, ...] = ()
        """PyTorch's results, tensors only; a forward graph adds the values that the backward needs."""

    @property
    def name(self) -> str:
        """The name in the debugger: `ResNet forward`."""
        return self._graph.name

    @property
    def inputs(self) -> dict[str, Any]:
        """The call's inputs, by the names in the user's program: `layer1.0.conv1.weight`."""
        return dict(zip(self._graph.names, self._inputs, strict=True))

    @cached_property
    def recording(self) -> Recording:
        """hloscope's run of the graph, with every value. Recorded at first access."""
        return record_given(self._given("stablehlo"))

    def program(self, stage: str = "stablehlo") -> str:
        """The text of its program: `stablehlo`, `hlo` or `optimized`."""
        return self._given(check_stage(stage)).text

    def debug(self, *, stage: str = "stablehlo", open: bool | None = None) -> Session:
        """Open it in the debugger, as `hloscope.debug` does."""
        session = open_session(self._given(check_stage(stage)), Session.local_server(Settings.load()))
        if shows_in_browser(open):
            session.open()
        return session

    def _given(self, stage: Stage) -> GivenProgram:
        if stage == "passes":
            raise InputError(
                "XLA's passes over a graph of PyTorch are not compared one by one",
                hint="Take stablehlo, hlo or optimized.",
            )
        host: HostProgram = program_of_graph(self._graph, self._inputs, stage, self._drawn)
        return GivenProgram(host.text, host.name, host.inputs, host)

    def __repr__(self) -> str:
        return f"<hloscope.TorchCall of graph {self.number}: {self.name}, {len(self._inputs)} inputs>"

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.name)}, graph {self.number}, {len(self._inputs)} inputs</p>"


class _Watch:
    """The calls that a block keeps."""

    def __init__(self, calls: int | None) -> None:
        self.most = calls
        self.found: list[TorchCall] = []
        self._seen: dict[int, int] = {}

    def wants(self, graph: TorchGraph) -> bool:
        """Whether this call of the graph is kept."""
        seen = self._seen.get(id(graph), 0)
        self._seen[id(graph)] = seen + 1
        return self.most is None or seen < self.most


_watches: list[_Watch] = []
_numbers = count()


@contextmanager
def torch_graphs(calls: int | None = 1) -> Iterator[list[TorchCall]]:
    """Keep the graph calls that `hloscope.torch_backend` sees within the block, in order.

    `with hloscope.torch_graphs() as graphs: loss = model(x).sum(); loss.backward()`. Then `graphs[0].debug()`
    opens the forward graph, and `graphs[-1].recording` has every value of the backward one. The first call of
    each graph is kept, the first `calls`, or with `None` all of them; each copies all inputs, including
    weights. The model may have been compiled before the block.
    """
    watch = _Watch(calls)
    _watches.append(watch)
    try:
        yield watch.found
    finally:
        _watches.remove(watch)


def torch_backend(graph: Any, inputs: Sequence[Any]) -> Any:
    """Backend of `torch.compile`: PyTorch runs the graphs, and `torch_graphs` keeps their calls.

    `torch.compile(model, backend=hloscope.torch_backend)`. Graphs consist of ATen ops that torchax implements;
    results are PyTorch's own. `InputError` if torchax is not installed, or does not match the installed
    PyTorch.
    """
    torch_adapter.import_torchax()
    names = torch_adapter.sources_of(graph)
    number = next(_numbers)

    def compiler(direction: Direction) -> Callable[[Any, Sequence[Any]], Callable[..., Any]]:
        def compiled(module: Any, _: Sequence[Any]) -> Callable[..., Any]:
            model = torch_adapter.model_of(graph)
            held = TorchGraph(
                module, torch_adapter.names_of_inputs(module, names), f"{model} {direction}", number
            )
            return _run(held, direction)

        return compiled

    return torch_adapter.compiled_both_ways(graph, inputs, compiler("forward"), compiler("backward"))


def _run(graph: TorchGraph, direction: Direction) -> Callable[..., Any]:
    """The function that PyTorch calls for a graph."""

    def called(*inputs: Any) -> Any:
        wanted = [watch for watch in _watches if watch.wants(graph)]
        if not wanted:
            return graph.module.forward(*inputs)
        kept = [torch_adapter.array_of(value) if hasattr(value, "detach") else value for value in inputs]
        recorder = random_recorder(graph.module)
        results = recorder.run(*inputs, enable_io_processing=False)
        drawn = {name: torch_adapter.array_of(value) for name, value in recorder.drawn.items()}
        call = TorchCall(graph, graph.number, direction, kept, drawn)
        call.results = tuple(torch_adapter.array_of(value) for value in results if hasattr(value, "detach"))
        for watch in wanted:
            watch.found.append(call)
        return results

    return called
