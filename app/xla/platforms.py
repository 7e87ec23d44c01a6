"""Selection of a platform among the devices that jax finds.

Platforms have jax's device names: `cpu`, `gpu`, `tpu`, or the name of a plug-in. `device` is jax's own default. Needs no
jax: a test may pass any list of platforms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

D = TypeVar("D")
DEFAULT = "device"
CPU = "cpu"


class NoSuchPlatform(Exception):
    """jax finds no device of a platform; `found` counts the devices per platform."""

    def __init__(self, wanted: str, found: Mapping[str, int]) -> None:
        super().__init__(wanted)
        self.wanted, self.found = wanted, dict(found)


def choose(wanted: str, found: Mapping[str, Sequence[D]], default: str) -> Sequence[D]:
    """The devices of a platform; `default` is jax's own default platform."""
    devices = found.get(default if wanted == DEFAULT else wanted, ())
    if not devices:
        raise NoSuchPlatform(wanted, {name: len(each) for name, each in found.items()})
    return devices
