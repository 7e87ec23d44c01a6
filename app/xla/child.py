"""The process that runs XLA: reads requests from a socket and answers; any may crash it.

It imports jax, NumPy and only our array transport and facts of values, so that it also runs in the environment of another jaxlib.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any

import jax
import jaxlib
import numpy as np
from jaxlib import _jax

from hloscope.engine.value_facts import has_facts

from ..processes.arrays import Array, pack, unpack_all
from ..processes.framing import Channel, Frame
from . import emitted
from .compilations import Compilations, processor
from .device_facts import facts_of_all
from .devices import (
    Grid,
    as_manual,
    chosen_devices,
    found_devices,
    grid_of,
    options_of,
    platform_devices,
    run_on_devices,
)
from .emitted import hlo
from .platforms import CPU, NoSuchPlatform

Answer = tuple[dict[str, Any], list[Array]]
Overrides = tuple[tuple[str, Any], ...]
KEPT_EXECUTABLES = 512
_HELD: dict[int, Any] = {}
"""Values that stay here for requests to come, by their handles."""
_COUNTS = {"compiled": 0, "loaded": 0}
LAPACK = "lapack_"
"""Prefix of the custom-call targets that SciPy's LAPACK computes."""


def serve(connection: socket.socket) -> None:
    """Answer until the socket closes."""
    emitted.register()
    channel = Channel(connection)
    while (frame := channel.receive()) is not None:
        message, arrays = _answer(frame)
        described, data = pack(arrays)
        channel.send({**message, "arrays": described}, [data])


def _answer(frame: Frame) -> Answer:
    head = frame.message
    try:
        if LAPACK in head.get("text", ""):
            _load_lapack()
        return QUESTIONS[head["question"]](head, unpack_all(head["arrays"], frame.buffers[0]))
    except MemoryError:
        return {"out_of_memory": True}, []
    except NoSuchPlatform as error:
        return {"no_platform": error.wanted, "found": error.found}, []
    except Exception as error:
        if "RESOURCE_EXHAUSTED" in str(error) or "Out of memory" in str(error):
            return {"out_of_memory": True}, []
        return {"refused": str(error).strip() or type(error).__name__}, []


def _load_lapack() -> None:
    """Make jaxlib resolve SciPy's functions, as jax does when it traces a factorization.

    Without it their calls jump to a null address.
    """
    from jaxlib.cpu import _lapack

    _lapack.initialize()


def _versions(head: Mapping[str, Any], _: list[Array]) -> Answer:
    device = platform_devices(grid_of(head).platform)[0]
    told = {"platform": device.platform, "device": device.device_kind}
    return {"jax": jax.__version__, "jaxlib": jaxlib.__version__, **told}, []


def _platforms(_: Mapping[str, Any], __: list[Array]) -> Answer:
    """The devices of this machine, by platform."""
    found = found_devices().items()
    return {"platforms": {name: [each.device_kind for each in devices] for name, devices in found}}, []


def _run(head: Mapping[str, Any], arrays: list[Array]) -> Answer:
    """The results of a program, from all devices that it runs on."""
    return {}, run_on_devices(_compiled(head), grid_of(head), arrays)


def _run_resident(head: Mapping[str, Any], arrays: list[Array]) -> Answer:
    """The results of a program on one device: its small results, and the facts of the others, which stay here."""
    for handle in head["drop"]:
        _HELD.pop(handle, None)
    (device,), waiting = chosen_devices(grid_of(head)), iter(arrays)
    given = []
    for handle, is_sent in head["given"]:
        value = jax.device_put(next(waiting), device) if is_sent else _HELD.get(handle)
        if is_sent and handle:
            _HELD[handle] = value
        given.append(value)
    if missing := [handle for value, (handle, _) in zip(given, head["given"], strict=True) if value is None]:
        return {"missing": missing}, []
    results = [
        parts[0] for parts in _compiled(head).execute_sharded(given).disassemble_into_single_device_arrays()
    ]
    stays = [bool(each.ndim) and each.nbytes >= head["least"] and has_facts(each.dtype) for each in results]
    facts = iter(facts_of_all([each for each, large in zip(results, stays, strict=True) if large]))
    told: list[Any] = []
    for number, (each, large) in enumerate(zip(results, stays, strict=True)):
        told.append([each.dtype.name, each.shape, next(facts).json()] if large else None)
        if large:
            _HELD[head["first"] + number] = each
    return {"results": told}, [
        np.asarray(each) for each, large in zip(results, stays, strict=True) if not large
    ]


