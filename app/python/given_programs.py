"""Programs from Python code: text, bytes, a path, a parsed program, or a library's function."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hloscope.engine.errors import InputError
from hloscope.engine.limits import DEFAULT_LIMITS, Limits
from hloscope.engine.program import BoundProgram

from ..runs.formats.reading import read_program
from ..runs.python_values import Each
from .hosts import jax_adapter
from .hosts.host_program import HostProgram, Kind, Stage, check_stage, kind_of
from .hosts.jax_programs import Call, program_of_jax
from .hosts.tensorflow_programs import program_of_tensorflow
from .hosts.torch_programs import program_of_torch


@dataclass(frozen=True)
class Options:
    """Options for lowering a function; they have no effect on text."""

    stage: str | None = None
    """`stablehlo`, `hlo`, `optimized` or `passes`; `None` is the default of the object.

    The default is `optimized` for a `Compiled`, else `stablehlo`.
    """
    static_argnums: Any = None
    static_argnames: Any = None
    gathers: bool = False
    """Whether arguments are gathered that lie partly on other hosts."""

    @property
    def jit(self) -> dict[str, Any]:
        """The options of `jax.jit`."""
        told = {"static_argnums": self.static_argnums, "static_argnames": self.static_argnames}
        return {name: value for name, value in told.items() if value is not None}


@dataclass(frozen=True)
class GivenProgram:
    """A program as text or parsed, with its inputs."""

    program: BoundProgram | str
    name: str
    inputs: tuple[Any, ...] | None = None
    """`None` if there are none."""
    host: HostProgram | None = field(default=None, repr=False)
    """The source function, if there is one."""

    @property
    def text(self) -> str:
        """The text, also of a parsed program."""
        return self.program if isinstance(self.program, str) else self.program.module.source.text


def is_host(value: Any) -> bool:
    """Whether `value` is a function or a library's program object."""
    return not isinstance(value, str | bytes | Path | BoundProgram) and kind_of(value) is not None


def given_program(
    value: Any,
    arguments: Sequence[Any] = (),
    named: Mapping[str, Any] | None = None,
    options: Options = Options(),
    limits: Limits = DEFAULT_LIMITS,
) -> GivenProgram:
    """The program of `value` with these arguments; `ProgramError` if it is not a program.

    For text, the arguments are its inputs, in order. A `str` with a line break is a text; any other `str` that
    names a file is read, and so is one without a blank, which no program is.
    """
    stage = check_stage(options.stage) if options.stage is not None else None
    if isinstance(value, BoundProgram):
        return GivenProgram(value, Path(value.module.source.name).name, _inputs(arguments, named))
    if isinstance(value, bytes | bytearray | memoryview):
        return _of_bytes(bytes(value), "program", arguments, named, limits)
    if isinstance(value, Path) or (isinstance(value, str) and _is_file(value)):
        return _of_bytes(_read(Path(value), limits), str(value), arguments, named, limits)
    if isinstance(value, str):
        return GivenProgram(value, "program", _inputs(arguments, named))
    kind = kind_of(value)
    if kind is None:
        raise InputError(
            f"an object of type {type(value).__module__}.{type(value).__qualname__} is not a program",
            hint="Give a function, what JAX makes of one, text, bytes or a path.",
        )
    # A compiled object has no program of any other stage.
    chosen = stage or ("optimized" if kind == "compiled" else "stablehlo")
    host = _host_program(kind, value, Call(arguments, named or {}, options.jit, options.gathers), chosen)
    inputs = None if host.inputs is None else _inputs_on_grid(host)
    return GivenProgram(host.text, host.name, inputs, host)


def _host_program(kind: Kind, value: Any, call: Call, stage: Stage) -> HostProgram:
    """The program of an object of JAX, TensorFlow or PyTorch; `InputError` if there is none."""
    if kind == "torch":
        return program_of_torch(value, call.arguments, call.named, stage)
    if kind == "tensorflow":
        return program_of_tensorflow(value, call.arguments, dict(call.named), stage)
    return program_of_jax(kind, value, call, stage)


def _inputs_on_grid(program: HostProgram) -> tuple[Any, ...]:
    """The inputs of a program, whole; partitioned ones as the part of each process.

    The text of the stage `optimized` has the shapes of parts; the compiled program maps the parts to devices.
    """
    inputs = program.inputs or ()
    if program.stage != "optimized" or program.source is None:
        return inputs
    compiled = program.source.compile() if hasattr(program.source, "compile") else program.source
    devices = jax_adapter.device_order(compiled)
    if len(devices) == 1:
        return inputs
    import jax

    shardings = jax.tree_util.tree_leaves(compiled.input_shardings)
    return tuple(_parts(value, sharding, devices) for value, sharding in zip(inputs, shardings, strict=True))


def _parts(value: Any, sharding: Any, devices: Sequence[Any]) -> Each:
    places = sharding.devices_indices_map(value.shape)
    return Each([value[places[device]] for device in devices])


def _inputs(arguments: Sequence[Any], named: Mapping[str, Any] | None) -> tuple[Any, ...] | None:
    if named:
        raise InputError(
            f"the inputs of a text have no names, and {', '.join(named)} is given",
            hint="Give them in order, as the entry function has them.",
        )
    return tuple(arguments) or None


def _is_file(text: str) -> bool:
    if "\n" in text or len(text) > 4096:
        return False
    if text and not re.search(r"[\s\0]", text):
        return True
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False


def _read(path: Path, limits: Limits) -> bytes:
    try:
        with path.open("rb") as stream:
            data = stream.read(limits.max_program_bytes + 1)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {(error.strerror or str(error)).lower()}") from None
    if len(data) > limits.max_program_bytes:
        raise InputError(f"{path} is larger than max_program_bytes, {limits.max_program_bytes:,} bytes")
    return data


def _of_bytes(
    data: bytes, name: str, arguments: Sequence[Any], named: Mapping[str, Any] | None, limits: Limits
) -> GivenProgram:
    given = _inputs(arguments, named)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = None
    if text is not None and "\0" not in text:
        return GivenProgram(text, Path(name).name, given)
    found = read_program(data, name, limits=limits)
    return GivenProgram(found.text, Path(name).name, given if given is not None else found.inputs)
