"""All cases of the modules beside this one that need JAX alone: one process imports JAX, and starts one server, for all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import calling, documented, objects, watching

CASES: dict[str, Callable[[], Any]] = {
    f"{module.__name__.rpartition('.')[2]}.{name}": case
    for module in (calling, watching, documented, objects)  # the last one stops the server
    for name, case in module.CASES.items()
}