def _fetch(head: Mapping[str, Any], _: list[Array]) -> Answer:
    """A value that stayed here."""
    return {}, [np.asarray(_HELD[head["handle"]])]


def _run_emitted(head: Mapping[str, Any], arrays: list[Array]) -> Answer:
    """The results of HLO text, run as it is written."""
    grid = grid_of(head)
    return {}, run_on_devices(_compiled_as_written(head["text"], _overrides(head), grid), grid, arrays)


def _optimize(head: Mapping[str, Any], _: list[Array]) -> Answer:
    """The HLO of a program after XLA's passes, with all constants."""
    (module,) = _compiled(head).hlo_modules()
    options = hlo.HloPrintOptions()
    options.print_large_constants = True
    return {"text": module.to_string(options)}, []


def _convert(head: Mapping[str, Any], arrays: list[Array]) -> Answer:
    """The text of a program in another form."""
    from .conversion import convert  # requires more of jaxlib than the other requests

    return convert(head, arrays)


def _compilations(_: Mapping[str, Any], __: list[Array]) -> Answer:
    """The numbers of programs that this process has compiled, and has loaded from the disk."""
    return dict(_COUNTS), []


QUESTIONS: Mapping[str, Callable[[Mapping[str, Any], list[Array]], Answer]] = {
    "versions": _versions,
    "platforms": _platforms,
    "run": _run,
    "run_resident": _run_resident,
    "fetch": _fetch,
    "run_emitted": _run_emitted,
    "optimize": _optimize,
    "convert": _convert,
    "compilations": _compilations,
}


def _overrides(head: Mapping[str, Any]) -> Overrides:
    return tuple((name, value) for name, value in head.get("overrides", {}).items())


def _compiled(head: Mapping[str, Any]) -> Any:
    return _compiled_with_passes(head["text"], head["is_hlo"], _overrides(head), grid_of(head))


@lru_cache(maxsize=KEPT_EXECUTABLES)
def _compiled_with_passes(text: str, is_hlo: bool, overrides: Overrides, grid: Grid) -> Any:
    program = _as_stablehlo(text) if is_hlo else text
    is_partitioned = grid.partitions > 1 and not grid.is_whole
    return _compile(as_manual(program) if is_partitioned else program, overrides, grid)


@lru_cache(maxsize=KEPT_EXECUTABLES)
def _compiled_as_written(text: str, overrides: Overrides, grid: Grid) -> Any:
    platform = platform_devices(grid.platform)[0].platform
    if platform != CPU:
        raise ValueError(f"XLA compiles a text without its passes only on a CPU, not on {platform}")
    with emitted.carrier_of(text) as carrier:
        return _compile(carrier, overrides, grid, text)


def _as_stablehlo(text: str) -> bytes:
    proto = hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto()
    converted: bytes = _jax.mlir.hlo_to_stablehlo(proto)
    return converted


def _compile(program: str | bytes, overrides: Overrides, grid: Grid, replacement: str = "") -> Any:
    """Compile a program, or load it from the disk if it was compiled before.

    `replacement`: the text that XLA compiles in place of the program, a carrier.
    """
    options = options_of(grid, program)
    options.env_option_overrides = list(overrides)
    devices = chosen_devices(grid)
    client, on = devices[0].client, _jax.DeviceList(tuple(devices))
    # What is dumped is compiled anew.
    kept = None if any("dump" in name for name, _ in overrides) else Compilations.of_process()
    key = b"" if kept is None else _key(replacement or program, overrides, grid, devices[0])
    if kept is not None and (data := kept.load(key)) is not None:
        with suppress(Exception):
            found = client.deserialize_executable(data, on, options)
            _COUNTS["loaded"] += 1
            return found
    found = client.compile_and_load(program, on, options)
    _COUNTS["compiled"] += 1
    if kept is not None:
        with suppress(Exception):  # not every platform serialises every program
            kept.store(key, found.serialize())
    return found


def _key(program: str | bytes, overrides: Overrides, grid: Grid, device: Any) -> bytes:
    """What a compilation depends on."""
    versions = (jax.__version__, jaxlib.__version__, device.client.platform_version, device.device_kind)
    about = (*versions, os.environ.get("XLA_FLAGS", ""), processor(), overrides, tuple(grid))
    text = program.encode() if isinstance(program, str) else program
    return repr(about).encode() + b"\0" + text
