"""Objects of JAX given to hloscope; runs in a process of its own, see `running`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import hloscope
from hloscope.app.python.given_programs import given_program
from hloscope.app.python.hosts import jax_adapter

CASES: dict[str, Callable[[], Any]] = {}
STAGES = ("stablehlo", "hlo", "optimized")


def case(function: Callable[[], Any]) -> Callable[[], Any]:
    CASES[function.__name__] = function
    return function


def layer(params: Any, x: Any, n: int, unused: Any = None, key: Any = None) -> Any:
    y = x @ params["layer"]["w"] + params["layer"]["b"] + jax.random.normal(key, (4, 2))
    return {"out": jnp.tanh(y) * n, "key": jax.random.split(key)[0]}


PARAMS = {"layer": {"w": jnp.linspace(-1, 1, 6).reshape(3, 2), "b": jnp.zeros(2)}}
X = jnp.linspace(-2, 2, 12).reshape(4, 3)


def more() -> dict[str, Any]:
    return {"unused": jnp.ones(3), "key": jax.random.key(0)}


def jitted() -> Any:
    return jax.jit(layer, static_argnames="n", donate_argnums=1)


def same(found: Any, wanted: Any) -> bool:
    """Whether two trees have the same structure and, but for rounding, the same leaves."""
    found_leaves, found_tree = jax.tree.flatten(jax.tree.map(plain, found))
    wanted_leaves, wanted_tree = jax.tree.flatten(jax.tree.map(plain, wanted))
    return found_tree == wanted_tree and all(
        left.dtype == right.dtype and np.allclose(left, right, rtol=1e-5, atol=1e-6)
        for left, right in zip(found_leaves, wanted_leaves, strict=True)
    )


def plain(leaf: Any) -> Any:
    if isinstance(leaf, jax.Array) and jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        leaf = jax.random.key_data(leaf)
    return np.asarray(leaf)


@case
def kinds() -> Any:
    traced = jitted().trace(PARAMS, X, n=2, **more())
    lowered = traced.lower()
    wanted = layer(PARAMS, X, 2, **more())
    given = {
        "function": (partial(layer), (PARAMS, X, 2)),
        "traced": (traced, (PARAMS, X)),
        "lowered": (lowered, (PARAMS, X)),
    }
    found = {
        f"{name} {stage}": same(hloscope.run(value, *arguments, stage=stage, **more()), wanted)
        for name, (value, arguments) in given.items()
        for stage in STAGES
    }
    found |= {
        f"jitted {stage}": same(hloscope.run(jitted(), PARAMS, X, n=2, stage=stage, **more()), wanted)
        for stage in STAGES
    }
    found["compiled"] = same(hloscope.run(lowered.compile(), PARAMS, X, **more()), wanted)
    return found


@case
def names() -> Any:
    listed: dict[str, Any] = {}
    lowered = jitted().lower(PARAMS, X, n=2, **more())
    for name, value, arguments, named in (
        ("jitted", jitted(), (PARAMS, X), {"n": 2}),
        ("lowered", lowered, (PARAMS, X), {}),
        ("compiled", lowered.compile(), (PARAMS, X), {}),
    ):
        given = given_program(value, arguments, {**named, **more()})
        assert given.host is not None
        listed[name] = [str(argument) for argument in given.host.arguments]
        listed[f"{name} first line"] = given.text.partition("\n")[0]
    return listed


@case
def donated_arguments_are_copied() -> Any:
    x = jnp.ones(4)
    double = jax.jit(lambda x: x * 2, donate_argnums=0)
    recording = hloscope.record(double, x)
    double(x)
    assert x.is_deleted()
    try:
        hloscope.record(double, x)
    except hloscope.ProgramError as error:
        return [recording["%0"].numpy().tolist(), str(error)]


@case
def numpy_arguments_are_copied() -> Any:
    x = np.ones(3, np.float32)
    given = given_program(lambda x: x + 1, (x,))
    x[:] = 7
    return hloscope.run(given.program, given.inputs)[0].tolist()


@case
def static_values() -> Any:
    found = hloscope.run(lambda x, how: getattr(jnp, how)(x), X, "tanh")
    chosen = hloscope.run(lambda x, flag: x if flag else -x, X, True, static_argnums=1)
    try:
        hloscope.run(lambda x, flag: x if flag else -x, X, True)
    except hloscope.ProgramError as error:
        return [same(found, jnp.tanh(X)), same(chosen, X), f"{error} {error.hint}"]


@case
def exports() -> Any:
    from jax import export

    def f(p: Any, x: Any) -> Any:
        return jnp.sin(x) @ p["w"]

    w = jnp.ones((3, 2))
    fixed = export.export(jax.jit(f))({"w": w}, X)
    (b,) = export.symbolic_shape("b")
    opened = export.export(jax.jit(f))({"w": w}, jax.ShapeDtypeStruct((b, 3), "float32"))
    several = export.export(jax.jit(f), platforms=("cpu", "cuda"))({"w": w}, X)
    found: dict[str, Any] = {
        stage: same(hloscope.run(fixed, {"w": w}, X, stage=stage), f({"w": w}, X)) for stage in STAGES
    }
    found["open"] = same(hloscope.run(opened, {"w": w}, X), f({"w": w}, X))
    found["several"] = same(hloscope.run(several, {"w": w}, X), f({"w": w}, X))
    given = given_program(opened, ({"w": w}, X))
    assert given.host is not None
    found["names"] = [argument.name for argument in given.host.arguments]
    try:
        hloscope.record(opened)
    except hloscope.ProgramError as error:
        found["without sizes"] = str(error)
    return found


@case
def jaxprs() -> Any:
    closed = jax.make_jaxpr(lambda x: jnp.cos(x) + 1)(X)
    return same(hloscope.run(closed, X)[0], jnp.cos(X) + 1)


@case
def without_values() -> Any:
    lowered = jax.jit(lambda x: x + 1).lower(jax.ShapeDtypeStruct((3,), "float32"))
    try:
        hloscope.record(lowered)
    except hloscope.ProgramError as error:
        return [str(error), hloscope.check(lowered) == ()]


@case
def stages_that_are_not_there() -> Any:
    found = []
    compiled = jax.jit(lambda x: x + 1).lower(X).compile()
    for value, stage in ((compiled, "stablehlo"), (layer, "fancy")):
        try:
            hloscope.record(value, X, stage=stage)
        except hloscope.ProgramError as error:
            found.append(str(error))
    return found


@case
def random_keys() -> Any:
    def draw(key: Any) -> Any:
        return jax.random.split(key, 3)

    found = {}
    for generator in ("threefry2x32", "rbg"):
        key = jax.random.key(3, impl=generator)
        result = hloscope.run(draw, key)
        found[generator] = [str(result.dtype), generator == "rbg" or same(result, draw(key))]
    return found


@case
def sharded() -> Any:
    from jax.sharding import Mesh, NamedSharding
    from jax.sharding import PartitionSpec as P

    mesh = Mesh(np.array(jax.devices()[:4]), ("x",))
    w = jax.device_put(jnp.arange(32.0).reshape(8, 4), NamedSharding(mesh, P("x")))
    x = jax.device_put(jnp.ones((4, 8)), NamedSharding(mesh, P(None, "x")))

    def product(x: Any, w: Any) -> Any:
        return jnp.tanh((x @ w) / 100)

    wanted = product(x, w)
    found: dict[str, Any] = {
        stage: same(hloscope.run(jax.jit(product), x, w, stage=stage), wanted)
        for stage in ("stablehlo", "hlo")
    }
    recording = hloscope.record(jax.jit(product), x, w, stage="optimized")
    each = [track.results() for track in recording.tracks]
    found["optimized"] = [recording.state.kind, len(each)]
    found["parts"] = all(
        bool(np.allclose(np.squeeze(part[0]), plain(wanted), rtol=1e-5)) for part in each if part
    )
    return found


@case
def checks_maps_and_comparisons() -> Any:
    def f(p: Any, x: Any) -> Any:
        return jnp.tanh(x @ p["w"])

    p = {"w": jnp.ones((3, 2))}
    return {
        "check": hloscope.check(f, p, X) == (),
        "maps": str(hloscope.maps(f, p, X)[0]).splitlines()[0],
        "one map": [maps.op for maps in hloscope.maps(f, p, X, op="%1")],
        "xla": hloscope.compare(f, inputs=[p, X], against="xla").__class__.__name__,
        "function": str(hloscope.compare(f, inputs=[p, X], against=f)),
        "two": hloscope.compare(f, lambda p, x: f(p, x) + 1, inputs=[p, X]).__class__.__name__,
    }


@case
def adapter() -> Any:
    """Each private name of JAX that the adapter uses."""

    def host(x: Any) -> Any:
        return np.sin(x)

    def f(x: Any, unused: Any) -> Any:
        jax.debug.print("x {}", x.sum())
        return jax.pure_callback(host, jax.ShapeDtypeStruct((4, 3), "float32"), x)

    lowered = jax.jit(f).lower(X, X)
    compiled = jax.jit(lambda x, unused: x + 1).lower(X, X).compile()
    calls = jax_adapter.host_callbacks(lowered)
    told = []

    def spy(info: Any, flat: Any, function: Any) -> None:
        if not jax_adapter.is_eager_op(function):
            told.append(
                [jax_adapter.call_of(info)["name"], list(jax_adapter.call_of(info)["arguments"]), len(flat)]
            )

    with jax_adapter.watched_calls(spy):
        jitted()(PARAMS, jnp.array(X), n=2, **more())
    large = jax.jit(lambda x: x + jnp.arange(1000.0) ** 2).lower(jnp.ones(1000))
    return {
        "kept": sorted(jax_adapter.kept_arguments(lowered)),
        "kept by compiled": sorted(jax_adapter.kept_by_compiled(compiled)),
        "callbacks": [jax_adapter.callback_name(call) for call in calls],
        "called": np.allclose(calls[1](np.asarray(X))[0], np.sin(X)),
        "hlo": jax_adapter.hlo_text(large).startswith("HloModule"),
        "optimized": "{...}" not in jax_adapter.optimized_text(large.compile()),
        "devices": len(jax_adapter.device_order(compiled)),
        "watched": told[-1],
        "compilers": any(
            hasattr(__import__("jax._src.compiler", fromlist=["x"]), name) for name in jax_adapter.COMPILERS
        ),
    }


@case
def sessions() -> Any:
    """The four stages in the debugger of a server that is started for them."""
    found: dict[str, Any] = {}
    urls = set()
    for stage in (*STAGES, "passes"):
        session = hloscope.debug(jitted(), PARAMS, X, n=2, stage=stage, open=False, **more())
        urls.add(session.url.partition("/s/")[0].partition("/passes/")[0])
        if stage == "passes":
            assert session.passes is not None
            found[stage] = [session.name, len(session.passes.dump.modules) == 1, "/passes/" in session.url]
        else:
            info = session._client.info(session.id)
            kinds = {argument["input"]["kind"] for argument in info["run"]["arguments"]}
            found[stage] = [session.name, session.wait(60), sorted(kinds), session.recording.state.kind]
            session.goto(1)
            found[f"{stage} position"] = session._client.info(session.id)["position"]["step"]
        session.close()
    found["servers"] = len(urls)
    found["stopped"] = hloscope.stop_local_server()
    return found


@case
def inlined_functions() -> Any:
    """Ops of JAX's own functions come from the line that calls them, whichever called them first."""

    def called(x: Any) -> Any:
        first = jnp.where(x > 0, jax.nn.relu(x), jnp.var(x))
        return first + jnp.where(x > 1, jnp.var(x), x)

    x = jnp.arange(4.0)
    whole = jax_adapter.inlined(jax.make_jaxpr(called)(x))
    text = jax.jit(whole).lower(x).as_text(debug_info=True)
    recording = hloscope.record(text, [x])
    lines = {step.source.split(":")[1] for step in recording.of_op("divide") if step.source}
    (result,) = recording.results() or ()
    return ["func.call" in text, len(lines), bool(np.allclose(result, called(x)))]
