"""In the oracle's process: where JAX puts the parts of tensors."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from .framing import Array


def boxes(head: dict[str, Any], _: list[Array]) -> tuple[dict[str, Any], list[Array]]:
    """Starts and stops of what each device holds, and how HLO and Shardy write the sharding.

    There a device is its place among those of the mesh: they are in the order in which the program is given them.
    """
    axes, shape = head["axes"], tuple(head["shape"])
    devices = np.array([jax.devices()[number] for number in head["devices"]]).reshape(
        [size for _, size in axes]
    )
    spec = PartitionSpec(*[tuple(names) or None for names in head["dimensions"]])
    sharding = NamedSharding(Mesh(devices, [name for name, _ in axes]), spec)
    found = np.zeros((len(head["devices"]), len(shape), 2), np.int64)
    for device, places in sharding.devices_indices_map(shape).items():
        assert places is not None
        for dimension, (place, size) in enumerate(zip(places, shape, strict=True)):
            found[head["devices"].index(device.id), dimension] = place.indices(size)[:2]
    texts = [
        str(sharding._to_xla_hlo_sharding(len(shape))),
        str(sharding._to_sdy_sharding(len(shape)).build({})),
    ]
    return {"texts": texts}, [found]
